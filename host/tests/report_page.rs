//! The report in a real browser: it steps, plays, stays quiet, and can be read by everybody.

#![cfg(unix)]

mod browser;

use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::time::Duration;

use browser::Browser;
use plyscope::game_record::GameRecord;
use rand::{Rng, SeedableRng};
use rand_chacha::ChaCha8Rng;
use serde_json::{Value, json};
use shakmaty::san::SanPlus;
use shakmaty::{Chess, Position, Square};
use tempfile::TempDir;

fn sample(name: &str) -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../samples").join(name)
}

/// Runs `plyscope` with a folder for its files.
fn plyscope(folder: &TempDir, arguments: &[&str]) {
    let output = Command::new(env!("CARGO_BIN_EXE_plyscope"))
        .args(arguments)
        .current_dir(folder.path())
        .output()
        .expect("the program starts");
    assert!(output.status.success(), "{arguments:?}: {}", String::from_utf8_lossy(&output.stderr));
}

/// A folder with `game.html`, the report of a PGN.
fn report(pgn: &[u8], arguments: &[&str]) -> (TempDir, PathBuf) {
    let folder = TempDir::new().expect("a temporary folder");
    fs::write(folder.path().join("game.pgn"), pgn).expect("the folder takes a file");
    plyscope(&folder, &[&["report", "game.pgn", "-o", "game.html"], arguments].concat());
    let page = folder.path().join("game.html");
    (folder, page)
}

/// The pieces that the page shows, as 64 letters from a1 to h8.
fn board(browser: &mut Browser) -> String {
    let script = "(() => { const squares = Array(64).fill('.'); \
        for (const use of document.querySelectorAll('#pieces use')) { \
            const [x, y] = use.style.transform.match(/-?\\d+/g).map(Number); \
            squares[(7 - y / 100) * 8 + x / 100] = use.dataset.piece; } return squares.join(''); })()";
    browser.evaluate(script).as_str().unwrap_or_default().to_owned()
}

fn letters(position: &Chess) -> String {
    let on = |square| position.board().piece_at(square).map_or('.', |piece| piece.char());
    Square::ALL.into_iter().map(on).collect()
}

/// The ply that the page's list marks as current; 0 where it marks none.
fn current(browser: &mut Browser) -> u64 {
    let script = "Number(document.querySelector('#plies [aria-current]')?.dataset.ply ?? 0)";
    browser.evaluate(script).as_f64().unwrap_or(f64::NAN) as u64
}

#[test]
fn keys_and_clicks_step_through_the_game() {
    let Some(mut browser) = Browser::start() else { return };
    let pgn = fs::read(sample("opera-1858.pgn")).expect("the sample is there");
    let record = GameRecord::read(pgn.as_slice()).expect("legal");
    let (_folder, page) = report(&pgn, &["--nodes", "3000"]);
    browser.look(1280, 900, "light");
    browser.open(&page, "");
    assert_eq!(board(&mut browser), letters(&record.start));
    for (index, ply) in record.plies.iter().enumerate() {
        browser.press("ArrowRight");
        assert_eq!(board(&mut browser), letters(&ply.after), "after ply {}", index + 1);
        assert_eq!(current(&mut browser), index as u64 + 1);
    }
    let last = record.plies.len() as u64;
    browser.press("ArrowRight");
    assert_eq!(current(&mut browser), last, "there is nothing after the last ply");
    browser.press("ArrowLeft");
    assert_eq!(board(&mut browser), letters(&record.plies[record.plies.len() - 2].after));
    browser.press("Home");
    assert_eq!(board(&mut browser), letters(&record.start));
    browser.press("ArrowDown");
    let swing = current(&mut browser);
    assert!(swing > 0, "the game has a swing");
    browser.press("End");
    browser.press("ArrowUp");
    assert!(current(&mut browser) >= swing && current(&mut browser) <= last);
    browser.click("#plies [data-ply='7']", 0.5, 0.5);
    assert_eq!(current(&mut browser), 7);
    browser.click("#eval-chart svg", 0.999, 0.5);
    assert_eq!(current(&mut browser), last);
    browser.click("#time-chart svg", 0.001, 0.5);
    assert_eq!(current(&mut browser), 0);
    browser.press("f");
    let turned: String = letters(&record.start).chars().rev().collect();
    assert_eq!(board(&mut browser), turned, "Black is at the bottom");
    browser.open(&page, "#ply=5");
    assert_eq!(board(&mut browser), letters(&record.plies[4].after));
    browser.click(".moment .step", 0.5, 0.5);
    let shown = browser.evaluate("document.getElementById('now-facts').textContent");
    assert_eq!(shown, json!("a line that was not played"));
    browser.keep_picture("line");
    assert_eq!(browser.complaints(), Vec::<Value>::new());
}

#[test]
fn the_game_plays_at_the_pace_of_the_video() {
    let Some(mut browser) = Browser::start() else { return };
    let pgn = b"1. e4 {[%vt 0.5]} e5 {[%vt 0.8]} 2. Nf3 {[%vt 1.1]} Nc6 {[%vt 60]} 3. Bb5 {[%vt 61]} *";
    let (_folder, page) = report(pgn, &["--no-labels"]);
    browser.open(&page, "");
    browser.press(" ");
    let waited = browser.evaluate(
        "new Promise((done) => { const begun = performance.now(); const look = () => { \
            if (document.querySelector('#plies [aria-current]')?.dataset.ply === '3') done(performance.now() - begun); \
            else setTimeout(look, 5); }; look(); })",
    );
    let waited_ms = waited.as_f64().expect("a number");
    assert!((900.0..1600.0).contains(&waited_ms), "the third ply came after {waited_ms} ms");
    std::thread::sleep(Duration::from_millis(500));
    assert_eq!(current(&mut browser), 3, "the fourth is a minute away");
    browser.press(" ");
    assert_eq!(
        browser.evaluate("document.getElementById('play').getAttribute('aria-pressed')"),
        json!("false")
    );
    assert_eq!(browser.complaints(), Vec::<Value>::new());
}

#[test]
fn a_hostile_pgn_is_shown_as_it_is_written() {
    let Some(mut browser) = Browser::start() else { return };
    let name = "</script><script>alert(1)</script><img src=x onerror=alert(2)>";
    let pgn = format!(
        "[White \"{name}\"]\n[Black \"' onfocus=alert(3) autofocus '\"]\n[Event \"javascript:alert(4)\"]\n\n\
         1. e4 {{<svg onload=alert(5)> </style><!-- {{{{ names }} e5 {{]]> ${{alert(6)}} `}} *\n"
    );
    let (_folder, page) = report(pgn.as_bytes(), &["--nodes", "100"]);
    browser.open(&page, "");
    let heading = browser.evaluate("document.querySelector('h1').textContent");
    assert!(heading.as_str().is_some_and(|heading| heading.contains(name)), "{heading}");
    let notes = browser.evaluate("document.querySelector('[aria-labelledby=notes-title]').textContent");
    assert!(notes.as_str().is_some_and(|notes| notes.contains("<svg onload=alert(5)>")), "{notes}");
    assert_eq!(
        browser.evaluate("document.querySelectorAll('img, script:not([type]):nth-of-type(3)').length"),
        json!(0)
    );
    assert_eq!(browser.complaints(), Vec::<Value>::new());
}

/// Text whose contrast to its ground is below what WCAG 2 AA asks for: 4.5, or 3 for large text.
const LOW_CONTRAST: &str = r"(() => {
    const parse = (text) => {
        const n = text.match(/-?[\d.]+/g).map(Number);
        const scale = text.startsWith('color(') ? 1 : 255;
        return [n[0] / scale, n[1] / scale, n[2] / scale, n.length > 3 ? n[3] : 1];
    };
    const over = (top, below) => [0, 1, 2].map((i) => top[i] * top[3] + below[i] * (1 - top[3])).concat(1);
    const ground = (node) => {
        if (!node) return [1, 1, 1, 1];
        const own = parse(getComputedStyle(node).backgroundColor);
        return own[3] === 1 ? own : over(own, ground(node.parentElement));
    };
    const light = (c) => {
        const l = c.slice(0, 3).map((v) => (v <= 0.04045 ? v / 12.92 : ((v + 0.055) / 1.055) ** 2.4));
        return 0.2126 * l[0] + 0.7152 * l[1] + 0.0722 * l[2];
    };
    const bad = [];
    for (const node of document.querySelectorAll('body *')) {
        const hasText = [...node.childNodes].some((child) => child.nodeType === 3 && child.data.trim());
        if (!hasText || node.closest('svg, script, noscript, option, .unseen, .skip')) continue;
        const style = getComputedStyle(node), below = ground(node);
        const [a, b] = [light(over(parse(style.color), below)), light(below)];
        const ratio = (Math.max(a, b) + 0.05) / (Math.min(a, b) + 0.05);
        if (ratio < 4.5) bad.push(node.className + ': ' + node.textContent.slice(0, 30) + ' ' + ratio.toFixed(2));
    }
    return bad;
})()";

#[test]
fn everybody_can_read_and_reach_everything_in_light_and_dark_on_a_desk_and_a_phone() {
    let Some(mut browser) = Browser::start() else { return };
    let folder = TempDir::new().expect("a temporary folder");
    let game = sample("opera-1858.pgn");
    let game = game.to_str().expect("a plain name");
    plyscope(&folder, &["render", game, "-o", "v.mp4", "--size", "320", "--fps", "10"]);
    plyscope(&folder, &["report", game, "-o", "game.html", "--video", "v.mp4", "--nodes", "20000"]);
    let page = folder.path().join("game.html");
    for (name, width, height) in [("desk", 1360, 1400), ("phone", 390, 1800)] {
        for scheme in ["light", "dark"] {
            browser.look(width, height, scheme);
            browser.open(&page, "#ply=20");
            let wide = browser.evaluate("document.documentElement.scrollWidth");
            assert_eq!(wide, json!(width), "{name}: nothing sticks out");
            assert_eq!(browser.evaluate(LOW_CONTRAST), json!([]), "{name} {scheme}");
            let shift = browser.evaluate(
                "new Promise((done) => { let sum = 0; new PerformanceObserver((list) => { \
                    for (const entry of list.getEntries()) sum += entry.value; }) \
                    .observe({type: 'layout-shift', buffered: true}); setTimeout(() => done(sum), 300); })",
            );
            assert!(
                shift.as_f64().is_some_and(|shift| shift < 0.01),
                "{name} {scheme}: layout shift {shift}"
            );
            browser.keep_picture(&format!("{name}-{scheme}"));
            assert_eq!(browser.complaints(), Vec::<Value>::new(), "{name} {scheme}");
        }
        let small = browser.evaluate(
            "[...document.querySelectorAll('button, select, input')].map((node) => [node, node.getBoundingClientRect()]) \
                .filter(([, box]) => box.width < 10 || box.height < 20).map(([node]) => node.outerHTML)",
        );
        assert_eq!(small, json!([]), "{name}: all that can be pressed can be hit");
    }
    let tree = browser.call("Accessibility.getFullAXTree", json!({}));
    let nodes = tree["nodes"].as_array().cloned().unwrap_or_default();
    let named = ["button", "slider", "combobox", "image", "img", "meter", "link", "list", "region", "group"];
    let of_kind =
        |node: &&Value| node["ignored"] != true && named.iter().any(|kind| node["role"]["value"] == *kind);
    let checked: Vec<&Value> = nodes.iter().filter(of_kind).collect();
    assert!(checked.len() > 60, "{} nodes", checked.len());
    for node in checked {
        assert_ne!(node["name"]["value"].as_str().unwrap_or_default(), "", "{node}");
    }
    // The order of the keyboard: the way past, the playback, the charts' neighbours, the moves.
    browser.evaluate("document.activeElement.blur()");
    let mut order = Vec::new();
    for _ in 0..10 {
        browser.press("Tab");
        order.push(browser.evaluate("document.activeElement.id || document.activeElement.className"));
    }
    let expected = ["skip", "scrubber", "first", "back", "play", "forward", "last", "speed", "flip", "ply"];
    assert_eq!(order, expected.map(Value::from));
}

#[test]
fn a_game_of_two_hundred_plies_is_a_small_page_that_opens_at_once() {
    let mut rng = ChaCha8Rng::seed_from_u64(7);
    let (pgn, plies) = loop {
        let (mut position, mut pgn, mut plies) = (Chess::default(), String::new(), 0);
        while plies < 200 && !position.is_game_over() {
            let moves = position.legal_moves();
            let san =
                SanPlus::from_move_and_play_unchecked(&mut position, moves[rng.random_range(0..moves.len())]);
            pgn += &format!("{san} ");
            plies += 1;
        }
        if plies == 200 {
            break (pgn + "*", plies);
        }
    };
    let folder = TempDir::new().expect("a temporary folder");
    fs::write(folder.path().join("game.pgn"), pgn).expect("the folder takes a file");
    plyscope(&folder, &["render", "game.pgn", "-o", "v.mp4", "--size", "480", "--fps", "5"]);
    plyscope(&folder, &["report", "game.pgn", "-o", "game.html", "--video", "v.mp4", "--nodes", "300"]);
    let page = folder.path().join("game.html");
    let bytes = fs::metadata(&page).expect("the page is there").len();
    assert!(bytes < 1_500_000, "{bytes} bytes");
    let text = fs::read_to_string(&page).expect("the page is text");
    assert_eq!(text.matches("<img src=\"data:image/jpeg;base64,").count(), 12, "a picture for each moment");
    let Some(mut browser) = Browser::start() else { return };
    let loaded_ms = browser.open(&page, "");
    eprintln!("{plies} plies: {bytes} bytes, loaded in {loaded_ms:.0} ms");
    assert!(loaded_ms < 1000.0, "{loaded_ms} ms");
    browser.press("End");
    assert_eq!(current(&mut browser), 200);
    assert_eq!(browser.complaints(), Vec::<Value>::new());
}

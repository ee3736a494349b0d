//! Everything that we write into a PGN, read back by python-chess, pgn-extract and shakmaty's reader: nothing is lost.

use std::fs::{self, File};
use std::ops::ControlFlow;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

use pgn_reader::{Nag, RawComment, RawTag, Reader, SanPlus, Visitor};
use plyscope::game_record::GameRecord;
use plyscope::judged_game::JudgedGame;
use plyscope::labeller::{PlyLabel, PositionScore};
use plyscope::pgn_export::PgnExport;
use plyscope_core::event_row::Verdict;
use plyscope_core::judge::score::Score;
use plyscope_core::judge::win_model::WinProbability;
use shakmaty::{CastlingMode, Position};

/// Games with labels: the samples, and the shared games with the evaluations of their truth.
fn games() -> Vec<(String, JudgedGame)> {
    let manifest = Path::new(env!("CARGO_MANIFEST_DIR"));
    let mut files = pgn_files(&manifest.join("../samples"));
    let shared =
        std::env::var_os("PLYSCOPE_SHARED").map_or_else(|| manifest.join("../../shared"), PathBuf::from);
    let shared = pgn_files(&shared.join("games"));
    if shared.is_empty() {
        eprintln!("SKIPPED: the PGN of the shared games, for they are not there");
    }
    files.extend(shared);
    files.into_iter().map(|file| (file.display().to_string(), judged(&file))).collect()
}

fn pgn_files(folder: &Path) -> Vec<PathBuf> {
    let entries = fs::read_dir(folder).into_iter().flatten().flatten().map(|entry| entry.path());
    let mut files: Vec<PathBuf> =
        entries.filter(|path| path.extension().is_some_and(|e| e == "pgn")).collect();
    files.sort();
    files
}

/// The game with a label for each position: of the truth beside it, or else one that jumps about. What would have been
/// better is some other legal move.
fn judged(file: &Path) -> JudgedGame {
    let record = GameRecord::read_file(file).expect("legal");
    let truth = fs::read(file.with_extension("truth.json")).ok();
    let truth: Option<serde_json::Value> = truth.and_then(|text| serde_json::from_slice(&text).ok());
    let positions: Vec<_> = record.positions().cloned().collect();
    let label = |(ply, position): (usize, &shakmaty::Chess)| {
        let told = truth.as_ref().and_then(|truth| match ply {
            0 => truth["meta"].get("start"),
            _ => truth["plies"].get(ply - 1),
        });
        let p = told.and_then(|told| told["p_sf"].as_f64()).unwrap_or((ply * 7 % 11) as f64 / 11.0);
        let score = told.map(|told| &told["cp"]).map_or_else(
            || Score::centipawns((ply * 97 % 900) as i32 - 450),
            |cp| match cp["mate"].as_i64() {
                Some(moves) if moves > 0 => Score::mate_in((2 * moves - 1) as u16),
                Some(moves) => Score::mated_in((-2 * moves) as u16),
                None => Score::centipawns(cp.as_i64().unwrap_or(0) as i32),
            },
        );
        let other = position.legal_moves().last().map(|mv| mv.to_uci(CastlingMode::Standard).to_string());
        PlyLabel {
            ply,
            score,
            p: WinProbability::new(p),
            leader_after: Verdict::Equal,
            wr_swing: Verdict::Equal,
            search: PositionScore { score, depth: 1, nodes: 1, line: other.into_iter().collect() },
        }
    };
    let labels: Vec<PlyLabel> = positions.iter().enumerate().map(label).collect();
    JudgedGame::of_record(&record, &labels)
}

fn pgn(game: &JudgedGame) -> String {
    let plies = game.export_plies();
    let mut text = Vec::new();
    let export = PgnExport { tags: &game.tags, start: &game.start, plies: &plies, result: game.outcome };
    export.write(&mut text).expect("memory takes it");
    String::from_utf8(text).expect("PGN is UTF-8")
}

/// What a reader of any kind finds at one ply, as text; a field that is not there is `-`.
fn expected_lines(game: &JudgedGame) -> Vec<String> {
    let export = game.export_plies();
    let mut previous_ms = 0;
    let line = |(written, ply): (&plyscope::pgn_export::ExportPly, &plyscope::judged_game::JudgedPly)| {
        let shown_ms = (written.shown_at.us() + 500) / 1000;
        let think_ms = shown_ms - previous_ms;
        previous_ms = shown_ms;
        format!(
            "{} vt={shown_ms} emt={think_ms} clk={} eval={} nag={} {}",
            ply.mv.to_uci(CastlingMode::Standard),
            written.clock.map_or("-".to_owned(), |clock| clock.as_millis().to_string()),
            written.eval.map_or("-".to_owned(), |eval| eval.to_string()),
            written.nag.map_or("-".to_owned(), |nag| nag.to_string()),
            written.remark.as_deref().unwrap_or_default()
        )
    };
    export.iter().zip(&game.plies).map(line).collect()
}

/// What stands at each ply, by shakmaty's reader.
#[derive(Default)]
struct Seen {
    tags: Vec<(String, String)>,
    plies: Vec<(String, Option<u8>, String)>,
    outcome: String,
}

struct Watcher;

impl Visitor for Watcher {
    type Tags = Seen;
    type Movetext = Seen;
    type Output = Seen;

    fn begin_tags(&mut self) -> ControlFlow<Seen, Seen> {
        ControlFlow::Continue(Seen::default())
    }

    fn tag(&mut self, seen: &mut Seen, name: &[u8], value: RawTag<'_>) -> ControlFlow<Seen> {
        let name = String::from_utf8_lossy(name).into_owned();
        seen.tags.push((name, value.decode_utf8_lossy().into_owned()));
        ControlFlow::Continue(())
    }

    fn begin_movetext(&mut self, seen: Seen) -> ControlFlow<Seen, Seen> {
        ControlFlow::Continue(seen)
    }

    fn san(&mut self, seen: &mut Seen, san: SanPlus) -> ControlFlow<Seen> {
        seen.plies.push((san.to_string(), None, String::new()));
        ControlFlow::Continue(())
    }

    fn nag(&mut self, seen: &mut Seen, nag: Nag) -> ControlFlow<Seen> {
        if let Some(ply) = seen.plies.last_mut() {
            ply.1 = Some(nag.0);
        }
        ControlFlow::Continue(())
    }

    fn comment(&mut self, seen: &mut Seen, comment: RawComment<'_>) -> ControlFlow<Seen> {
        if let Some(ply) = seen.plies.last_mut() {
            ply.2 += &String::from_utf8_lossy(comment.as_bytes());
        }
        ControlFlow::Continue(())
    }

    fn outcome(&mut self, seen: &mut Seen, outcome: shakmaty::Outcome) -> ControlFlow<Seen> {
        seen.outcome = outcome.to_string();
        ControlFlow::Continue(())
    }

    fn end_game(&mut self, seen: Seen) -> Seen {
        seen
    }
}

#[test]
fn shakmatys_reader_finds_every_tag_move_glyph_and_comment() {
    let mut glyphs = 0;
    for (name, game) in games() {
        let text = pgn(&game);
        assert!(text.lines().all(|line| line.chars().count() < 80 || line.starts_with('[')), "{name}");
        let seen = Reader::new(text.as_bytes()).read_game(&mut Watcher).expect("it reads").expect("a game");
        let roster = ["Event", "Site", "Date", "Round", "White", "Black", "Result"];
        assert!(seen.tags.iter().map(|(tag, _)| tag.as_str()).take(7).eq(roster), "{name}: {:?}", seen.tags);
        for (tag, value) in game.tags.iter().filter(|(tag, _)| tag != "Result") {
            assert!(seen.tags.contains(&(tag.clone(), value.clone())), "{name}: {tag}");
        }
        assert_eq!(seen.outcome, game.outcome.to_string(), "{name}");
        let export = game.export_plies();
        assert_eq!(seen.plies.len(), export.len(), "{name}");
        for ((san, nag, comment), (written, ply)) in seen.plies.iter().zip(export.iter().zip(&game.plies)) {
            assert_eq!(*san, ply.san.to_string(), "{name}");
            assert_eq!(*nag, written.nag, "{name} {san}");
            let words = |text: &str| text.split_whitespace().collect::<Vec<_>>().join(" ");
            if let Some(remark) = &written.remark {
                glyphs += 1;
                assert!(words(comment).ends_with(remark.as_str()), "{name} {san}: {comment}");
            }
        }
        let again = GameRecord::read(text.as_bytes()).expect("our own PGN is legal");
        let found = again.plies.iter().zip(&export).map(|(read, written)| {
            let shown_ms = read.video_time.expect("[%vt]").as_millis() as i64;
            assert_eq!(shown_ms, (written.shown_at.us() + 500) / 1000, "{name}");
            assert_eq!(read.clock, written.clock, "{name}");
            assert_eq!(read.note, written.remark, "{name}");
            read.mv
        });
        assert!(found.eq(game.plies.iter().map(|ply| ply.mv)), "{name}");
    }
    assert!(glyphs > 20, "{glyphs} plies with a remark");
}

/// Prints each ply as [`expected_lines`] does.
const READER: &str = r"
import re, sys, chess.pgn
game = chess.pgn.read_game(sys.stdin)
assert not game.errors, game.errors
print(game.headers['Result'], '|'.join(f'{k}={v}' for k, v in list(game.headers.items())[:6]))
ms = lambda s: '-' if s is None else str(round(s * 1000))
for node in game.mainline():
    text = ' '.join(node.comment.split())
    vt = re.search(r'\[%vt ([0-9.]+)\]', text).group(1)
    ev = re.search(r'\[%eval ([^\]]+)\]', text)
    if ev:
        score = node.eval().white()
        shown = f'#{score.mate()}' if score.mate() is not None else f'{score.score() / 100:.2f}'
        assert shown == ev.group(1), (shown, ev.group(1))
    nags = [n for n in node.nags]
    assert len(nags) <= 1
    print(node.move.uci(), f'vt={ms(float(vt))}', f'emt={ms(node.emt())}', f'clk={ms(node.clock())}',
          f'eval={ev.group(1) if ev else chr(45)}', f'nag={nags[0] if nags else chr(45)}',
          re.sub(r'\[%[^\]]*\] ?', '', text))
";

fn python() -> Option<PathBuf> {
    let venv = Path::new(env!("CARGO_MANIFEST_DIR")).join("../target/python-chess/bin/python");
    let has_chess = |python: &PathBuf| {
        let found = Command::new(python).args(["-c", "import chess.pgn"]).output();
        found.is_ok_and(|output| output.status.success())
    };
    [venv, PathBuf::from("python3")].into_iter().find(has_chess)
}

#[test]
fn python_chess_finds_every_move_time_clock_evaluation_glyph_and_remark() {
    let Some(python) = python() else {
        eprintln!("SKIPPED: our PGN in python-chess, which is not installed");
        return;
    };
    let folder = tempfile::tempdir().expect("a temporary folder");
    for (name, game) in games() {
        let file = folder.path().join("game.pgn");
        fs::write(&file, pgn(&game)).expect("the folder takes a file");
        let input = File::open(&file).expect("it opens");
        let output = Command::new(&python).args(["-c", READER]).stdin(input).output().expect("Python starts");
        assert!(output.status.success(), "{name}: {}", String::from_utf8_lossy(&output.stderr));
        let said = String::from_utf8_lossy(&output.stdout).into_owned();
        let mut lines = said.lines();
        let head = lines.next().unwrap_or_default();
        assert!(head.starts_with(&format!("{} Event=", game.outcome)), "{name}: {head}");
        let trimmed: Vec<String> =
            expected_lines(&game).iter().map(|line| line.trim_end().to_owned()).collect();
        assert_eq!(lines.map(|line| line.trim_end().to_owned()).collect::<Vec<_>>(), trimmed, "{name}");
    }
}

#[test]
fn pgn_extract_writes_our_games_again_word_for_word() {
    let places = ["pgn-extract", "/usr/games/pgn-extract"];
    let is_there = |program: &&&str| Command::new(**program).arg("--version").output().is_ok();
    let Some(program) = places.iter().find(is_there) else {
        eprintln!("SKIPPED: our PGN in pgn-extract, which is not installed");
        return;
    };
    let folder = tempfile::tempdir().expect("a temporary folder");
    for (name, game) in games() {
        let text = pgn(&game);
        fs::write(folder.path().join("game.pgn"), &text).expect("the folder takes a file");
        let output = Command::new(program)
            .args(["-s", "game.pgn"])
            .current_dir(folder.path())
            .stdin(Stdio::null())
            .output()
            .expect("it starts");
        let complaint = String::from_utf8_lossy(&output.stderr).into_owned();
        assert!(output.status.success() && complaint.is_empty(), "{name}: {complaint}");
        let written = String::from_utf8_lossy(&output.stdout).into_owned();
        // It puts the tags after the seven into an order of its own.
        let parts = |text: &str| {
            let (tags, moves) = text.split_once("\n\n").expect("tags and moves");
            let mut tags: Vec<String> = tags.lines().map(str::to_owned).collect();
            tags.sort();
            (tags, moves.split_whitespace().map(str::to_owned).collect::<Vec<_>>())
        };
        let ((tags, moves), (our_tags, our_moves)) = (parts(&written), parts(&text));
        assert_eq!(tags, our_tags, "{name}");
        let apart = moves.iter().zip(&our_moves).position(|(theirs, ours)| theirs != ours);
        assert_eq!(apart.map(|word| (&moves[word], &our_moves[word])), None, "{name}");
        assert_eq!(moves.len(), our_moves.len(), "{name}");
    }
}

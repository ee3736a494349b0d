use plyscope_core::event_row::Verdict;
use plyscope_core::judge::score::Score;
use plyscope_core::judge::win_model::WinProbability;

use super::*;
use crate::game_record::GameRecord;
use crate::labeller::{PlyLabel, PositionScore};

/// Labels with these win probabilities; the best line of each position is `line`, where it is legal there.
fn labels(probabilities: &[f64], line: &[&str]) -> Vec<PlyLabel> {
    let label = |(ply, p): (usize, &f64)| PlyLabel {
        ply,
        score: Score::centipawns(0),
        p: WinProbability::new(*p),
        leader_after: Verdict::Equal,
        wr_swing: if ply == 2 { Verdict::White } else { Verdict::Equal },
        search: PositionScore {
            score: Score::centipawns(0),
            depth: 1,
            nodes: 1,
            line: line.iter().map(ToString::to_string).collect(),
        },
    };
    probabilities.iter().enumerate().map(label).collect()
}

fn html(pgn: &str, labels: &[PlyLabel], unexplained: Option<&[UnexplainedSpan]>) -> String {
    let record = GameRecord::read(pgn.as_bytes()).expect("legal");
    let game = JudgedGame::of_record(&record, labels);
    let facts = [Fact::new("Video", "<b>bold</b>.mp4")];
    let thumbnails = Thumbnails::default();
    Report { game: &game, title: "a <title>", unexplained, thumbnails: &thumbnails, facts: &facts }
        .to_html()
        .expect("the template fits")
}

const HOSTILE: &str = "[White \"</script><script>alert(1)</script>\"]\n[Black \"\\\" onload=alert(2) x='\"]\n\
    [Event \"<img src=x onerror=alert(3)>\"]\n\n1. e4 {</script><!--<script> & <svg/onload=alert(4)>} e5 {[%clk 0:00:09] \
    {{ title }} {% raw %}} *\n";

#[test]
fn names_and_comments_stay_text() {
    let page = html(HOSTILE, &labels(&[0.5, 0.5, 0.5], &[]), None);
    assert_eq!(page.matches("<script").count(), 2, "the data and our own script");
    assert_eq!(page.matches("</script>").count(), 2);
    assert_eq!(page.matches("<img").count(), 0);
    assert!(!page.contains("<svg/onload") && !page.contains("<b>bold") && !page.contains("<!--"));
    assert!(page.contains("&lt;img src=x onerror=alert(3)&gt;"), "the event is shown as it is written");
    assert!(page.contains("{{ title }}") || page.contains("{{ title"), "a comment is no template");
}

#[test]
fn the_policy_allows_the_very_style_and_script_of_the_page() {
    let page = html("1. e4 *", &[], None);
    let inside = |open: &str, close: &str| {
        let start = page.find(open).expect("the page has it") + open.len();
        let length = page[start..].find(close).expect("it ends");
        page[start..start + length].to_owned()
    };
    for (source, element) in
        [("style-src", ("<style>", "</style>")), ("script-src", ("<script>", "</script>"))]
    {
        let digest = BASE64.encode(Sha256::digest(inside(element.0, element.1).as_bytes()));
        assert!(page.contains(&format!("{source} 'sha256-{digest}'")), "{source}");
    }
    assert!(!page.contains(" style=\""), "the policy forbids styles in attributes");
    assert!(
        !page.contains("http:")
            || page.matches("http:").count() == page.matches("http://www.w3.org/2000/svg").count()
    );
}

#[test]
fn a_ply_that_gave_much_away_is_shown_with_what_was_better() {
    // Black's reply gives White 0.25; the search would have played 1... e5.
    let page = html("1. e4 f6 2. d4 *", &labels(&[0.5, 0.5, 0.75, 0.75], &["e7e5", "g1f3"]), None);
    assert!(page.contains("The moments that mattered"));
    assert!(page.contains("1... f6<span class=\"sign mistake\">?</span>"), "{page}");
    assert!(page.contains("data-name=\"1... e5\"") && page.contains("data-name=\"2. Nf3\""));
    assert!(page.contains("swing to White, mistake"));
    let unblamed = html("1. e4 f6 2. d4 *", &labels(&[0.5, 0.5, 0.75, 0.75], &["f7f6"]), None);
    assert!(!unblamed.contains("class=\"sign"), "the search would have played it too");
}

#[test]
fn what_the_video_leaves_open_is_listed() {
    let span = UnexplainedSpan {
        from_s: 61.0,
        to_s: 64.5,
        after_ply: 1,
        reason: "no legal plies explain the board".into(),
    };
    let page = html("1. e4 *", &[], Some(&[span]));
    assert!(page.contains("1:01.0 to 1:04.5") && page.contains("no legal plies explain the board"));
    let clear = html("1. e4 *", &[], Some(&[]));
    assert!(clear.contains("No stretch of the video stays unexplained."));
    assert!(!clear.contains("id=\"eval-chart\""), "nothing was judged");
}

#[test]
fn a_game_without_a_ply_and_one_that_black_begins_make_a_page() {
    assert!(html("[White \"A\"]\n\n*", &[], None).contains("0 plies"));
    let fen = "[FEN \"4k3/8/8/8/8/8/4P3/4K3 b - - 0 7\"]\n\n7... Kd7 8. e4 *";
    let page = html(fen, &[], None);
    assert!(page.contains("7... Kd7") && page.contains("8. e4"));
}

//! What the page's template is filled with.

use minijinja::Value;
use plyscope_core::event_row::Verdict;
use serde::Serialize;
use shakmaty::{Color, Outcome};

use super::drawing::{self, letters, marked_squares};
use super::spoken::{moment, percent, seconds_short};
use super::{Fact, Report, charts, moments};
use crate::judged_game::{JudgedGame, JudgedPly};
use crate::move_quality::MoveQuality;

/// Below this the reader is called unsure of a ply.
const SURE_MIN: f64 = 0.9;

#[derive(Serialize)]
struct Page<'a> {
    csp: Value,
    style: Value,
    script: Value,
    pieces: Value,
    icon: Value,
    generator: &'static str,
    from_video: bool,
    title: &'a str,
    description: String,
    names: Option<Names<'a>>,
    headline: Vec<String>,
    dark_squares: String,
    coordinates: Vec<drawing::EdgeLabel>,
    start_pieces: Vec<drawing::PieceView>,
    ply_count: usize,
    chart: Option<charts::WinChart>,
    times: Option<charts::TimeChart>,
    rows: Vec<Row>,
    moments: Vec<moments::MomentView<'a>>,
    sides: Vec<SidesRow>,
    certainty: Vec<String>,
    doubts: Vec<Doubt>,
    notes: Vec<Doubt>,
    facts: &'a [Fact],
    data: GameData,
}

#[derive(Serialize)]
struct Names<'a> {
    white: &'a str,
    black: &'a str,
}

/// A move of each side.
#[derive(Serialize)]
struct Row {
    number: u32,
    plies: [Option<PlyView>; 2],
}

#[derive(Serialize)]
struct PlyView {
    ply: usize,
    san: String,
    sign: Option<&'static str>,
    quality: Option<&'static str>,
    swing: Option<&'static str>,
    leader: Option<&'static str>,
    at: String,
    think: String,
    doubt: Option<String>,
    spoken: String,
}

#[derive(Serialize)]
struct SidesRow {
    name: &'static str,
    white: String,
    black: String,
}

/// Something that is not certain, or a note.
#[derive(Serialize)]
struct Doubt {
    ply: Option<usize>,
    name: String,
    why: String,
}

/// What the page's script reads.
#[derive(Serialize)]
struct GameData {
    start: String,
    p: Option<f64>,
    plies: Vec<PlyData>,
}

#[derive(Serialize)]
struct PlyData {
    board: String,
    from: usize,
    to: usize,
    t: f64,
    tenth: String,
    p: Option<f64>,
    name: String,
    sign: Option<&'static str>,
    think: String,
    clock: Option<String>,
    swing: bool,
}

pub(super) fn page(report: &Report<'_>, style: &str, script: &str, csp: &str) -> Value {
    let game = report.game;
    let names = game.tag("White").or(game.tag("Black")).map(|_| Names {
        white: game.tag("White").unwrap_or("White"),
        black: game.tag("Black").unwrap_or("Black"),
    });
    let title = match &names {
        Some(Names { white, black }) => format!("{white} – {black}"),
        None => report.title.to_owned(),
    };
    let chart = charts::win_chart(game);
    let judged = if chart.is_some() { "" } else { ", not judged" };
    let page = Page {
        csp: Value::from_safe_string(csp.to_owned()),
        style: Value::from_safe_string(style.to_owned()),
        script: Value::from_safe_string(script.to_owned()),
        pieces: Value::from_safe_string(drawing::symbols()),
        icon: Value::from_safe_string(ICON.to_owned()),
        generator: concat!("Plyscope ", env!("CARGO_PKG_VERSION")),
        from_video: report.unexplained.is_some(),
        description: format!("A game of {} plies read from a video{judged}", game.plies.len()),
        title: &title,
        names,
        headline: headline(game),
        dark_squares: drawing::dark_squares(),
        coordinates: drawing::edge_labels(),
        start_pieces: drawing::pieces(&game.start),
        ply_count: game.plies.len(),
        chart,
        times: charts::time_chart(game),
        rows: rows(game),
        moments: moments::moments(game, report.thumbnails),
        sides: sides(game),
        certainty: certainty(report),
        doubts: doubts(report),
        notes: notes(game),
        facts: report.facts,
        data: data(game),
    };
    Value::from(minijinja::value::Serde(&page))
}

/// A knight's square, without a byte that an attribute would have to escape.
const ICON: &str = "data:image/svg+xml,%3Csvg xmlns='http://www.w3.org/2000/svg' viewBox='0 0 8 8'%3E%3Crect width='8' \
    height='8' rx='1.6' fill='%230b6b62'/%3E%3Cpath d='M2 6.5V4h1.7v2.5zM4.3 6.5v-5H6v5z' fill='%23fff'/%3E%3C/svg%3E";

fn headline(game: &JudgedGame) -> Vec<String> {
    let mut facts = Vec::new();
    if let Outcome::Known(_) = game.outcome {
        facts.push(game.outcome.to_string());
    }
    facts.extend(["Event", "Site", "Date"].iter().filter_map(|tag| game.tag(tag)).map(str::to_owned));
    facts.push(format!("{} plies", game.plies.len()));
    if let Some(last) = game.plies.last() {
        facts.push(format!("last at {}", moment(last.shown_at)));
    }
    facts
}

fn rows(game: &JudgedGame) -> Vec<Row> {
    let mut rows: Vec<Row> = Vec::new();
    for (index, ply) in game.plies.iter().enumerate() {
        let color = game.mover(index);
        if color == Color::White || rows.is_empty() {
            let number = shakmaty::Position::fullmoves(game.before(index)).get();
            rows.push(Row { number, plies: [None, None] });
        }
        if let Some(row) = rows.last_mut() {
            row.plies[color.fold_wb(0, 1)] = Some(ply_view(game, index, ply));
        }
    }
    rows
}

fn ply_view(game: &JudgedGame, index: usize, ply: &JudgedPly) -> PlyView {
    let quality = game.quality(index);
    let label = ply.label.as_ref();
    let swing = label.map(|label| label.wr_swing).filter(|swing| *swing != Verdict::Equal);
    let doubt = doubt_of(ply);
    let at = moment(ply.shown_at);
    let think = seconds_short(ply.think);
    let mut spoken = format!("{} {}, at {at}, thought {think}", game.number(index), ply.san);
    if let Some(label) = label {
        spoken += match label.leader_after {
            Verdict::White => ", White leads",
            Verdict::Black => ", Black leads",
            Verdict::Equal => ", equal",
        };
    }
    match swing {
        Some(Verdict::White) => spoken += ", swing to White",
        Some(Verdict::Black) => spoken += ", swing to Black",
        _ => {}
    }
    if let Some(quality) = quality {
        spoken = format!("{spoken}, {}", quality.word());
    }
    if let Some(doubt) = &doubt {
        spoken = format!("{spoken}, {doubt}");
    }
    PlyView {
        ply: index + 1,
        san: ply.san.to_string(),
        sign: quality.map(MoveQuality::sign),
        quality: quality.map(MoveQuality::word),
        swing: swing.map(Verdict::word),
        leader: label.map(|label| label.leader_after.word()),
        at,
        think,
        doubt,
        spoken,
    }
}

fn doubt_of(ply: &JudgedPly) -> Option<String> {
    match ply.confidence {
        Some(confidence) if confidence < SURE_MIN => {
            Some(format!("read with {} confidence", percent(confidence)))
        }
        _ if ply.is_ambiguous => Some("other plies would explain the same pictures".to_owned()),
        _ => None,
    }
}

fn sides(game: &JudgedGame) -> Vec<SidesRow> {
    let mut rows = Vec::new();
    let mut row = |name, of: &dyn Fn(Color) -> String| {
        rows.push(SidesRow { name, white: of(Color::White), black: of(Color::Black) });
    };
    if game.plies.iter().any(|ply| ply.label.is_some()) {
        for (name, quality) in [
            ("Inaccuracies ?!", MoveQuality::Inaccuracy),
            ("Mistakes ?", MoveQuality::Mistake),
            ("Blunders ??", MoveQuality::Blunder),
        ] {
            row(name, &|color| {
                let is = |&index: &usize| game.mover(index) == color && game.quality(index) == Some(quality);
                (0..game.plies.len()).filter(is).count().to_string()
            });
        }
    }
    row("Pieces taken", &|color| {
        let takes = |&(index, ply): &(usize, &JudgedPly)| game.mover(index) == color && ply.mv.is_capture();
        game.plies.iter().enumerate().filter(takes).count().to_string()
    });
    let or_none = |time: Option<std::time::Duration>| time.map_or_else(|| "–".to_owned(), seconds_short);
    row("Time used", &|color| or_none(Some(charts::times_of(game, color).into_iter().sum())));
    row("Median think", &|color| {
        let mut times = charts::times_of(game, color);
        times.sort_unstable();
        or_none(times.get(times.len() / 2).copied())
    });
    row("Longest think", &|color| or_none(charts::times_of(game, color).into_iter().max()));
    rows
}

fn certainty(report: &Report<'_>) -> Vec<String> {
    let game = report.game;
    let Some(spans) = report.unexplained else {
        return vec!["The moves come from a PGN, so none of them was read from pictures.".to_owned()];
    };
    let mut lines = Vec::new();
    let confidences: Vec<f64> = game.plies.iter().filter_map(|ply| ply.confidence).collect();
    if !confidences.is_empty() {
        let mean = confidences.iter().sum::<f64>() / confidences.len() as f64;
        let least = confidences.iter().copied().fold(1.0, f64::min);
        lines.push(format!(
            "Confidence of the {} plies: {} on average, {} at least.",
            confidences.len(),
            percent(mean),
            percent(least)
        ));
    }
    let in_doubt = game.plies.iter().filter(|ply| doubt_of(ply).is_some()).count();
    lines.push(match in_doubt {
        0 => "Every ply is the only legal one that explains what the video shows.".to_owned(),
        1 => "One ply is in doubt:".to_owned(),
        many => format!("{many} plies are in doubt:"),
    });
    if spans.is_empty() {
        lines.push("No stretch of the video stays unexplained.".to_owned());
    }
    lines
}

fn doubts(report: &Report<'_>) -> Vec<Doubt> {
    let game = report.game;
    let plies = game.plies.iter().enumerate().filter_map(|(index, ply)| {
        let why = doubt_of(ply)?;
        Some(Doubt { ply: Some(index + 1), name: format!("{} {}", game.number(index), ply.san), why })
    });
    let spans = report.unexplained.unwrap_or_default().iter().map(|span| {
        let at = |seconds: f64| moment(plyscope_core::media_time::MediaTime::from_us((seconds * 1e6) as i64));
        Doubt {
            ply: (span.after_ply > 0).then_some(span.after_ply),
            name: format!("{} to {}", at(span.from_s), at(span.to_s)),
            why: span.reason.clone(),
        }
    });
    let taken_back = game.taken_back.iter().map(|back| Doubt {
        ply: (back.after_ply > 0).then_some(back.after_ply),
        name: moment(back.time),
        why: format!("{} was taken back", game.spell(back)),
    });
    plies.chain(spans).chain(taken_back).collect()
}

fn notes(game: &JudgedGame) -> Vec<Doubt> {
    let note = |(index, ply): (usize, &JudgedPly)| {
        let why = ply.note.clone()?;
        Some(Doubt { ply: Some(index + 1), name: format!("{} {}", game.number(index), ply.san), why })
    };
    game.plies.iter().enumerate().filter_map(note).collect()
}

fn data(game: &JudgedGame) -> GameData {
    let swings: Vec<usize> = game.swings().collect();
    let rounded = |p: f64| (p * 1000.0).round() / 1000.0;
    let plies = game.plies.iter().enumerate().map(|(index, ply)| {
        let (from, to) = marked_squares(ply.mv, game.mover(index));
        let at = moment(ply.shown_at);
        PlyData {
            board: letters(&ply.after),
            from,
            to,
            t: ply.shown_at.seconds(),
            tenth: at.rsplit('.').next().unwrap_or_default().to_owned(),
            p: ply.label.as_ref().map(|label| rounded(label.p.get())),
            name: format!("{} {}", game.number(index), ply.san),
            sign: game.quality(index).map(MoveQuality::sign),
            think: seconds_short(ply.think),
            clock: ply.clock.map(seconds_short),
            swing: swings.contains(&index),
        }
    });
    GameData {
        plies: plies.collect(),
        start: letters(&game.start),
        p: game.start_label.as_ref().map(|label| rounded(label.p.get())),
    }
}

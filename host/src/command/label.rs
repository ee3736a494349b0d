//! `plyscope label`: labels for a game in PGN.

use std::path::PathBuf;

use anyhow::Result;
use plyscope::{
    game_record::GameRecord,
    labeller::{LabelledGame, Labeller, PlyLabel, Progress},
    output_file::OutputFile,
};
use plyscope_core::judge::score::{Score, ScoreKind};
use serde_json::{Value, json};

use super::search_args::SearchArgs;

/// Search every position of a game and label every ply.
#[derive(clap::Args, Debug)]
#[command(after_help = "Example:\n  plyscope label game.pgn --nodes 20000 -o labels.json")]
pub(crate) struct Args {
    /// The game, as PGN
    game: PathBuf,
    /// Where to write the labels ('-': standard output)
    #[arg(short, long, value_name = "FILE", default_value = "-")]
    output: PathBuf,
    #[command(flatten)]
    search: SearchArgs,
}

/// Labels the game and writes `{"plies": [...]}`.
pub(crate) fn run(args: &Args) -> Result<()> {
    let labeller = args.search.labeller()?;
    let record = GameRecord::read_file(&args.game)?;
    let output = OutputFile::open(&args.output)?;
    let labels = search(&labeller, &record);
    let rows: Vec<Value> = labels.iter().map(|label| row(&record, label)).collect();
    let mut text = String::from("{\"plies\": [\n");
    for (i, row) in rows.iter().enumerate() {
        let end = if i + 1 < rows.len() { ",\n" } else { "\n" };
        text += &format!("{}{end}", serde_json::to_string(row)?);
    }
    text += "]}\n";
    Ok(output.finish(text.as_bytes())?)
}

/// Labels the game under a progress bar: the start position first, then every ply.
pub(super) fn search(labeller: &Labeller, record: &GameRecord) -> Vec<PlyLabel> {
    let game = LabelledGame::of_positions(record.positions().cloned().collect());
    let bar = progress_bar(game.positions().len());
    let labels = labeller.label(&game, &[], &|progress| {
        if let Progress::Positions { done, .. } = progress {
            bar.set_position(done as u64);
        }
    });
    bar.finish_and_clear();
    labels
}

fn row(record: &GameRecord, label: &PlyLabel) -> Value {
    let mut row = json!({
        "ply": label.ply,
        "p": round(label.p.get()),
        "leader_after": label.leader_after.word(),
        "wr_swing": label.wr_swing.word(),
        "depth": label.search.depth,
        "nodes": label.search.nodes,
        "line": label.search.line,
    });
    if let Some(ply) = label.ply.checked_sub(1).and_then(|i| record.plies.get(i)) {
        row["uci"] = ply.uci.to_string().into();
        row["san"] = ply.san.to_string().into();
    }
    let (key, value) = score_field(label.score);
    row[key] = value.into();
    row
}

/// The score as written in files: centipawns, or moves to mate, positive where White mates. On the board a mate is 0.
fn score_field(score: Score) -> (&'static str, i32) {
    match score.kind() {
        ScoreKind::Centipawns(cp) => ("cp", cp),
        ScoreKind::Mate { moves } => ("mate", i32::from(moves)),
        ScoreKind::Mated { moves } => ("mate", -i32::from(moves)),
    }
}

/// To six decimals, as readers need no more.
fn round(p: f64) -> f64 {
    (p * 1e6).round() / 1e6
}

fn progress_bar(positions: usize) -> indicatif::ProgressBar {
    let style = indicatif::ProgressStyle::with_template("{wide_bar} {pos}/{len} positions, {eta} left");
    let bar = indicatif::ProgressBar::new(positions as u64);
    match style {
        Ok(style) => bar.with_style(style),
        Err(_) => bar,
    }
}

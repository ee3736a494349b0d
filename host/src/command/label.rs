//! `plyscope label`: labels for a game in PGN.

use std::path::PathBuf;

use anyhow::Result;
use plyscope::{
    external_engine::ExternalEngine,
    game_record::GameRecord,
    labeller::{LabelledGame, Labeller, PlyLabel, Progress},
    output_file::OutputFile,
};
use plyscope_core::judge::score::{Score, ScoreKind};
use serde_json::{Value, json};

use super::refuse_same_file;
use super::search_args::SearchArgs;
use super::terminal::{LogFormat, Terminal};

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
pub(crate) fn run(args: &Args, is_quiet: bool) -> Result<()> {
    refuse_same_file(&[("GAME", Some(&args.game)), ("--output", Some(&args.output))])?;
    let labeller = args.search.labeller()?;
    let record = GameRecord::read_file(&args.game)?;
    let output = OutputFile::open(&args.output)?;
    let engine = args.search.engine()?;
    let labels = search(&labeller, engine.as_ref(), &record, &Terminal::new(is_quiet, LogFormat::Text))?;
    let rows: Vec<Value> = labels.iter().map(|label| row(&record, label)).collect();
    let mut text = String::from("{\"plies\": [\n");
    for (i, row) in rows.iter().enumerate() {
        let end = if i + 1 < rows.len() { ",\n" } else { "\n" };
        text += &format!("{}{end}", serde_json::to_string(row)?);
    }
    text += "]}\n";
    Ok(output.finish(text.as_bytes())?)
}

/// Labels the game under a progress bar: the start position first, then every ply. By the engine, where one is given.
pub(super) fn search(
    labeller: &Labeller,
    engine: Option<&ExternalEngine>,
    record: &GameRecord,
    terminal: &Terminal,
) -> Result<Vec<PlyLabel>> {
    let game = LabelledGame::of_positions(record.positions().cloned().collect());
    let show = |done: usize, of: usize| {
        let (message, fields) = (format!("{done}/{of} positions"), json!({"done": done, "of": of}));
        terminal.progress("labelling", done as u64, of as u64, message, fields);
    };
    let labels = match engine {
        Some(engine) => engine.label(&game, &show)?,
        None => labeller.label(&game, &[], &|progress| {
            if let Progress::Positions { done, of } = progress {
                show(done, of);
            }
        }),
    };
    terminal.end_steps();
    Ok(labels)
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

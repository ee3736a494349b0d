//! The command line.

use std::path::PathBuf;

use anyhow::{Result, anyhow};
use clap::{Parser, Subcommand, ValueEnum};
use plyscope::exit_code::{ExitCode, WrongUsage};
use plyscope::game_record::GameRecord;
use plyscope::output_file::OutputFile;
use plyscope::render::frame_rate::FrameRate;
use plyscope::render::schedule::Slide;
use plyscope::scoring::judge::Scores;
use plyscope::win_models;
use plyscope_device::referee::Judgement;
use serde_json::json;
use std::path::Path;

use crate::camera::Camera;
use crate::comparison;
use crate::host_device::Profile;

/// Runs the core as a microcontroller would: in memory of fixed size, without a heap.
#[derive(Parser, Debug)]
#[command(name = "plyscope-firmware-sim", version, about, after_help = ExitCode::table())]
pub(crate) struct CommandLine {
    #[command(subcommand)]
    command: Command,
}

#[derive(Subcommand, Debug)]
enum Command {
    Run(RunArgs),
    List,
}

impl CommandLine {
    /// Runs the chosen subcommand to its end.
    pub(crate) fn run(&self) -> Result<()> {
        match &self.command {
            Command::Run(args) => run(args),
            Command::List => list(),
        }
    }
}

/// Show a game to a device of fixed size and compare its rows with the host's
#[derive(clap::Args, Debug)]
#[command(after_help = "Example:\n  plyscope-firmware-sim run --input game.pgn --budget-kib 64\n\n\
    The host's renderer draws the frames; the device gets them one by one, as from a camera.")]
struct RunArgs {
    /// The game, as PGN
    #[arg(long, value_name = "GAME.pgn")]
    input: PathBuf,
    /// All memory that the device may keep, without its stack
    #[arg(long, value_name = "N")]
    budget_kib: usize,
    /// The side of a frame in pixels
    #[arg(long, value_name = "PX", default_value_t = 96, value_parser = clap::value_parser!(u32).range(64..=240))]
    side: u32,
    /// Frames a second
    #[arg(long, value_name = "N", default_value = "5")]
    fps: FrameRate,
    /// How long pieces slide: frames, or milliseconds such as 200ms
    #[arg(long, value_name = "LENGTH", default_value = "2")]
    slide: Slide,
    /// Positions to visit for each ply; 0: see only and call every ply equal
    #[arg(long, value_name = "N", default_value_t = 2000)]
    nodes: u64,
    /// From centipawns to win probability: sf, lichess, or a file
    #[arg(long, value_name = "M", default_value = "sf")]
    win_model: PathBuf,
    /// Write the rows, {"events": [...]}, to this file
    #[arg(short, long, value_name = "FILE")]
    output: Option<PathBuf>,
    /// How to write the report
    #[arg(long, value_enum, default_value_t)]
    format: Format,
}

#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, ValueEnum)]
enum Format {
    /// For people
    #[default]
    Text,
    /// For programs
    Json,
}

fn run(args: &RunArgs) -> Result<()> {
    // The video's chroma is stored in pairs of pixels, so the renderer draws even sides only.
    let camera = Camera { side_px: args.side & !1, rate: args.fps, slide: args.slide };
    let profile =
        Profile::for_budget(args.budget_kib.saturating_mul(1024), camera.side_px).ok_or_else(|| {
            let fitting = Profile::ALL.iter().find(|p| p.side_max_px >= camera.side_px);
            let least_kib = fitting.map_or(0, |p| p.bytes.div_ceil(1024));
            WrongUsage(format!(
                "no device for frames of {} px fits {} KiB; give at least --budget-kib {least_kib}",
                camera.side_px, args.budget_kib
            ))
        })?;
    let record = GameRecord::read_file(&args.input)?;
    let model = win_models::by_name_or_file(&args.win_model)?;
    let judgement = (args.nodes > 0).then_some(Judgement { nodes: args.nodes, model });
    let rows = profile.run(&camera, &record, judgement)?;
    if let Some(path) = &args.output {
        OutputFile::open(path)?.finish(events(&rows).as_bytes())?;
    }
    let scores = comparison::score(&rows, &comparison::host_rows(&camera, &record, judgement)?)?;
    print(&match args.format {
        Format::Text => text_report(args.budget_kib, profile, &rows, &scores),
        Format::Json => json_report(args.budget_kib, profile, &rows, &scores)?,
    })?;
    if scores.t1.f1 < 1.0 {
        return Err(anyhow!("the device read another game than was shown (T1 F1 {:.4})", scores.t1.f1));
    }
    Ok(())
}

fn list() -> Result<()> {
    let mut text = String::new();
    for profile in &Profile::ALL {
        text += &format!(
            "{:<8}{:>9} bytes, frames up to {} px\n",
            profile.name, profile.bytes, profile.side_max_px
        );
    }
    print(&text)
}

fn events(rows: &[String]) -> String {
    if rows.is_empty() {
        return "{\"events\": []}\n".to_owned();
    }
    format!("{{\"events\": [\n{}\n]}}\n", rows.join(",\n"))
}

fn text_report(budget_kib: usize, profile: &Profile, rows: &[String], scores: &Scores) -> String {
    let mut text = format!(
        "Profile {}: {} bytes of a budget of {} ({budget_kib} KiB), without the stack\n",
        profile.name,
        profile.bytes,
        budget_kib * 1024
    );
    for stage in profile.stages {
        text += &format!("{:>9}  {}\n", stage.bytes, stage.stage);
    }
    let share = |value: Option<f64>| value.map_or("-".to_owned(), |v| format!("{v:.4}"));
    text += &format!(
        "{} rows. Against the host: T1 F1 {:.4}; labels alike: swing {}, leader {}\n",
        rows.len(),
        scores.t1.f1,
        share(scores.t2.plain),
        share(scores.t3.plain)
    );
    text
}

fn json_report(budget_kib: usize, profile: &Profile, rows: &[String], scores: &Scores) -> Result<String> {
    let stages: serde_json::Map<String, serde_json::Value> =
        profile.stages.iter().map(|s| (s.stage.replace(' ', "_"), s.bytes.into())).collect();
    let events: Vec<serde_json::Value> =
        rows.iter().map(|row| serde_json::from_str(row)).collect::<Result<_, _>>()?;
    let report = json!({
        "profile": profile.name,
        "budget_bytes": budget_kib * 1024,
        "bytes": profile.bytes,
        "stage_bytes": stages,
        "t1_f1": scores.t1.f1,
        "swing_alike": scores.t2.plain,
        "leader_alike": scores.t3.plain,
        "events": events,
    });
    Ok(serde_json::to_string_pretty(&report)? + "\n")
}

/// Writes `text` to standard output; a reader that went away early has seen all it wanted.
fn print(text: &str) -> Result<()> {
    Ok(OutputFile::open(Path::new("-"))?.finish(text.as_bytes())?)
}

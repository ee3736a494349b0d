//! The command line.

use std::path::{Path, PathBuf};
use std::time::Duration;

use anyhow::{Context, Result, bail, ensure};
use clap::{Parser, Subcommand, ValueEnum};
use plyscope::exit_code::{ExitCode, WrongUsage};
use plyscope::game_record::GameRecord;
use plyscope::output_file::OutputFile;
use plyscope::render::frame_rate::FrameRate;
use plyscope::render::schedule::Slide;
use plyscope::{evaluation::Evaluation, win_models};
use plyscope_device::referee::Judgement;

use crate::camera::Camera;
use crate::comparison;
use crate::emulator;
use crate::host_device::Profile;
use crate::machine::{Image, Machine};
use crate::report::{self, Report};

/// The frames of a report.
const REPORT_SIDE_PX: u32 = 96;
const REPORT_FPS: &str = "5";
/// The longest that a machine may take in a report, seconds.
const REPORT_LIMIT_S: u64 = 600;

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
    Report(ReportArgs),
    /// List the devices and the machines
    List,
}

impl CommandLine {
    /// Runs the chosen subcommand to its end.
    pub(crate) fn run(&self) -> Result<()> {
        match &self.command {
            Command::Run(args) => run(args),
            Command::Report(args) => report(args),
            Command::List => list(),
        }
    }
}

/// Show a game to a device of fixed size and compare its rows with the host's
#[derive(clap::Args, Debug)]
#[command(after_help = "Examples:\n  plyscope-firmware-sim run --input game.pgn --budget-kib 64\n  \
    plyscope-firmware-sim run game --machine lm3s6965evb --input game.pgn\n\n\
    The host's renderer draws the frames; the device gets them one by one, as from a camera. On a machine the rows\n\
    must be those that the same device writes on this computer, byte for byte.")]
struct RunArgs {
    /// What the device does
    #[arg(value_enum, default_value_t)]
    image: Image,
    /// The game, as PGN
    #[arg(long, value_name = "GAME.pgn")]
    input: PathBuf,
    /// Run on this emulated machine
    #[arg(long, value_enum, value_name = "M", required_unless_present = "budget_kib")]
    machine: Option<Machine>,
    /// Run on this computer, with the largest device that keeps no more than this, the stack aside
    #[arg(long, value_name = "N", conflicts_with = "machine")]
    budget_kib: Option<usize>,
    /// The side of a frame in pixels
    #[arg(long, value_name = "PX", default_value_t = 96, value_parser = clap::value_parser!(u32).range(64..=240))]
    side: u32,
    /// Frames a second
    #[arg(long, value_name = "N", default_value = "5")]
    fps: FrameRate,
    /// How long pieces slide: frames, or milliseconds such as 200ms
    #[arg(long, value_name = "LENGTH", default_value = "2")]
    slide: Slide,
    /// Positions to visit for each ply
    #[arg(long, value_name = "N", default_value_t = 2000, value_parser = clap::value_parser!(u64).range(1..))]
    nodes: u64,
    /// From centipawns to win probability: sf, lichess, or a file
    #[arg(long, value_name = "M", default_value = "sf")]
    win_model: PathBuf,
    /// Give up on the emulator after so many seconds
    #[arg(long, value_name = "S", default_value_t = 300)]
    time_limit: u64,
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
    let profile = profile(args, &camera)?;
    let record = GameRecord::read_file(&args.input)?;
    let judgement = match args.image {
        Image::See => None,
        Image::Game => {
            let model = win_models::by_name_or_file(&args.win_model, &Evaluation::HandCrafted)?;
            Some(Judgement { nodes: args.nodes, model })
        }
    };
    let rows = profile.run(&camera, &record, judgement)?;
    let emulated = match args.machine {
        Some(machine) => {
            let limit = Duration::from_secs(args.time_limit);
            let emulated = emulator::run(args.image, machine, &camera, &record, judgement, limit)?;
            ensure_equal(&emulated.rows, &rows)?;
            Some((machine, emulated))
        }
        None => None,
    };
    if let Some(path) = &args.output {
        OutputFile::open(path)?.finish(events(&rows).as_bytes())?;
    }
    let scores = comparison::score(&rows, &comparison::host_rows(&camera, &record, judgement)?)?;
    let report = Report { profile, rows: &rows, scores: &scores, emulated: emulated.as_ref() };
    print(&match args.format {
        Format::Text => report.to_text(),
        Format::Json => report.to_json()?,
    })?;
    ensure!(scores.t1.f1 == 1.0, "the device read another game than was shown (T1 F1 {:.4})", scores.t1.f1);
    Ok(())
}

/// The profile of the machine, or the largest within the budget.
fn profile(args: &RunArgs, camera: &Camera) -> Result<&'static Profile> {
    let side_px = camera.side_px;
    if let Some(machine) = args.machine {
        let profile = Profile::of_image(args.image, machine).context("the machine has no profile")?;
        if side_px > profile.side_max_px {
            let most_px = profile.side_max_px;
            bail!(WrongUsage(format!(
                "the device takes no frames of {side_px} px; give at most --side {most_px}"
            )));
        }
        return Ok(profile);
    }
    let budget_kib = args.budget_kib.unwrap_or(0);
    Profile::for_budget(args.image, budget_kib.saturating_mul(1024), side_px).ok_or_else(|| {
        let least_kib = Profile::smallest_for(args.image, side_px).map_or(0, |p| p.bytes.div_ceil(1024));
        WrongUsage(format!(
            "no device for frames of {side_px} px fits {budget_kib} KiB; give at least --budget-kib {least_kib}"
        ))
        .into()
    })
}

/// Run every image on every machine and print the table of docs/firmware.md
#[derive(clap::Args, Debug)]
#[command(after_help = "Example:\n  plyscope-firmware-sim report --input samples/opera-1858.pgn")]
struct ReportArgs {
    /// The game, as PGN
    #[arg(long, value_name = "GAME.pgn")]
    input: PathBuf,
    /// Positions to visit for each ply
    #[arg(long, value_name = "N", default_value_t = 1000, value_parser = clap::value_parser!(u64).range(1..))]
    nodes: u64,
}

fn report(args: &ReportArgs) -> Result<()> {
    let record = GameRecord::read_file(&args.input)?;
    let camera = Camera { side_px: REPORT_SIDE_PX, rate: REPORT_FPS.parse()?, slide: Slide::Frames(2) };
    let mut table = report::table_head(args.nodes);
    for machine in Machine::ALL {
        for image in Image::ALL {
            let profile = Profile::of_image(image, machine).context("the machine has no profile")?;
            let model = win_models::shipped(&Evaluation::HandCrafted, win_models::Form::Sf);
            let judgement = (image == Image::Game).then_some(Judgement { nodes: args.nodes, model });
            let rows = profile.run(&camera, &record, judgement)?;
            let limit = Duration::from_secs(REPORT_LIMIT_S);
            let emulated = emulator::run(image, machine, &camera, &record, judgement, limit)?;
            ensure_equal(&emulated.rows, &rows)?;
            table += &report::table_row(machine, image, &emulated);
        }
    }
    print(&table)
}

/// The same bytes, or where they differ first.
fn ensure_equal(emulated: &[String], host: &[String]) -> Result<()> {
    let lines = emulated.len().max(host.len());
    let differing = (0..lines).find(|&i| emulated.get(i) != host.get(i));
    let Some(index) = differing else { return Ok(()) };
    let shown = |rows: &[String]| rows.get(index).map_or("nothing".to_owned(), Clone::clone);
    bail!("row {} differs: the machine wrote {}, this computer {}", index + 1, shown(emulated), shown(host))
}

fn list() -> Result<()> {
    let mut text = String::from("Devices:\n");
    for profile in &Profile::ALL {
        let side_px = profile.side_max_px;
        text += &format!("  {:<8}{:>9} bytes, frames up to {side_px} px\n", profile.name, profile.bytes);
    }
    text += "Machines:\n";
    for machine in Machine::ALL {
        text += &format!("  {:<14}{}\n", machine.name(), machine.description());
    }
    text += if emulator::is_installed() { "" } else { "QEMU is not installed: machines cannot be run.\n" };
    print(&text)
}

fn events(rows: &[String]) -> String {
    if rows.is_empty() {
        return "{\"events\": []}\n".to_owned();
    }
    format!("{{\"events\": [\n{}\n]}}\n", rows.join(",\n"))
}

/// Writes `text` to standard output; a reader that went away early has seen all it wanted.
fn print(text: &str) -> Result<()> {
    Ok(OutputFile::open(Path::new("-"))?.finish(text.as_bytes())?)
}

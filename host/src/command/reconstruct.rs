//! `plyscope reconstruct`: a video in, the labelled game out.

use std::path::PathBuf;
use std::sync::Mutex;

use anyhow::Result;
use clap::ValueEnum;
use indicatif::{ProgressBar, ProgressStyle};
use plyscope::answer_file::AnswerFile;
use plyscope::labeller::Progress as LabelProgress;
use plyscope::output_file::OutputFile;
use plyscope::pgn_export::{ExportEval, ExportPly, PgnExport};
use plyscope::reconstruct::{CheckpointFile, Progress, Reading, Reconstruction, ResumePoint};
use plyscope::video::{OrientationChoice, VideoInput};
use plyscope_core::judge::score::ScoreKind;
use plyscope_core::vision::Orientation;
use shakmaty::{KnownOutcome, Outcome, Position};

use super::refuse_same_file;
use super::search_args::SearchArgs;

/// Watch a video of a chess board and write down the game.
#[derive(clap::Args, Debug)]
#[command(after_help = "Example:\n  plyscope reconstruct game.mp4 -o answer.json --pgn game.pgn")]
pub(crate) struct Args {
    /// The video, a folder of pictures, or '-' for standard input
    video: PathBuf,
    /// Where to write the answer ('-': standard output)
    #[arg(short, long, value_name = "FILE", default_value = "answer.json")]
    output: PathBuf,
    /// Write the game as PGN too, with video times and evaluations
    #[arg(long, value_name = "FILE")]
    pgn: Option<PathBuf>,
    /// See only: every label is "equal"
    #[arg(long)]
    no_labels: bool,
    /// Go on where an earlier run with the same options was cut off
    #[arg(long)]
    resume: bool,
    /// Which side sits at the bottom
    #[arg(long, value_enum, default_value_t)]
    orientation: OrientationArg,
    /// For a folder of pictures: so many a second; without it the last number in each name is its second
    #[arg(long, value_name = "N", value_parser = parse_fps)]
    fps: Option<f64>,
    #[command(flatten)]
    search: SearchArgs,
}

#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, ValueEnum)]
enum OrientationArg {
    #[default]
    Auto,
    White,
    Black,
}

fn parse_fps(text: &str) -> Result<f64, String> {
    let fps = text.parse::<f64>().ok().filter(|fps| fps.is_finite() && *fps > 0.0 && *fps <= 1000.0);
    fps.ok_or_else(|| "give a number of pictures a second above 0".to_owned())
}

/// Reads the video and writes the answer.
pub(crate) fn run(args: &Args) -> Result<()> {
    let (output, pgn) = (Some(&args.output), args.pgn.as_ref());
    refuse_same_file(&[("VIDEO", Some(&args.video)), ("--output", output), ("--pgn", pgn)])?;
    let labeller = if args.no_labels { None } else { Some(args.search.labeller()?) };
    let mut answer = AnswerFile::open(&args.output)?;
    let pgn = args.pgn.as_deref().map(OutputFile::open).transpose()?;
    let checkpoint = CheckpointFile::beside(&answer, &args.output);
    let input = VideoInput::open(&args.video, args.fps)?;
    let job = Reconstruction {
        orientation: match args.orientation {
            OrientationArg::Auto => OrientationChoice::Auto,
            OrientationArg::White => OrientationChoice::Fixed(Orientation::WhiteBottom),
            OrientationArg::Black => OrientationChoice::Fixed(Orientation::BlackBottom),
        },
        settings: format!("{:?} {:?} {:?}", args.orientation, args.fps, labeller),
        labeller,
        resume: args.resume,
    };
    let bars = Bars::default();
    let reading = job.run(&input, &mut answer, &checkpoint, &|progress| bars.show(progress))?;
    bars.clear();
    answer.finish(&reading.game.rows(&reading.labels))?;
    if let Some(pgn) = pgn {
        pgn.finish(pgn_text(&reading)?.as_bytes())?;
    }
    checkpoint.remove();
    for stretch in &reading.unexplained {
        eprintln!(
            "plyscope: from {:.1} s to {:.1} s (after ply {}) no legal plies explain the board",
            stretch.from.seconds(),
            stretch.until.seconds(),
            stretch.after_ply
        );
    }
    match reading.broken_off {
        Some(error) => Err(error.into()),
        None => Ok(()),
    }
}

fn pgn_text(reading: &Reading) -> Result<String> {
    let game = &reading.game;
    let plies: Vec<ExportPly> = game
        .plies()
        .iter()
        .enumerate()
        .map(|(index, ply)| ExportPly {
            mv: ply.mv,
            shown_at: ply.time,
            eval: reading.labels.get(index + 1).map(|label| match label.score.kind() {
                ScoreKind::Centipawns(cp) => ExportEval::Centipawns(cp),
                ScoreKind::Mate { moves } => ExportEval::Mate(i32::from(moves)),
                ScoreKind::Mated { moves } => ExportEval::Mate(-i32::from(moves)),
            }),
        })
        .collect();
    let last = game.position();
    let result = if last.is_checkmate() {
        Outcome::Known(KnownOutcome::Decisive { winner: last.turn().other() })
    } else if last.is_stalemate() || last.is_insufficient_material() {
        Outcome::Known(KnownOutcome::Draw)
    } else {
        Outcome::Unknown
    };
    let mut text = Vec::new();
    PgnExport { tags: &[], start: &game.positions()[0], plies: &plies, result }.write(&mut text)?;
    Ok(String::from_utf8_lossy(&text).into_owned())
}

/// Progress bars on stderr: the video first, then the search.
#[derive(Default)]
struct Bars {
    bar: Mutex<Option<(Step, ProgressBar)>>,
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum Step {
    Watching,
    Labelling,
}

impl Bars {
    fn show(&self, progress: Progress<'_>) {
        match progress {
            Progress::Resumed(from) => eprintln!("plyscope: {}", resumed(from)),
            Progress::Located { duration } => {
                let seconds = duration.map_or(0, |d| u64::try_from(d.us() / 1_000_000).unwrap_or(0));
                self.start(Step::Watching, seconds, "{wide_bar} {msg}, {eta} left");
            }
            Progress::Watched { time, plies } => {
                self.with(Step::Watching, |bar| {
                    bar.set_position(u64::try_from(time.us() / 1_000_000).unwrap_or(0));
                    bar.set_message(format!("{plies} plies in {}", clock(time.seconds())));
                });
            }
            Progress::Labelling(LabelProgress::Positions { done, of }) => {
                if !self.with(Step::Labelling, |bar| bar.set_position(done as u64)) {
                    self.start(Step::Labelling, of as u64, "{wide_bar} {pos}/{len} positions, {eta} left");
                }
            }
            Progress::Labelling(LabelProgress::Chunk(_)) => {}
        }
    }

    fn start(&self, step: Step, length: u64, template: &str) {
        let bar = ProgressBar::new(length);
        if let Ok(style) = ProgressStyle::with_template(template) {
            bar.set_style(style);
        }
        let mut slot = self.bar.lock().unwrap_or_else(std::sync::PoisonError::into_inner);
        if let Some((_, before)) = slot.replace((step, bar)) {
            before.finish_and_clear();
        }
    }

    /// Whether the bar of `step` is the present one.
    fn with(&self, step: Step, act: impl FnOnce(&ProgressBar)) -> bool {
        let slot = self.bar.lock().unwrap_or_else(std::sync::PoisonError::into_inner);
        match &*slot {
            Some((present, bar)) if *present == step => {
                act(bar);
                true
            }
            _ => false,
        }
    }

    fn clear(&self) {
        let slot = self.bar.lock().unwrap_or_else(std::sync::PoisonError::into_inner).take();
        if let Some((_, bar)) = slot {
            bar.finish_and_clear();
        }
    }
}

/// Where a run goes on that was told to.
fn resumed(from: Option<ResumePoint>) -> String {
    match from {
        None => {
            "no earlier run with these options left anything to go on from; begins at the start".to_owned()
        }
        Some(ResumePoint { plies, positions_labelled, is_video_over: true, .. }) => {
            format!("goes on after the video: {plies} plies, {positions_labelled} positions labelled")
        }
        Some(ResumePoint { watched_until, plies, .. }) => {
            format!("goes on at {:.1} s: {plies} plies", watched_until.seconds())
        }
    }
}

/// Seconds as minutes and seconds.
fn clock(seconds: f64) -> String {
    let whole = seconds.max(0.0) as u64;
    format!("{}:{:02}", whole / 60, whole % 60)
}

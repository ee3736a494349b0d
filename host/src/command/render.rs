//! `plyscope render`: a video of a game at its own pace, and its truth.

use std::path::{Path, PathBuf};
use std::str::FromStr;
use std::time::Duration;

use anyhow::Result;
use clap::ValueEnum;
use plyscope::answer_file::answer_text;
use plyscope::exit_code::WrongUsage;
use plyscope::game_record::GameRecord;
use plyscope::output_file::OutputFile;
use plyscope::render::board_picture::Look;
use plyscope::render::coordinates::{self, Coordinates};
use plyscope::render::effects::Effect;
use plyscope::render::encoder::Encoding;
use plyscope::render::frame_rate::FrameRate;
use plyscope::render::labels::{PlyLabels, parse_labels};
use plyscope::render::layout::Layout;
use plyscope::render::schedule::{Easing, Slide};
use plyscope::render::theme::Theme;
use plyscope::render::truth::event_rows;
use plyscope::render::{RenderError, RenderOptions, Rendered, render_to_file};
use plyscope::text_input::{InputError, read_text};
use serde_json::json;
use shakmaty::Color;

use super::label;
use super::refuse_same_file;
use super::search_args::SearchArgs;
use super::terminal::{LogFormat, Terminal};

/// Render a game to a board-only video at its own pace, and its truth
#[derive(clap::Args, Debug)]
#[command(
    after_help = "Example:\n  plyscope render game.pgn -o game.mp4 --truth game.truth.json --slide 6\n\n\
    The pace follows the game's [%clk] or [%emt] comments. A file name that begins with '-' goes after '--' or\n\
    is written as ./-name; '-' alone as the game is standard input."
)]
pub(crate) struct Args {
    /// The game; the first one in the file
    game: PathBuf,
    /// The video to write; its container follows from the extension
    #[arg(short, long, value_name = "VIDEO")]
    output: PathBuf,
    /// Write the truth, {"events": [...]}, to this file
    #[arg(long, value_name = "FILE")]
    truth: Option<PathBuf>,
    /// Take the truth's labels from what `plyscope label` wrote, or from another truth of the game, not by a search
    #[arg(long, value_name = "FILE", requires = "truth", conflicts_with = "no_labels")]
    labels: Option<PathBuf>,
    /// Write "equal" for both labels of every ply
    #[arg(long, requires = "truth")]
    no_labels: bool,
    #[command(flatten)]
    search: SearchArgs,
    /// The side of the board in pixels
    #[arg(long, value_name = "PX", default_value_t = 480)]
    size: u32,
    /// Frames a second, such as 30, 29.97 or 30000/1001
    #[arg(long, value_name = "N", default_value = "30")]
    fps: FrameRate,
    /// The colours of the board
    #[arg(long, value_enum, value_name = "NAME", default_value = "brown")]
    theme: Theme,
    /// x264's quality, 0 (lossless) to 51 (worst)
    #[arg(long, value_name = "N", default_value_t = 18, value_parser = clap::value_parser!(u8).range(0..=51))]
    crf: u8,
    /// x264's speed against size
    #[arg(long, value_enum, value_name = "NAME", default_value = "medium")]
    preset: Preset,
    /// Leave out frames that repeat the one before, as screen recorders do (variable frame rate)
    #[arg(long)]
    drop_repeats: bool,
    /// How long a piece slides: frames, or a time such as 200ms
    #[arg(long, value_name = "FRAMES|MS", default_value = "0")]
    slide: Slide,
    /// How the speed of a sliding piece changes
    #[arg(long, value_enum, value_name = "NAME", default_value = "linear")]
    easing: Easing,
    /// Tint the two squares of the last ply
    #[arg(long)]
    highlight: bool,
    /// Draw what people's screens show beside the pieces: several, with commas between them
    #[arg(long, value_enum, value_name = "WHAT", value_delimiter = ',')]
    with: Vec<Effect>,
    /// Where coordinates stand
    #[arg(long, value_enum, value_name = "WHERE", default_value = "none")]
    coordinates: Coordinates,
    /// The surround on all sides in pixels [default: 0, or what coordinates around the board need]
    #[arg(long, value_name = "PX", conflicts_with_all = ["canvas", "at"])]
    margin: Option<u32>,
    /// The size of the whole picture, for a board off its centre
    #[arg(long, value_name = "WxH", requires = "at")]
    canvas: Option<Pair<'x'>>,
    /// The board's upper left corner in the picture
    #[arg(long, value_name = "X,Y", requires = "canvas")]
    at: Option<Pair<','>>,
    /// The side at the bottom
    #[arg(long, value_enum, value_name = "SIDE", default_value = "white")]
    orientation: Orientation,
    /// How long the last picture stays, in seconds
    #[arg(long, value_name = "SECONDS", default_value_t = 3.0, value_parser = parse_tail)]
    tail: f64,
}

/// x264's presets.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
enum Preset {
    Ultrafast,
    Superfast,
    Veryfast,
    Faster,
    Fast,
    Medium,
    Slow,
    Slower,
    Veryslow,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
enum Orientation {
    White,
    Black,
}

/// Two numbers with a separator between them.
#[derive(Clone, Copy, Debug)]
struct Pair<const SEPARATOR: char>(u32, u32);

impl<const SEPARATOR: char> FromStr for Pair<SEPARATOR> {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        let numbers = text.split_once(SEPARATOR).and_then(|(a, b)| Some((a.parse().ok()?, b.parse().ok()?)));
        numbers.map(|(a, b)| Pair(a, b)).ok_or_else(|| format!("write two numbers as in 640{SEPARATOR}480"))
    }
}

/// Renders the video and then writes its truth.
pub(crate) fn run(args: &Args, is_quiet: bool) -> Result<()> {
    let terminal = Terminal::new(is_quiet, LogFormat::Text);
    if args.output == Path::new("-") {
        return Err(WrongUsage("a video cannot go to standard output, name a file with -o".into()).into());
    }
    let (output, truth) = (Some(&args.output), args.truth.as_ref());
    refuse_same_file(&[("GAME", Some(&args.game)), ("--output", output), ("--truth", truth)])?;
    let record = GameRecord::read_file(&args.game)?;
    let labels = read_labels(args, &record, &terminal)?;
    let options = render_options(args)?;
    // A wrong path is told before the video is made, not after.
    let truth = args.truth.as_deref().map(OutputFile::open).transpose()?;
    let rendered = render_with_progress(&record, &options, &args.output, &terminal)?;
    if let Some(truth) = truth {
        truth.finish(&answer_text(&event_rows(&record, &rendered.settled_at, &labels))?)?;
    }
    Ok(())
}

fn read_labels(args: &Args, record: &GameRecord, terminal: &Terminal) -> Result<Vec<PlyLabels>> {
    match &args.labels {
        Some(path) => {
            let text = read_text(path)?;
            Ok(parse_labels(&text, record).map_err(|error| InputError::new(path, error))?)
        }
        None if args.truth.is_none() || args.no_labels => Ok(vec![PlyLabels::EQUAL; record.plies.len()]),
        None => {
            let engine = args.search.engine()?;
            let labels = label::search(&args.search.labeller()?, engine.as_ref(), record, terminal)?;
            // The first is that of the start position, to which no ply led.
            Ok(labels.iter().skip(1).map(PlyLabels::from).collect())
        }
    }
}

fn render_options(args: &Args) -> Result<RenderOptions, WrongUsage> {
    let look = Look {
        layout: layout(args)?,
        theme: args.theme,
        coordinates: args.coordinates,
        highlight: args.highlight,
        easing: args.easing,
        effects: args.with.iter().copied().collect(),
    };
    let preset =
        args.preset.to_possible_value().map_or_else(String::new, |value| value.get_name().to_owned());
    Ok(RenderOptions {
        look,
        slide: args.slide,
        tail: Duration::from_secs_f64(args.tail),
        encoding: Encoding { rate: args.fps, crf: args.crf, preset, drop_repeats: args.drop_repeats },
    })
}

fn layout(args: &Args) -> Result<Layout, WrongUsage> {
    let bottom = match args.orientation {
        Orientation::White => Color::White,
        Orientation::Black => Color::Black,
    };
    let layout = match (args.canvas, args.at) {
        (Some(Pair(width, height)), Some(Pair(x, y))) => {
            Layout::on_canvas(args.size, (width, height), (x, y), bottom)
        }
        _ => {
            let needed = match args.coordinates {
                Coordinates::Around => coordinates::margin_px(args.size),
                Coordinates::None | Coordinates::Inside => 0,
            };
            Layout::with_margin(args.size, args.margin.unwrap_or(needed), bottom)
        }
    };
    layout.map_err(|error| WrongUsage(error.to_string()))
}

fn render_with_progress(
    record: &GameRecord,
    options: &RenderOptions,
    output: &Path,
    terminal: &Terminal,
) -> Result<Rendered, RenderError> {
    let rendered = render_to_file(record, options, output, |done, total| {
        if terminal.wants_progress() {
            let (message, fields) = (format!("{done} of {total} frames"), json!({"done": done, "of": total}));
            terminal.progress("rendering", done, total, message, fields);
        }
    });
    terminal.end_steps();
    rendered
}

fn parse_tail(text: &str) -> Result<f64, String> {
    const TAIL_S_MAX: f64 = 3600.0;
    let seconds = text.parse::<f64>().ok().filter(|seconds| (0.0..=TAIL_S_MAX).contains(seconds));
    seconds.ok_or_else(|| format!("give 0 to {TAIL_S_MAX} seconds"))
}

//! `plyscope watch`: a game as it is played.

use std::io::{self, Write};
use std::path::{Path, PathBuf};
use std::str::FromStr;
use std::time::Duration;

use anyhow::{Context, Result};
use clap::ValueEnum;
use plyscope::answer_file::AnswerFile;
use plyscope::exit_code::WrongUsage;
use plyscope::judged_game::{JudgedGame, numbered};
use plyscope::output_file::{OutputError, OutputFile};
use plyscope::pgn_export::PgnExport;
use plyscope::reconstruct::{LiveEvent, LiveGame, LiveWatch, ReconstructError};
use plyscope::video::{LiveFrames, LiveSource, Region};
use plyscope_core::media_time::MediaTime;
use plyscope_core::vision::Orientation;
use serde_json::{Value, json};
use shakmaty::san::SanPlus;
use shakmaty::{CastlingMode, Chess, Position};

use super::reconstruct::{ClockArg, OrientationArg, judged_with_clock, parse_fen, parse_time_control};
use super::refuse_same_file;
use super::search_args::SearchArgs;

/// Watch a game while it is played and tell of each ply as soon as it has settled.
#[derive(clap::Args, Debug)]
#[command(
    after_help = "Examples:\n  plyscope watch --grab x11grab :0.0 --region 800x800+100+50 --pgn live.pgn\n  \
    plyscope watch recording.mkv\n  ffmpeg -i rtmp://... -c copy -f mpegts - | plyscope watch -\n\n\
    Events go to standard output, one JSON object a line. A ply is told when its piece has rested for a quarter of a\n\
    second, or when the next ply is seen; each event says by how much it is late (delay_s).\n\
    A file that is being written, and standard input, need a format that can be read from its beginning: Matroska,\n\
    MPEG-TS, FLV or fragmented MP4. Ctrl-C ends the watch; answer and PGN then hold all that was seen."
)]
pub(crate) struct Args {
    /// A file that is being written, '-' for standard input, or with --grab a screen or device
    source: PathBuf,
    /// Take pictures by this grabber of ffmpeg; SOURCE is then what it grabs, such as :0.0 or /dev/video0
    #[arg(long, value_enum, value_name = "GRABBER")]
    grab: Option<Grabber>,
    /// With --grab: only this part, as WIDTHxHEIGHT+LEFT+TOP in pixels
    #[arg(long, value_name = "WxH+X+Y", requires = "grab")]
    region: Option<RegionArg>,
    /// With --grab: pictures a second to ask for
    #[arg(long, value_name = "N", requires = "grab", value_parser = clap::value_parser!(u32).range(1..=240))]
    rate: Option<u32>,
    /// A file that has not grown for so many seconds is complete
    #[arg(long, value_name = "SECONDS", default_value = "10", value_parser = clap::value_parser!(u64).range(1..=86_400))]
    patience: u64,
    /// Where to keep the answer up to date
    #[arg(short, long, value_name = "FILE", default_value = "answer.json")]
    output: PathBuf,
    /// Keep the game as PGN up to date too
    #[arg(long, value_name = "FILE")]
    pgn: Option<PathBuf>,
    /// The clock of the game, such as 600+5: the PGN then tells what it shows after each ply
    #[arg(long, value_name = "TIME", value_parser = parse_time_control)]
    time_control: Option<ClockArg>,
    /// See only: every label is "equal"
    #[arg(long)]
    no_labels: bool,
    /// Which side sits at the bottom
    #[arg(long, value_enum, default_value_t)]
    orientation: OrientationArg,
    /// The position in which the game starts, where that is not the start position
    #[arg(long, value_name = "FEN", value_parser = parse_fen)]
    fen: Option<Chess>,
    #[command(flatten)]
    search: SearchArgs,
}

/// ffmpeg's ways to see screens and cameras.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
enum Grabber {
    /// A screen under X11: SOURCE is the display, such as :0.0
    X11grab,
    /// A screen or window on Windows: SOURCE is desktop, or title=NAME
    Gdigrab,
    /// A screen or camera on macOS: SOURCE is its number
    Avfoundation,
    /// A camera or capture card on Linux: SOURCE is the device, such as /dev/video0
    V4l2,
    /// A camera or capture card on Windows: SOURCE is video=NAME
    Dshow,
    /// A filter graph, to try out without a screen: SOURCE is the graph, such as movie=game.mp4
    Lavfi,
}

/// `WIDTHxHEIGHT+LEFT+TOP`.
#[derive(Clone, Copy, Debug)]
struct RegionArg(Region);

impl FromStr for RegionArg {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        let parse = || {
            let (size, place) = text.split_once('+')?;
            let ((width, height), (left, top)) = (size.split_once('x')?, place.split_once('+')?);
            let number = |text: &str| text.parse::<u32>().ok();
            let (width, height) = (number(width).filter(|n| *n > 0)?, number(height).filter(|n| *n > 0)?);
            Some(Region { width, height, left: number(left)?, top: number(top)? })
        };
        parse().map(Self).ok_or_else(|| "write a region as in 800x800+100+50".to_owned())
    }
}

/// Watches until the source is over or somebody presses Ctrl-C.
pub(crate) fn run(args: &Args) -> Result<()> {
    let source = source(args);
    if args.output == Path::new("-") || args.pgn.as_deref() == Some(Path::new("-")) {
        return Err(
            WrongUsage("events go to standard output, so name files for answer and PGN".into()).into()
        );
    }
    let (output, pgn) = (Some(&args.output), args.pgn.as_ref());
    let read = matches!(source, LiveSource::GrowingFile { .. }).then_some(&args.source);
    refuse_same_file(&[("SOURCE", read), ("--output", output), ("--pgn", pgn)])?;
    let labeller = if args.no_labels { None } else { Some(args.search.labeller()?) };
    let answer = AnswerFile::open(&args.output)?;
    let pgn = args.pgn.as_deref().map(OutputFile::open).transpose()?;
    let mut frames = LiveFrames::start(&source)?;
    let stopper = frames.stopper();
    let on_signal = stopper.clone();
    ctrlc::set_handler(move || on_signal.stop()).context("cannot listen for Ctrl-C")?;
    let start = args.fen.clone().unwrap_or_default();
    let orientation = args.orientation.into();
    let watch = LiveWatch { start, orientation, labeller, engine: args.search.engine()? };
    let mut outputs = Outputs { answer, pgn, time_control: args.time_control.as_ref(), reader_left: false };
    let live = watch.run(&mut frames, &mut |event, live| {
        outputs.tell(&event, live)?;
        if outputs.reader_left {
            stopper.stop();
        }
        Ok(())
    })?;
    outputs.keep(&live)?;
    let reason = if frames.stopper().is_stopped() { "interrupted" } else { "the source is over" };
    let captures = live.game().plies().iter().filter(|ply| ply.mv.is_capture()).count();
    outputs.line(&json!({
        "event": "done", "reason": reason, "plies": live.game().plies().len(), "captures": captures,
    }));
    Ok(())
}

fn source(args: &Args) -> LiveSource {
    match args.grab {
        Some(grabber) => LiveSource::Grabber {
            format: grabber.to_possible_value().map_or_else(String::new, |value| value.get_name().to_owned()),
            device: args.source.to_string_lossy().into_owned(),
            region: args.region.map(|RegionArg(region)| region),
            rate: args.rate,
        },
        None if args.source == Path::new("-") => LiveSource::Stdin,
        None => LiveSource::GrowingFile {
            path: args.source.clone(),
            patience: Duration::from_secs(args.patience),
        },
    }
}

/// Where the game goes while it is watched.
struct Outputs<'a> {
    answer: AnswerFile,
    pgn: Option<OutputFile>,
    time_control: Option<&'a ClockArg>,
    /// Nobody reads the events any more.
    reader_left: bool,
}

impl Outputs<'_> {
    fn tell(&mut self, event: &LiveEvent<'_>, live: &LiveGame) -> Result<(), ReconstructError> {
        if matches!(event, LiveEvent::Ply { .. } | LiveEvent::TakenBack { .. }) {
            self.keep(live)?;
        }
        self.line(&event_json(event, live));
        Ok(())
    }

    /// Brings answer and PGN up to date.
    fn keep(&mut self, live: &LiveGame) -> Result<(), OutputError> {
        self.answer.checkpoint(&live.rows())?;
        if let Some(pgn) = &self.pgn {
            let game: JudgedGame = judged_with_clock(live.game(), live.labels(), self.time_control);
            let mut text = Vec::new();
            let plies = game.export_plies();
            let export =
                PgnExport { tags: &game.tags, start: &game.start, plies: &plies, result: game.outcome };
            export.write(&mut text).map_err(|error| pgn.error(error))?;
            pgn.checkpoint(&text)?;
        }
        Ok(())
    }

    /// Prints a line at once. A reader that went away ends the watch.
    fn line(&mut self, event: &Value) {
        let mut stdout = io::stdout().lock();
        let written = writeln!(stdout, "{event}").and_then(|()| stdout.flush());
        self.reader_left |= written.is_err();
    }
}

fn event_json(event: &LiveEvent<'_>, live: &LiveGame) -> Value {
    match *event {
        LiveEvent::Board(located) => {
            let px = |q8: u32| f64::from(q8) / 256.0;
            let rect = located.rect;
            json!({
                "event": "board",
                "time_s": located.time.seconds(),
                "rect_px": [px(rect.left_q8()), px(rect.top_q8()), px(rect.width_q8()), px(rect.height_q8())],
                "orientation": match located.orientation {
                    Orientation::WhiteBottom => "white_bottom",
                    Orientation::BlackBottom => "black_bottom",
                },
            })
        }
        LiveEvent::Ply { number, ply, label, seen_at } => {
            let game = live.game();
            let before = game.positions().get(number.saturating_sub(1)).cloned().unwrap_or_default();
            let san = SanPlus::from_move(before.clone(), ply.mv);
            // The ply's own rows are the last one or two.
            let rows = live.rows();
            let own = rows.len().saturating_sub(1 + usize::from(ply.mv.is_capture()));
            let mut value = json!({
                "event": "ply",
                "ply": number,
                "color": before.turn().fold_wb("W", "B"),
                "uci": ply.mv.to_uci(CastlingMode::Standard).to_string(),
                "san": san.to_string(),
                "text": format!("{} {san}", numbered(&before)),
                "time_s": ply.time.seconds(),
                "delay_s": MediaTime::from_us(seen_at.us_since(ply.time).max(0)).seconds(),
                "rows": rows.get(own..),
            });
            if let Some(label) = label {
                value["p"] = ((label.p.get() * 1e4).round() / 1e4).into();
            }
            value
        }
        LiveEvent::TakenBack { kept, time } => {
            json!({"event": "taken_back", "kept": kept, "time_s": time.seconds()})
        }
        LiveEvent::Unexplained(stretch) => json!({
            "event": "unexplained",
            "from_s": stretch.from.seconds(),
            "to_s": stretch.until.seconds(),
            "after_ply": stretch.after_ply,
        }),
        LiveEvent::Judging => json!({"event": "judging", "plies": live.game().plies().len()}),
    }
}

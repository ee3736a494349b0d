//! `plyscope watch`: a game as it is played.

use std::io::{self, Write};
use std::path::{Path, PathBuf};
use std::str::FromStr;
use std::time::Duration;

use anyhow::{Context, Result};
use clap::ValueEnum;
use plyscope::exit_code::WrongUsage;
use plyscope::judged_game::{JudgedGame, numbered};
use plyscope::output_file::{OutputError, OutputFile};
use plyscope::reconstruct::{Answers, LiveEvent, LiveGames, LiveWatch, ReconstructError, WatchedGame};
use plyscope::video::{LiveFrames, LiveSource, Region};
use plyscope_core::media_time::MediaTime;
use plyscope_core::vision::Orientation;
use serde_json::{Value, json};
use shakmaty::fen::Fen;
use shakmaty::san::SanPlus;
use shakmaty::{CastlingMode, Chess, EnPassantMode, Position};

use super::reconstruct::{
    ClockArg, OrientationArg, judged_with_clock, parse_fen, parse_time_control, pgn_text,
};
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
    MPEG-TS, FLV or fragmented MP4. Ctrl-C ends the watch; answer and PGN then hold all that was seen.\n\n\
    Several games, boards that are moved or turned, and games that are joined in their middle are read as reconstruct reads\n\
    them, but for what only looking back can tell: of plies that were played while a board was on its way to another\n\
    place, the time is that at which it was found there."
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
    /// Where to keep the answer up to date; a second game has its own: answer.game2.json
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
    /// The position in which the first game starts; without it, the start position or what is read from the picture
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
    let answers = Answers::open(&args.output, None)?;
    let pgn = args.pgn.as_deref().map(OutputFile::open).transpose()?;
    let mut frames = LiveFrames::start(&source)?;
    let stopper = frames.stopper();
    let on_signal = stopper.clone();
    ctrlc::set_handler(move || on_signal.stop()).context("cannot listen for Ctrl-C")?;
    let (start, orientation) = (args.fen.clone(), args.orientation.into());
    let watch = LiveWatch { start, orientation, labeller, engine: args.search.engine()? };
    let (events, time_control) = (OutputFile::open(Path::new("-"))?, args.time_control.as_ref());
    let mut outputs = Outputs { answers, pgn, events, time_control, reader_left: false };
    let games = watch.run(&mut frames, &mut |event, games| {
        outputs.tell(&event, games)?;
        if outputs.reader_left {
            stopper.stop();
        }
        Ok(())
    })?;
    for (index, game) in games.all().enumerate() {
        outputs.answers.checkpoint(index + 1, &game.rows())?;
    }
    outputs.keep(&games)?;
    let reason = if frames.stopper().is_stopped() { "interrupted" } else { "the source is over" };
    let all_plies = || games.all().flat_map(|game| game.game().plies());
    let captures = all_plies().filter(|ply| ply.mv.is_capture()).count();
    let played = games.all().filter(|game| !game.game().plies().is_empty()).count();
    outputs.line(&json!({
        "event": "done", "reason": reason, "games": played, "plies": all_plies().count(), "captures": captures,
    }))?;
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

/// Where the games go while they are watched.
struct Outputs<'a> {
    answers: Answers,
    pgn: Option<OutputFile>,
    /// Standard output.
    events: OutputFile,
    time_control: Option<&'a ClockArg>,
    /// Nobody reads the events any more.
    reader_left: bool,
}

impl Outputs<'_> {
    fn tell(&mut self, event: &LiveEvent<'_>, games: &LiveGames) -> Result<(), ReconstructError> {
        if matches!(event, LiveEvent::Ply { .. } | LiveEvent::TakenBack { .. }) {
            self.keep(games)?;
        }
        Ok(self.line(&event_json(event, games))?)
    }

    /// Brings the answer of the game under way and the PGN up to date.
    fn keep(&mut self, games: &LiveGames) -> Result<(), OutputError> {
        self.answers.checkpoint(games.number(), &games.under_way().rows())?;
        if let Some(pgn) = &self.pgn {
            let judged =
                |game: &WatchedGame| judged_with_clock(game.game(), game.labels(), self.time_control);
            let text = pgn_text(&games.all().map(judged).collect::<Vec<JudgedGame>>());
            pgn.checkpoint(&text.map_err(|error| pgn.error(error))?)?;
        }
        Ok(())
    }

    /// Prints a line at once. A reader that went away ends the watch and is no failure.
    fn line(&mut self, event: &Value) -> Result<(), OutputError> {
        let mut stdout = io::stdout().lock();
        match writeln!(stdout, "{event}").and_then(|()| stdout.flush()) {
            Err(error) if error.kind() == io::ErrorKind::BrokenPipe => {
                self.reader_left = true;
                Ok(())
            }
            written => written.map_err(|error| self.events.error(error)),
        }
    }
}

fn event_json(event: &LiveEvent<'_>, games: &LiveGames) -> Value {
    let live = games.under_way();
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
        LiveEvent::Game(beginning) => {
            let fen = Fen::from_position(&live.game().start(), EnPassantMode::Legal).to_string();
            let begins_s = beginning.time.seconds();
            json!({"event": "game", "game": games.number(), "begins_s": begins_s, "fen": fen, "read": beginning.is_read})
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
                "game": games.number(),
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
            json!({"event": "taken_back", "game": games.number(), "kept": kept, "time_s": time.seconds()})
        }
        LiveEvent::Unexplained(stretch) => json!({
            "event": "unexplained",
            "game": games.number(),
            "from_s": stretch.from.seconds(),
            "to_s": stretch.until.seconds(),
            "after_ply": stretch.after_ply,
        }),
        LiveEvent::Judging => {
            let plies: usize = games.all().map(|game| game.game().plies().len()).sum();
            json!({"event": "judging", "plies": plies})
        }
    }
}

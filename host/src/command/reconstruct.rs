//! `plyscope reconstruct`: a video in, the labelled game out.

use std::io::Write;
use std::path::{Path, PathBuf};
use std::time::Instant;

use anyhow::{Context, Result};
use clap::ValueEnum;
use plyscope::exit_code::ExitCode;
use plyscope::game_record::TimeControl;
use plyscope::judged_game::JudgedGame;
use plyscope::labeller::{PlyLabel, Progress as LabelProgress};
use plyscope::output_file::OutputFile;
use plyscope::pgn_export::{PgnExport, PgnExportError};
use plyscope::reconstruct::{
    Answers, CheckpointFile, GameReading, NoSuchGame, Progress, ReadGame, Reconstruction, ResumePoint,
    StrictError, path_of_game,
};
use plyscope::report::thumbnails::Thumbnails;
use plyscope::report::{Fact, Report, UnexplainedSpan};
use plyscope::video::{OrientationChoice, VideoInput};
use plyscope_core::vision::Orientation;
use serde_json::json;
use shakmaty::fen::Fen;
use shakmaty::{CastlingMode, Chess, EnPassantMode, PositionError};

use super::refuse_same_file;
use super::search_args::SearchArgs;
use super::terminal::{LogFormat, Terminal, clock};

/// Watch a video of a chess board and write down the game.
#[derive(clap::Args, Debug)]
#[command(
    after_help = "Examples:\n  plyscope reconstruct game.mp4 -o answer.json --pgn game.pgn --report game.html\n  \
    plyscope reconstruct ending.mp4 --fen '8/8/8/4k3/8/4K3/4P3/8 w - - 0 1'"
)]
pub(crate) struct Args {
    /// The video, a folder of pictures, or '-' for standard input
    video: PathBuf,
    /// Where to write the answer ('-': standard output)
    #[arg(short, long, value_name = "FILE", default_value = "answer.json")]
    output: PathBuf,
    /// Write the game as PGN too, with video times, evaluations and remarks
    #[arg(long, value_name = "FILE")]
    pgn: Option<PathBuf>,
    /// Write a page that shows the game: board, moves, charts and the moments that mattered
    #[arg(long, value_name = "FILE.html")]
    report: Option<PathBuf>,
    /// The clock of the game, such as 600+5 or 40/5400+30:1800: the PGN then tells what it shows after each ply
    #[arg(long, value_name = "TIME", value_parser = parse_time_control)]
    time_control: Option<ClockArg>,
    /// See only: every label is "equal"
    #[arg(long)]
    no_labels: bool,
    /// Go on where an earlier run with the same options was cut off
    #[arg(long)]
    resume: bool,
    /// Fail where a stretch of the video stays unexplained
    #[arg(long)]
    strict: bool,
    /// Which side sits at the bottom
    #[arg(long, value_enum, default_value_t)]
    orientation: OrientationArg,
    /// The position in which the first game starts; without it, the start position or what is read from the picture
    #[arg(long, value_name = "FEN", value_parser = parse_fen)]
    fen: Option<Chess>,
    /// Write only the N-th game of the video; without it, each game has its own answer: answer.json, answer.game2.json ...
    #[arg(long, value_name = "N", value_parser = parse_game)]
    game: Option<usize>,
    /// For a folder of pictures: so many a second; without it the last number in each name is its second
    #[arg(long, value_name = "N", value_parser = parse_fps)]
    fps: Option<f64>,
    /// How to tell of progress and outcome on standard error
    #[arg(long, value_enum, default_value_t)]
    format: LogFormat,
    #[command(flatten)]
    search: SearchArgs,
}

/// Which side sits at the bottom.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, ValueEnum)]
pub(super) enum OrientationArg {
    #[default]
    Auto,
    White,
    Black,
}

impl From<OrientationArg> for OrientationChoice {
    fn from(orientation: OrientationArg) -> Self {
        match orientation {
            OrientationArg::Auto => Self::Auto,
            OrientationArg::White => Self::Fixed(Orientation::WhiteBottom),
            OrientationArg::Black => Self::Fixed(Orientation::BlackBottom),
        }
    }
}

/// A time control and the text that it was given as.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct ClockArg {
    text: String,
    control: TimeControl,
}

pub(super) fn parse_time_control(text: &str) -> Result<ClockArg, String> {
    match text.parse() {
        Ok(control @ TimeControl::Periods(_)) => Ok(ClockArg { text: text.to_owned(), control }),
        _ => Err("give a time control such as 600, 180+2 or 40/5400+30:1800+30, in seconds".to_owned()),
    }
}

fn parse_game(text: &str) -> Result<usize, String> {
    let number = text.parse().ok().filter(|number| *number > 0);
    number.ok_or_else(|| "give the number of a game: 1 for the first, 2 for the second".to_owned())
}

/// A position that the rules allow, or one sentence that says why it is none.
pub(super) fn parse_fen(text: &str) -> Result<Chess, String> {
    let fen: Fen = text
        .parse()
        .map_err(|_| "give a position in Forsyth-Edwards Notation, in quotes, such as '8/8/8/4k3/8/4K3/4P3/8 w - - 0 1'")?;
    let position: Result<Chess, PositionError<Chess>> = fen.into_position(CastlingMode::Standard);
    // What can no longer be played is left out: pieces stand where they stand.
    position
        .or_else(PositionError::ignore_invalid_castling_rights)
        .or_else(PositionError::ignore_invalid_ep_square)
        .or_else(PositionError::ignore_too_much_material)
        .map_err(|error| format!("the rules forbid this position ({error}); give another"))
}

fn parse_fps(text: &str) -> Result<f64, String> {
    let fps = text.parse::<f64>().ok().filter(|fps| fps.is_finite() && *fps > 0.0 && *fps <= 1000.0);
    fps.ok_or_else(|| "give a number of pictures a second above 0".to_owned())
}

/// Reads the video and writes the answer.
pub(crate) fn run(args: &Args, is_quiet: bool) -> Result<()> {
    let terminal = Terminal::new(is_quiet, args.format);
    let begun = Instant::now();
    refuse_same_file(&[
        ("VIDEO", Some(&args.video)),
        ("--output", Some(&args.output)),
        ("--pgn", args.pgn.as_ref()),
        ("--report", args.report.as_ref()),
    ])?;
    let labeller = if args.no_labels { None } else { Some(args.search.labeller()?) };
    let engine = args.search.engine()?;
    let mut answers = Answers::open(&args.output, args.game)?;
    let pgn = args.pgn.as_deref().map(OutputFile::open).transpose()?;
    let report = args.report.as_deref().map(OutputFile::open).transpose()?;
    let checkpoint = CheckpointFile::beside(&answers, &args.output);
    end_when_interrupted(&args.output, answers.is_stream())?;
    let input = VideoInput::open(&args.video, args.fps)?;
    let start_fen =
        args.fen.as_ref().map(|start| Fen::from_position(start, EnPassantMode::Legal).to_string());
    let job = Reconstruction {
        start: args.fen.clone(),
        game: args.game,
        orientation: args.orientation.into(),
        settings: format!(
            "{start_fen:?} {:?} {:?} {:?} {labeller:?} {engine:?}",
            args.game, args.orientation, args.fps
        ),
        labeller,
        engine,
        resume: args.resume,
    };
    let reading = job.run(&input, &mut answers, &checkpoint, &|progress| show(&terminal, &progress))?;
    if reading.games.is_empty() {
        let seen = reading.games_seen;
        return Err(NoSuchGame { wanted: args.game.unwrap_or(1), seen }.into());
    }
    let rows = |game: &GameReading| (game.number, game.game.rows(&game.labels));
    let paths: Vec<Option<PathBuf>> = reading.games.iter().map(|game| answers.path_of(game.number)).collect();
    answers.finish(&reading.games.iter().map(rows).collect::<Vec<_>>())?;
    let judged: Vec<JudgedGame> = reading
        .games
        .iter()
        .map(|game| judged_with_clock(&game.game, &game.labels, args.time_control.as_ref()))
        .collect();
    if let Some(pgn) = pgn {
        pgn.finish(&pgn_text(&judged)?)?;
    }
    if let (Some(first), Some(path)) = (report, &args.report) {
        terminal.progress("report", 0, 0, "making the report".to_owned(), json!({}));
        let page_of = |(game, reading): (&JudgedGame, &GameReading)| page(args, game, reading, &input);
        let mut pages = judged.iter().zip(&reading.games).map(page_of);
        if let Some(page) = pages.next() {
            first.finish(page?.as_bytes())?;
        }
        // Standard output takes one page.
        let later = pages.zip(reading.games.iter().skip(1)).take_while(|_| path != Path::new("-"));
        for (page, game) in later {
            OutputFile::open(&path_of_game(path, game.number))?.finish(page?.as_bytes())?;
        }
    }
    terminal.end_steps();
    checkpoint.remove();
    for ((game, judged), path) in reading.games.iter().zip(&judged).zip(&paths) {
        tell_beginning(&terminal, game, reading.games_seen, path.as_deref());
        tell_taken_back(&terminal, judged);
        tell_doubtful(&terminal, judged);
        tell_unexplained(&terminal, game);
    }
    if args.game.is_none() && reading.games.len() < reading.games_seen {
        terminal.remark(
            &format!("the video shows {} games; only one goes to standard output", reading.games_seen),
            json!({"games": reading.games_seen}),
        );
    }
    match reading.broken_off {
        Some(error) => Err(error.into()),
        None => {
            tell_outcome(&terminal, &judged, &reading.games, begun);
            match reading.games.iter().map(|game| game.unexplained.len()).sum() {
                stretches if args.strict && stretches > 0 => Err(StrictError { stretches }.into()),
                _ => Ok(()),
            }
        }
    }
}

/// Ends the program at Ctrl-C in a sentence that says how to go on. The answer on disk and the checkpoint beside it are whole
/// at every instant, so there is nothing to put in order.
fn end_when_interrupted(answer: &Path, is_stream: bool) -> Result<()> {
    let said = if is_stream {
        "interrupted; nothing was written".to_owned()
    } else {
        format!(
            "interrupted; {answer:?} holds what was read until then, and the same command with --resume goes on"
        )
    };
    let end = move || {
        let _ = writeln!(std::io::stderr(), "plyscope: {said}");
        std::process::exit(ExitCode::Interrupted.number().into());
    };
    ctrlc::set_handler(end).context("cannot listen for Ctrl-C")
}

/// The game with its labels and clocks.
pub(super) fn judged_with_clock(
    read: &ReadGame,
    labels: &[PlyLabel],
    time_control: Option<&ClockArg>,
) -> JudgedGame {
    let control = time_control.map_or(&TimeControl::Unknown, |given| &given.control);
    let mut game = JudgedGame::of_video(read, labels, control);
    game.tags.extend(time_control.map(|given| ("TimeControl".to_owned(), given.text.clone())));
    game.tags.push(("Annotator".to_owned(), concat!("Plyscope ", env!("CARGO_PKG_VERSION")).to_owned()));
    game
}

/// The games as PGN.
pub(super) fn pgn_text(games: &[JudgedGame]) -> Result<Vec<u8>, PgnExportError> {
    let mut text = Vec::new();
    for (index, game) in games.iter().enumerate() {
        if index > 0 {
            text.push(b'\n');
        }
        let plies = game.export_plies();
        PgnExport { tags: &game.tags, start: &game.start, plies: &plies, result: game.outcome }
            .write(&mut text)?;
    }
    Ok(text)
}

fn page(args: &Args, game: &JudgedGame, reading: &GameReading, input: &VideoInput) -> Result<String> {
    let name = |path: &Path| path.file_name().unwrap_or(path.as_os_str()).to_string_lossy().into_owned();
    let title = if args.video == Path::new("-") {
        "A game from standard input".to_owned()
    } else {
        name(&args.video)
    };
    let mut facts = vec![Fact::new("Video", title.clone())];
    facts.extend(input.duration().map(|duration| Fact::new("Length", clock(duration.seconds()))));
    facts.push(Fact::new("Plies", game.plies.len().to_string()));
    facts.push(Fact::new("Captures", game.captures().to_string()));
    facts.extend(args.time_control.iter().map(|given| Fact::new("Time control", given.text.clone())));
    if args.no_labels {
        facts.push(Fact::new("Judged by", "nobody: the game was only watched"));
    } else {
        facts.extend(args.search.facts());
    }
    let spans = unexplained_spans(reading);
    let thumbnails = Thumbnails::of_video(game, input);
    let report =
        Report { game, title: &title, unexplained: Some(&spans), thumbnails: &thumbnails, facts: &facts };
    Ok(report.to_html()?)
}

fn unexplained_spans(reading: &GameReading) -> Vec<UnexplainedSpan> {
    let span = |stretch: &plyscope::reconstruct::Unexplained| UnexplainedSpan {
        from_s: stretch.from.seconds(),
        to_s: stretch.until.seconds(),
        after_ply: stretch.after_ply,
        reason: "no legal plies explain the board".to_owned(),
    };
    reading.unexplained.iter().map(span).collect()
}

/// Tells where a game begins, if not with the video in the start position, and where its answer went.
fn tell_beginning(terminal: &Terminal, reading: &GameReading, games: usize, path: Option<&Path>) {
    let (number, begins_s) = (reading.number, reading.beginning.time.seconds());
    if games > 1 {
        let plies = reading.game.plies().len();
        let answer = path.map(|path| path.to_string_lossy().into_owned());
        let to = answer.as_deref().unwrap_or("nowhere");
        terminal.remark(
            &format!(
                "game {number} of {games} begins at {begins_s:.1} s and has {plies} plies; its answer is {to}"
            ),
            json!({"game": number, "games": games, "begins_s": begins_s, "plies": plies, "answer": answer}),
        );
    }
    if reading.beginning.is_read {
        let fen = Fen::from_position(&reading.game.start(), EnPassantMode::Legal).to_string();
        terminal.remark(
            &format!("the game begins at {begins_s:.1} s in a position read from the picture: {fen}"),
            json!({"game": number, "begins_s": begins_s, "fen": fen}),
        );
    }
}

fn tell_unexplained(terminal: &Terminal, reading: &GameReading) {
    for span in unexplained_spans(reading) {
        let UnexplainedSpan { from_s, to_s, after_ply, reason } = span;
        terminal.remark(
            &format!("from {from_s:.1} s to {to_s:.1} s (after ply {after_ply}) {reason}"),
            json!({"from_s": from_s, "to_s": to_s, "after_ply": after_ply, "reason": reason}),
        );
    }
}

fn tell_taken_back(terminal: &Terminal, game: &JudgedGame) {
    for back in &game.taken_back {
        let (plies, at_s) = (game.spell(back), back.time.seconds());
        terminal.remark(
            &format!("at {at_s:.1} s {plies} was taken back; the answer holds the plies that stand"),
            json!({"at_s": at_s, "after_ply": back.after_ply, "taken_back": plies}),
        );
    }
}

/// Names each ply in doubt. A person is told how many there are, in the outcome, and which ones in the report.
fn tell_doubtful(terminal: &Terminal, game: &JudgedGame) {
    if !terminal.is_log() {
        return;
    }
    for (index, ply) in game.plies.iter().enumerate().filter(|(_, ply)| ply.is_ambiguous) {
        let (number, at_s, san) = (index + 1, ply.shown_at.seconds(), ply.san.to_string());
        terminal.remark(
            &format!("at {at_s:.1} s other plies than {number} ({san}) would explain the pictures too"),
            json!({"ply": number, "at_s": at_s, "in_doubt": san, "confidence": ply.confidence}),
        );
    }
}

fn tell_outcome(terminal: &Terminal, games: &[JudgedGame], readings: &[GameReading], begun: Instant) {
    let spent_s = begun.elapsed().as_secs_f64();
    let all_plies = || games.iter().flat_map(|game| &game.plies);
    let last_ply_s = all_plies().map(|ply| ply.shown_at.seconds()).fold(0.0, f64::max);
    let is_judged = readings.iter().any(|reading| !reading.labels.is_empty());
    let swings: usize = games.iter().map(|game| game.swings().count()).sum();
    let captures: usize = games.iter().map(JudgedGame::captures).sum();
    let plies = all_plies().count();
    let in_doubt = all_plies().filter(|ply| ply.is_ambiguous).count();
    let unexplained: usize = readings.iter().map(|reading| reading.unexplained.len()).sum();
    let confidences: Vec<f64> = all_plies().filter_map(|ply| ply.confidence).collect();
    let confidence =
        (!confidences.is_empty()).then(|| confidences.iter().sum::<f64>() / confidences.len() as f64);
    let certainty = match (in_doubt, unexplained) {
        (0, 0) => "every ply is the only one that explains the pictures".to_owned(),
        _ => format!("{in_doubt} plies in doubt, {unexplained} stretches unexplained"),
    };
    let confidence_text = confidence.map_or_else(String::new, |mean| format!("{:.1} %, ", mean * 100.0));
    let mut rows = vec![
        ("plies", plies.to_string()),
        ("captures", captures.to_string()),
        ("swings", if is_judged { swings.to_string() } else { "not judged".to_owned() }),
        ("confidence", confidence_text + &certainty),
        ("last ply at", clock(last_ply_s)),
        ("time spent", format!("{spent_s:.1} s")),
    ];
    if games.len() > 1 {
        rows.insert(0, ("games", games.len().to_string()));
    }
    terminal.outcome(
        &rows,
        json!({
            "games": games.len(),
            "plies": plies,
            "captures": captures,
            "swings": is_judged.then_some(swings),
            "confidence": confidence,
            "plies_in_doubt": in_doubt,
            "unexplained": unexplained,
            "last_ply_s": last_ply_s,
            "spent_s": (spent_s * 1000.0).round() / 1000.0,
        }),
    );
}

/// Shows how far the run is: the video first, then the search.
fn show(terminal: &Terminal, progress: &Progress<'_>) {
    match *progress {
        Progress::Resumed(from) => terminal.remark(&resumed(from), json!({"resumed": from.is_some()})),
        _ if !terminal.wants_progress() => {}
        Progress::Located { duration } => {
            let fields = json!({"duration_s": duration.map(|d| d.seconds())});
            terminal.progress("located", 0, 0, "found the board".to_owned(), fields);
        }
        Progress::Watched { time, plies, duration } => {
            let message = format!("{plies} plies in {}", clock(time.seconds()));
            let fields = json!({"time_s": time.seconds(), "plies": plies});
            let done = u64::try_from(time.us() / 1_000_000).unwrap_or(0);
            terminal.progress("watching", done, duration_s(duration), message, fields);
        }
        Progress::Labelling(LabelProgress::Positions { done, of }) => {
            let message = format!("{done}/{of} positions");
            let fields = json!({"done": done, "of": of});
            terminal.progress("labelling", done as u64, of as u64, message, fields);
        }
        Progress::Labelling(LabelProgress::Chunk(_)) => {}
    }
}

fn duration_s(duration: Option<plyscope_core::media_time::MediaTime>) -> u64 {
    duration.map_or(0, |d| u64::try_from(d.us() / 1_000_000).unwrap_or(0))
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
        Some(ResumePoint { watched_until, games, plies, .. }) => match games {
            0 | 1 => format!("goes on at {:.1} s: {plies} plies", watched_until.seconds()),
            _ => format!("goes on at {:.1} s in game {games}: {plies} plies", watched_until.seconds()),
        },
    }
}

//! `plyscope report`: a page that shows a game which is there as a PGN.

use std::path::{Path, PathBuf};

use anyhow::Result;
use plyscope::game_record::GameRecord;
use plyscope::judged_game::JudgedGame;
use plyscope::output_file::OutputFile;
use plyscope::report::thumbnails::Thumbnails;
use plyscope::report::{Fact, Report};
use plyscope::video::VideoInput;

use super::search_args::SearchArgs;
use super::terminal::{LogFormat, Terminal};
use super::{label, refuse_same_file};

/// Make a page that shows a game: board, moves, charts and the moments that mattered.
#[derive(clap::Args, Debug)]
#[command(after_help = "Example:\n  plyscope report game.pgn -o game.html --video game.mp4\n\n\
    The plies stand at their [%vt], the seconds of a video, and without these at the pace of [%clk] or [%emt].")]
pub(crate) struct Args {
    /// The game, as PGN
    game: PathBuf,
    /// Where to write the page ('-': standard output)
    #[arg(short, long, value_name = "FILE.html")]
    output: PathBuf,
    /// The video of the game, for pictures of the moments that mattered
    #[arg(long, value_name = "VIDEO")]
    video: Option<PathBuf>,
    /// Judge nothing: no evaluations, no moments
    #[arg(long)]
    no_labels: bool,
    #[command(flatten)]
    search: SearchArgs,
}

/// Labels the game and writes the page.
pub(crate) fn run(args: &Args, is_quiet: bool) -> Result<()> {
    let (game, output, video) = (Some(&args.game), Some(&args.output), args.video.as_ref());
    refuse_same_file(&[("GAME", game), ("--output", output), ("--video", video)])?;
    let labeller = if args.no_labels { None } else { Some(args.search.labeller()?) };
    let engine = args.search.engine()?;
    let record = GameRecord::read_file(&args.game)?;
    let output = OutputFile::open(&args.output)?;
    let video = args.video.as_deref().map(|video| VideoInput::open(video, None)).transpose()?;
    let terminal = Terminal::new(is_quiet, LogFormat::Text);
    let labels = match &labeller {
        Some(labeller) => label::search(labeller, engine.as_ref(), &record, &terminal)?,
        None => Vec::new(),
    };
    let game = JudgedGame::of_record(&record, &labels);
    let thumbnails = video.map(|video| Thumbnails::of_video(&game, &video)).unwrap_or_default();
    let name = |path: &Path| path.file_name().unwrap_or(path.as_os_str()).to_string_lossy().into_owned();
    let title = name(&args.game);
    let mut facts = vec![Fact::new("Game", title.clone())];
    facts.extend(args.video.iter().map(|video| Fact::new("Video", name(video))));
    facts.push(Fact::new("Plies", game.plies.len().to_string()));
    facts.push(Fact::new("Captures", game.captures().to_string()));
    facts.extend(game.tag("TimeControl").map(|control| Fact::new("Time control", control)));
    if labeller.is_some() {
        facts.extend(args.search.facts());
    }
    let report =
        Report { game: &game, title: &title, unexplained: None, thumbnails: &thumbnails, facts: &facts };
    Ok(output.finish(report.to_html()?.as_bytes())?)
}

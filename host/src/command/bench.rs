//! `plyscope bench`: measurements that others can repeat.

use std::path::PathBuf;

use anyhow::Result;
use clap::ValueEnum;
use indicatif::{ProgressBar, ProgressStyle};
use plyscope::{
    depth_bench::{self, Axis, GameSplit, Limit, Rival, Row, State, Subject},
    evaluation::Evaluation,
    exit_code::WrongUsage,
    output_file::OutputFile,
};

use plyscope_core::judge::steps::Step;
use shakmaty::Position;

use super::{Format, print, search_args::OptimiseArg};

/// Measure.
#[derive(clap::Args, Debug)]
pub(crate) struct Args {
    #[command(subcommand)]
    what: What,
}

#[derive(clap::Subcommand, Debug)]
enum What {
    Depth(DepthArgs),
    Steps(StepsArgs),
}

/// What each step of the search is worth: the nodes to a fixed depth without it, over positions of games.
#[derive(clap::Args, Debug)]
#[command(after_help = "Example:\n  plyscope bench steps --games games --depth 11")]
struct StepsArgs {
    /// The folder of games, NAME.pgn with NAME.truth.json; every 40th position is searched
    #[arg(long, value_name = "DIR")]
    games: PathBuf,
    /// What values positions [default: the best compiled in]
    #[arg(long, value_name = "EVAL")]
    eval: Option<Evaluation>,
    /// Depth to search to
    #[arg(long, value_name = "D", default_value = "11", value_parser = clap::value_parser!(u8).range(1..=30))]
    depth: u8,
    /// How many plies deeper the whole search goes that scores are compared with
    #[arg(long, value_name = "PLIES", default_value = "5", value_parser = clap::value_parser!(u8).range(1..=20))]
    further: u8,
    /// How to print the results
    #[arg(long, value_enum, default_value_t)]
    format: Format,
}

/// Of the games' positions, one in so many is searched by `bench steps`.
const STEP_POSITIONS_EVERY: usize = 40;

/// Search depth and nodes against label accuracy, on games with known truth.
#[derive(clap::Args, Debug)]
#[command(
    after_help = "Example:\n  plyscope bench depth --games games --nodes 1000,10000,100000 --svg accuracy.svg\n\n\
    Broken off, the same command goes on where it was."
)]
struct DepthArgs {
    /// The folder of games, NAME.pgn with NAME.truth.json
    #[arg(long, value_name = "DIR")]
    games: PathBuf,
    /// The games to take, by the last digit of their names
    #[arg(long, value_enum, default_value_t)]
    split: SplitArg,
    /// What values positions, for example hand,large [default: all compiled in]
    #[arg(long, value_name = "EVALS", value_delimiter = ',')]
    eval: Vec<Evaluation>,
    /// Depths to search to, for example 4,6,8
    #[arg(long, value_name = "DEPTHS", value_delimiter = ',', value_parser = clap::value_parser!(u8).range(1..=100))]
    depth: Vec<u8>,
    /// Nodes to search, for example 1000,10000
    #[arg(long, value_name = "NODES", value_delimiter = ',', value_parser = clap::value_parser!(u64).range(1..))]
    nodes: Vec<u64>,
    /// Nodes to search on the average, more of them where labels are in doubt (as `plyscope label` does)
    #[arg(long, value_name = "NODES", value_delimiter = ',', value_parser = clap::value_parser!(u64).range(1..))]
    doubt: Vec<u64>,
    /// What the labels are to be best at, one row for each
    #[arg(long, value_enum, value_delimiter = ',', default_value = "strict")]
    optimise: Vec<OptimiseArg>,
    /// Measure this UCI engine (Stockfish 15.1) at the same nodes as well
    #[arg(long, value_name = "ENGINE")]
    rival: Option<PathBuf>,
    /// Where measurements are kept while it runs
    #[arg(long, value_name = "FILE", default_value = "bench-depth.jsonl")]
    state: PathBuf,
    /// Write the results as JSON
    #[arg(long, value_name = "FILE")]
    json: Option<PathBuf>,
    /// Draw the results over nodes
    #[arg(long, value_name = "FILE")]
    svg: Option<PathBuf>,
    /// Draw the results over milliseconds
    #[arg(long, value_name = "FILE")]
    svg_ms: Option<PathBuf>,
    /// Write the centipawns of the last evaluation at the last limit beside the truth, for `plyscope fit`
    #[arg(long, value_name = "FILE")]
    observations: Option<PathBuf>,
    /// How to print the results
    #[arg(long, value_enum, default_value_t)]
    format: Format,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, ValueEnum)]
enum SplitArg {
    #[default]
    All,
    Even,
    Odd,
}

/// Depths measured unless asked otherwise.
const DEPTHS_DEFAULT: [u8; 6] = [2, 4, 6, 8, 10, 12];

/// Runs the measurement asked for.
pub(crate) fn run(args: &Args) -> Result<()> {
    match &args.what {
        What::Depth(args) => depth(args),
        What::Steps(args) => steps(args),
    }
}

fn steps(args: &StepsArgs) -> Result<()> {
    let games = depth_bench::read_games(&args.games, GameSplit::All)?;
    let positions: Vec<_> = games
        .iter()
        .flat_map(|game| game.game.positions())
        .filter(|position| !position.legal_moves().is_empty())
        .step_by(STEP_POSITIONS_EVERY)
        .cloned()
        .collect();
    let bar = progress_bar(Step::ALL.len() + 2);
    let deeper = args.depth + args.further;
    let evaluation = args.eval.unwrap_or_default();
    let rows = depth_bench::measure_steps(&positions, evaluation, args.depth, deeper, &|| bar.inc(1));
    bar.finish_and_clear();
    match args.format {
        Format::Text => print(&depth_bench::steps_table(&rows)),
        Format::Json => print(&(serde_json::to_string_pretty(&serde_json::json!({ "rows": rows }))? + "\n")),
    }
}

fn depth(args: &DepthArgs) -> Result<()> {
    let split = match args.split {
        SplitArg::All => GameSplit::All,
        SplitArg::Even => GameSplit::Even,
        SplitArg::Odd => GameSplit::Odd,
    };
    let games = depth_bench::read_games(&args.games, split)?;
    let evaluations = if args.eval.is_empty() { Evaluation::available() } else { args.eval.clone() };
    let mut limits: Vec<Limit> = args.depth.iter().map(|&depth| Limit::Depth(depth)).collect();
    limits.extend(args.nodes.iter().map(|&nodes| Limit::Nodes(nodes)));
    limits.extend(args.doubt.iter().map(|&nodes| Limit::Doubt(nodes)));
    if limits.is_empty() {
        limits.extend(DEPTHS_DEFAULT.map(Limit::Depth));
    }
    let outputs = [&args.json, &args.svg, &args.svg_ms, &args.observations]
        .map(|path| path.as_ref().map(|path| OutputFile::open(path)).transpose());
    let [json, svg, svg_ms, observations] = outputs;
    let (json, svg, svg_ms, observations) = (json?, svg?, svg_ms?, observations?);
    let mut rival = args.rival.as_deref().map(Rival::start).transpose()?;

    let mut state = State::open(&args.state)?;
    let subjects: Vec<Subject> =
        evaluations.iter().map(Subject::from).chain(rival.iter().map(Rival::subject)).collect();
    let bar = progress_bar(games.len() * subjects.len() * limits.len());
    for &limit in &limits {
        for &evaluation in &evaluations {
            for game in &games {
                bar.set_message(format!("{} {limit} {}", evaluation.name(), game.name));
                for &form in limit.forms() {
                    if state.find(&game.name, evaluation.name(), limit, form).is_none() {
                        state.add(depth_bench::measure(game, evaluation, limit, form))?;
                    }
                }
                bar.inc(1);
            }
        }
        if let (Some(rival), Limit::Nodes(nodes)) = (&mut rival, limit) {
            let name = rival.subject().name;
            for game in &games {
                bar.set_message(format!("{name} {limit} {}", game.name));
                if state.find(&game.name, &name, limit, None).is_none() {
                    state.add(rival.measure(game, nodes)?)?;
                }
                bar.inc(1);
            }
        }
    }
    bar.finish_and_clear();

    let mut rows: Vec<Row> = Vec::new();
    for subject in &subjects {
        for &limit in &limits {
            let row = |&optimise: &OptimiseArg| {
                depth_bench::summarise(&games, &state, subject, limit, optimise.into())
            };
            rows.extend(args.optimise.iter().filter_map(row));
        }
    }
    if let Some(json) = json {
        json.finish(depth_bench::to_json(&rows)?.as_bytes())?;
    }
    if let Some(svg) = svg {
        svg.finish(depth_bench::draw(&rows, Axis::Nodes).map_err(anyhow::Error::msg)?.as_bytes())?;
    }
    if let Some(svg) = svg_ms {
        svg.finish(depth_bench::draw(&rows, Axis::Milliseconds).map_err(anyhow::Error::msg)?.as_bytes())?;
    }
    if let Some(observations) = observations {
        let (Some(&evaluation), Some(&limit)) = (evaluations.last(), limits.last()) else {
            return Err(WrongUsage("there is nothing to observe, give a depth or nodes".into()).into());
        };
        let mut text = String::from("cp,ply,p\n");
        for o in depth_bench::observations(&games, &state, evaluation, limit) {
            text += &format!("{},{},{}\n", o.cp, o.ply, o.p);
        }
        observations.finish(text.as_bytes())?;
    }
    match args.format {
        Format::Text => print(&depth_bench::to_table(&rows)),
        Format::Json => print(&depth_bench::to_json(&rows)?),
    }
}

fn progress_bar(steps: usize) -> ProgressBar {
    let bar = ProgressBar::new(steps as u64);
    match ProgressStyle::with_template("{wide_bar} {pos}/{len} {msg}, {eta} left") {
        Ok(style) => bar.with_style(style),
        Err(_) => bar,
    }
}

//! `plyscope bench`: measurements that others can repeat.

use std::path::PathBuf;

use anyhow::Result;
use clap::ValueEnum;
use indicatif::{ProgressBar, ProgressStyle};
use plyscope::{
    depth_bench::{self, GameSplit, Limit, Row, State},
    evaluation::Evaluation,
    exit_code::WrongUsage,
    output_file::OutputFile,
};

use super::{Format, print};

/// Measure.
#[derive(clap::Args, Debug)]
pub(crate) struct Args {
    #[command(subcommand)]
    what: What,
}

#[derive(clap::Subcommand, Debug)]
enum What {
    Depth(DepthArgs),
}

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
    /// Where measurements are kept while it runs
    #[arg(long, value_name = "FILE", default_value = "bench-depth.jsonl")]
    state: PathBuf,
    /// Write the results as JSON
    #[arg(long, value_name = "FILE")]
    json: Option<PathBuf>,
    /// Draw the results
    #[arg(long, value_name = "FILE")]
    svg: Option<PathBuf>,
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
    if limits.is_empty() {
        limits.extend(DEPTHS_DEFAULT.map(Limit::Depth));
    }
    let outputs = [&args.json, &args.svg, &args.observations]
        .map(|path| path.as_ref().map(|path| OutputFile::open(path)).transpose());
    let [json, svg, observations] = outputs;
    let (json, svg, observations) = (json?, svg?, observations?);

    let mut state = State::open(&args.state)?;
    let bar = progress_bar(games.len() * evaluations.len() * limits.len());
    for &limit in &limits {
        for &evaluation in &evaluations {
            for game in &games {
                bar.set_message(format!("{} {limit} {}", evaluation.name(), game.name));
                if state.find(&game.name, evaluation.name(), limit).is_none() {
                    state.add(depth_bench::measure(game, evaluation, limit))?;
                }
                bar.inc(1);
            }
        }
    }
    bar.finish_and_clear();

    let rows: Vec<Row> = evaluations
        .iter()
        .flat_map(|&evaluation| limits.iter().map(move |&limit| (evaluation, limit)))
        .filter_map(|(evaluation, limit)| depth_bench::summarise(&games, &state, evaluation, limit))
        .collect();
    if let Some(json) = json {
        json.finish(depth_bench::to_json(&rows)?.as_bytes())?;
    }
    if let Some(svg) = svg {
        svg.finish(depth_bench::draw(&rows).map_err(anyhow::Error::msg)?.as_bytes())?;
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

//! The options by which commands that search positions are told how.

use std::{
    path::{Path, PathBuf},
    time::Duration,
};

use anyhow::Result;
use clap::ValueEnum;
use plyscope::{
    evaluation::Evaluation,
    external_engine::{ExternalEngine, name_of},
    labeller::{Budget, Labeller, NODES_DEFAULT, Optimise},
    report::Fact,
    win_models,
};
use plyscope_core::judge::win_model::WinModel;

/// How to search and judge positions.
#[derive(clap::Args, Debug)]
pub(crate) struct SearchArgs {
    /// Search so many nodes for each position, on the average: more where a label is in doubt [default: 250000]
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u64).range(1..), group = "search budget")]
    nodes: Option<u64>,
    /// Search each position to this depth, in plies
    #[arg(long, value_name = "D", value_parser = clap::value_parser!(u8).range(1..=100), group = "search budget")]
    depth: Option<u8>,
    /// Search each position for so many milliseconds, on the average
    #[arg(long, value_name = "MS", value_parser = clap::value_parser!(u64).range(1..), group = "search budget")]
    movetime: Option<u64>,
    /// Spend so long on the whole game, for example 20s, 500ms or 2m
    #[arg(long, value_name = "TIME", value_parser = parse_duration, group = "search budget")]
    budget: Option<Duration>,
    /// From centipawns to win probability: sf, lichess, or a file written by `plyscope fit`
    #[arg(long, value_name = "M", default_value = "sf")]
    win_model: PathBuf,
    /// What the labels are to be best at: the most plies with both right, or the mean over the classes
    #[arg(long, value_enum, default_value_t)]
    optimise: OptimiseArg,
    /// What values positions: hand, small or large [default: the best compiled in]
    #[arg(long, value_name = "EVAL")]
    eval: Option<Evaluation>,
    /// Let this installed UCI engine judge the positions instead
    #[arg(long, value_name = "PATH", conflicts_with = "eval")]
    engine: Option<PathBuf>,
    /// Threads to search with [default: one for each core]
    #[arg(long, value_name = "N", default_value = "0", hide_default_value = true)]
    jobs: usize,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, ValueEnum)]
pub(super) enum OptimiseArg {
    #[default]
    Strict,
    Macro,
}

impl From<OptimiseArg> for Optimise {
    fn from(arg: OptimiseArg) -> Optimise {
        match arg {
            OptimiseArg::Strict => Optimise::Strict,
            OptimiseArg::Macro => Optimise::Macro,
        }
    }
}

impl SearchArgs {
    fn search_budget(&self) -> Budget {
        match (self.nodes, self.depth, self.movetime, self.budget) {
            (Some(nodes), ..) => Budget::Nodes(nodes),
            (_, Some(depth), ..) => Budget::Depth(depth),
            (_, _, Some(ms), _) => Budget::MoveTime(Duration::from_millis(ms)),
            (.., Some(time)) => Budget::Game(time),
            _ => Budget::Nodes(NODES_DEFAULT),
        }
    }

    /// What a report says of the search.
    pub(crate) fn facts(&self) -> Vec<Fact> {
        let budget = match self.search_budget() {
            Budget::Nodes(nodes) => format!("{nodes} nodes a position"),
            Budget::Depth(depth) => format!("{depth} plies deep"),
            Budget::MoveTime(time) => format!("{} ms a position", time.as_millis()),
            Budget::Game(time) => format!("{:.1} s in all", time.as_secs_f64()),
        };
        let evaluation = self.eval.unwrap_or_default();
        let judge = match &self.engine {
            Some(engine) => name_of(engine),
            None => format!("Plyscope's search, {} evaluation", evaluation.name()),
        };
        vec![
            Fact::new("Judged by", judge),
            Fact::new("Search", budget),
            Fact::new("Win model", self.win_model.to_string_lossy()),
        ]
    }

    /// The engine that is to judge in the labeller's place, where one was named. Where it tells no shares of wins and draws,
    /// its centipawns go through the win model; the models with names are fitted to our own, so lichess's published curve
    /// stands in for them.
    pub(crate) fn engine(&self) -> Result<Option<ExternalEngine>> {
        let Some(path) = self.engine.clone() else { return Ok(None) };
        let is_ours = win_models::Form::ALL.iter().any(|form| self.win_model == Path::new(form.name()));
        let model = if is_ours {
            WinModel::LICHESS
        } else {
            win_models::by_name_or_file(&self.win_model, &Evaluation::default())?
        };
        Ok(Some(ExternalEngine { path, budget: self.search_budget(), model, threads: self.jobs }))
    }

    /// The labeller that the options ask for.
    pub(crate) fn labeller(&self) -> Result<Labeller> {
        let evaluation = self.eval.unwrap_or_default();
        Ok(Labeller {
            budget: self.search_budget(),
            optimise: self.optimise.into(),
            model: win_models::by_name_or_file(&self.win_model, &evaluation)?,
            evaluation,
            threads: self.jobs,
            ..Labeller::default()
        })
    }
}

fn parse_duration(text: &str) -> Result<Duration, String> {
    let wrong = || "give a time such as 20s, 500ms or 2m".to_owned();
    let split = text.find(|c: char| c.is_ascii_alphabetic()).ok_or_else(wrong)?;
    let (number, unit) = text.split_at(split);
    let number: f64 = number.parse().map_err(|_| wrong())?;
    let seconds = match unit {
        "ms" => number / 1000.0,
        "s" => number,
        "m" | "min" => number * 60.0,
        _ => return Err(wrong()),
    };
    Duration::try_from_secs_f64(seconds).ok().filter(|time| !time.is_zero()).ok_or_else(wrong)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_time_needs_a_unit() {
        assert_eq!(parse_duration("20s"), Ok(Duration::from_secs(20)));
        assert_eq!(parse_duration("1.5m"), Ok(Duration::from_secs(90)));
        assert_eq!(parse_duration("500ms"), Ok(Duration::from_millis(500)));
        for wrong in ["20", "s", "-1s", "0s", "nans", "1h", "1e400s"] {
            assert!(parse_duration(wrong).is_err(), "{wrong}");
        }
    }
}

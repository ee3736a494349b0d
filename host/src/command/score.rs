//! `plyscope score`: the judge.

use std::path::{Path, PathBuf};

use anyhow::Result;
use plyscope::exit_code::WrongUsage;
use plyscope::scoring::event_file::{EventList, Row, read_events};
use plyscope::scoring::exact_time::ExactTime;
use plyscope::scoring::judge::judge;
use plyscope::scoring::report::Report;
use plyscope::text_input::{InputError, read_text};

use super::{Format, print};

/// Score an answer against the truth.
#[derive(clap::Args, Debug)]
#[command(after_help = "Example:\n  plyscope score answer.json game.truth.json --explain\n\n\
    A file name that begins with '-' goes after '--'; '-' alone is standard input.")]
pub(crate) struct Args {
    /// The answer, `{"events": [...]}`
    answer: PathBuf,
    /// The truth, `{"events": [...]}`, or a file that holds several such lists
    truth: PathBuf,
    /// How many seconds an answer row may be off, inclusive
    #[arg(long, value_name = "SECONDS", default_value = "3", value_parser = parse_tolerance)]
    tolerance: ExactTime,
    /// The list to take from the truth [default: events, else events_sf]
    #[arg(long, value_name = "NAME")]
    events: Option<String>,
    /// How to write the scores
    #[arg(long, value_enum, default_value_t)]
    format: Format,
    /// List what was missed, what was invented and which label was wrong
    #[arg(long)]
    explain: bool,
}

/// Judges the answer and prints the scores. A low score is no failure.
pub(crate) fn run(args: &Args) -> Result<()> {
    if args.answer == Path::new("-") && args.truth == Path::new("-") {
        return Err(
            WrongUsage("answer and truth cannot both be standard input, name a file for one".into()).into()
        );
    }
    let answer = read_rows(&args.answer, EventList::Named("events"))?;
    let truth = read_rows(&args.truth, args.events.as_deref().map_or(EventList::Default, EventList::Named))?;
    let scores = judge(&answer, &truth, args.tolerance);
    let report = Report { scores: &scores, answer: &answer, truth: &truth, explain: args.explain };
    match args.format {
        Format::Text => print(&report.to_text()),
        Format::Json => print(&(report.to_json()? + "\n")),
    }
}

fn read_rows(path: &Path, list: EventList<'_>) -> Result<Vec<Row>, InputError> {
    let text = read_text(path)?;
    read_events(&text, list).map_err(|error| InputError::new(path, error))
}

fn parse_tolerance(text: &str) -> Result<ExactTime, String> {
    ExactTime::parse_seconds(text)
        .filter(|&tolerance| tolerance >= ExactTime::ZERO)
        .ok_or_else(|| "give a number of seconds, 0 or more".into())
}

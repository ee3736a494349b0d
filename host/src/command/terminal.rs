//! What the commands show on standard error: progress, remarks, tables. Results go elsewhere.

use std::io::{self, IsTerminal, Write};
use std::sync::{Mutex, PoisonError};
use std::time::{Duration, Instant};

use clap::ValueEnum;
use indicatif::{ProgressBar, ProgressStyle};
use serde_json::{Value, json};

/// How to tell of the way that a run takes.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, ValueEnum)]
pub(crate) enum LogFormat {
    /// Progress bars and a table, where standard error is a terminal
    #[default]
    Text,
    /// One JSON object a line on standard error, as docs/formats.md says
    Json,
}

/// In a log, at most so often is told how far a step is.
const LOG_PAUSE: Duration = Duration::from_secs(1);

/// Standard error, and what of it is wanted.
#[derive(Debug)]
pub(crate) struct Terminal {
    is_quiet: bool,
    format: LogFormat,
    is_terminal: bool,
    has_colours: bool,
    step: Mutex<Option<Step>>,
}

/// The step under way.
#[derive(Debug)]
struct Step {
    name: &'static str,
    bar: ProgressBar,
    logged: Option<Instant>,
}

impl Terminal {
    /// Standard error as it is: colours only on a terminal, and not where `NO_COLOR` is set (<https://no-color.org>).
    pub(crate) fn new(is_quiet: bool, format: LogFormat) -> Self {
        let is_terminal = io::stderr().is_terminal();
        let no_color = std::env::var_os("NO_COLOR").is_some_and(|value| !value.is_empty());
        let has_colours =
            is_terminal && !no_color && std::env::var_os("TERM").is_none_or(|term| term != "dumb");
        Self { is_quiet, format, is_terminal, has_colours, step: Mutex::default() }
    }

    /// Whether bars and tables are shown to a person.
    pub(crate) const fn is_watched(&self) -> bool {
        self.is_terminal && !self.is_quiet && matches!(self.format, LogFormat::Text)
    }

    /// Whether anybody is told of progress.
    pub(crate) const fn wants_progress(&self) -> bool {
        self.is_watched() || (!self.is_quiet && matches!(self.format, LogFormat::Json))
    }

    /// Whether what is told goes to a program, as a log.
    pub(crate) const fn is_log(&self) -> bool {
        matches!(self.format, LogFormat::Json)
    }

    /// Tells that the step called `name` is `done` of `of` (0: nobody knows); `message` is for people, `fields` are for
    /// programs.
    pub(crate) fn progress(&self, name: &'static str, done: u64, of: u64, message: String, fields: Value) {
        if !self.wants_progress() {
            return;
        }
        let mut slot = self.step.lock().unwrap_or_else(PoisonError::into_inner);
        let is_new = slot.as_ref().is_none_or(|step| step.name != name);
        if is_new {
            if let Some(before) = slot.take() {
                before.bar.finish_and_clear();
            }
            let bar = if self.is_watched() { bar(of) } else { ProgressBar::hidden() };
            *slot = Some(Step { name, bar, logged: None });
        }
        let Some(step) = slot.as_mut() else { return };
        step.bar.set_length(of);
        step.bar.set_position(done);
        step.bar.set_message(message);
        let is_due = step.logged.is_none_or(|at| at.elapsed() >= LOG_PAUSE) || (of > 0 && done == of);
        if self.format == LogFormat::Json && is_due {
            step.logged = Some(Instant::now());
            self.log(name, fields);
        }
    }

    /// Ends the step under way.
    pub(crate) fn end_steps(&self) {
        if let Some(step) = self.step.lock().unwrap_or_else(PoisonError::into_inner).take() {
            step.bar.finish_and_clear();
        }
    }

    /// Says a sentence that a person should not miss.
    pub(crate) fn remark(&self, sentence: &str, fields: Value) {
        match self.format {
            _ if self.is_quiet => {}
            LogFormat::Json => self.log("remark", with(fields, "text", json!(sentence))),
            LogFormat::Text => self.line(&format!("plyscope: {sentence}")),
        }
    }

    /// Shows the outcome: to a person as a table, in a log as the event `done` with `fields`.
    pub(crate) fn outcome(&self, rows: &[(&str, String)], fields: Value) {
        if self.format == LogFormat::Json && !self.is_quiet {
            self.log("done", fields);
        } else if self.is_watched() {
            let width = rows.iter().map(|(name, _)| name.chars().count()).max().unwrap_or(0);
            for (name, value) in rows {
                self.line(&format!("  {}  {}", self.dim(&format!("{name:<width$}")), self.strong(value)));
            }
        }
    }

    /// Strong where colours are wanted.
    fn strong(&self, text: &str) -> String {
        if self.has_colours { format!("\x1b[1m{text}\x1b[0m") } else { text.to_owned() }
    }

    /// Faint where colours are wanted.
    fn dim(&self, text: &str) -> String {
        if self.has_colours { format!("\x1b[2m{text}\x1b[0m") } else { text.to_owned() }
    }

    fn log(&self, event: &str, fields: Value) {
        self.line(&with(fields, "event", json!(event)).to_string());
    }

    /// Writes a line. Somebody who closed standard error does not want to know.
    fn line(&self, line: &str) {
        let slot = self.step.try_lock();
        let write = || drop(writeln!(io::stderr().lock(), "{line}"));
        match slot.as_ref().ok().and_then(|step| step.as_ref()) {
            Some(step) => step.bar.suspend(write),
            None => write(),
        }
    }
}

fn with(mut fields: Value, name: &str, value: Value) -> Value {
    if let Some(fields) = fields.as_object_mut() {
        fields.insert(name.to_owned(), value);
    }
    fields
}

fn bar(of: u64) -> ProgressBar {
    let bar = ProgressBar::new(of);
    let template = if of == 0 { "{spinner} {msg}" } else { "{wide_bar} {msg}, {eta} left" };
    match ProgressStyle::with_template(template) {
        Ok(style) => bar.with_style(style),
        Err(_) => bar,
    }
}

/// Seconds as minutes and seconds: `1:02:03`, `2:03`.
pub(crate) fn clock(seconds: f64) -> String {
    let whole = seconds.max(0.0) as u64;
    match whole / 3600 {
        0 => format!("{}:{:02}", whole / 60, whole % 60),
        hours => format!("{hours}:{:02}:{:02}", whole / 60 % 60, whole % 60),
    }
}

//! The options of the engine.

use std::{path::Path, time::Duration};

use crate::evaluation::Evaluation;

const HASH_MIB_DEFAULT: usize = 64;
const HASH_MIB_MAX: usize = 1 << 16;
const THREADS_MAX: usize = 256;
const OVERHEAD_MS_DEFAULT: u64 = 10;
const OVERHEAD_MS_MAX: u64 = 5000;

/// What a change of an option asks of the session.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Effect {
    Nothing,
    NewTable,
    ClearTable,
}

/// The settings of the engine.
#[derive(Debug, Clone)]
pub(super) struct Options {
    pub(super) hash_mib: usize,
    pub(super) threads: usize,
    pub(super) evaluation: Evaluation,
    pub(super) shows_wdl: bool,
    /// Time that passes between our reply and the other side's clock.
    pub(super) overhead: Duration,
}

impl Default for Options {
    fn default() -> Options {
        Options {
            hash_mib: HASH_MIB_DEFAULT,
            threads: 1,
            evaluation: Evaluation::default(),
            shows_wdl: false,
            overhead: Duration::from_millis(OVERHEAD_MS_DEFAULT),
        }
    }
}

impl Options {
    /// The lines that tell of the options after `uci`.
    pub(super) fn declarations() -> Vec<String> {
        let net = Evaluation::default().name();
        vec![
            format!("option name Hash type spin default {HASH_MIB_DEFAULT} min 1 max {HASH_MIB_MAX}"),
            format!("option name Threads type spin default 1 min 1 max {THREADS_MAX}"),
            "option name Clear Hash type button".into(),
            format!("option name EvalNet type string default {net}"),
            "option name UCI_ShowWDL type check default false".into(),
            format!(
                "option name Move Overhead type spin default {OVERHEAD_MS_DEFAULT} min 0 max {OVERHEAD_MS_MAX}"
            ),
        ]
    }

    /// Sets an option; names are told apart without regard to case.
    ///
    /// # Errors
    /// A sentence about the name or the value; nothing has changed then.
    pub(super) fn set(&mut self, name: &str, value: &str) -> Result<Effect, String> {
        match name.to_ascii_lowercase().as_str() {
            "hash" => {
                self.hash_mib = number(name, value, 1, HASH_MIB_MAX as u64)? as usize;
                Ok(Effect::NewTable)
            }
            "threads" => {
                self.threads = number(name, value, 1, THREADS_MAX as u64)? as usize;
                Ok(Effect::Nothing)
            }
            "clear hash" => Ok(Effect::ClearTable),
            "evalnet" => {
                self.evaluation = match value.parse::<Evaluation>() {
                    Ok(evaluation) => evaluation,
                    Err(_) => Evaluation::of_file(Path::new(value)).map_err(|error| error.to_string())?,
                };
                // What the table holds was valued otherwise.
                Ok(Effect::ClearTable)
            }
            "uci_showwdl" => {
                self.shows_wdl = match value {
                    "true" => true,
                    "false" => false,
                    _ => return Err(format!("{name} is true or false, not {value:?}")),
                };
                Ok(Effect::Nothing)
            }
            "move overhead" => {
                self.overhead = Duration::from_millis(number(name, value, 0, OVERHEAD_MS_MAX)?);
                Ok(Effect::Nothing)
            }
            _ => Err(format!("there is no option {name:?}")),
        }
    }
}

fn number(name: &str, value: &str, min: u64, max: u64) -> Result<u64, String> {
    value
        .parse()
        .ok()
        .filter(|number| (min..=max).contains(number))
        .ok_or_else(|| format!("{name} is a number from {min} to {max}, not {value:?}"))
}

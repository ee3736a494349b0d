//! What the process tells its caller when it ends.
//!
//! Library errors are typed; each type whose code is more telling than [`ExitCode::Failed`] implements
//! [`Coded`] and has its line in [`ExitCode::of`], which finds it under any number of `anyhow` contexts.

use std::error::Error;
use std::fmt;
use std::process;

use crate::output_file::OutputError;
use crate::reconstruct::{NoSuchGame, ReconstructError, StrictError, VideoBreak};
use crate::render::RenderError;
use crate::text_input::InputError;
use crate::video::VideoError;

/// The exit codes of every Plyscope program. They are part of the interface: a number never changes its meaning.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[repr(u8)]
pub enum ExitCode {
    /// The command did what it was asked.
    Done = 0,
    /// Something failed that has no code of its own.
    Failed = 1,
    /// The command line was wrong.
    WrongUsage = 2,
    /// The video is missing, is no video, or breaks off; what was read before is kept.
    VideoUnreadable = 3,
    /// No chess board was found in the video whose position can be read, or none that shows what was asked for.
    BoardNotFound = 4,
    /// `ffmpeg` or `ffprobe` is not installed.
    FfmpegMissing = 5,
    /// An output cannot be written (no permission, no such folder, disk full); the file before it is kept.
    OutputUnwritable = 6,
    /// A text input (JSON answer or truth, PGN, model file) cannot be read or is not what it should be.
    InputMalformed = 7,
    /// A stretch of the video stayed unexplained, and the command was told to be strict; the answer is written.
    Unexplained = 8,
    /// Somebody interrupted the command (Ctrl-C): 128 and the number of the signal, as shells count. What was read until
    /// then is in the answer, and `--resume` goes on from there.
    Interrupted = 130,
}

impl ExitCode {
    /// Every code, in the order of its number.
    pub const ALL: [Self; 10] = [
        Self::Done,
        Self::Failed,
        Self::WrongUsage,
        Self::VideoUnreadable,
        Self::BoardNotFound,
        Self::FfmpegMissing,
        Self::OutputUnwritable,
        Self::InputMalformed,
        Self::Unexplained,
        Self::Interrupted,
    ];

    /// The number that the process ends with.
    pub const fn number(self) -> u8 {
        self as u8
    }

    /// What the code means, in a few words.
    pub const fn meaning(self) -> &'static str {
        match self {
            Self::Done => "done",
            Self::Failed => "failed",
            Self::WrongUsage => "wrong usage",
            Self::VideoUnreadable => "the video cannot be read, or breaks off",
            Self::BoardNotFound => {
                "no board whose position can be read, or that shows what was asked for, was found"
            }
            Self::FfmpegMissing => "ffmpeg or ffprobe is missing",
            Self::OutputUnwritable => "an output cannot be written",
            Self::InputMalformed => "a JSON, PGN or model file cannot be read or is malformed",
            Self::Unexplained => {
                "with --strict: the answer is written, but a stretch of the video is unexplained"
            }
            Self::Interrupted => "reconstruct was interrupted (Ctrl-C); --resume goes on from there",
        }
    }

    /// The table that `plyscope --help` ends with.
    pub fn table() -> String {
        let mut table = String::from("Exit codes:");
        for code in Self::ALL {
            table.push_str(&format!("\n  {}  {}", code.number(), code.meaning()));
        }
        table
    }

    /// The code for `error`: that of the first kind in this list that it holds, else [`ExitCode::Failed`].
    pub fn of(error: &anyhow::Error) -> Self {
        code_of::<WrongUsage>(error)
            .or_else(|| code_of::<InputError>(error))
            .or_else(|| code_of::<ReconstructError>(error))
            .or_else(|| code_of::<VideoError>(error))
            .or_else(|| code_of::<VideoBreak>(error))
            .or_else(|| code_of::<StrictError>(error))
            .or_else(|| code_of::<NoSuchGame>(error))
            .or_else(|| code_of::<RenderError>(error))
            .or_else(|| code_of::<OutputError>(error))
            .unwrap_or(Self::Failed)
    }
}

impl From<ExitCode> for process::ExitCode {
    fn from(code: ExitCode) -> Self {
        Self::from(code.number())
    }
}

/// An error that knows with which code the process should end.
pub trait Coded: Error + Send + Sync + 'static {
    /// The code to end with when this error is what stopped the command.
    fn exit_code(&self) -> ExitCode;
}

/// The code of the first `E` in `error`, whether it is the error itself, a context, or a cause further down.
fn code_of<E: Coded>(error: &anyhow::Error) -> Option<ExitCode> {
    let in_chain = || error.chain().find_map(|cause| cause.downcast_ref::<E>());
    error.downcast_ref::<E>().or_else(in_chain).map(Coded::exit_code)
}

/// A mistake on the command line that only shows when the arguments are looked at together.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct WrongUsage(
    /// One sentence that says what to give instead.
    pub String,
);

impl fmt::Display for WrongUsage {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

impl Error for WrongUsage {}

impl Coded for WrongUsage {
    fn exit_code(&self) -> ExitCode {
        ExitCode::WrongUsage
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use anyhow::{Context, anyhow};

    #[test]
    fn codes_are_numbered_in_order_from_zero_but_for_that_of_a_signal() {
        for (number, code) in ExitCode::ALL.into_iter().filter(|c| *c != ExitCode::Interrupted).enumerate() {
            assert_eq!(usize::from(code.number()), number);
        }
        // SIGINT is signal 2.
        assert_eq!(ExitCode::Interrupted.number(), 128 + 2);
    }

    #[test]
    fn the_help_table_names_every_code() {
        let table = ExitCode::table();
        for code in ExitCode::ALL {
            let line = format!("  {}  {}", code.number(), code.meaning());
            assert!(table.lines().any(|l| l == line), "{line:?} is not in {table:?}");
        }
    }

    #[test]
    fn a_typed_error_is_found_under_contexts_as_a_context_and_as_a_cause() {
        let usage = || WrongUsage("give one of the two".into());
        #[derive(Debug)]
        struct Outer(WrongUsage);
        impl fmt::Display for Outer {
            fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.write_str("outer")
            }
        }
        impl Error for Outer {
            fn source(&self) -> Option<&(dyn Error + 'static)> {
                Some(&self.0)
            }
        }
        let under_contexts = Err::<(), _>(usage()).context("a").context("b").unwrap_err();
        let as_context = anyhow!("cause").context(usage()).context("b");
        let as_cause = anyhow::Error::new(Outer(usage())).context("b");
        for error in [under_contexts, as_context, as_cause] {
            assert_eq!(ExitCode::of(&error), ExitCode::WrongUsage, "{error:#}");
        }
        assert_eq!(ExitCode::of(&anyhow!("plain").context("b")), ExitCode::Failed);
    }
}

//! What a run leaves on disk so that another can go on from there.

use std::fs;
use std::path::{Path, PathBuf};
use std::sync::Mutex;

use plyscope_core::media_time::MediaTime;
use plyscope_core::track::TrackerSnapshot;
use serde::{Deserialize, Serialize};

use super::watch::Unexplained;
use crate::labeller::{Chunk, PositionScore};
use crate::output_file::{OutputError, OutputFile};
use crate::video::{Located, VideoInput};

/// What an answer depends on: a checkpoint of other settings or of another video is of no use.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Settings {
    version: String,
    video: String,
    options: String,
}

impl Settings {
    /// The settings of a run over `input` with `options`.
    #[must_use]
    pub fn of(input: &VideoInput, options: &str) -> Self {
        let size = fs::metadata(input.name()).map_or(0, |m| m.len());
        let duration_us = input.duration().map_or(0, MediaTime::us);
        Self {
            version: env!("CARGO_PKG_VERSION").to_owned(),
            video: format!("{} {size} {duration_us}", input.name().to_string_lossy()),
            options: options.to_owned(),
        }
    }
}

/// A ply as a checkpoint keeps it.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct KeptPly {
    /// The move in UCI notation.
    pub uci: String,
    /// When it was seen.
    pub time: MediaTime,
    /// Whether other plies would explain the pictures too.
    pub is_ambiguous: bool,
}

/// The state of a run at a moment when nothing was in flight, or after the video.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Checkpoint {
    settings: Settings,
    /// Where the board was found.
    pub located: Located,
    /// The time of the last frame that was taken in.
    pub watched_until: MediaTime,
    /// What the tracker knew then; `None` when the video is over.
    pub tracker: Option<TrackerSnapshot>,
    /// The plies until then.
    pub plies: Vec<KeptPly>,
    /// What stayed unexplained until then.
    pub unexplained: Vec<Unexplained>,
    /// Why the video was not read to its end.
    pub broken_off: Option<String>,
    /// Quick looks at the positions of the plies, the start first.
    pub provisional: Vec<PositionScore>,
    /// The parts of the game that have their final scores.
    pub chunks: Vec<Chunk>,
}

/// The file beside an answer in which checkpoints are kept; none where the answer goes to standard output.
#[derive(Clone, Debug)]
pub struct CheckpointFile {
    path: Option<PathBuf>,
}

impl CheckpointFile {
    /// Checkpoints at `path`.
    #[must_use]
    pub const fn new(path: Option<PathBuf>) -> Self {
        Self { path }
    }

    /// The checkpoint of an earlier run with the same settings.
    #[must_use]
    pub fn read(&self, settings: &Settings) -> Option<Checkpoint> {
        let text = fs::read(self.path.as_ref()?).ok()?;
        let checkpoint: Checkpoint = serde_json::from_slice(&text).ok()?;
        (checkpoint.settings == *settings).then_some(checkpoint)
    }

    /// Removes the file; the answer is complete.
    pub fn remove(&self) {
        if let Some(path) = &self.path {
            // One that stays costs some kilobytes and is replaced by the next run.
            let _ = fs::remove_file(path);
        }
    }

    pub(super) fn keeper(&self, settings: Settings, earlier: Option<Checkpoint>) -> Keeper<'_> {
        Keeper { path: self.path.as_deref(), settings, last: Mutex::new(earlier) }
    }
}

/// Keeps the last checkpoint in memory and on disk.
pub(super) struct Keeper<'f> {
    path: Option<&'f Path>,
    settings: Settings,
    last: Mutex<Option<Checkpoint>>,
}

impl Keeper<'_> {
    fn with<R>(&self, look: impl FnOnce(&mut Option<Checkpoint>) -> R) -> R {
        look(&mut self.last.lock().unwrap_or_else(std::sync::PoisonError::into_inner))
    }

    /// The checkpoint to go on from.
    pub(super) fn last(&self) -> Option<Checkpoint> {
        self.with(|last| last.clone())
    }

    /// Keeps the state of the watching; parts of the game that were labelled before are of no use any more unless the
    /// video was over.
    pub(super) fn keep_watch(&self, state: WatchState) -> Result<(), OutputError> {
        self.with(|last| {
            let chunks = last.take().map_or_else(Vec::new, |c| c.chunks);
            let WatchState { located, watched_until, tracker, plies, unexplained, broken_off, provisional } =
                state;
            let checkpoint = Checkpoint {
                settings: self.settings.clone(),
                located,
                watched_until,
                tracker,
                plies,
                unexplained,
                broken_off,
                provisional,
                chunks,
            };
            let written = self.write(&checkpoint);
            *last = Some(checkpoint);
            written
        })
    }

    /// Keeps the final scores of a part of the game.
    pub(super) fn keep_chunk(&self, chunk: &Chunk) -> Result<(), OutputError> {
        self.with(|last| {
            let Some(checkpoint) = last else { return Ok(()) };
            if checkpoint.chunks.contains(chunk) {
                return Ok(());
            }
            checkpoint.chunks.push(chunk.clone());
            self.write(checkpoint)
        })
    }

    /// The parts of the game that have their final scores.
    pub(super) fn chunks(&self) -> Vec<Chunk> {
        self.with(|last| last.as_ref().map_or_else(Vec::new, |c| c.chunks.clone()))
    }

    /// The quick looks at all positions.
    pub(super) fn provisional_scores(&self) -> Vec<PositionScore> {
        self.with(|last| last.as_ref().map_or_else(Vec::new, |c| c.provisional.clone()))
    }

    fn write(&self, checkpoint: &Checkpoint) -> Result<(), OutputError> {
        let Some(path) = self.path else { return Ok(()) };
        let file = OutputFile::open(path)?;
        let text = serde_json::to_vec(checkpoint).map_err(|error| file.error(error))?;
        file.checkpoint(&text)
    }
}

/// The state of the watching, to be kept.
pub(super) struct WatchState {
    pub(super) located: Located,
    pub(super) watched_until: MediaTime,
    pub(super) tracker: Option<TrackerSnapshot>,
    pub(super) plies: Vec<KeptPly>,
    pub(super) unexplained: Vec<Unexplained>,
    pub(super) broken_off: Option<String>,
    pub(super) provisional: Vec<PositionScore>,
}

//! What a run leaves on disk so that another can go on from there.

use std::ffi::OsString;
use std::fs;
use std::path::{Path, PathBuf};
use std::sync::Mutex;

use plyscope_core::media_time::MediaTime;
use plyscope_core::track::TrackerSnapshot;
use serde::{Deserialize, Serialize};

use super::watch::Unexplained;
use super::{Answers, Beginning, ReadGame, ResumePoint};
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
    /// How clearly its square showed its piece, where that is known.
    pub clearness_percent: Option<u8>,
}

/// Plies that were taken back, as a checkpoint keeps them.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct KeptBack {
    /// The number of plies before them that stand.
    pub after_ply: usize,
    /// The plies.
    pub plies: Vec<KeptPly>,
    /// Since when the board has shown the position before them again.
    pub time: MediaTime,
}

/// A game as a checkpoint keeps it.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct KeptGame {
    /// The position before the first ply, as FEN.
    pub start: String,
    /// The plies that stand.
    pub plies: Vec<KeptPly>,
    /// Those that were taken back.
    pub taken_back: Vec<KeptBack>,
    /// Plies before this number are in doubt.
    pub doubt_until: usize,
}

/// The state of a run at a moment when nothing was in flight, or after the video.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Checkpoint {
    settings: Settings,
    /// Where the board was last found.
    pub located: Located,
    /// The time of the last frame that was taken in.
    pub watched_until: MediaTime,
    /// What the tracker knew then; `None` when the video is over.
    pub tracker: Option<TrackerSnapshot>,
    /// The games until then, the one under way last.
    pub games: Vec<KeptReading>,
    /// Why the video was not read to its end.
    pub broken_off: Option<String>,
}

/// What was read of a game, as a checkpoint keeps it.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct KeptReading {
    /// The game.
    pub game: KeptGame,
    /// How it began.
    pub beginning: Beginning,
    /// What stayed unexplained in it.
    pub unexplained: Vec<Unexplained>,
    /// Quick looks at the positions of the plies, the start first.
    pub provisional: Vec<PositionScore>,
    /// The parts of the game that have their final scores.
    pub chunks: Vec<Chunk>,
}

impl Checkpoint {
    /// Where a run that takes it up goes on.
    #[must_use]
    pub fn resume_point(&self) -> ResumePoint {
        ResumePoint {
            watched_until: self.watched_until,
            games: self.games.len(),
            plies: self.games.last().map_or(0, |kept| kept.game.plies.len()),
            positions_labelled: self
                .games
                .iter()
                .flat_map(|g| &g.chunks)
                .map(|chunk| chunk.scores.len())
                .sum(),
            is_video_over: self.tracker.is_none(),
        }
    }
}

/// The file beside an answer in which checkpoints are kept; none where the answer goes to standard output.
#[derive(Clone, Debug)]
pub struct CheckpointFile {
    path: Option<PathBuf>,
}

impl CheckpointFile {
    /// The checkpoints of the answers that go to `name`; none where that is a stream.
    #[must_use]
    pub fn beside(answer: &Answers, name: &Path) -> Self {
        Self { path: if answer.is_stream() { None } else { checkpoint_path(name) } }
    }

    /// The checkpoint of an earlier run with the same settings; `None` too where it was damaged since.
    #[must_use]
    pub fn read(&self, settings: &Settings) -> Option<Checkpoint> {
        let text = fs::read(self.path.as_ref()?).ok()?;
        let checkpoint: Checkpoint = serde_json::from_slice(&text).ok()?;
        let is_of_this_run = checkpoint.settings == *settings && checkpoint.located.crop().is_ok();
        let is_game = |kept: &KeptReading| ReadGame::from_kept(&kept.game).is_some();
        let has_games = !checkpoint.games.is_empty() && checkpoint.games.iter().all(is_game);
        (is_of_this_run && has_games).then_some(checkpoint)
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

    /// Keeps the state of the watching.
    pub(super) fn keep_watch(&self, state: WatchState) -> Result<(), OutputError> {
        self.with(|last| {
            let WatchState { located, watched_until, tracker, games, broken_off } = state;
            let settings = self.settings.clone();
            let checkpoint = Checkpoint { settings, located, watched_until, tracker, games, broken_off };
            let written = self.write(&checkpoint);
            *last = Some(checkpoint);
            written
        })
    }

    /// Keeps the final scores of a part of a game, counted from 0.
    pub(super) fn keep_chunk(&self, game: usize, chunk: &Chunk) -> Result<(), OutputError> {
        self.with(|last| {
            let Some(checkpoint) = last else { return Ok(()) };
            match checkpoint.games.get_mut(game) {
                Some(kept) if !kept.chunks.contains(chunk) => kept.chunks.push(chunk.clone()),
                _ => return Ok(()),
            }
            self.write(checkpoint)
        })
    }

    /// What is kept of a game, counted from 0.
    pub(super) fn of_game(&self, game: usize) -> Option<KeptReading> {
        self.with(|last| last.as_ref()?.games.get(game).cloned())
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
    pub(super) games: Vec<KeptReading>,
    pub(super) broken_off: Option<String>,
}

/// Where the checkpoint of an answer lies: in the same folder, under the answer's name between `.` and `.resume`, or
/// under the name's digest where that would be too long a name.
fn checkpoint_path(answer: &Path) -> Option<PathBuf> {
    const NAME_BYTES_MAX: usize = 255;
    let name = answer.file_name()?;
    let mut own = OsString::from(".");
    own.push(name);
    own.push(".resume");
    if own.len() > NAME_BYTES_MAX {
        own = format!(".plyscope-{:016x}.resume", fnv1a(name.as_encoded_bytes())).into();
    }
    Some(answer.with_file_name(own))
}

/// The 64-bit FNV-1a digest (Fowler, Noll and Vo), the same in every run.
fn fnv1a(bytes: &[u8]) -> u64 {
    const OFFSET_BASIS: u64 = 0xcbf2_9ce4_8422_2325;
    const PRIME: u64 = 0x0100_0000_01b3;
    bytes.iter().fold(OFFSET_BASIS, |digest, &byte| (digest ^ u64::from(byte)).wrapping_mul(PRIME))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_checkpoint_lies_beside_its_answer_under_a_name_that_fits() {
        let beside = |name: &str| checkpoint_path(Path::new(name));
        assert_eq!(beside("x/answer.json"), Some(PathBuf::from("x/.answer.json.resume")));
        assert_eq!(beside("a"), Some(PathBuf::from(".a.resume")));
        let longest = [beside(&"x".repeat(255)), beside(&"y".repeat(255))].map(Option::unwrap_or_default);
        assert!(longest.iter().all(|path| path.as_os_str().len() <= 255));
        assert_ne!(longest[0], longest[1]);
    }

    #[cfg(unix)]
    #[test]
    fn answers_whose_names_are_no_text_do_not_share_a_checkpoint() {
        use std::os::unix::ffi::OsStrExt;
        let of = |bytes: &[u8]| checkpoint_path(Path::new(std::ffi::OsStr::from_bytes(bytes)));
        assert_ne!(of(b"a\xff"), of(b"a\xfe"));
    }

    #[test]
    fn digests_are_those_that_the_authors_of_fnv_publish() {
        assert_eq!(fnv1a(b""), 0xcbf2_9ce4_8422_2325);
        assert_eq!(fnv1a(b"a"), 0xaf63_dc4c_8601_ec8c);
        assert_eq!(fnv1a(b"foobar"), 0x8594_4171_f739_67e8);
    }
}

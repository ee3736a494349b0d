//! The main job: a video in, the labelled game out.

mod answers;
mod checkpoint;
mod elsewhere;
mod game;
mod live;
mod live_games;
mod notes;
mod rejoin;
mod rivals;
mod successor;
mod watch;

use plyscope_core::media_time::MediaTime;
use serde::{Deserialize, Serialize};
use shakmaty::Chess;

pub use answers::{Answers, path_of_game};
pub use checkpoint::{Checkpoint, CheckpointFile, Settings};
pub use game::{ReadGame, TakenBack};
pub use live::{LiveEvent, LiveWatch};
pub use live_games::{LiveGames, WatchedGame};
pub(crate) use rivals::positions_of;
pub use watch::{Unexplained, VideoBreak};

use crate::exit_code::{Coded, ExitCode};
use crate::external_engine::{EngineError, ExternalEngine};
use crate::labeller::{Labeller, PlyLabel, Progress as LabelProgress};
use crate::output_file::OutputError;
use crate::video::{OrientationChoice, VideoError, VideoInput};

/// How to read a video.
#[derive(Clone, Debug)]
pub struct Reconstruction {
    /// The position in which the first game starts; `None`: the start position, or where the video never shows that, the
    /// first one that stands there.
    pub start: Option<Chess>,
    /// The only game that is wanted, from 1; `None`: all games of the video.
    pub game: Option<usize>,
    /// Which side sits at the bottom.
    pub orientation: OrientationChoice,
    /// How to judge the positions; `None` to see only.
    pub labeller: Option<Labeller>,
    /// An installed engine that gives the final labels in the labeller's place.
    pub engine: Option<ExternalEngine>,
    /// Whether to go on from an earlier run's checkpoint.
    pub resume: bool,
    /// The options that the answer depends on, as one text: a checkpoint made with others is not used.
    pub settings: String,
}

/// What was read.
#[derive(Clone, Debug)]
pub struct Reading {
    /// The games that are wanted; at least one, unless the only one that is wanted is not in the video.
    pub games: Vec<GameReading>,
    /// How many games the video shows.
    pub games_seen: usize,
    /// Why the video was not read to its end, where it was not.
    pub broken_off: Option<VideoBreak>,
}

/// What was read of one game.
#[derive(Clone, Debug)]
pub struct GameReading {
    /// Which game of the video it is, from 1.
    pub number: usize,
    /// How it began.
    pub beginning: Beginning,
    /// The plies and their times.
    pub game: ReadGame,
    /// Labels of the start position and every ply; empty where none were asked for.
    pub labels: Vec<PlyLabel>,
    /// Stretches of the video in which nothing legal explained the board.
    pub unexplained: Vec<Unexplained>,
}

/// How a game began.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Beginning {
    /// When its first position was first seen.
    pub time: MediaTime,
    /// Whether that position was read from the picture: it is neither the start position nor was it given.
    pub is_read: bool,
}

/// How far a run is.
#[derive(Clone, Copy, Debug)]
pub enum Progress<'p> {
    /// The run was told to go on: from here, or from the start where no earlier run left anything to go on from.
    Resumed(Option<ResumePoint>),
    /// The board was found; the video is said to be so long.
    Located {
        /// How long the video is said to be.
        duration: Option<MediaTime>,
    },
    /// The video has been read to here.
    Watched {
        /// The time of the last frame.
        time: MediaTime,
        /// Plies read so far.
        plies: usize,
        /// How long the video is said to be.
        duration: Option<MediaTime>,
    },
    /// Labels are being made.
    Labelling(LabelProgress<'p>),
}

/// Where a run goes on.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct ResumePoint {
    /// The time of the last frame that the earlier run took in.
    pub watched_until: MediaTime,
    /// Games read until then, with the one under way.
    pub games: usize,
    /// Plies of the game under way that were read until then.
    pub plies: usize,
    /// Positions that have their final scores.
    pub positions_labelled: usize,
    /// Whether the earlier run had come to the end of the video.
    pub is_video_over: bool,
}

/// Why a run ended without a complete answer.
#[derive(Debug, thiserror::Error)]
pub enum ReconstructError {
    /// The video.
    #[error(transparent)]
    Video(#[from] VideoError),
    /// The answer, or the checkpoint beside it.
    #[error(transparent)]
    Output(#[from] OutputError),
    /// The engine that was to judge.
    #[error(transparent)]
    Engine(#[from] EngineError),
}

/// What a run that is to be strict ends with where a stretch of the video stayed unexplained.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[error(
    "no legal plies explain the board in {stretches} of the video; the answer is written, and without --strict this \
     is no error",
    stretches = if *stretches == 1 { "one stretch".to_owned() } else { format!("{stretches} stretches") }
)]
pub struct StrictError {
    /// How many stretches.
    pub stretches: usize,
}

/// What a run ends with that was told to write a game which the video does not show.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[error("the video shows no game {wanted}, for it has {}; nothing was written", games(*seen))]
pub struct NoSuchGame {
    /// The game that was wanted, from 1.
    pub wanted: usize,
    /// How many there are.
    pub seen: usize,
}

fn games(count: usize) -> String {
    if count == 1 { "one game".to_owned() } else { format!("{count} games") }
}

impl Coded for NoSuchGame {
    fn exit_code(&self) -> ExitCode {
        ExitCode::BoardNotFound
    }
}

impl Coded for StrictError {
    fn exit_code(&self) -> ExitCode {
        ExitCode::Unexplained
    }
}

impl Coded for ReconstructError {
    fn exit_code(&self) -> ExitCode {
        match self {
            Self::Video(error) => error.exit_code(),
            Self::Output(error) => error.exit_code(),
            Self::Engine(_) => ExitCode::Failed,
        }
    }
}

impl Reconstruction {
    /// Reads `input`, keeps `answers` up to date on the way, and returns what was read.
    ///
    /// A video that breaks off is no error here: what was read until then is complete, and
    /// [`Reading::broken_off`] says so.
    ///
    /// # Errors
    ///
    /// [`ReconstructError`] where nothing can be read or written.
    pub fn run(
        &self,
        input: &VideoInput,
        answers: &mut Answers,
        checkpoint: &CheckpointFile,
        progress: &(dyn Fn(Progress<'_>) + Sync),
    ) -> Result<Reading, ReconstructError> {
        let settings = Settings::of(input, &self.settings);
        let earlier = if self.resume { checkpoint.read(&settings) } else { None };
        if self.resume {
            progress(Progress::Resumed(earlier.as_ref().map(Checkpoint::resume_point)));
        }
        let keeper = checkpoint.keeper(settings, earlier);
        let seen = watch::watch(self, input, answers, &keeper, progress)?;
        let games_seen = seen.games.len();
        let mut games = Vec::new();
        for (index, seen) in seen.games.into_iter().enumerate() {
            let number = index + 1;
            if !answers.wants(number) {
                continue;
            }
            let game = seen.game;
            let labels = match (&self.labeller, &self.engine) {
                (Some(_), Some(engine)) => game::label_by(engine, &game, progress)?,
                (Some(labeller), None) => game::label(labeller, (index, &game), answers, &keeper, progress)?,
                (None, _) => Vec::new(),
            };
            answers.checkpoint(number, &game.rows(&labels))?;
            let (beginning, unexplained) = (seen.beginning, seen.unexplained);
            games.push(GameReading { number, beginning, game, labels, unexplained });
        }
        Ok(Reading { games, games_seen, broken_off: seen.broken_off })
    }
}

impl Reading {
    /// The first of the games that are wanted.
    #[must_use]
    pub fn first(&self) -> Option<&GameReading> {
        self.games.first()
    }
}

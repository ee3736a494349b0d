//! Watches the video and takes down the plies.

use plyscope_core::media_time::MediaTime;
use plyscope_core::track::Tracker;
use plyscope_core::vision::{BoardRect, LumaView, differing_squares};
use serde::{Deserialize, Serialize};
use shakmaty::{Bitboard, Chess};

use super::checkpoint::Keeper;
use super::elsewhere::{ARRIVAL_MAX_US, Arrival, Elsewhere, Found};
use super::notes::{Notes, SeenGame};
use super::rivals::{Rivals, positions_of};
use super::successor::Successor;
use super::{Answers, Beginning, Progress, ReadGame, ReconstructError, Reconstruction};
use crate::exit_code::{Coded, ExitCode};
use crate::video::{Frame, Located, VideoError, VideoInput, locate_board};

/// A stretch of the video in which nothing legal explained the board.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Unexplained {
    /// From when on.
    pub from: MediaTime,
    /// Until when.
    pub until: MediaTime,
    /// Plies read before it.
    pub after_ply: usize,
}

/// Shorter stretches are pieces in flight and pointers.
const UNEXPLAINED_MIN_US: i64 = 2_000_000;

impl Unexplained {
    /// A stretch after the plies that `game` has so far; `None` where it is too short to tell.
    pub(super) fn in_game(game: &ReadGame, from: MediaTime, until: MediaTime) -> Option<Self> {
        (until.us_since(from) >= UNEXPLAINED_MIN_US).then(|| Self {
            from,
            until,
            after_ply: game.plies().len(),
        })
    }
}

/// What came of watching.
pub(super) struct Sighting {
    /// The games; at least one.
    pub(super) games: Vec<SeenGame>,
    /// Why the video was not read to its end.
    pub(super) broken_off: Option<VideoBreak>,
}

/// Why the video was not read to its end, in words.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("{0}")]
pub struct VideoBreak(String);

impl Coded for VideoBreak {
    fn exit_code(&self) -> ExitCode {
        ExitCode::VideoUnreadable
    }
}

pub(super) fn watch(
    job: &Reconstruction,
    input: &VideoInput,
    answers: &mut Answers,
    keeper: &Keeper<'_>,
    progress: &(dyn Fn(Progress<'_>) + Sync),
) -> Result<Sighting, ReconstructError> {
    let told = |located: &Located| {
        progress(Progress::Located { duration: input.duration() });
        located.time
    };
    let (located, notes, stage, from, after) = if let Some(earlier) = keeper.last() {
        let beginning = Beginning { time: told(&earlier.located), is_read: false };
        let mut notes = Notes::new(job, Chess::default(), beginning);
        notes.take_up(earlier.games, answers)?;
        let Some(snapshot) = earlier.tracker else {
            let broken_off = earlier.broken_off.map(VideoBreak);
            return Ok(Sighting { games: notes.into_games(), broken_off });
        };
        let stage = Stage::follow(Rivals::alone(Tracker::resume(snapshot, notes.game().position())));
        let until = Some(earlier.watched_until);
        (earlier.located, notes, stage, until, until)
    } else {
        let (located, read) = locate_board(input, job.orientation, job.start.as_ref())?;
        let beginning = Beginning { time: told(&located), is_read: read.is_some() };
        let positions = match read {
            Some(board) => positions_of(&board),
            None => vec![job.start.clone().unwrap_or_default()],
        };
        let notes = Notes::new(job, positions.first().cloned().unwrap_or_default(), beginning);
        (located, notes, Stage::Start(positions), Some(located.time), None)
    };
    let elsewhere = Elsewhere::default();
    let watch = Watch { job, input, answers, keeper, progress, located, notes, elsewhere };
    watch.run(stage, from, after)
}

pub(super) fn core_error(error: impl std::error::Error + Send + Sync + 'static) -> VideoError {
    VideoError::Core(Box::new(error))
}

struct Watch<'w> {
    job: &'w Reconstruction,
    input: &'w VideoInput,
    answers: &'w mut Answers,
    keeper: &'w Keeper<'w>,
    progress: &'w (dyn Fn(Progress<'_>) + Sync),
    /// Where the board is now.
    located: Located,
    notes: Notes,
    elsewhere: Elsewhere,
}

/// What the next frame is for.
enum Stage {
    /// The board shows one of these positions.
    Start(Vec<Chess>),
    /// The game goes on.
    Follow { rivals: Box<Rivals>, successor: Option<Box<Successor>> },
    /// The board was found elsewhere, and is to show there where the game stands.
    Arrive { rivals: Box<Rivals>, found: Found, left: Located },
}

impl Stage {
    fn follow(rivals: Rivals) -> Self {
        Self::Follow { rivals: Box::new(rivals), successor: None }
    }
}

/// One frame, cut to the board.
struct Look<'f> {
    frame: Frame,
    view: LumaView<'f>,
    rect: BoardRect,
    differing: Bitboard,
}

/// How to go on after a frame.
enum Next {
    Frame(Stage),
    /// With the frames from this time on, at the place where the board is now.
    Place(Stage, MediaTime),
    Enough(Stage),
}

impl Watch<'_> {
    /// Watches from `from` on, or what comes after `after`.
    fn run(
        mut self,
        mut stage: Stage,
        mut from: Option<MediaTime>,
        after: Option<MediaTime>,
    ) -> Result<Sighting, ReconstructError> {
        let mut broken_off = None;
        'places: loop {
            let (crop, rect) = self.located.crop()?;
            let (width, height) = (crop.width as usize, crop.height as usize);
            let mut frames = self.input.frames(crop, from)?;
            let mut has_looked = false;
            loop {
                let frame = match frames.next_frame() {
                    Ok(Some(frame)) => frame,
                    Ok(None) => break 'places,
                    Err(error @ VideoError::BreaksOff { .. }) => {
                        broken_off = Some(VideoBreak(error.to_string()));
                        break 'places;
                    }
                    Err(error @ VideoError::BadPicture { .. }) => {
                        broken_off = Some(VideoBreak(format!("{error}; what was read until then is kept")));
                        break 'places;
                    }
                    Err(error) => return Err(error.into()),
                };
                if after.is_some_and(|after| frame.time <= after) {
                    continue;
                }
                let view = LumaView::new(frames.luma(), width, height, width).map_err(core_error)?;
                let differing = match LumaView::new(frames.luma_before(), width, height, width) {
                    Ok(before) if has_looked => {
                        differing_squares(&before, &view, rect, self.located.orientation)
                    }
                    _ => Bitboard::FULL,
                };
                has_looked = true;
                let next = self.look(stage, &Look { frame, view, rect, differing })?;
                let (plies, duration) = (self.notes.game().plies().len(), self.input.duration());
                (self.progress)(Progress::Watched { time: frame.time, plies, duration });
                match next {
                    Next::Frame(next) => stage = next,
                    Next::Place(next, time) => {
                        (stage, from) = (next, Some(time));
                        continue 'places;
                    }
                    Next::Enough(next) => {
                        stage = next;
                        break 'places;
                    }
                }
                if let Stage::Follow { rivals, .. } = &stage {
                    self.notes.save_now_and_then(rivals, self.located, self.answers, self.keeper)?;
                }
            }
        }
        if let Stage::Follow { rivals, .. } = &mut stage {
            rivals.finish().map_err(core_error)?;
            self.notes.take_down(rivals, self.notes.last_frame);
        }
        self.notes.close_unexplained(self.notes.last_frame);
        self.notes.forget_empty();
        self.answers.checkpoint(self.notes.number(), &self.notes.rows())?;
        self.keeper.keep_watch(self.notes.state(self.located, None, broken_off.as_ref()))?;
        Ok(Sighting { games: self.notes.into_games(), broken_off })
    }

    fn look(&mut self, stage: Stage, look: &Look<'_>) -> Result<Next, ReconstructError> {
        match stage {
            Stage::Start(positions) => self.start(&positions, look),
            Stage::Follow { rivals, successor } => self.follow(rivals, successor, look),
            Stage::Arrive { rivals, found, left } => self.arrive(rivals, found, left, look),
        }
    }

    fn start(&mut self, positions: &[Chess], look: &Look<'_>) -> Result<Next, ReconstructError> {
        let orientation = self.located.orientation;
        let started = Rivals::start(&look.view, look.rect, orientation, look.frame.time, positions);
        // There is a position wherever a board was found.
        let no_board = || VideoError::not_found(self.input.name().to_owned(), 1, self.job.start.is_some());
        let rivals = started.ok_or_else(no_board)?.map_err(core_error)?;
        // From here on the answer is this run's: whoever goes on from the checkpoint may rely on that.
        self.answers.checkpoint(self.notes.number(), &[])?;
        self.notes.save_checkpoint(&rivals, self.located, self.keeper)?;
        Ok(Next::Frame(Stage::follow(rivals)))
    }

    fn follow(
        &mut self,
        mut rivals: Box<Rivals>,
        mut successor: Option<Box<Successor>>,
        look: &Look<'_>,
    ) -> Result<Next, ReconstructError> {
        let Look { frame, view, rect, differing } = look;
        let now = frame.time;
        if let Some(until) = frame.stood_until {
            rivals.stand_until(until).map_err(core_error)?;
        }
        rivals.observe(view, *differing, now).map_err(core_error)?;
        self.notes.take_down(&mut rivals, now);
        if !rivals.is_lost() {
            return Ok(Next::Frame(Stage::Follow { rivals, successor: None }));
        }
        match &mut successor {
            Some(next) => {
                // The board is the same, its squares may be seen from the other side.
                let is_turned = next.orientation != self.located.orientation;
                let differing = if is_turned { differing.rotate_180() } else { *differing };
                next.observe(view, differing, frame.stood_until, now).map_err(core_error)?;
                if next.has_begun(now) {
                    return self.begin(successor, rivals, now);
                }
                if next.is_over(now) {
                    successor = None;
                }
            }
            None if !differing.is_empty() => {
                let choice = self.job.orientation;
                let begun = Successor::begin(rivals.first(), self.notes.game(), choice, view, *rect, now);
                successor = begun.map(Box::new);
            }
            None => {}
        }
        let place = (self.located, self.job.orientation);
        if successor.is_none()
            && let Some(found) =
                self.elsewhere.search(self.input, rivals.first(), self.notes.game(), place, now)?
        {
            let left = std::mem::replace(&mut self.located, found.located);
            return Ok(Next::Place(Stage::Arrive { rivals, found, left }, found.since));
        }
        Ok(Next::Frame(Stage::Follow { rivals, successor }))
    }

    /// Goes on with another game on the same board.
    fn begin(
        &mut self,
        successor: Option<Box<Successor>>,
        mut before: Box<Rivals>,
        now: MediaTime,
    ) -> Result<Next, ReconstructError> {
        let Some(next) = successor else { return Ok(Next::Frame(Stage::follow(*before))) };
        before.finish().map_err(core_error)?;
        self.notes.take_down(&mut before, now);
        let Successor { mut rivals, orientation, since, is_read } = *next;
        let beginning = Beginning { time: since, is_read };
        self.notes.begin_game(rivals.start_position().clone(), beginning, self.answers)?;
        self.located = Located { orientation, ..self.located };
        if self.job.game.is_some_and(|wanted| self.notes.number() > wanted) {
            return Ok(Next::Enough(Stage::Start(Vec::new())));
        }
        self.notes.take_down(&mut rivals, now);
        Ok(Next::Frame(Stage::follow(rivals)))
    }

    /// Waits for the board to show at its new place where the game stands.
    fn arrive(
        &mut self,
        rivals: Box<Rivals>,
        found: Found,
        left: Located,
        look: &Look<'_>,
    ) -> Result<Next, ReconstructError> {
        let Look { frame, view, rect, .. } = look;
        match found.arrive(view, *rect, &rivals, self.notes.game(), frame.time) {
            Some(Arrival::AnotherGame(next)) => {
                let orientation = self.located.orientation;
                let successor = Successor { rivals: next, orientation, since: frame.time, is_read: false };
                return self.begin(Some(Box::new(successor)), rivals, frame.time);
            }
            Some(Arrival::Game(way, next)) => {
                self.notes.close_unexplained(frame.time);
                self.notes.follow(way);
                return Ok(Next::Frame(Stage::follow(next)));
            }
            None => {}
        }
        if frame.time.us_since(found.located.time) < ARRIVAL_MAX_US {
            return Ok(Next::Frame(Stage::Arrive { rivals, found, left }));
        }
        self.located = left;
        Ok(Next::Place(Stage::follow(*rivals), frame.time))
    }
}

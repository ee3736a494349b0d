//! Watches a source that is still growing and tells of each ply as soon as it has settled.

use plyscope_core::media_time::MediaTime;
use plyscope_core::track::TimedPly;
use plyscope_core::vision::LumaView;
use shakmaty::{Bitboard, Chess};

use super::elsewhere::{ARRIVAL_MAX_US, Arrival, Elsewhere, Found};
use super::live_games::LiveGames;
use super::rivals::{Rivals, positions_of};
use super::successor::Successor;
use super::watch::core_error;
use super::{Beginning, ReconstructError, Unexplained};
use crate::external_engine::ExternalEngine;
use crate::labeller::{LabelledGame, Labeller, PlyLabel};
use crate::video::{BoardSearch, LiveFrames, Located, OrientationChoice, VideoError};

/// While there is no board, a picture is searched for one so often.
const SEARCH_PAUSE_US: i64 = 500_000;

/// How to watch a live source.
#[derive(Clone, Debug)]
pub struct LiveWatch {
    /// The position in which the first game starts; `None`: the start position, or the first one that stands there and
    /// whose pieces can be told.
    pub start: Option<Chess>,
    /// Which side sits at the bottom.
    pub orientation: OrientationChoice,
    /// How to judge the positions; `None` to see only. Live, each position gets a quick look; when the source is over
    /// the games are searched, unless somebody stopped it.
    pub labeller: Option<Labeller>,
    /// An installed engine that searches the games in the labeller's place.
    pub engine: Option<ExternalEngine>,
}

/// What happened.
#[derive(Clone, Copy, Debug)]
pub enum LiveEvent<'e> {
    /// The board was found, or found at another place or seen from the other side.
    Board(Located),
    /// A game has its first ply, which is told next.
    Game(Beginning),
    /// A ply has settled.
    Ply {
        /// Its number in its game, from 1.
        number: usize,
        /// The ply.
        ply: &'e TimedPly,
        /// Its label by a quick look, where labels are asked for.
        label: Option<&'e PlyLabel>,
        /// The time of the picture at which it was certain.
        seen_at: MediaTime,
    },
    /// Plies were taken back: the game is again as after the first `kept` plies.
    TakenBack {
        /// How many plies stand.
        kept: usize,
        /// Since when the board has shown so.
        time: MediaTime,
    },
    /// Nothing legal explained the board in this stretch.
    Unexplained(Unexplained),
    /// The source is over and all games are searched.
    Judging,
}

/// Who is told of each event, with the games so far.
pub(super) type Tell<'t> = dyn FnMut(LiveEvent<'_>, &LiveGames) -> Result<(), ReconstructError> + 't;

impl LiveWatch {
    /// Watches `frames` until they are over or stopped. `tell` is called with each event and the games so far.
    ///
    /// # Errors
    ///
    /// [`ReconstructError`] where the source has no picture or no board, or where `tell` fails.
    pub fn run(&self, frames: &mut LiveFrames, tell: &mut Tell<'_>) -> Result<LiveGames, ReconstructError> {
        let mut games = LiveGames::new(self.labeller.as_ref().map(Labeller::provisional));
        let mut search = BoardSearch::new(self.orientation, self.start.as_ref());
        let mut board: Option<WatchedBoard> = None;
        let mut searched_at: Option<MediaTime> = None;
        let mut now = MediaTime::ZERO;
        while let Some(frame) = frames.next_frame()? {
            now = frame.time;
            let view =
                LumaView::new(frames.luma(), frame.width, frame.height, frame.width).map_err(core_error)?;
            if let Some(board) = &mut board {
                self.follow(board, &mut games, &view, now, tell)?;
            } else if searched_at.is_none_or(|at| now.us_since(at) >= SEARCH_PAUSE_US) {
                searched_at = Some(now);
                search.look(now, frame.width, frame.height, frames.luma().to_vec(), false);
                board = self.find(&search, &mut games, &view, now, tell)?;
            }
        }
        let Some(mut board) = board else {
            if frames.stopper().is_stopped() {
                return Ok(games);
            }
            let name = frames.name().clone();
            return Err(VideoError::not_found(name, search.looked(), self.start.is_some()).into());
        };
        board.rivals.finish().map_err(core_error)?;
        games.take_down(&mut board.rivals, now, tell)?;
        games.close_unexplained(now, tell)?;
        games.forget_empty();
        if let Some(labeller) = self.labeller.as_ref().filter(|_| !frames.stopper().is_stopped()) {
            tell(LiveEvent::Judging, &games)?;
            games.label_all(|positions| {
                let whole = LabelledGame::of_positions(positions.to_vec());
                Ok(match &self.engine {
                    Some(engine) => engine.label(&whole, &|_, _| {})?,
                    None => labeller.label(&whole, &[], &|_| {}),
                })
            })?;
        }
        Ok(games)
    }

    /// The board that the last picture shows.
    fn find(
        &self,
        search: &BoardSearch,
        games: &mut LiveGames,
        view: &LumaView<'_>,
        now: MediaTime,
        tell: &mut Tell<'_>,
    ) -> Result<Option<WatchedBoard>, ReconstructError> {
        let Some((located, read)) = search.shown_now() else { return Ok(None) };
        let beginning = Beginning { time: now, is_read: read.is_some() };
        let positions =
            read.map_or_else(|| vec![self.start.clone().unwrap_or_default()], |board| positions_of(&board));
        let started = Rivals::start(view, located.rect, located.orientation, now, &positions);
        let Some(Ok(rivals)) = started else { return Ok(None) };
        games.begin(rivals.start_position().clone(), beginning, tell)?;
        tell(LiveEvent::Board(located), games)?;
        let elsewhere = Elsewhere::default();
        Ok(Some(WatchedBoard { located, rivals, successor: None, elsewhere, found: None }))
    }

    /// Looks at the next picture of a board that was found.
    fn follow(
        &self,
        board: &mut WatchedBoard,
        games: &mut LiveGames,
        view: &LumaView<'_>,
        now: MediaTime,
        tell: &mut Tell<'_>,
    ) -> Result<(), ReconstructError> {
        board.rivals.observe(view, Bitboard::FULL, now).map_err(core_error)?;
        games.take_down(&mut board.rivals, now, tell)?;
        if !board.rivals.is_lost() {
            (board.successor, board.found) = (None, None);
            return Ok(());
        }
        let game = games.under_way().game();
        if let Some(next) = &mut board.successor {
            next.observe(view, Bitboard::FULL, None, now).map_err(core_error)?;
        } else {
            let (rivals, rect) = (&board.rivals, board.located.rect);
            board.successor = Successor::begin(rivals.first(), game, self.orientation, view, rect, now);
        }
        if let Some(next) = board.successor.take_if(|next| next.has_begun(now)) {
            let located = Located { orientation: next.orientation, time: next.since, ..board.located };
            let beginning = Beginning { time: next.since, is_read: next.is_read };
            return begin_other(board, games, (next.rivals, located, beginning), now, tell);
        }
        if board.successor.take_if(|next| next.is_over(now)).is_some() || board.successor.is_some() {
            return Ok(());
        }
        let place = (board.located, self.orientation);
        let found = board.found.take();
        let found = found.or_else(|| board.elsewhere.search_in(view, board.rivals.first(), game, place, now));
        let Some(found) = found else { return Ok(()) };
        let located = found.located;
        match found.arrive(view, located.rect, &board.rivals, game, now) {
            Some(Arrival::AnotherGame(rivals)) => {
                let beginning = Beginning { time: now, is_read: false };
                begin_other(board, games, (rivals, located, beginning), now, tell)
            }
            Some(Arrival::Game(way, rivals)) => {
                (board.rivals, board.located) = (rivals, located);
                tell(LiveEvent::Board(located), games)?;
                games.close_unexplained(now, tell)?;
                games.follow(way, now, tell)
            }
            None => {
                board.found = Some(found).filter(|_| now.us_since(located.time) < ARRIVAL_MAX_US);
                Ok(())
            }
        }
    }
}

/// A board that is watched.
struct WatchedBoard {
    located: Located,
    rivals: Rivals,
    /// Another game on it that may have begun.
    successor: Option<Successor>,
    elsewhere: Elsewhere,
    /// Where it may have gone.
    found: Option<Found>,
}

/// Goes on with another game.
fn begin_other(
    board: &mut WatchedBoard,
    games: &mut LiveGames,
    (rivals, located, beginning): (Rivals, Located, Beginning),
    now: MediaTime,
    tell: &mut Tell<'_>,
) -> Result<(), ReconstructError> {
    board.rivals.finish().map_err(core_error)?;
    games.take_down(&mut board.rivals, now, tell)?;
    games.begin(rivals.start_position().clone(), beginning, tell)?;
    if located.rect != board.located.rect || located.orientation != board.located.orientation {
        tell(LiveEvent::Board(located), games)?;
    }
    (board.rivals, board.located) = (rivals, located);
    (board.successor, board.found) = (None, None);
    games.take_down(&mut board.rivals, now, tell)
}

//! The plies of a game and when each was seen.

use arrayvec::ArrayVec;
use shakmaty::Move;

use crate::media_time::{CompactTime, MediaTime};

/// A ply and the moment when its piece first rests on its new square.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct TimedPly {
    /// The ply.
    pub mv: Move,
    /// When its piece first rests on the new square.
    pub time: MediaTime,
    /// Other plies would explain the same pictures.
    pub is_ambiguous: bool,
}

/// A [`TimedPly`] in few bytes, where many are kept.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct HeldPly {
    pub(super) mv: Move,
    time: CompactTime,
    pub(super) is_ambiguous: bool,
}

impl HeldPly {
    /// A ply that nothing rivals.
    pub(super) const fn new(mv: Move, time: MediaTime) -> Self {
        Self { mv, time: CompactTime::from_time(time), is_ambiguous: false }
    }

    pub(super) const fn time(&self) -> MediaTime {
        self.time.time()
    }

    pub(super) const fn set_time(&mut self, time: MediaTime) {
        self.time = CompactTime::from_time(time);
    }
}

impl From<HeldPly> for TimedPly {
    fn from(held: HeldPly) -> Self {
        Self { mv: held.mv, time: held.time(), is_ambiguous: held.is_ambiguous }
    }
}

/// Plies that are settled and wait to be taken, oldest first. Holds at most `N`.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(super) struct Timeline<const N: usize> {
    plies: ArrayVec<HeldPly, N>,
}

/// A timeline had no room for another ply.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct TimelineFull {
    /// How many plies it holds.
    pub capacity_plies: usize,
}

impl core::fmt::Display for TimelineFull {
    fn fmt(&self, f: &mut core::fmt::Formatter<'_>) -> core::fmt::Result {
        write!(f, "keep more than {} plies that nobody took", self.capacity_plies)
    }
}

impl core::error::Error for TimelineFull {}

impl<const N: usize> Timeline<N> {
    /// A timeline without plies.
    pub(super) const fn new() -> Self {
        Self { plies: ArrayVec::new_const() }
    }

    /// Appends a ply.
    ///
    /// # Errors
    ///
    /// [`TimelineFull`] when `N` plies are waiting.
    pub(super) fn push(&mut self, ply: HeldPly) -> Result<(), TimelineFull> {
        self.plies.try_push(ply).map_err(|_| TimelineFull { capacity_plies: N })
    }

    /// Takes the oldest ply.
    pub(super) fn take(&mut self) -> Option<TimedPly> {
        self.plies.pop_at(0).map(TimedPly::from)
    }

    /// Whether no ply waits.
    pub(super) const fn is_empty(&self) -> bool {
        self.plies.is_empty()
    }

    /// Forgets all plies.
    pub(super) fn clear(&mut self) {
        self.plies.clear();
    }
}

//! The plies of a game and when each was seen.

use arrayvec::ArrayVec;
use shakmaty::Move;

use crate::media_time::MediaTime;

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

/// Plies that are settled and wait to be taken, oldest first. Holds at most `N`.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Timeline<const N: usize> {
    plies: ArrayVec<TimedPly, N>,
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
    #[must_use]
    pub const fn new() -> Self {
        Self { plies: ArrayVec::new_const() }
    }

    /// Appends a ply.
    ///
    /// # Errors
    ///
    /// [`TimelineFull`] when `N` plies are waiting.
    pub fn push(&mut self, ply: TimedPly) -> Result<(), TimelineFull> {
        self.plies.try_push(ply).map_err(|_| TimelineFull { capacity_plies: N })
    }

    /// Takes the oldest ply.
    pub fn take(&mut self) -> Option<TimedPly> {
        self.plies.pop_at(0)
    }

    /// The plies, oldest first.
    #[must_use]
    pub fn plies(&self) -> &[TimedPly] {
        &self.plies
    }
}

//! When a search ends, and who hears of it on the way.

use super::search::Iteration;

/// The bounds of a search. The first iteration is always completed, so that there is a score.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Limits {
    /// The last iteration to begin, in plies.
    pub depth: u8,
    /// Positions to visit at most.
    pub nodes: u64,
}

impl Limits {
    /// Ends only when the caller says so (or at the greatest depth).
    pub const UNLIMITED: Limits = Limits { depth: u8::MAX, nodes: u64::MAX };

    /// Visits at most so many positions.
    pub const fn nodes(nodes: u64) -> Limits {
        Limits { nodes, ..Limits::UNLIMITED }
    }

    /// Completes iterations up to this depth.
    pub const fn depth(depth: u8) -> Limits {
        Limits { depth, ..Limits::UNLIMITED }
    }
}

/// Follows a search from outside; the search itself knows no clock. `()` watches nothing.
pub trait Observer {
    /// Asked now and then (every [`NODES_BETWEEN_QUESTIONS`] nodes): must the search stop at once?
    fn must_stop(&mut self, nodes: u64) -> bool {
        let _ = nodes;
        false
    }

    /// Told after each completed iteration; `true` ends the search there.
    fn completed(&mut self, iteration: &Iteration) -> bool {
        let _ = iteration;
        false
    }
}

impl Observer for () {}

/// Nodes between two calls of [`Observer::must_stop`].
pub const NODES_BETWEEN_QUESTIONS: u64 = 1024;

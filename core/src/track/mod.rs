//! From board readings to plies with times.

mod candidates;
mod differ;
mod hypothesis;
mod timeline;
mod tracker;

pub use differ::{Differ, Explanations, PlySequence};
pub use timeline::{TimedPly, TimelineFull};
pub use tracker::{HIDDEN_CERTAIN_PLIES, Tracker, TrackerSnapshot, TrackerState};

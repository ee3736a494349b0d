//! Scoring an answer against the truth.
//!
//! One answer row can pair with one truth row of the same key whose time differs by at most the tolerance
//! (inclusive, in exact decimals). Each row pairs at most once; of all pairings the judge takes one with the most
//! pairs and, of those, the least total time error.
//!
//! - [`event_file`] reads `{"events": [...]}` files.
//! - [`exact_time`] holds their times as exact decimals.
//! - [`matching`] pairs two lists of times.
//! - [`judge`](mod@judge) makes the verdict.
//! - [`replay`] finds the game that rows tell of.
//! - [`report`] writes it for people and for programs.

pub mod event_file;
pub mod exact_time;
pub mod judge;
pub mod matching;
pub mod replay;
pub mod report;

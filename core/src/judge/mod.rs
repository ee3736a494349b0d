//! Who is ahead: evaluation, search, win probability and labels.

pub mod evaluation;

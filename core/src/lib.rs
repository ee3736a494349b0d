//! The part of Plyscope that needs no operating system: it sees a board, tracks its plies and judges its positions.
#![no_std]
#![forbid(unsafe_code)]
#![deny(missing_docs)]

pub mod event_row;
pub mod judge;
pub mod media_time;
pub mod track;
pub mod vision;

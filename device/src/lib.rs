//! Everything that a microcontroller keeps in memory to follow a game: a tracker, a search, a row.
//!
//! [`seer::Seer`] turns frames into plies, [`referee::Referee`] gives each ply its labels, and [`Device`] is the way from
//! frames to JSON rows. Each is one value whose size is known when it is compiled, so that a linker places it and says
//! whether it fits. [`mod@bench`] and [`mod@perft`] exercise the search and the rules alone. The same code runs on a computer and
//! gives the same bytes.
#![no_std]
#![forbid(unsafe_code)]
#![deny(missing_docs)]

pub mod bench;
mod device;
pub mod evaluation;
pub mod input_stream;
pub mod judged_row;
pub mod perft;
pub mod profile;
pub mod referee;
pub mod seer;

pub use device::{Arbiter, Device, DeviceError, Unjudged};

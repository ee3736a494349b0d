//! Everything that a microcontroller keeps in memory to follow a game: a frame, a tracker, a search, a row.
//!
//! [`eye::Eye`] turns frames into plies, [`referee::Referee`] gives each ply its labels, and [`Device`] is both together:
//! frames in, JSON rows out. Each is one value whose size is known when it is compiled, so that a linker places it and
//! says whether it fits. The same code runs on a computer and gives the same bytes.
#![no_std]
#![forbid(unsafe_code)]
#![deny(missing_docs)]

mod device;
pub mod eye;
pub mod frame_stream;
pub mod profile;
pub mod referee;

pub use device::{Device, DeviceError, StageBytes};

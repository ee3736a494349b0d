//! The sizes of this machine's devices.

#[cfg(not(machine = "microbit"))]
pub use plyscope_device::profile::FullDevice as SeeingDevice;
#[cfg(machine = "microbit")]
pub use plyscope_device::profile::LeastDevice as SeeingDevice;

#[cfg(machine = "mps2-an500")]
pub use plyscope_device::profile::LARGE_STRIP_BYTES as STRIP_BYTES;
#[cfg(not(machine = "mps2-an500"))]
pub use plyscope_device::profile::STRIP_BYTES;

#[cfg(machine = "mps2-an500")]
pub use plyscope_device::profile::{LargeReferee as JudgingReferee, LargeTables as JudgingTables};
#[cfg(machine = "netduinoplus2")]
pub use plyscope_device::profile::{MediumReferee as JudgingReferee, MediumTables as JudgingTables};
#[cfg(not(any(machine = "netduinoplus2", machine = "mps2-an500")))]
pub use plyscope_device::profile::{SmallReferee as JudgingReferee, SmallTables as JudgingTables};

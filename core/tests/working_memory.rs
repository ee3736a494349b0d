//! What seeing and tracking keep in memory, for makers of small devices.

use plyscope_core::track::Tracker;
use plyscope_core::vision::{Calibration, Retina};

/// All that seeing and tracking keep, the stack aside.
const WORKING_MEMORY_MAX_BYTES: usize = 24 * 1024;

#[test]
fn seeing_and_tracking_keep_less_than_24_kib() {
    // The tracker owns the retina and the calibration; a frame is the caller's.
    assert!(size_of::<Tracker>() < WORKING_MEMORY_MAX_BYTES, "{} bytes", size_of::<Tracker>());
    assert!(size_of::<Retina>() + size_of::<Calibration>() < size_of::<Tracker>());
}

//! What seeing and tracking keep in memory, for makers of small devices.

use plyscope_core::track::Tracker;
use plyscope_core::vision::{Calibration, Retina};

/// All that seeing and tracking keep where memory is no matter, the stack and a frame aside.
const TRACKER_BYTES: usize = 15_128;
/// The same for a device of 16 KiB.
const LEAST_TRACKER_BYTES: usize = 10_792;

#[test]
fn seeing_and_tracking_keep_as_many_bytes_as_the_readme_says() {
    // The tracker owns the retina and the calibration; a frame is the caller's.
    assert_eq!(size_of::<Tracker>(), TRACKER_BYTES);
    assert_eq!(size_of::<Tracker<4, 6, 16>>(), LEAST_TRACKER_BYTES);
    assert!(size_of::<Retina>() + size_of::<Calibration>() < size_of::<Tracker>());
}

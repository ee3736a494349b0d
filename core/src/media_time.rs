//! Times in a video.

use serde::{Deserialize, Serialize, Serializer};

/// A moment of a video in microseconds from its start.
///
/// Integer, so that sums and comparisons are the same on every machine.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash, Deserialize)]
#[serde(transparent)]
pub struct MediaTime(i64);

impl MediaTime {
    /// The start of the video.
    pub const ZERO: Self = Self(0);

    /// The moment `us` microseconds after the start.
    #[must_use]
    pub const fn from_us(us: i64) -> Self {
        Self(us)
    }

    /// The moment `ms` milliseconds after the start.
    #[must_use]
    pub const fn from_ms(ms: i64) -> Self {
        Self(ms.saturating_mul(1000))
    }

    /// Microseconds from the start.
    #[must_use]
    pub const fn us(self) -> i64 {
        self.0
    }

    /// Microseconds from `earlier` to this moment; negative where `earlier` lies after it.
    #[must_use]
    pub const fn us_since(self, earlier: Self) -> i64 {
        self.0.saturating_sub(earlier.0)
    }

    /// Seconds from the start, rounded to the nearest millisecond.
    #[must_use]
    #[expect(clippy::cast_precision_loss, reason = "milliseconds of any real video fit 53 bits")]
    pub fn seconds(self) -> f64 {
        let half = if self.0 < 0 { -500 } else { 500 };
        (self.0.saturating_add(half) / 1000) as f64 / 1000.0
    }
}

impl Serialize for MediaTime {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.serialize_i64(self.0)
    }
}

/// A moment in six bytes, where many are kept: four years and more each way from the start of the video, in microseconds.
/// What lies beyond is taken to be that far away.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(transparent)]
pub(crate) struct CompactTime([u8; 6]);

impl CompactTime {
    const MAX_US: i64 = (1 << 47) - 1;
    pub(crate) const ZERO: Self = Self::from_time(MediaTime::ZERO);

    pub(crate) const fn from_time(time: MediaTime) -> Self {
        let us = match time.0 {
            us if us > Self::MAX_US => Self::MAX_US,
            us if us < -Self::MAX_US => -Self::MAX_US,
            us => us,
        };
        let [a, b, c, d, e, f, ..] = us.to_le_bytes();
        Self([a, b, c, d, e, f])
    }

    pub(crate) const fn time(self) -> MediaTime {
        let [a, b, c, d, e, f] = self.0;
        // The shift back carries the sign into the two upper bytes.
        MediaTime(i64::from_le_bytes([0, 0, a, b, c, d, e, f]) >> 16)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_moment_in_six_bytes_comes_back_the_same() {
        for us in [0, 1, -1, 123_456_789_012, -98_765_432_101, CompactTime::MAX_US, -CompactTime::MAX_US] {
            assert_eq!(CompactTime::from_time(MediaTime(us)).time(), MediaTime(us));
        }
        assert_eq!(CompactTime::from_time(MediaTime(i64::MIN)).time(), MediaTime(-CompactTime::MAX_US));
        assert_eq!(CompactTime::from_time(MediaTime(i64::MAX)).time(), MediaTime(CompactTime::MAX_US));
    }

    #[test]
    fn seconds_are_rounded_to_milliseconds() {
        assert_eq!(MediaTime::from_us(33_333).seconds(), 0.033);
        assert_eq!(MediaTime::from_us(66_667).seconds(), 0.067);
        assert_eq!(MediaTime::from_us(-1_500).seconds(), -0.002);
        assert_eq!(MediaTime::from_ms(2000).seconds(), 2.0);
    }
}

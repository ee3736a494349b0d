//! Frames and seconds, without rounding.

use std::fmt;
use std::num::NonZeroU32;
use std::str::FromStr;

use plyscope_core::media_time::MediaTime;

/// A constant number of frames a second, as a fraction (`30000/1001` for NTSC).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct FrameRate {
    numerator: NonZeroU32,
    denominator: NonZeroU32,
}

/// A frame rate that is no number, or beyond what a video may have.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("\"{0}\" is no frame rate; write frames a second from 0.01 to 1000, such as 30, 29.97 or 30000/1001")]
pub struct FrameRateError(String);

const US_A_SECOND: u128 = 1_000_000;

impl FrameRate {
    /// A rate of `numerator / denominator` frames a second, `None` outside 0.01 to 1000.
    pub fn new(numerator: u32, denominator: u32) -> Option<FrameRate> {
        let rate =
            FrameRate { numerator: NonZeroU32::new(numerator)?, denominator: NonZeroU32::new(denominator)? };
        let (numerator, denominator) = (u64::from(numerator), u64::from(denominator));
        let in_range = numerator <= denominator * 1000 && numerator * 100 >= denominator;
        in_range.then_some(rate)
    }

    /// The first frame that is shown at `time` or later.
    pub fn first_frame_at(self, time: MediaTime) -> u64 {
        let scaled = u128::from(time.us().max(0).cast_unsigned()) * u128::from(self.numerator.get());
        let frame = scaled.div_ceil(US_A_SECOND * u128::from(self.denominator.get()));
        u64::try_from(frame).unwrap_or(u64::MAX)
    }

    /// The moment at which a frame is shown, to the nearest microsecond.
    pub fn time_of(self, frame: u64) -> MediaTime {
        let numerator = u128::from(self.numerator.get());
        let scaled = u128::from(frame) * u128::from(self.denominator.get()) * US_A_SECOND;
        let us = (scaled + numerator / 2) / numerator;
        MediaTime::from_us(i64::try_from(us).unwrap_or(i64::MAX))
    }
}

impl fmt::Display for FrameRate {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}/{}", self.numerator, self.denominator)
    }
}

impl FromStr for FrameRate {
    type Err = FrameRateError;

    fn from_str(text: &str) -> Result<FrameRate, FrameRateError> {
        parse_fraction(text)
            .or_else(|| parse_decimal(text))
            .and_then(|(numerator, denominator)| FrameRate::new(numerator, denominator))
            .ok_or_else(|| FrameRateError(text.to_owned()))
    }
}

fn parse_fraction(text: &str) -> Option<(u32, u32)> {
    let (numerator, denominator) = text.split_once('/')?;
    Some((numerator.parse().ok()?, denominator.parse().ok()?))
}

fn parse_decimal(text: &str) -> Option<(u32, u32)> {
    let (whole, fraction) = text.split_once('.').unwrap_or((text, ""));
    let denominator = 10_u32.checked_pow(u32::try_from(fraction.len()).ok()?)?;
    Some((format!("{whole}{fraction}").parse().ok()?, denominator))
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn rate(text: &str) -> FrameRate {
        text.parse().expect("a frame rate")
    }

    #[test]
    fn a_time_on_a_frame_is_shown_on_that_very_frame() {
        assert_eq!(rate("30").first_frame_at(MediaTime::from_ms(2000)), 60);
        assert_eq!(rate("30").first_frame_at(MediaTime::from_ms(2100)), 63);
        assert_eq!(rate("30").first_frame_at(MediaTime::from_ms(2001)), 61);
        assert_eq!(rate("30000/1001").first_frame_at(MediaTime::from_ms(1_001_000)), 30_000);
    }

    #[test]
    fn decimals_and_fractions_are_read_and_nonsense_is_refused() {
        assert_eq!(Some(rate("29.97")), FrameRate::new(2997, 100));
        assert_eq!(rate("30000/1001").to_string(), "30000/1001");
        for text in ["", "0", "-1", "1001", "0.001", "30/0", "fast", "1e3", "30.0000000000"] {
            assert!(text.parse::<FrameRate>().is_err(), "{text:?}");
        }
    }

    proptest! {
        #[test]
        fn the_first_frame_at_a_frames_time_is_no_other(frame in 0_u64..10_000_000, fps in 1_u32..=240) {
            let rate = FrameRate::new(fps, 1).expect("in range");
            let time = rate.time_of(frame);
            let found = rate.first_frame_at(time);
            // A frame's time that was rounded up to a microsecond lies behind the frame.
            let was_rounded = (frame * 1_000_000) % u64::from(fps) != 0;
            prop_assert!(found == frame || (found == frame + 1 && was_rounded));
        }
    }
}

//! Times as exact decimals, so that a difference of 3.000 s is 3.000 s.

use std::fmt;
use std::ops::Sub;

/// A time, or a difference of two, in whole attoseconds (10^-18 s).
///
/// Binary floating point cannot say whether 5.1 s and 2.1 s are more than 3 s apart (`5.1 - 2.1` is
/// `2.9999999999999996`, `4.4 - 1.4` is `3.0000000000000004`), so the judge reads the decimal digits as they
/// stand in the file. Digits past the 18th decimal are dropped.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct ExactTime {
    attoseconds: i128,
}

/// Decimals that are kept: a double of 0.1 s or more never needs more.
const DECIMALS_KEPT: i64 = 18;
const ATTOSECONDS_PER_SECOND: i128 = 10_i128.pow(DECIMALS_KEPT as u32);
/// Times of 10^12 s (30,000 years) and more are not usable; below it, sums over a whole file fit an `i128`.
const SECOND_DIGITS_MAX: i64 = 12;

impl ExactTime {
    /// No time at all.
    pub const ZERO: Self = Self { attoseconds: 0 };

    /// A whole number of milliseconds.
    pub const fn from_millis(millis: i64) -> Self {
        Self { attoseconds: millis as i128 * (ATTOSECONDS_PER_SECOND / 1000) }
    }

    /// Reads a JSON number of seconds (`12`, `-0.5`, `1.2e3`); `None` for any other text and for 10^12 s and more.
    pub fn parse_seconds(text: &str) -> Option<Self> {
        let (negative, unsigned) = match text.strip_prefix('-') {
            Some(rest) => (true, rest),
            None => (false, text),
        };
        let (mantissa, exponent) = match unsigned.split_once(['e', 'E']) {
            Some((mantissa, exponent)) => (mantissa, parse_exponent(exponent)?),
            None => (unsigned, 0),
        };
        let (whole, fraction) = mantissa.split_once('.').unwrap_or((mantissa, "0"));
        let is_digits = |part: &str| !part.is_empty() && part.bytes().all(|b| b.is_ascii_digit());
        if !is_digits(whole) || !is_digits(fraction) {
            return None;
        }
        let digits = format!("{whole}{fraction}");
        let significant = digits.trim_start_matches('0');
        if significant.is_empty() {
            return Some(Self::ZERO);
        }
        let len = |part: &str| i64::try_from(part.len()).ok();
        // How many digits the number of attoseconds has, counted from its first significant one.
        let kept = len(significant)?
            .saturating_add(exponent)
            .saturating_sub(len(fraction)?)
            .saturating_add(DECIMALS_KEPT);
        if kept > SECOND_DIGITS_MAX + DECIMALS_KEPT {
            return None;
        }
        let zeros = std::iter::repeat(b'0');
        let magnitude = significant
            .bytes()
            .chain(zeros)
            .take(usize::try_from(kept).unwrap_or(0))
            .fold(0_i128, |value, digit| value * 10 + i128::from(digit - b'0'));
        Some(Self { attoseconds: if negative { -magnitude } else { magnitude } })
    }

    /// The distance between two times.
    pub fn distance(self, other: Self) -> Self {
        Self { attoseconds: (self.attoseconds - other.attoseconds).abs() }
    }

    /// The sum of two times, clamped at the ends of the range.
    pub fn saturating_add(self, other: Self) -> Self {
        Self { attoseconds: self.attoseconds.saturating_add(other.attoseconds) }
    }

    /// The nearest double, in seconds.
    pub fn seconds(self) -> f64 {
        // Whole seconds and the rest apart: each converts without loss for all times that occur.
        let whole = self.attoseconds / ATTOSECONDS_PER_SECOND;
        let rest = self.attoseconds % ATTOSECONDS_PER_SECOND;
        whole as f64 + rest as f64 / ATTOSECONDS_PER_SECOND as f64
    }
}

impl Sub for ExactTime {
    type Output = Self;

    fn sub(self, other: Self) -> Self {
        Self { attoseconds: self.attoseconds.saturating_sub(other.attoseconds) }
    }
}

impl fmt::Display for ExactTime {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{:.3}", self.seconds())
    }
}

/// A JSON exponent; far beyond the range of times it is clamped.
fn parse_exponent(text: &str) -> Option<i64> {
    let (negative, digits) = match text.strip_prefix('-') {
        Some(rest) => (true, rest),
        None => (false, text.strip_prefix('+').unwrap_or(text)),
    };
    if digits.is_empty() || !digits.bytes().all(|b| b.is_ascii_digit()) {
        return None;
    }
    const FAR: i64 = i64::MAX / 4;
    let value =
        digits.bytes().fold(0_i64, |v, d| v.saturating_mul(10).saturating_add(i64::from(d - b'0'))).min(FAR);
    Some(if negative { -value } else { value })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn time(text: &str) -> ExactTime {
        ExactTime::parse_seconds(text).unwrap_or_else(|| panic!("{text} should be a time"))
    }

    #[test]
    fn three_seconds_are_three_seconds_where_doubles_say_otherwise() {
        let three = ExactTime::from_millis(3000);
        for (a, b) in [("4.4", "1.4"), ("5.1", "2.1"), ("1000003.3", "1000000.3"), ("3.3", "0.3")] {
            assert_eq!(time(a).distance(time(b)), three, "{a} {b}");
        }
        let double = |text: &str| text.parse::<f64>().unwrap_or(f64::NAN);
        assert!(double("4.4") - double("1.4") > 3.0, "the pair that doubles get wrong");
        assert!(time("3.000000000000000001") > three);
    }

    #[test]
    fn every_json_notation_of_a_number_is_the_same_time() {
        for text in
            ["120", "120.0", "1.2e2", "1.2E+2", "12000e-2", "0.00012e6", "120.00000000000000000000000"]
        {
            assert_eq!(time(text), ExactTime::from_millis(120_000), "{text}");
        }
        assert_eq!(time("-0"), ExactTime::ZERO);
        assert_eq!(time("-1.5"), ExactTime::from_millis(-1500));
        assert_eq!(time("1e-999999999999999999999"), ExactTime::ZERO);
        assert_eq!(time("0e999999999999999999999"), ExactTime::ZERO);
        assert_eq!(time("999999999999.999").seconds(), 999_999_999_999.999);
    }

    #[test]
    fn what_is_no_number_or_no_time_is_refused() {
        for text in [
            "", "-", "x", "\"5\"", "null", "true", "NaN", "1.", ".5", "1e", "1e+", "--1", "1e12", "1e308",
            "1e9999",
        ] {
            assert_eq!(ExactTime::parse_seconds(text), None, "{text}");
        }
    }

    #[test]
    fn doubles_come_back_as_they_were_written() {
        for value in [0.1, 2.0, 3486.1, 12.333333333333334, 5454.033333333334] {
            assert_eq!(time(&format!("{value}")).seconds(), value);
        }
    }
}

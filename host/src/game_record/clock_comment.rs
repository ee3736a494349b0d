//! What PGN comments hold: the commands `[%clk h:mm:ss.f]`, `[%emt h:mm:ss.f]` and `[%vt s]`, and words.

use std::time::Duration;

/// Hours beyond this are no chess clock but a broken file.
const CLOCK_HOURS_MAX: u64 = 1_000;

/// A command whose value is no time, such as `%clk 1:xx`.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct MalformedClock(pub(super) String);

/// The clock commands and the words of one comment.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(super) struct ClockComment {
    pub(super) clock: Option<Duration>,
    pub(super) elapsed: Option<Duration>,
    pub(super) video_time: Option<Duration>,
    pub(super) words: Option<String>,
}

impl ClockComment {
    /// Finds the clock commands in the text between a comment's braces.
    ///
    /// # Errors
    ///
    /// [`MalformedClock`] where a clock carries no time. A `[%vt]` without one is left alone: programs mean various
    /// things by it.
    pub(super) fn find(comment: &str) -> Result<ClockComment, MalformedClock> {
        Ok(ClockComment {
            clock: command(comment, "[%clk")?,
            elapsed: command(comment, "[%emt")?,
            video_time: command(comment, "[%vt ").unwrap_or(None),
            words: words_outside_commands(comment),
        })
    }
}

/// The comment without its commands and line breaks; `None` where nothing is left.
fn words_outside_commands(comment: &str) -> Option<String> {
    let mut words = String::new();
    let mut rest = comment;
    while let Some(start) = rest.find("[%") {
        words.push_str(&rest[..start]);
        words.push(' ');
        rest = rest[start..].find(']').map_or("", |end| &rest[start + end + 1..]);
    }
    words.push_str(rest);
    let words = words.split_whitespace().collect::<Vec<_>>().join(" ");
    (!words.is_empty()).then_some(words)
}

fn command(comment: &str, opening: &str) -> Result<Option<Duration>, MalformedClock> {
    let Some(start) = comment.find(opening) else { return Ok(None) };
    let rest = &comment[start + opening.len()..];
    let value = &rest[..rest.find(']').unwrap_or(rest.len())];
    match parse_clock(value.trim()) {
        Some(time) => Ok(Some(time)),
        None => Err(MalformedClock(format!("{}{}", &opening[1..], value))),
    }
}

/// Reads `h:mm:ss`, `mm:ss` or `ss`, the seconds with an optional decimal fraction.
pub(super) fn parse_clock(text: &str) -> Option<Duration> {
    let (whole, fraction) = text.split_once('.').unwrap_or((text, ""));
    let mut parts = whole.rsplit(':');
    let seconds = parse_digits(parts.next()?)?;
    let minutes = parts.next().map_or(Some(0), parse_digits)?;
    let hours = parts.next().map_or(Some(0), parse_digits)?;
    if parts.next().is_some() || hours > CLOCK_HOURS_MAX {
        return None;
    }
    let total_s = hours.checked_mul(3600)?.checked_add(minutes.checked_mul(60)?)?.checked_add(seconds)?;
    if total_s > (CLOCK_HOURS_MAX + 1) * 3600 {
        return None;
    }
    Some(Duration::new(total_s, parse_nanos(fraction)?))
}

fn parse_digits(text: &str) -> Option<u64> {
    let all_digits = !text.is_empty() && text.bytes().all(|byte| byte.is_ascii_digit());
    if all_digits { text.parse().ok() } else { None }
}

fn parse_nanos(fraction: &str) -> Option<u32> {
    if fraction.is_empty() {
        return Some(0);
    }
    let digits = fraction.get(..fraction.len().min(9))?;
    parse_digits(fraction.get(digits.len()..).filter(|rest| !rest.is_empty()).unwrap_or("0"))?;
    let value = u32::try_from(parse_digits(digits)?).ok()?;
    Some(value * 10_u32.pow(9 - u32::try_from(digits.len()).ok()?))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn clocks_with_and_without_hours_and_fractions_are_read() {
        assert_eq!(parse_clock("0:09:53.1"), Some(Duration::from_millis(593_100)));
        assert_eq!(parse_clock("1:30:58"), Some(Duration::from_secs(5458)));
        assert_eq!(parse_clock("2:05"), Some(Duration::from_secs(125)));
        assert_eq!(parse_clock("7.25"), Some(Duration::from_millis(7250)));
    }

    #[test]
    fn what_is_no_time_is_refused() {
        for text in
            ["", ":", "a", "1:2:3:4", "-1", "1:-2:00", "+5", "1.x", "99999999999999999999", "2000:00:00"]
        {
            assert_eq!(parse_clock(text), None, "{text:?}");
        }
    }

    #[test]
    fn a_comment_may_hold_words_beside_its_clock() {
        let found = ClockComment::find("a quiet\nmove [%clk 0:01:00] [%emt 0:00:02.5] [%vt 7.25] so [%vt");
        let expected = ClockComment {
            clock: Some(Duration::from_secs(60)),
            elapsed: Some(Duration::from_millis(2500)),
            video_time: Some(Duration::from_millis(7250)),
            words: Some("a quiet move so".into()),
        };
        assert_eq!(found, Ok(expected));
        assert_eq!(ClockComment::find("[%eval 0.3]"), Ok(ClockComment::default()));
    }

    #[test]
    fn a_clock_without_a_time_is_an_error_that_shows_it() {
        assert_eq!(ClockComment::find("[%clk soon]"), Err(MalformedClock("%clk soon".into())));
    }
}

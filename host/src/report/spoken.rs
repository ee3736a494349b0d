//! Numbers as people write them.

use std::time::Duration;

use plyscope_core::media_time::MediaTime;

/// `62 %`.
pub(super) fn percent(p: f64) -> String {
    format!("{:.0} %", p * 100.0)
}

/// A moment of the video: `1:02.5`, `1:00:02.5`.
pub(super) fn moment(time: MediaTime) -> String {
    let tenths = (time.us().max(0) + 50_000) / 100_000;
    let (hours, minutes, seconds, tenth) =
        (tenths / 36_000, tenths / 600 % 60, tenths / 10 % 60, tenths % 10);
    match hours {
        0 => format!("{minutes}:{seconds:02}.{tenth}"),
        _ => format!("{hours}:{minutes:02}:{seconds:02}.{tenth}"),
    }
}

/// A stretch of time, short: `0.4 s`, `12 s`, `3:05`, `1:02:03`.
pub(super) fn seconds_short(time: Duration) -> String {
    let tenths = (time.as_millis() + 50) / 100;
    if tenths < 100 {
        return format!("{}.{} s", tenths / 10, tenths % 10);
    }
    let whole = (time.as_millis() + 500) / 1000;
    match (whole / 3600, whole / 60 % 60, whole % 60) {
        (0, 0, seconds) => format!("{seconds} s"),
        (0, minutes, seconds) => format!("{minutes}:{seconds:02}"),
        (hours, minutes, seconds) => format!("{hours}:{minutes:02}:{seconds:02}"),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn times_are_written_as_people_write_them() {
        assert_eq!(moment(MediaTime::from_ms(62_460)), "1:02.5");
        assert_eq!(moment(MediaTime::from_ms(3_602_000)), "1:00:02.0");
        let short = |ms| seconds_short(Duration::from_millis(ms));
        assert_eq!(
            [short(360), short(9_940), short(9_960), short(59_400)],
            ["0.4 s", "9.9 s", "10 s", "59 s"]
        );
        assert_eq!([short(59_600), short(3_723_000)], ["1:00", "1:02:03"]);
    }
}

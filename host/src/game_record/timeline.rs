//! When each ply of a game appears in a video that shows the game at its own pace.

use std::time::Duration;

use plyscope_core::media_time::MediaTime;
use shakmaty::{ByColor, Color};

use super::{GameRecord, Period};

/// The start position stands alone for this long; then the first ply appears.
pub const FIRST_PLY_AT: MediaTime = MediaTime::from_ms(2000);

/// A reply is never shown sooner than this.
const THINK_MIN: Duration = Duration::from_millis(100);

/// The think where no clock tells it.
const THINK_UNKNOWN: Duration = Duration::from_secs(1);

/// Times in a video are multiples of this.
const TIME_STEP_US: i64 = 100_000;

impl GameRecord {
    /// The moment of each ply in a video of the game, in whole tenths of a second.
    ///
    /// The first ply appears at [`FIRST_PLY_AT`], every later one when its side has thought: the side's previous
    /// clock, less the clock after the ply, plus the increment. A side's first think counts from the `TimeControl`
    /// tag, and is 1.0 s where the clock still shows all of that. Without clocks `[%emt]` is the think, without
    /// both it is 1.0 s. A think is never below 0.1 s. The clock that jumps up when a period's moves are made
    /// shows the next period's time.
    pub fn timeline(&self) -> Vec<MediaTime> {
        let time_control = self.time_control();
        let mut clocks: ByColor<SideClock<'_>> =
            ByColor::new_with(|_| SideClock::new(time_control.periods()));
        let mut shown_at = FIRST_PLY_AT;
        let mut times = Vec::with_capacity(self.plies.len());
        for ply in &self.plies {
            let by_clock = clocks.get_mut(ply.color()).think(ply.clock);
            if !times.is_empty() {
                let think = by_clock.or(ply.elapsed).unwrap_or(THINK_UNKNOWN);
                shown_at = round_to_step(later(shown_at, think.max(THINK_MIN)));
            }
            times.push(shown_at);
        }
        times
    }

    /// The side that moves first.
    pub fn first_color(&self) -> Color {
        shakmaty::Position::turn(&self.start)
    }
}

/// One side's clock as its comments tell it.
struct SideClock<'a> {
    periods: &'a [Period],
    moves_in_period: u32,
    /// What the clock showed when the side's think began, where it is known.
    before: Option<Duration>,
    has_moved: bool,
}

impl SideClock<'_> {
    fn new(periods: &[Period]) -> SideClock<'_> {
        SideClock { periods, moves_in_period: 0, before: periods.first().map(|p| p.base), has_moved: false }
    }

    /// The think that ends with `after` on the clock, `None` where the clocks do not tell it.
    fn think(&mut self, after: Option<Duration>) -> Option<Duration> {
        let full_at_first = !self.has_moved && after.is_some() && after == self.before;
        let increment = self.periods.first().map_or(Duration::ZERO, |period| period.increment);
        let available = self.before.map(|before| before + increment).zip(after).map(|(had, after)| {
            if had < after { had + self.next_period_base().unwrap_or(Duration::ZERO) } else { had }
        });
        let think = available.zip(after).map(|(had, after)| had.saturating_sub(after));
        self.before = after;
        self.has_moved = true;
        self.count_move();
        if full_at_first { Some(THINK_UNKNOWN) } else { think }
    }

    /// The time that this move brings by being the last of its period.
    fn next_period_base(&self) -> Option<Duration> {
        let completes = self.periods.first()?.moves?.get() == self.moves_in_period + 1;
        if completes { self.periods.get(1).map(|next| next.base) } else { None }
    }

    fn count_move(&mut self) {
        self.moves_in_period = self.moves_in_period.saturating_add(1);
        let period_is_over = self
            .periods
            .first()
            .and_then(|period| period.moves)
            .is_some_and(|moves| moves.get() <= self.moves_in_period);
        if period_is_over && self.periods.len() > 1 {
            self.periods = &self.periods[1..];
            self.moves_in_period = 0;
        }
    }
}

fn later(moment: MediaTime, wait: Duration) -> MediaTime {
    let wait_us = i64::try_from(wait.as_micros()).unwrap_or(i64::MAX);
    MediaTime::from_us(moment.us().saturating_add(wait_us))
}

fn round_to_step(moment: MediaTime) -> MediaTime {
    let steps = moment.us().saturating_add(TIME_STEP_US / 2) / TIME_STEP_US;
    MediaTime::from_us(steps * TIME_STEP_US)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn times_s(pgn: &str) -> Vec<f64> {
        let record = GameRecord::read(pgn.as_bytes()).expect("the game is legal");
        record.timeline().iter().map(|time| time.seconds()).collect()
    }

    #[test]
    fn thinks_follow_the_clocks_and_the_increment() {
        let pgn = "[TimeControl \"180+2\"]\n\n1. e4 {[%clk 0:03:00]} e5 {[%clk 0:02:57.5]} \
                   2. Nf3 {[%clk 0:02:58.8]} Nc6 {[%clk 0:02:59.5]} *\n";
        assert_eq!(times_s(pgn), [2.0, 6.5, 9.7, 9.8]);
    }

    #[test]
    fn a_full_clock_at_the_first_move_counts_one_second() {
        let pgn = "[TimeControl \"60\"]\n\n1. e4 {[%clk 0:01:00]} e5 {[%clk 0:01:00]} *\n";
        assert_eq!(times_s(pgn), [2.0, 3.0]);
    }

    #[test]
    fn without_any_clock_a_ply_takes_one_second() {
        assert_eq!(times_s("1. e4 e5 2. Nf3 *\n"), [2.0, 3.0, 4.0]);
    }

    #[test]
    fn elapsed_times_stand_in_for_clocks() {
        assert_eq!(
            times_s("1. e4 {[%emt 0:00:09]} e5 {[%emt 0:00:00.04]} 2. d4 {[%emt 0:00:01.5]} *\n"),
            [2.0, 2.1, 3.6]
        );
    }

    #[test]
    fn the_next_periods_time_is_no_negative_think() {
        let pgn = "[TimeControl \"2/60:600\"]\n\n1. e4 {[%clk 0:00:50]} e5 {[%clk 0:00:50]} \
                   2. d4 {[%clk 0:10:40]} d5 {[%clk 0:00:30]} 3. c4 {[%clk 0:10:35]} *\n";
        assert_eq!(times_s(pgn), [2.0, 12.0, 22.0, 42.0, 47.0]);
    }
}

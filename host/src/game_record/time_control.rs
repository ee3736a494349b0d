//! The PGN `TimeControl` tag: `600`, `180+2`, `40/5400+30:1800+30`, `-`, `?`.

use std::num::NonZeroU32;
use std::str::FromStr;
use std::time::Duration;

use super::clock_comment::parse_clock;

/// One stretch of a time control.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Period {
    /// After this many moves of a side the next period begins; `None`: lasts to the end of the game.
    pub moves: Option<NonZeroU32>,
    /// The time that a side gets at the start of the period.
    pub base: Duration,
    /// The time that is added with every move of the period.
    pub increment: Duration,
}

/// How much time the players have.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum TimeControl {
    /// `?` or nothing: nobody knows.
    Unknown,
    /// `-`: played without a clock.
    Unlimited,
    /// One or more periods in order.
    Periods(Vec<Period>),
}

/// A `TimeControl` tag that follows no known form.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("\"{0}\" is no time control such as 600, 180+2 or 40/5400+30:1800+30")]
pub struct TimeControlError(pub String);

impl TimeControl {
    /// The periods in order; none where there is no clock or it is unknown.
    pub fn periods(&self) -> &[Period] {
        match self {
            TimeControl::Periods(periods) => periods,
            TimeControl::Unknown | TimeControl::Unlimited => &[],
        }
    }
}

/// One side's clock as it runs down.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct RunningClock<'a> {
    periods: &'a [Period],
    moves_in_period: u32,
    left: Duration,
    has_moved: bool,
}

impl<'a> RunningClock<'a> {
    /// A full clock; `None` where the time control knows no clock.
    pub fn start(time_control: &'a TimeControl) -> Option<RunningClock<'a>> {
        let periods = time_control.periods();
        let left = periods.first()?.base;
        Some(RunningClock { periods, moves_in_period: 0, left, has_moved: false })
    }

    /// Takes a move that was thought about for so long, and returns what the clock shows after it. A clock does not
    /// show less than nothing.
    pub fn press(&mut self, think: Duration) -> Duration {
        self.left = self.left.saturating_sub(think);
        self.add_for_move()
    }

    /// Takes a side's first move, which is made before its clock runs: it costs and brings nothing. Later the same as no
    /// time.
    pub fn press_first(&mut self) -> Duration {
        if self.has_moved { self.press(Duration::ZERO) } else { self.count_move() }
    }

    fn add_for_move(&mut self) -> Duration {
        if let Some(period) = self.periods.first() {
            self.left += period.increment;
        }
        self.count_move()
    }

    fn count_move(&mut self) -> Duration {
        self.has_moved = true;
        self.moves_in_period = self.moves_in_period.saturating_add(1);
        if let [period, next, ..] = self.periods
            && period.moves.is_some_and(|moves| moves.get() <= self.moves_in_period)
        {
            self.left += next.base;
            self.periods = &self.periods[1..];
            self.moves_in_period = 0;
        }
        self.left
    }
}

impl FromStr for TimeControl {
    type Err = TimeControlError;

    fn from_str(text: &str) -> Result<TimeControl, TimeControlError> {
        match text.trim() {
            "" | "?" => Ok(TimeControl::Unknown),
            "-" => Ok(TimeControl::Unlimited),
            periods => periods
                .split(':')
                .map(parse_period)
                .collect::<Option<Vec<Period>>>()
                .map(TimeControl::Periods)
                .ok_or_else(|| TimeControlError(text.to_owned())),
        }
    }
}

fn parse_period(text: &str) -> Option<Period> {
    let (moves, time) = match text.split_once('/') {
        Some((moves, time)) => (Some(moves.parse::<NonZeroU32>().ok()?), time),
        None => (None, text),
    };
    let (base, increment) = time.split_once('+').unwrap_or((time, "0"));
    Some(Period { moves, base: parse_clock(base)?, increment: parse_clock(increment)? })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn period(moves: u32, base_s: u64, increment_s: u64) -> Period {
        Period {
            moves: NonZeroU32::new(moves),
            base: Duration::from_secs(base_s),
            increment: Duration::from_secs(increment_s),
        }
    }

    #[test]
    fn sudden_death_increments_and_periods_are_read() {
        assert_eq!("600".parse(), Ok(TimeControl::Periods(vec![period(0, 600, 0)])));
        assert_eq!("180+2".parse(), Ok(TimeControl::Periods(vec![period(0, 180, 2)])));
        let two = TimeControl::Periods(vec![period(40, 5400, 30), period(0, 1800, 30)]);
        assert_eq!("40/5400+30:1800+30".parse(), Ok(two));
    }

    #[test]
    fn a_game_without_a_clock_differs_from_an_unknown_one() {
        assert_eq!("-".parse(), Ok(TimeControl::Unlimited));
        assert_eq!("?".parse(), Ok(TimeControl::Unknown));
    }

    #[test]
    fn a_running_clock_gains_increments_and_the_next_period() {
        let control: TimeControl = "2/60+1:30".parse().expect("a time control");
        let mut clock = RunningClock::start(&control).expect("it has a clock");
        let seconds = Duration::from_secs;
        assert_eq!(clock.press_first(), seconds(60));
        assert_eq!(clock.press(seconds(10)), seconds(60 - 10 + 1 + 30));
        assert_eq!(clock.press(seconds(5)), seconds(76), "the second period has no increment");
        assert_eq!(clock.press(seconds(100)), Duration::ZERO);
        assert!(RunningClock::start(&TimeControl::Unlimited).is_none());
    }

    #[test]
    fn nonsense_is_refused_with_its_text() {
        for text in ["blitz", "40/", "0/300", "300+", ":", "5+x"] {
            assert_eq!(text.parse::<TimeControl>(), Err(TimeControlError(text.into())), "{text:?}");
        }
    }
}

//! How long a move may take.

use std::time::{Duration, Instant};

use shakmaty::Color;

use super::command::Go;

/// Moves that the time left is thought to serve where nobody says.
const MOVES_TO_GO: u32 = 30;

/// The times at which a search ends by itself.
#[derive(Debug, Clone, Copy)]
pub(super) struct Clock {
    pub(super) started: Instant,
    /// No new iteration begins after this.
    soft: Option<Duration>,
    /// The search is broken off here.
    hard: Option<Duration>,
}

impl Clock {
    pub(super) fn start(go: &Go, turn: Color, overhead: Duration) -> Clock {
        let mut clock = Clock { started: Instant::now(), soft: None, hard: None };
        if go.infinite {
            return clock;
        }
        let side = turn.fold_wb(0, 1);
        if let Some(left) = go.time[side] {
            let usable = left.saturating_sub(overhead).max(Duration::from_millis(1));
            let moves = go.moves_to_go.unwrap_or(MOVES_TO_GO).min(50);
            let share = usable / moves + go.increment[side] * 3 / 4;
            // A few iterations that end late must not eat up the game.
            clock.soft = Some((share * 2 / 3).min(usable / 2));
            clock.hard = Some((share * 5 / 2).min(usable * 3 / 5).max(usable.min(share) / 2));
        }
        if let Some(time) = go.move_time {
            clock.hard = Some(time.saturating_sub(overhead / 2).max(Duration::from_millis(1)));
        }
        clock
    }

    pub(super) fn elapsed(&self) -> Duration {
        self.started.elapsed()
    }

    pub(super) fn is_over(&self) -> bool {
        self.hard.is_some_and(|hard| self.elapsed() >= hard)
    }

    pub(super) fn leaves_no_iteration(&self) -> bool {
        self.is_over() || self.soft.is_some_and(|soft| self.elapsed() >= soft)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn no_move_takes_more_than_the_clock_holds() {
        for left_ms in [1, 20, 100, 1000, 60_000] {
            for increment_ms in [0, 100, 5000] {
                for moves_to_go in [None, Some(1), Some(40)] {
                    let left = Duration::from_millis(left_ms);
                    let go = Go {
                        time: [Some(left), None],
                        increment: [Duration::from_millis(increment_ms), Duration::ZERO],
                        moves_to_go,
                        ..Go::default()
                    };
                    let clock = Clock::start(&go, Color::White, Duration::from_millis(10));
                    assert!(clock.hard.is_some_and(|hard| hard <= left), "{left_ms} {increment_ms}");
                    assert!(clock.soft <= clock.hard);
                }
            }
        }
    }

    #[test]
    fn without_a_time_nothing_ends_by_the_clock() {
        let clock = Clock::start(&Go::default(), Color::Black, Duration::ZERO);
        assert!(!clock.is_over() && !clock.leaves_no_iteration());
    }
}

//! The margins and rules by which the search leaves out or shortens what is unlikely to matter. All values are
//! centipawns; `docs/search.md` tells what each was measured to be worth.

/// Depths and move numbers with a logarithm of their own; beyond, the last is used.
const LOG_ENTRIES: usize = 64;
/// Natural logarithms of 0 (taken as 0) to 63, in 1/1024.
const LOG: [i32; LOG_ENTRIES] = logarithms();
/// Reductions are counted in 1/1024 ply.
pub(crate) const PLY: i32 = 1024;

/// ln(n + 1) = ln(n) + 2 artanh(1 / (2n + 1)), two terms of the series, summed in 1/2^20.
const fn logarithms() -> [i32; LOG_ENTRIES] {
    let mut table = [0; LOG_ENTRIES];
    let mut sum: i64 = 0;
    let mut n = 1;
    while n + 1 < LOG_ENTRIES {
        let odd = 2 * n as i64 + 1;
        sum += (2 << 20) / odd
            + (2 << 20) / (3 * odd * odd * odd)
            + (2 << 20) / (5 * odd * odd * odd * odd * odd);
        table[n + 1] = (sum >> 10) as i32;
        n += 1;
    }
    table
}

fn log(n: i32) -> i32 {
    LOG[n.clamp(0, LOG_ENTRIES as i32 - 1) as usize]
}

/// What is known of a node when a pruning rule is asked.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Outlook {
    pub(crate) depth: i32,
    /// The best estimate of the value before searching.
    pub(crate) estimate_cp: i32,
    /// The side to move stands better than at its turn before.
    pub(crate) improving: bool,
}

impl Outlook {
    /// So far below alpha that only captures could help: ask the quiescence search at once.
    pub(crate) fn can_razor(&self, alpha: i32) -> bool {
        self.depth <= 4 && self.estimate_cp + 186 + 120 * self.depth * self.depth < alpha
    }

    /// So far above beta that a few plies won't change it (reverse futility).
    pub(crate) fn can_prune_by_standing_above(&self, beta: i32) -> bool {
        self.depth <= 8 && self.estimate_cp - 63 * self.depth + 25 * i32::from(self.improving) >= beta
    }

    /// Even passing would keep the value above beta; worth a try by a null move.
    pub(crate) fn can_try_null_move(&self, beta: i32) -> bool {
        self.depth >= 3 && self.estimate_cp >= beta
    }

    /// Even the most that a capture wins would leave the value below alpha.
    pub(crate) fn capture_cannot_help(&self, depth: i32, gain_cp: i32, history: i32, alpha: i32) -> bool {
        depth <= 6 && self.estimate_cp + 79 + 58 * depth + gain_cp + history / 64 <= alpha
    }

    /// By how many plies the search after a null move is shortened.
    pub(crate) fn null_move_reduction(&self, beta: i32) -> i32 {
        let by_margin = ((self.estimate_cp - beta) * PLY / 49).min(4 * PLY);
        (4424 + 305 * self.depth + by_margin) / PLY
    }

    /// After so many moves the remaining quiet ones are left out (late move pruning).
    pub(crate) fn enough_moves(&self) -> i32 {
        (425 + 110 * self.depth * self.depth) / (100 * (2 - i32::from(self.improving)))
    }
}

/// A beta far above beta, for a shallow search that proves a cutoff (ProbCut).
pub(crate) fn probcut_beta(beta: i32, improving: bool) -> i32 {
    beta + 74 - 20 * i32::from(improving)
}

/// A quiet move this far below alpha, `depth` plies before the horizon, can't come back (futility).
pub(crate) fn futility_margin(depth: i32) -> i32 {
    58 + 44 * depth
}

/// The plain reduction of the `count`th move, in 1/1024 ply (late move reductions).
pub(crate) fn late_move_reduction(depth: i32, count: i32) -> i32 {
    (log(depth) * log(count)) / 2052 + 1305
}

/// The same for captures and promotions that lose nothing.
pub(crate) fn late_noisy_reduction(depth: i32, count: i32) -> i32 {
    (log(depth) * log(count)) / 2782 - 241
}

/// The remembered move is the only good one where all others stay below this (singular extensions).
pub(crate) fn singular_bar(value: i32, depth: i32, uncertain: bool) -> i32 {
    value - depth * (20 + 23 * i32::from(uncertain)) / 16
}

/// By how many plies a move that is better than all others by more than the bar is searched deeper.
pub(crate) fn singular_extension(below_bar_cp: i32, may_double: bool) -> i32 {
    1 + i32::from(may_double && below_bar_cp > 9) + i32::from(may_double && below_bar_cp > 60)
}

/// What a good (or bad) move is worth to the histories.
pub(crate) fn history_bonus(depth: i32) -> i32 {
    (196 * depth - 51).min(1638)
}

/// What a quiet move is worth to its history that raised the evaluation so much for the side that made it.
pub(crate) fn evaluation_bonus(gain_cp: i32) -> i32 {
    (9 * gain_cp).clamp(-1247, 1247)
}

/// A capture in quiescence that brings the value not within this of alpha isn't tried (delta pruning).
pub(crate) const DELTA_MARGIN_CP: i32 = 98;
/// Both evaluations around a reduced move call it good where their sum is above this: a ply less (hindsight).
pub(crate) const HINDSIGHT_GAIN_CP: i32 = 44;
/// From this sum down a move that was reduced by three plies or more gets one back.
pub(crate) const HINDSIGHT_LOSS_CP: i32 = -6;
/// A quiet move whose history is below this, times the depth, is left out (history pruning).
pub(crate) const HISTORY_PRUNING: i32 = -1910;
/// History that counts as one centipawn of futility.
pub(crate) const HISTORY_A_CENTIPAWN: i32 = 106;
/// What a quiet move may lose in the exchange, times the square of the depth after reductions.
pub(crate) const QUIET_MAY_LOSE_CP: i32 = 15;
/// What a capture, or a quiet check, may lose in the exchange, times the depth.
pub(crate) const NOISY_MAY_LOSE_CP: i32 = 94;
/// A reduced search that beats alpha by this, and 3 centipawns for each ply of the reduction, is repeated a ply deeper.
pub(crate) const DEEPER_FROM_CP: i32 = 13;

/// What changes a late move's reduction, in 1/1024 ply.
pub(crate) mod reduction {
    /// The position was once on a principal variation: less.
    pub(crate) const ON_PV: i32 = 883;
    /// It is on one now: less.
    pub(crate) const PV: i32 = 378;
    /// It is expected to fail high: more.
    pub(crate) const CUT: i32 = 1602;
    /// The side to move stands no better than at its turn before: more.
    pub(crate) const NOT_IMPROVING: i32 = 550;
    /// The remembered move takes: more.
    pub(crate) const REMEMBERED_TAKES: i32 = 538;
    /// Sister positions of what follows failed high more than three times: more.
    pub(crate) const MANY_CUTOFFS: i32 = 633;
    /// The move gives check: less.
    pub(crate) const CHECK: i32 = 454;
    /// History that counts as one ply less.
    pub(crate) const HISTORY_A_PLY: i32 = 7766;
}

/// What is paid to the histories in 128ths of a bonus.
pub(crate) mod share {
    /// To quiet moves that were tried before the good one, negatively.
    pub(crate) const TRIED_QUIETS: i32 = 143;
    /// To captures that were tried before the good one, negatively.
    pub(crate) const TRIED_CAPTURES: i32 = 119;
    /// To the remembered move where the table cuts.
    pub(crate) const TABLE_CUTOFF: i32 = 121;
    /// To the move that led to where nothing reached alpha.
    pub(crate) const LED_TO_FAIL_LOW: i32 = 153;
    /// All of it.
    pub(crate) const WHOLE: i32 = 128;
}

/// How deep the moves are searched after one that raised alpha on the principal variation: another is less likely there.
pub(crate) fn reduced_after_raise(depth: i32) -> i32 {
    if (3..14).contains(&depth) { depth - 1 } else { depth }
}

/// The depth at which an aspiration window that failed high `times` is searched again.
pub(crate) fn depth_after_fails_high(depth: i32, times: i32) -> i32 {
    (depth - 25 * times / 16).max(1)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_logarithms_are_right_to_a_thousandth() {
        for (n, &entry) in LOG.iter().enumerate().skip(1) {
            let exact = libm::log(n as f64) * 1024.0;
            assert!((f64::from(entry) - exact).abs() <= 2.0, "ln({n}): {entry} against {exact}");
        }
    }
}

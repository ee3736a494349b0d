//! Moves in the order in which they should be tried, each made no earlier than needed.

use shakmaty::{Chess, Color, Move, Position, Role};

use super::{
    exchange::{exchange_value_cp, exchange_wins},
    history::{Before, History, QuietMove},
    move_generation::{Attacks, CheckingSquares, Constraints, Portion, generate},
    packed_move::{PackedMove, ScoredMove},
    steps::{Step, Steps},
};

/// A killer move comes before every other quiet move.
const KILLER_RANK: i32 = 30_000;
/// What a quiet check is ranked higher by, and the most that it may lose in the exchange for that.
const CHECK_RANK: i32 = 5837;
const CHECK_MAY_COST_CP: i32 = 75;
/// What a quiet move is ranked higher (lower) by that brings a piece out of (into) reach of a lesser one; by role, the pawn
/// first.
const THREAT_RANK: [i32; 6] = [0, 4641, 4641, 6961, 9282, 0];

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Stage {
    Remembered,
    MakeNoisy,
    WinningNoisy,
    MakeQuiet,
    Quiet,
    LosingNoisy,
    Done,
}

/// Where a move came from, which says how much it may be trusted.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Origin {
    /// The transposition table.
    Remembered,
    /// A capture or promotion that loses nothing in the exchange.
    WinningNoisy,
    /// Neither capture nor promotion.
    Quiet,
    /// A capture or promotion that loses material.
    LosingNoisy,
}

/// What the order of moves depends on besides the position.
pub(crate) struct Hints<'h, 'm> {
    pub(crate) history: &'h History<'m>,
    pub(crate) before: Before,
    pub(crate) killer: Option<PackedMove>,
    /// What the other side attacks.
    pub(crate) attacked: &'h Attacks,
    pub(crate) steps: Steps,
}

/// Picks the moves of one position out of a stretch of the shared arena, `start..end`; what it does not pass on to the
/// caller's deeper plies is theirs.
pub(crate) struct MovePicker {
    stage: Stage,
    remembered: Option<PackedMove>,
    constraints: Constraints,
    /// Noisy moves must win at least this in the exchange to come early.
    threshold_cp: i32,
    quiets_wanted: bool,
    start: usize,
    cursor: usize,
    end: usize,
    losing_end: usize,
}

impl MovePicker {
    /// Every legal move. `remembered` must be legal here.
    pub(crate) fn all(constraints: Constraints, remembered: Option<PackedMove>, start: usize) -> MovePicker {
        MovePicker {
            stage: Stage::Remembered,
            remembered,
            constraints,
            threshold_cp: 0,
            quiets_wanted: true,
            start,
            cursor: start,
            end: start,
            losing_end: start,
        }
    }

    /// Captures and promotions only, those that lose less than `threshold_cp` wants coming last.
    pub(crate) fn noisy(
        constraints: Constraints,
        remembered: Option<PackedMove>,
        threshold_cp: i32,
        start: usize,
    ) -> MovePicker {
        let picker = MovePicker::all(constraints, remembered, start);
        MovePicker { threshold_cp, quiets_wanted: false, ..picker }
    }

    /// The first cell of the arena that this picker does not use.
    pub(crate) fn arena_end(&self) -> usize {
        self.end
    }

    /// From here on no quiet move is wanted any more.
    pub(crate) fn skip_quiets(&mut self) {
        self.quiets_wanted = false;
        if self.stage == Stage::Quiet {
            self.begin_losing();
        }
    }

    fn begin_losing(&mut self) {
        self.stage = Stage::LosingNoisy;
        self.cursor = self.start;
        self.end = self.losing_end;
    }

    /// The next move, or `None` after the last.
    pub(crate) fn next(
        &mut self,
        position: &Chess,
        arena: &mut [ScoredMove],
        hints: &Hints<'_, '_>,
    ) -> Option<(PackedMove, Move, Origin)> {
        let turn = position.turn();
        loop {
            match self.stage {
                Stage::Remembered => {
                    self.stage = Stage::MakeNoisy;
                    if let Some(packed) = self.remembered
                        && let Some(m) = packed.unpack(position)
                    {
                        return Some((packed, m, Origin::Remembered));
                    }
                }
                Stage::MakeNoisy => {
                    self.make(position, arena, Portion::Noisy, |_, m| noisy_rank(turn, m, hints.history));
                    self.stage = Stage::WinningNoisy;
                }
                Stage::WinningNoisy => {
                    if let Some(packed) = self.take_best(arena) {
                        let m = packed.unpack(position)?;
                        if exchange_wins(position, m, self.threshold_cp) {
                            return Some((packed, m, Origin::WinningNoisy));
                        }
                        if let Some(cell) = arena.get_mut(self.losing_end) {
                            *cell = ScoredMove { packed: Some(packed), rank: 0 };
                            self.losing_end += 1;
                        }
                    } else {
                        self.stage = Stage::MakeQuiet;
                    }
                }
                Stage::MakeQuiet => {
                    if self.quiets_wanted {
                        let checking = CheckingSquares::of(position);
                        self.make(position, arena, Portion::Quiet, |packed, m| {
                            quiet_rank(position, packed, m, &checking, hints)
                        });
                        self.stage = Stage::Quiet;
                    } else {
                        self.begin_losing();
                    }
                }
                Stage::Quiet => {
                    if let Some(packed) = self.take_best(arena) {
                        return Some((packed, packed.unpack(position)?, Origin::Quiet));
                    }
                    self.begin_losing();
                }
                Stage::LosingNoisy => {
                    if self.cursor < self.end {
                        let packed = arena.get(self.cursor).and_then(|cell| cell.packed);
                        self.cursor += 1;
                        let packed = packed?;
                        return Some((packed, packed.unpack(position)?, Origin::LosingNoisy));
                    }
                    self.stage = Stage::Done;
                }
                Stage::Done => return None,
            }
        }
    }

    /// Makes a portion's moves behind those set aside as losing, without the remembered one.
    fn make(
        &mut self,
        position: &Chess,
        arena: &mut [ScoredMove],
        portion: Portion,
        rank: impl Fn(PackedMove, Move) -> i32,
    ) {
        self.cursor = self.losing_end;
        let mut end = self.cursor;
        generate(position, &self.constraints, portion, &mut |m| {
            if let Some(packed) = PackedMove::pack(m)
                && Some(packed) != self.remembered
                && let Some(cell) = arena.get_mut(end)
            {
                let rank = rank(packed, m).clamp(i32::from(i16::MIN), i32::from(i16::MAX)) as i16;
                *cell = ScoredMove { packed: Some(packed), rank };
                end += 1;
            }
        });
        self.end = end;
    }

    /// Takes the highest of the moves left; of equals, the one made first.
    fn take_best(&mut self, arena: &mut [ScoredMove]) -> Option<PackedMove> {
        let left = arena.get_mut(self.cursor..self.end)?;
        // The largest of rank and place (counted from behind) in one number: a loop without branches.
        let key =
            |(i, cell): (u32, &ScoredMove)| (cell.rank as u16 ^ 0x8000) as u32 * 0x1_0000 + (0xffff - i);
        let best = 0xffff - ((0..).zip(left.iter()).map(key).fold(0, u32::max) as usize & 0xffff);
        let packed = left.get(best)?.packed;
        left.swap(0, best);
        self.cursor += 1;
        packed
    }
}

/// The most valuable victim first, among equals what did well before; a promotion counts as taking what it wins.
fn noisy_rank(turn: Color, m: Move, history: &History<'_>) -> i32 {
    let victim = m.capture().map_or(0, exchange_value_cp);
    let promotion = match m.promotion() {
        Some(Role::Queen) => exchange_value_cp(Role::Queen),
        Some(_) => -exchange_value_cp(Role::Queen),
        None => 0,
    };
    8 * (victim + promotion) + history.capture_score(turn, m) / 2
}

/// What did well before comes first; above all the killer, then what gives check for little, or saves a piece from a lesser
/// one. What puts a piece where a lesser one takes it comes late.
fn quiet_rank(
    position: &Chess,
    packed: PackedMove,
    m: Move,
    checking: &CheckingSquares,
    hints: &Hints<'_, '_>,
) -> i32 {
    if Some(packed) == hints.killer {
        return KILLER_RANK;
    }
    let (turn, role) = (position.turn(), m.role());
    let quiet = QuietMove::new(turn, m, packed, hints.attacked);
    let mut rank = hints.history.quiet_score(quiet, hints.before);
    if hints.steps.has(Step::CheckOrder)
        && checking.has(role, m.to())
        && exchange_wins(position, m, -CHECK_MAY_COST_CP)
    {
        rank += CHECK_RANK;
    }
    if hints.steps.has(Step::ThreatOrder) {
        let threatened = hints.attacked.by_lesser_than(role);
        let at_stake = THREAT_RANK[role as usize - 1];
        rank += at_stake * i32::from(threatened.contains(packed.from()));
        rank -= at_stake * i32::from(threatened.contains(packed.to()));
    }
    rank
}

#[cfg(test)]
mod tests {
    extern crate std;

    use super::{super::history::PieceTo, *};
    use shakmaty::{CastlingMode, fen::Fen};
    use std::{collections::HashSet, vec, vec::Vec};

    #[test]
    fn every_legal_move_comes_exactly_once() {
        for fen in [
            "r3k2r/p1ppqpb1/bn2pnp1/3PN3/1p2P3/2N2Q1p/PPPBBPPP/R3K2R w KQkq - 0 1",
            "r3k2r/Pppp1ppp/1b3nbN/nP6/BBP1P3/q4N2/Pp1P2PP/R2Q1RK1 w kq - 0 1",
            "8/2p5/3p4/KP5r/1R3p1k/8/4P1P1/8 w - - 0 1",
        ] {
            let position: Chess = fen.parse::<Fen>().unwrap().into_position(CastlingMode::Standard).unwrap();
            let history = History::new(&mut [], &mut [], &mut [], &mut []);
            let legal: Vec<_> = position.legal_moves().into_iter().filter_map(PackedMove::pack).collect();
            for remembered in [None, legal.first().copied(), legal.last().copied()] {
                let mut arena = vec![ScoredMove::EMPTY; 256];
                let constraints = Constraints::of(&position).unwrap();
                let mut picker = MovePicker::all(constraints, remembered, 7);
                let before = [PieceTo::NONE; 3];
                let attacked = &Attacks::by(&position, !position.turn());
                let hints = Hints { history: &history, before, killer: None, attacked, steps: Steps::ALL };
                let mut picked = Vec::new();
                while let Some((packed, m, _)) = picker.next(&position, &mut arena, &hints) {
                    assert_eq!(PackedMove::pack(m), Some(packed));
                    picked.push(packed);
                }
                assert_eq!(picked.len(), legal.len());
                assert_eq!(picked.iter().collect::<HashSet<_>>(), legal.iter().collect::<HashSet<_>>());
                if let Some(first) = remembered {
                    assert_eq!(picked[0], first);
                }
            }
        }
    }
}

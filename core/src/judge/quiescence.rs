//! Beyond the horizon: captures and promotions until the position is quiet, every evasion while in check.

use super::{
    evaluation::Evaluator,
    exchange::exchange_value_cp,
    move_generation::Constraints,
    move_picker::{MovePicker, Origin},
    node::{Place, cuts},
    pruning::DELTA_MARGIN_CP,
    score::{DRAW, INFINITE, MATE_THRESHOLD, mated_at},
    search::Worker,
    steps::Step,
    transposition_table::{Bound, Known},
};

impl<E: Evaluator> Worker<'_, '_, E> {
    /// The value of the position at `place` once it is quiet (fail-soft).
    pub(crate) fn quiescence(&mut self, place: Place, mut alpha: i32, beta: i32) -> i32 {
        let Place { ply, kind, arena } = place;

        // Step 1. The end of the budget, and of the game.
        if self.count_node(ply) {
            return DRAW;
        }
        self.memory.frames[ply].line.clear();
        let Some(constraints) = Constraints::of(&self.memory.frames[ply].position) else { return DRAW };
        let in_check = constraints.in_check();
        if let Some(value) = self.value_without_search(place, in_check) {
            return value;
        }

        // Step 2. The transposition table.
        let frame = &self.memory.frames[ply];
        let known = self.table.probe(frame.key, ply);
        let on_pv = kind.is_pv() || known.is_some_and(|k| k.on_pv);
        if let Some(known) = known
            && !kind.is_pv()
            && cuts(&known, alpha, beta)
        {
            return known.value;
        }
        let remembered = known.and_then(|k| k.best).filter(|packed| {
            packed
                .unpack_legal(&frame.position)
                .is_some_and(|m| in_check || m.is_capture() || m.is_promotion())
        });

        // Step 3. Standing pat: nobody is forced to capture.
        let mut best = -INFINITE;
        let mut raw = None;
        let mut hopeless = -INFINITE;
        if !in_check {
            let evaluation = known.and_then(|k| k.evaluation).unwrap_or_else(|| self.raw_evaluation(ply));
            raw = Some(evaluation);
            best = self.corrected(ply, evaluation);
            hopeless = best + DELTA_MARGIN_CP;
            if let Some(k) = known {
                let better =
                    if k.value > best { k.bound.allows_at_least() } else { k.bound.allows_at_most() };
                if better {
                    best = k.value;
                }
            }
            if best >= beta {
                if known.is_none() {
                    let known = Known {
                        best: None,
                        value: best,
                        evaluation: raw,
                        depth: -1,
                        bound: Bound::Lower,
                        on_pv,
                    };
                    self.table.store(self.memory.frames[ply].key, ply, known);
                }
                return best;
            }
            alpha = alpha.max(best);
        }

        // Step 4. The moves.
        let before = self.moves_before(ply);
        let mut picker = if in_check {
            self.note_attacked(ply);
            MovePicker::all(constraints, remembered, arena)
        } else {
            MovePicker::noisy(constraints, remembered, 0, arena)
        };
        let first_alpha = alpha;
        let mut best_move = None;
        let mut count = 0;
        while let Some((packed, m, origin)) = self.next_move(ply, &mut picker, before) {
            count += 1;
            if !in_check {
                // Step 5. What loses material, or can't reach alpha, is left out.
                if origin == Origin::LosingNoisy {
                    break;
                }
                let gain = m.capture().map_or(0, exchange_value_cp);
                let is_hopeless = !m.is_promotion() && hopeless + gain <= alpha;
                if is_hopeless && self.steps.has(Step::DeltaPruning) {
                    best = best.max(hopeless + gain);
                    continue;
                }
            } else if best > -MATE_THRESHOLD {
                // One evasion is known to hold: the other quiet ones are not needed.
                picker.skip_quiets();
                if !m.is_capture() && origin == Origin::Quiet {
                    continue;
                }
            }
            self.make(ply, m);
            let value = -self.quiescence(place.child(kind, &picker), -beta, -alpha);
            if self.stopped {
                return DRAW;
            }
            if value > best {
                best = value;
                if value > alpha {
                    best_move = Some(packed);
                    if kind.is_pv() {
                        self.extend_line(ply, packed);
                    }
                    if value >= beta {
                        break;
                    }
                    alpha = value;
                }
            }
        }

        // Step 6. Mate.
        if in_check && count == 0 {
            return mated_at(ply);
        }

        // Step 7. Remember the result.
        let bound = if best >= beta {
            Bound::Lower
        } else if kind.is_pv() && alpha > first_alpha {
            Bound::Exact
        } else {
            Bound::Upper
        };
        let known = Known { best: best_move, value: best, evaluation: raw, depth: 0, bound, on_pv };
        self.table.store(self.memory.frames[ply].key, ply, known);
        best
    }
}

//! One node of the search, step by step.

use arrayvec::ArrayVec;
use shakmaty::{Move, Position};

use super::{
    evaluation::Evaluator,
    exchange::{exchange_value_cp, exchange_wins},
    history::{Before, PieceTo, QuietMove},
    memory::{MOVES_MIN, SearchMemory},
    move_generation::{Attacks, Constraints, gives_check, has_pieces},
    move_picker::{Hints, MovePicker, Origin},
    packed_move::PackedMove,
    pruning::{
        DEEPER_FROM_CP, HINDSIGHT_GAIN_CP, HINDSIGHT_LOSS_CP, HISTORY_A_CENTIPAWN, HISTORY_PRUNING,
        NOISY_MAY_LOSE_CP, Outlook, PLY, QUIET_MAY_LOSE_CP, evaluation_bonus, futility_margin, history_bonus,
        late_move_reduction, late_noisy_reduction, reduced_after_raise, reduction, share,
    },
    score::{self, DRAW, INFINITE, MATE, MATE_THRESHOLD, is_mate, mated_at},
    search::Worker,
    steps::Step,
    transposition_table::{Bound, Known},
};

/// Tried moves that are remembered to be punished when a better one is found.
const TRIED_MAX: usize = 32;
/// The halfmove clock from which table values no longer cut: the draw by fifty moves is near and not in them.
const HALFMOVES_NEAR_DRAW: u32 = 90;

/// Beyond this many centipawns a game is decided, and only mates are still of interest. Nothing finer than pieces depends on
/// it: win probabilities are 0 or 1 long before.
const DECIDED_CP: i32 = 1200;

/// What is expected of a node in the tree.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Kind {
    Root,
    /// On the principal variation: its value is wanted exactly.
    Pv,
    /// Expected to fail high at one of its first moves.
    Cut,
    /// Expected to fail low at every move.
    All,
}

impl Kind {
    pub(crate) fn is_pv(self) -> bool {
        matches!(self, Kind::Root | Kind::Pv)
    }

    /// What a child searched with a null window is expected to be.
    pub(crate) fn opposite(self) -> Kind {
        if self == Kind::Cut { Kind::All } else { Kind::Cut }
    }
}

/// Where a node stands: its frame, what it is expected to be, and where its moves go in the arena.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Place {
    pub(crate) ply: usize,
    pub(crate) kind: Kind,
    pub(crate) arena: usize,
}

impl Place {
    pub(crate) fn child(self, kind: Kind, picker: &MovePicker) -> Place {
        Place { ply: self.ply + 1, kind, arena: picker.arena_end() }
    }
}

impl<E: Evaluator> Worker<'_, '_, E> {
    pub(crate) fn search_root(&mut self, depth: i32, alpha: i32, beta: i32) -> i32 {
        self.search(Place { ply: 0, kind: Kind::Root, arena: 0 }, depth, alpha, beta)
    }

    /// The value of the position at `place`: exact inside `alpha..beta`, else a bound (fail-soft).
    pub(crate) fn search(&mut self, place: Place, mut depth: i32, mut alpha: i32, mut beta: i32) -> i32 {
        // Step 1. At the horizon only captures go on.
        if depth <= 0 {
            return self.quiescence(place, alpha, beta);
        }
        let Place { ply, kind, arena } = place;
        let (is_root, is_pv) = (kind == Kind::Root, kind.is_pv());

        // Step 2. The end of the budget, and of the game.
        if self.count_node(ply) {
            return DRAW;
        }
        self.memory.frames[ply].line.clear();
        let Some(constraints) = Constraints::of(&self.memory.frames[ply].position) else { return DRAW };
        let in_check = constraints.in_check();
        if !is_root {
            if let Some(value) = self.value_without_search(place, in_check) {
                return value;
            }
            // Step 3. Mate distance: no line from here can beat a mate already found nearer the root.
            alpha = alpha.max(mated_at(ply));
            beta = beta.min(-mated_at(ply + 1));
            if alpha >= beta {
                return alpha;
            }
        }

        // Step 4. The transposition table.
        let frame = &self.memory.frames[ply];
        let excluded = frame.excluded;
        let halfmoves = frame.position.halfmoves();
        let known = if excluded.is_some() { None } else { self.table.probe(frame.key, ply) };
        let remembered =
            known.and_then(|k| k.best).filter(|packed| packed.unpack_legal(&frame.position).is_some());
        if let Some(known) = known
            && !is_pv
            && self.steps.has(Step::TableCutoff)
            && known.depth >= depth
            && halfmoves < HALFMOVES_NEAR_DRAW
            && cuts(&known, alpha, beta)
        {
            if known.value >= beta
                && let Some(packed) = remembered
            {
                self.reward_quiet(ply, packed, history_bonus(depth) * share::TABLE_CUTOFF / share::WHOLE);
            }
            return known.value;
        }
        let on_pv =
            if excluded.is_some() { frame.on_pv } else { is_pv || known.is_some_and(|known| known.on_pv) };
        let reduction_here = frame.reduction;
        self.memory.frames[ply].on_pv = on_pv;

        // Step 5. The static evaluation.
        let (raw, evaluation) = match (in_check, excluded) {
            (true, _) => (None, -INFINITE),
            (false, Some(_)) => (None, self.memory.frames[ply].evaluation.unwrap_or(DRAW)),
            (false, None) => {
                let raw = known.and_then(|k| k.evaluation).unwrap_or_else(|| self.raw_evaluation(ply));
                (Some(raw), self.corrected(ply, raw))
            }
        };
        self.memory.frames[ply].evaluation = (!in_check).then_some(evaluation);
        let estimate_cp = match known {
            Some(k) if k.value > evaluation && k.bound.allows_at_least() => k.value,
            Some(k) if k.value < evaluation && k.bound.allows_at_most() => k.value,
            _ => evaluation,
        };
        let improving = !in_check && self.is_improving(ply, evaluation);
        if !in_check && excluded.is_none() && self.steps.has(Step::EvaluationHistory) {
            self.teach_by_evaluation(ply, evaluation);
        }
        if !in_check && excluded.is_none() && reduction_here > 0 && self.steps.has(Step::Hindsight) {
            // How much the move that led here was shortened by was a guess; the evaluations tell whether it was right.
            let before = ply.checked_sub(1).and_then(|p| self.memory.frames[p].evaluation);
            match before.map(|before| before + evaluation) {
                Some(gained) if reduction_here >= 3 && gained <= HINDSIGHT_LOSS_CP => depth += 1,
                Some(gained) if depth >= 2 && gained > HINDSIGHT_GAIN_CP => depth -= 1,
                _ => {}
            }
        }
        let outlook = Outlook { depth, estimate_cp, improving };
        if ply + 2 < self.memory.frames.len() {
            self.memory.frames[ply + 2].cutoffs = 0;
        }

        // Where all is decided but the way to mate, static values say nothing: no pruning by them.
        let is_decided = alpha.abs() > DECIDED_CP && beta.abs() > DECIDED_CP;
        if !is_pv && !in_check && excluded.is_none() && !is_decided {
            // Step 6. Razoring.
            if self.steps.has(Step::Razoring) && outlook.can_razor(alpha) {
                let value = self.quiescence(place, alpha, alpha + 1);
                if value <= alpha || self.stopped {
                    return value;
                }
            }
            // Step 7. Reverse futility.
            if self.steps.has(Step::ReverseFutility)
                && !on_pv
                && outlook.can_prune_by_standing_above(beta)
                && !is_mate(estimate_cp)
                && !is_mate(beta)
            {
                return (estimate_cp + beta) / 2;
            }
            // Step 8. Null move.
            if let Some(value) = self.null_move(place, &outlook, evaluation, beta) {
                return value;
            }
            // Step 9. ProbCut.
            if let Some(value) = self.probcut(place, constraints, &outlook, known, remembered, raw, beta) {
                return value;
            }
            if self.stopped {
                return DRAW;
            }
        }

        // Step 10. Without a move to begin with, a search one ply shallower finds it cheaper (internal iterative reduction).
        let is_unguided = depth >= 4 && remembered.is_none() && excluded.is_none() && kind != Kind::All;
        if is_unguided && self.steps.has(Step::InternalReduction) {
            depth -= 1;
        }

        // Step 11. The moves.
        let before = self.moves_before(ply);
        let turn = self.memory.frames[ply].position.turn();
        let attacked = self.note_attacked(ply);
        let has_pieces = has_pieces(&self.memory.frames[ply].position);
        let remembered_takes = remembered.is_some_and(|packed| self.is_capture(ply, packed));
        let mut picker = MovePicker::all(constraints, remembered, arena);
        let (mut best, mut best_move) = (-INFINITE, None::<(PackedMove, Move)>);
        let first_alpha = alpha;
        let mut count = 0;
        let mut quiets = ArrayVec::<QuietMove, TRIED_MAX>::new();
        let mut captures = ArrayVec::<Move, TRIED_MAX>::new();
        while let Some((packed, m, origin)) = self.next_move(ply, &mut picker, before) {
            if Some(packed) == excluded {
                continue;
            }
            count += 1;
            let quiet = QuietMove::new(turn, m, packed, &attacked);
            let is_quiet = is_quiet_move(m);
            let history = if is_quiet {
                self.memory.history.quiet_score(quiet, before)
            } else {
                self.memory.history.capture_score(turn, m)
            };
            let is_early_noisy = !is_quiet && origin != Origin::LosingNoisy;
            let mut reduction = if is_early_noisy {
                late_noisy_reduction(depth, count)
            } else {
                late_move_reduction(depth, count)
            };

            // Step 12. Pruning at shallow depth.
            if !is_root && has_pieces && best > -MATE_THRESHOLD {
                let reduced = (depth - reduction / PLY + history / 8192).max(0);
                if is_quiet {
                    if self.steps.has(Step::LateMovePruning) && count >= outlook.enough_moves() {
                        picker.skip_quiets();
                    }
                    let unlikely = self.steps.has(Step::HistoryPruning)
                        && reduced <= 6
                        && history < HISTORY_PRUNING * depth;
                    let futile = !in_check
                        && !is_decided
                        && self.steps.has(Step::Futility)
                        && reduced <= 8
                        && origin == Origin::Quiet
                        && evaluation + futility_margin(reduced) + history / HISTORY_A_CENTIPAWN <= alpha;
                    let position = &self.memory.frames[ply].position;
                    let loses = |margin_cp: i32| {
                        self.steps.has(Step::ExchangePruning) && !exchange_wins(position, m, -margin_cp)
                    };
                    if unlikely || futile || loses(QUIET_MAY_LOSE_CP * reduced * reduced) {
                        // A check may be worth a sacrifice.
                        if !gives_check(position, m) {
                            if futile {
                                picker.skip_quiets();
                            }
                            continue;
                        }
                        if loses(NOISY_MAY_LOSE_CP * depth) {
                            continue;
                        }
                    }
                } else if is_early_noisy {
                    let gain = m.capture().map_or(0, exchange_value_cp);
                    if !in_check
                        && !is_decided
                        && !m.is_promotion()
                        && origin == Origin::WinningNoisy
                        && self.steps.has(Step::Futility)
                        && outlook.capture_cannot_help(reduced, gain, history, alpha)
                    {
                        continue;
                    }
                } else if self.steps.has(Step::ExchangePruning)
                    && !exchange_wins(&self.memory.frames[ply].position, m, -NOISY_MAY_LOSE_CP * depth)
                {
                    continue;
                }
            }

            // Step 13. Extensions.
            let mut extension = 0;
            if let Some(known) = known
                && Some(packed) == remembered
                && self.steps.has(Step::Singular)
                && !is_root
                && excluded.is_none()
                && depth >= 6
                && known.depth >= depth - 3
                && known.bound.allows_at_least()
                && !is_mate(known.value)
                && 2 * ply < self.memory.frames.len()
            {
                match self.singular_extension(place, packed, &known, depth, beta) {
                    Ok(plies) => extension = plies,
                    Err(value) => return value,
                }
            }

            // Step 14. Make the move and search what follows.
            self.make(ply, m);
            if extension >= 2 {
                self.memory.frames[ply + 1].double_extensions += 1;
            }
            let mut new_depth = depth - 1 + extension;
            let mut value = -INFINITE;
            let is_late = depth >= 2 && count > 1 + i32::from(is_root);
            if is_late && self.steps.has(Step::LateMoveReduction) {
                // Step 15. Late moves are searched less deep, and again in full only where they surprise.
                reduction -= reduction::ON_PV * i32::from(on_pv);
                reduction -= reduction::PV * i32::from(is_pv);
                reduction += reduction::CUT * i32::from(kind == Kind::Cut);
                reduction += reduction::NOT_IMPROVING * i32::from(!improving);
                reduction += reduction::REMEMBERED_TAKES * i32::from(remembered_takes);
                reduction += reduction::MANY_CUTOFFS * i32::from(self.memory.frames[ply + 1].cutoffs > 3);
                reduction -= reduction::CHECK * i32::from(self.memory.frames[ply + 1].position.is_check());
                reduction -= history * PLY / reduction::HISTORY_A_PLY;
                let reduced = (new_depth - reduction / PLY).clamp(1, new_depth.max(1));
                self.memory.frames[ply + 1].reduction = (new_depth - reduced).clamp(0, 100) as u8;
                value = -self.search(place.child(Kind::Cut, &picker), reduced, -alpha - 1, -alpha);
                self.memory.frames[ply + 1].reduction = 0;
                if value > alpha && reduced < new_depth {
                    new_depth += i32::from(value > alpha + DEEPER_FROM_CP + 3 * (new_depth - reduced));
                    new_depth -= i32::from(value < best + 3);
                    if reduced < new_depth {
                        let child = place.child(kind.opposite(), &picker);
                        value = -self.search(child, new_depth, -alpha - 1, -alpha);
                    }
                    if is_quiet && !self.stopped {
                        let bonus = history_bonus(new_depth);
                        let signed = if value >= beta {
                            bonus
                        } else if value <= alpha {
                            -bonus
                        } else {
                            0
                        };
                        self.memory.history.learn_continuation(quiet, before, signed);
                    }
                }
            } else if !is_pv || count > 1 {
                let child = if is_pv { Kind::Cut } else { kind.opposite() };
                value = -self.search(place.child(child, &picker), new_depth, -alpha - 1, -alpha);
            }
            if is_pv && (count == 1 || value > alpha) {
                value = -self.search(place.child(Kind::Pv, &picker), new_depth, -beta, -alpha);
            }
            if self.stopped {
                return DRAW;
            }

            // Step 16. Keep the best.
            if value > best {
                best = value;
                if value > alpha {
                    best_move = Some((packed, m));
                    if is_pv {
                        self.extend_line(ply, packed);
                    }
                    if value >= beta {
                        self.memory.frames[ply].cutoffs += 1;
                        break;
                    }
                    alpha = value;
                    if !is_root && !is_mate(value) && self.steps.has(Step::RaisedAlpha) {
                        depth = reduced_after_raise(depth);
                    }
                }
            }
            if best_move.is_none_or(|(b, _)| b != packed) {
                if is_quiet {
                    let _ = quiets.try_push(quiet);
                } else {
                    let _ = captures.try_push(m);
                }
            }
        }

        // Step 17. Mate and stalemate.
        if count == 0 {
            return match (excluded, in_check) {
                (Some(_), _) => alpha,
                (None, true) => mated_at(ply),
                (None, false) => DRAW,
            };
        }

        if best >= beta && !is_mate(best) && !is_mate(beta) && !is_pv {
            let weight = depth.max(1);
            best = (best * weight + beta) / (weight + 1);
        }

        // Step 18. Teach the histories.
        if let Some((packed, m)) = best_move
            && best >= beta
        {
            let bonus = history_bonus(depth);
            if is_quiet_move(m) {
                self.memory.frames[ply].killer = Some(packed);
                let good = QuietMove::new(turn, m, packed, &attacked);
                self.memory.history.learn_quiet(good, before, bonus);
                for &tried in &quiets {
                    self.memory.history.learn_quiet(
                        tried,
                        before,
                        -bonus * share::TRIED_QUIETS / share::WHOLE,
                    );
                }
            } else {
                self.memory.history.learn_capture(turn, m, bonus);
            }
            for &tried in &captures {
                self.memory.history.learn_capture(turn, tried, -bonus * share::TRIED_CAPTURES / share::WHOLE);
            }
        } else if best <= first_alpha
            && excluded.is_none()
            && let Some(arrived) = self.memory.frames[ply].arrived_by
            && let Some(packed) = PackedMove::pack(arrived)
        {
            // Nothing here was good enough: the move before was.
            self.reward_quiet(ply - 1, packed, history_bonus(depth) * share::LED_TO_FAIL_LOW / share::WHOLE);
        }

        // Step 19. Remember the result.
        if excluded.is_none() {
            let bound = if best >= beta {
                Bound::Lower
            } else if is_pv && alpha > first_alpha {
                Bound::Exact
            } else {
                Bound::Upper
            };
            let quiet_best = best_move.is_none_or(|(_, m)| !m.is_capture());
            let says_more = match bound {
                Bound::Lower => best > evaluation,
                Bound::Upper => best < evaluation,
                Bound::Exact => true,
            };
            if !in_check && quiet_best && says_more && !is_mate(best) {
                let SearchMemory { frames, history, .. } = &mut *self.memory;
                history.learn_correction(&frames[ply].position, before, depth, best - evaluation);
            }
            let best_packed = best_move.map(|(packed, _)| packed);
            let known = Known { best: best_packed, value: best, evaluation: raw, depth, bound, on_pv };
            self.table.store(self.memory.frames[ply].key, ply, known);
        }
        best
    }

    /// A value that needs no search: a draw by rule, or a static one where the memory ends.
    pub(crate) fn value_without_search(&mut self, place: Place, in_check: bool) -> Option<i32> {
        let ply = place.ply;
        let position = &self.memory.frames[ply].position;
        let fifty_moves = position.halfmoves() >= 100 && (!in_check || !position.legal_moves().is_empty());
        if fifty_moves || position.is_insufficient_material() || self.is_repetition(ply) {
            return Some(DRAW);
        }
        let memory_ends = ply + 1 >= self.memory.frames.len().min(score::PLY_MAX)
            || place.arena + MOVES_MIN > self.memory.moves.len();
        memory_ends.then(|| if in_check { DRAW } else { self.raw_evaluation(ply) })
    }

    fn is_improving(&self, ply: usize, evaluation: i32) -> bool {
        let earlier =
            |back: usize| ply.checked_sub(back).and_then(|earlier| self.memory.frames[earlier].evaluation);
        earlier(2).or_else(|| earlier(4)).is_none_or(|before| evaluation > before)
    }

    /// The moves one, two and four plies before, by which continuations are judged.
    pub(crate) fn moves_before(&self, ply: usize) -> Before {
        [0, 1, 3].map(|back| {
            ply.checked_sub(back)
                .map_or(PieceTo::NONE, |earlier| self.memory.frames[earlier].arrived_piece_to)
        })
    }

    /// Notes and gives what the side not to move attacks.
    pub(crate) fn note_attacked(&mut self, ply: usize) -> Attacks {
        let frame = &mut self.memory.frames[ply];
        frame.attacked = Attacks::by(&frame.position, !frame.position.turn());
        frame.attacked
    }

    /// Teaches the history what the quiet move that led to `ply` changed: `evaluation` there against the one before it.
    fn teach_by_evaluation(&mut self, ply: usize, evaluation: i32) {
        let SearchMemory { frames, history, .. } = &mut *self.memory;
        if let Some(before) = ply.checked_sub(1).map(|p| &frames[p])
            && let Some(evaluation_before) = before.evaluation
            && let Some(m) = frames[ply].arrived_by.filter(|&m| is_quiet_move(m))
            && let Some(packed) = PackedMove::pack(m)
        {
            let quiet = QuietMove::new(before.position.turn(), m, packed, &before.attacked);
            history.learn_quiet_alone(quiet, evaluation_bonus(-evaluation - evaluation_before));
        }
    }

    /// Teaches the histories that a move played at `ply` was good, where it is a quiet one.
    fn reward_quiet(&mut self, ply: usize, packed: PackedMove, bonus: i32) {
        let position = &self.memory.frames[ply].position;
        let turn = position.turn();
        if let Some(m) = packed.unpack(position).filter(|&m| is_quiet_move(m)) {
            let before = self.moves_before(ply);
            let quiet = QuietMove::new(turn, m, packed, &Attacks::by(position, !turn));
            self.memory.history.learn_quiet(quiet, before, bonus);
        }
    }

    pub(crate) fn is_capture(&self, ply: usize, packed: PackedMove) -> bool {
        packed.unpack(&self.memory.frames[ply].position).is_some_and(|m| m.is_capture())
    }

    pub(crate) fn next_move(
        &mut self,
        ply: usize,
        picker: &mut MovePicker,
        before: Before,
    ) -> Option<(PackedMove, Move, Origin)> {
        let SearchMemory { frames, moves, history } = &mut *self.memory;
        let killer = frames[ply].killer.filter(|_| self.steps.has(Step::Killer));
        let hints = Hints { history, before, killer, attacked: &frames[ply].attacked, steps: self.steps };
        picker.next(&frames[ply].position, moves, &hints)
    }

    /// Plays `m` from the frame at `ply` into the next one.
    pub(crate) fn make(&mut self, ply: usize, m: Move) {
        let (before, after) = self.memory.frames.split_at_mut(ply + 1);
        let (before, after) = (&before[ply], &mut after[0]);
        let key = before.key.after_pieces(&before.position, m);
        self.table.announce(key);
        after.position.clone_from(&before.position);
        after.position.play_unchecked(m);
        after.key = key.with_rights(&before.position, &after.position);
        after.state_is_current = false;
        after.arrived_by = Some(m);
        after.arrived_piece_to = PieceTo::of(before.position.turn(), m);
        after.plies_since_null = before.plies_since_null.saturating_add(1);
        after.double_extensions = before.double_extensions;
        after.reduction = 0;
        after.excluded = None;
    }

    /// The move and the child's best line become the best line here.
    pub(crate) fn extend_line(&mut self, ply: usize, packed: PackedMove) {
        let (before, after) = self.memory.frames.split_at_mut(ply + 1);
        let line = &mut before[ply].line;
        line.clear();
        line.push(packed);
        if let Some(child) = after.first() {
            let room = line.remaining_capacity();
            line.extend(child.line.iter().copied().take(room));
        }
    }
}

/// Neither capture nor promotion.
fn is_quiet_move(m: Move) -> bool {
    !m.is_capture() && !m.is_promotion()
}

/// True where what is known settles a null window.
pub(crate) fn cuts(known: &Known, alpha: i32, beta: i32) -> bool {
    if known.value >= beta {
        known.bound.allows_at_least()
    } else {
        known.value <= alpha && known.bound.allows_at_most()
    }
}

const _: () = assert!(MATE < i16::MAX as i32);

//! What may settle a node before its moves are searched, and how far its best move is followed: null move, ProbCut and
//! singular extensions.

use shakmaty::Position;

use super::{
    evaluation::Evaluator,
    history::PieceTo,
    move_generation::{Constraints, has_pieces},
    move_picker::{MovePicker, Origin},
    node::{Kind, Place},
    packed_move::PackedMove,
    pruning::{Outlook, probcut_beta, singular_bar, singular_extension},
    score::{DRAW, MATE_THRESHOLD, is_mate},
    search::Worker,
    steps::Step,
    transposition_table::{Bound, Known},
};

impl<E: Evaluator> Worker<'_, '_, E> {
    /// Lets the opponent move twice: where that doesn't bring the value below beta, no move of ours would be needed.
    pub(crate) fn null_move(
        &mut self,
        place: Place,
        outlook: &Outlook,
        evaluation: i32,
        beta: i32,
    ) -> Option<i32> {
        let ply = place.ply;
        let frame = &self.memory.frames[ply];
        let may_pass = ply > 0 && frame.arrived_by.is_some() && has_pieces(&frame.position);
        let convinced = evaluation >= beta - 6 * outlook.depth + 50;
        if !may_pass
            || !self.steps.has(Step::NullMove)
            || !convinced
            || ply < self.null_move_min_ply
            || !outlook.can_try_null_move(beta)
            || beta <= -MATE_THRESHOLD
        {
            return None;
        }
        let passed = frame.position.clone().swap_turn().ok()?;
        let key = frame.key.after_null_move(&frame.position);
        let double_extensions = frame.double_extensions;
        let after = &mut self.memory.frames[ply + 1];
        after.position = passed;
        after.key = key;
        after.state_is_current = false;
        after.arrived_by = None;
        after.arrived_piece_to = PieceTo::NONE;
        after.plies_since_null = 0;
        after.double_extensions = double_extensions;
        after.reduction = 0;
        after.excluded = None;

        let depth = outlook.depth - outlook.null_move_reduction(beta);
        let child = Place { ply: ply + 1, kind: place.kind.opposite(), arena: place.arena };
        let value = -self.search(child, depth, -beta, -beta + 1);
        if self.stopped || value < beta {
            return None;
        }
        let value = if value >= MATE_THRESHOLD { beta } else { value };
        if self.null_move_min_ply > 0 || outlook.depth < 14 {
            return Some(value);
        }
        // Zugzwang is likelier to fool a deep search: verify without null moves for a while.
        self.null_move_min_ply = ply + (3 * depth.max(1) as usize) / 4;
        let verified = self.search(place, depth, beta - 1, beta);
        self.null_move_min_ply = 0;
        (!self.stopped && verified >= beta).then_some(value)
    }

    /// A capture that beats beta by far in a shallow search would beat it in a deep one.
    #[expect(clippy::too_many_arguments, reason = "all of it is the node's state at this step")]
    pub(crate) fn probcut(
        &mut self,
        place: Place,
        constraints: Constraints,
        outlook: &Outlook,
        known: Option<Known>,
        remembered: Option<PackedMove>,
        raw: Option<i32>,
        beta: i32,
    ) -> Option<i32> {
        let ply = place.ply;
        let raised = probcut_beta(beta, outlook.improving);
        let doubtful = known.is_some_and(|k| k.depth >= outlook.depth - 3 && k.value < raised);
        if outlook.depth < 5 || is_mate(beta) || doubtful || !self.steps.has(Step::ProbCut) {
            return None;
        }
        let evaluation = self.memory.frames[ply].evaluation.unwrap_or(DRAW);
        let remembered = remembered.filter(|&packed| self.is_capture(ply, packed));
        let mut picker = MovePicker::noisy(constraints, remembered, raised - evaluation, place.arena);
        let before = self.moves_before(ply);
        while let Some((packed, m, origin)) = self.next_move(ply, &mut picker, before) {
            if origin == Origin::LosingNoisy {
                break;
            }
            self.make(ply, m);
            let child = place.child(place.kind.opposite(), &picker);
            let mut value = -self.quiescence(child, -raised, -raised + 1);
            if value >= raised {
                value = -self.search(child, outlook.depth - 4, -raised, -raised + 1);
            }
            if self.stopped {
                return None;
            }
            if value >= raised {
                let known = Known {
                    best: Some(packed),
                    value,
                    evaluation: raw,
                    depth: outlook.depth - 3,
                    bound: Bound::Lower,
                    on_pv: self.memory.frames[ply].on_pv,
                };
                self.table.store(self.memory.frames[ply].key, ply, known);
                return Some(value);
            }
        }
        None
    }

    /// Is the remembered move the only good one? Then it is searched deeper. `Err` holds a value that ends the node: even
    /// without that move, another one beats beta.
    pub(crate) fn singular_extension(
        &mut self,
        place: Place,
        packed: PackedMove,
        known: &Known,
        depth: i32,
        beta: i32,
    ) -> Result<i32, i32> {
        let ply = place.ply;
        let uncertain = self.memory.frames[ply].on_pv && !place.kind.is_pv();
        let bar = singular_bar(known.value, depth, uncertain);
        let evaluation = self.memory.frames[ply].evaluation;
        self.memory.frames[ply].excluded = Some(packed);
        let kind = if place.kind == Kind::Cut { Kind::Cut } else { Kind::All };
        let value = self.search(Place { kind, ..place }, (depth - 1) / 2, bar - 1, bar);
        self.memory.frames[ply].excluded = None;
        self.memory.frames[ply].evaluation = evaluation;
        if self.stopped {
            return Err(DRAW);
        }
        if value < bar {
            let may_double = !place.kind.is_pv() && self.memory.frames[ply].double_extensions < 8;
            return Ok(singular_extension(bar - value, may_double));
        }
        if bar >= beta && !is_mate(bar) {
            return Err(bar);
        }
        Ok(match () {
            () if known.value >= beta => -2,
            () if place.kind == Kind::Cut || known.value <= value => -1,
            () => 0,
        })
    }
}

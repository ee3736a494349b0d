//! A sequence of plies that may have been played since the last certain position.

use arrayvec::ArrayVec;
use shakmaty::{Bitboard, Chess, Color, Move, Position, Rank, Square, attacks};

use super::candidates::any_legal;
use super::timeline::HeldPly;
use crate::media_time::{CompactTime, MediaTime};
use crate::vision::{BoardReading, Class, Orientation, Placement, Retina, Scene};

/// Plies that a hypothesis can hold: those kept before the first is committed, and one step more.
pub(super) const HYPOTHESIS_PLIES_MAX: usize = 8;

/// A piece that has not moved for this long has come to rest.
const GLIDE_PAUSE_MAX_US: i64 = 70_000;
/// Some boards leave a ghost of the captured piece that stands this long before it goes.
const GHOST_PAUSE_MAX_US: i64 = 250_000;
/// What a ghost leaves unexplained at least, luma².
const GHOST_COST_MIN: u32 = 100;
/// What stands for longer than this is not in flight: two frames of a screen recorder.
const FLIGHT_STAND_MAX_US: i64 = 70_000;
/// What moves less than this with a frame does not begin to glide, 1/64 cell.
const GLIDE_STEP_MIN_Q6: i32 = 2;
/// What moves less than this does not go on gliding either, 1/64 cell.
const LAST_STEP_MIN_Q6: i32 = 1;

/// A square that is explained better by less than this does not show a fade, luma².
const FADE_COST_MIN: u32 = 6;
/// What moves by this much with a frame is in flight, 1/64 cell: compression does not move a piece so far.
const FLIGHT_STEP_MIN_Q6: i16 = 12;
/// A glide and a fade end with their square explained so many times better, where compression gets to a fifth.
const CLEAR_FACTOR: u32 = 8;
/// A square that is not explained worse than this shows no trace of compression, luma².
const CLEAR_COST_MAX: u32 = 8;

/// Plies that may have been played since the last certain position.
#[derive(Debug)]
pub(super) struct Hypothesis {
    pub(super) plies: ArrayVec<HeldPly, HYPOTHESIS_PLIES_MAX>,
    /// Since when the pictures show it without a break; `None` while they show something else.
    shown_since: Option<CompactTime>,
    /// The pictures showed it longer than a piece in flight, and have shown nothing else since.
    has_stood: bool,
    /// How the last ply's piece glides into place; `None` once it has come to rest.
    glide: Option<Glide>,
}

impl Clone for Hypothesis {
    fn clone(&self) -> Self {
        let mut plies = ArrayVec::new();
        // As many as there are in one of the same size always fit.
        let _ = plies.try_extend_from_slice(&self.plies);
        Self { plies, ..*self }
    }
}

/// The end of a slide: the piece is already where it belongs, to within a sixteenth of a square.
#[derive(Clone, Copy, Debug)]
struct Glide {
    /// When the piece last moved.
    moved_at: CompactTime,
    /// How far it moved then, 1/64 cell: slides end slowing down.
    step_q6: i16,
    /// How badly its square was explained then, luma².
    cost: u16,
    /// The same at the ply's time.
    cost_then: u16,
}

impl Hypothesis {
    /// That nothing has been played, shown since `time`.
    pub(super) const fn without_plies(time: MediaTime) -> Self {
        Self {
            plies: ArrayVec::new_const(),
            shown_since: Some(CompactTime::from_time(time)),
            has_stood: false,
            glide: None,
        }
    }

    /// The position after its plies; `root` is the last certain one.
    pub(super) fn position(&self, root: &Chess) -> Chess {
        let mut position = root.clone();
        for ply in &self.plies {
            position.play_unchecked(ply.mv);
        }
        position
    }

    fn placement(&self, root: &Chess) -> Placement {
        Placement::from(self.position(root).board())
    }

    /// Forgets the first `count` plies: they have become certain.
    pub(super) fn forget(&mut self, count: usize) {
        for _ in 0..count {
            self.plies.pop_at(0);
        }
    }

    /// Since when the pictures show it without a break; `None` while they show something else.
    pub(super) fn shown_since(&self) -> Option<MediaTime> {
        self.shown_since.map(CompactTime::time)
    }

    /// Tells since when the pictures show it.
    pub(super) fn set_shown_since(&mut self, time: Option<MediaTime>) {
        self.shown_since = time.map(CompactTime::from_time);
    }

    /// Tells that the pictures show something else, or nothing.
    pub(super) fn hide(&mut self, now: MediaTime) {
        if let Some(since) = self.shown_since.take() {
            self.has_stood = now.us_since(since.time()) > FLIGHT_STAND_MAX_US;
        }
    }

    /// Whether the pictures showed it longer than a piece in flight, and have shown nothing since.
    pub(super) const fn has_stood(&self) -> bool {
        self.has_stood
    }

    /// Tells that the pictures show another hypothesis.
    pub(super) const fn give_way(&mut self) {
        self.has_stood = false;
    }

    /// The hypothesis followed by `moves`, which the retina shows since `now` at the latest; `None` when that is more
    /// than it can hold.
    pub(super) fn followed_by<const TEXTURES: usize>(
        &self,
        moves: &[Move],
        root: &Chess,
        scene: Scene<'_, TEXTURES>,
        now: MediaTime,
    ) -> Option<Self> {
        let mut next = self.clone();
        let first_new = next.plies.len();
        for &mv in moves {
            next.plies.try_push(HeldPly::new(mv, now)).ok()?;
        }
        let placement = next.placement(root);
        let mut latest = now;
        for ply in next.plies.iter_mut().skip(first_new).rev() {
            ply.set_time(rest_time(ply.mv, &placement, scene.retina).unwrap_or(latest).min(latest));
            latest = ply.time();
        }
        if let Some(earliest) = self.plies.last().map(HeldPly::time) {
            for ply in next.plies.iter_mut().skip(first_new) {
                ply.set_time(ply.time().max(earliest));
            }
        }
        next.set_shown_since(Some(now));
        next.has_stood = false;
        let last = next.plies.last()?.mv;
        let cost = landing_cost(last, &placement, scene);
        next.glide =
            Some(Glide { moved_at: CompactTime::from_time(now), step_q6: i16::MAX, cost, cost_then: cost });
        Some(next)
    }

    /// Moves the last ply's time on while its piece still glides into place, or what it captured still fades.
    ///
    /// A glide goes on from frame to frame, towards the piece's square, ever slower; a fade explains its square ever
    /// better. A pointer that crosses the piece, or a tint, does not look like that. Lossy compression does: it puts the
    /// piece in its place coarsely and makes it finer with the frames that follow. But it does not move it far, and it
    /// stops half way, where a glide and a fade end with the piece as it always looks.
    /// `placement` is that after its plies.
    pub(super) fn follow_last_ply<const TEXTURES: usize>(
        &mut self,
        placement: &Placement,
        scene: Scene<'_, TEXTURES>,
        now: MediaTime,
    ) {
        let (Some(glide), Some(last)) = (self.glide, self.plies.last_mut()) else { return };
        let watch = scene.watch(landing_square(last.mv));
        if watch.changed_at() != now {
            return;
        }
        let pause_us = now.us_since(glide.moved_at.time());
        let orientation = scene.retina.orientation();
        let step_q6 = watch.step_q6().map_or(Some(i16::MAX), |step| {
            let is_gliding = glide.step_q6 < i16::MAX;
            let least = if is_gliding { LAST_STEP_MIN_Q6 } else { GLIDE_STEP_MIN_Q6 };
            step_towards(last.mv, step, orientation, least)
        });
        let cost = landing_cost(last.mv, placement, scene);
        let glides = pause_us <= GLIDE_PAUSE_MAX_US && step_q6.is_some_and(|s| s <= glide.step_q6);
        let (before, after) = (u32::from(glide.cost), u32::from(cost));
        let is_clearer = before * 3 >= (after + FADE_COST_MIN) * 4;
        let ghost_has_gone = before >= GHOST_COST_MIN && before >= after * 4;
        let fades = if pause_us <= GLIDE_PAUSE_MAX_US {
            is_clearer
        } else {
            pause_us <= GHOST_PAUSE_MAX_US && ghost_has_gone
        };
        if !glides && !fades {
            self.glide = None;
            return;
        }
        // A piece that has once stood still glides no more.
        let step_q6 = if glides { step_q6.unwrap_or(0) } else { 0 };
        let is_clear = u32::from(glide.cost_then) >= (after + 1) * CLEAR_FACTOR;
        let is_flight = glides && (step_q6 >= FLIGHT_STEP_MIN_Q6 || after <= CLEAR_COST_MAX);
        let mut cost_then = glide.cost_then;
        if is_clear || is_flight || ghost_has_gone {
            last.set_time(last.time().max(now));
            cost_then = cost;
        }
        self.glide = Some(Glide { moved_at: CompactTime::from_time(now), step_q6, cost, cost_then });
    }

    /// The squares that its plies have left and reached.
    pub(super) fn touched_squares(&self) -> Bitboard {
        self.plies
            .iter()
            .flat_map(|ply| landing_squares(ply.mv).chain(ply.mv.from()))
            .fold(Bitboard::EMPTY, |all, square| all | Bitboard::from(square))
    }

    /// How many of the sightings the hypothesis leaves unexplained: a sighting must show one of its positions, or its
    /// next ply in flight, in their order.
    pub(super) fn unexplained(&self, root: &Chess, sightings: &[Sighting]) -> usize {
        let mut position = root.clone();
        let mut played = 0;
        let mut unexplained = 0;
        for sighting in sightings {
            let (mut ahead, mut ahead_played) = (position.clone(), played);
            loop {
                let next = self.plies.get(ahead_played).map(|p| p.mv);
                if explains(&ahead, next, sighting) {
                    (position, played) = (ahead, ahead_played);
                    break;
                }
                let Some(mv) = next else {
                    unexplained += 1;
                    break;
                };
                ahead.play_unchecked(mv);
                ahead_played += 1;
            }
        }
        unexplained
    }

    /// How badly the pieces that moved explain their squares, luma².
    pub(super) fn cost<const TEXTURES: usize>(&self, root: &Chess, scene: Scene<'_, TEXTURES>) -> u32 {
        let placement = self.placement(root);
        let changed = Placement::from(root.board()).difference(&placement);
        changed.into_iter().map(|sq| u32::from(scene.cost(sq, Class::of(placement.at(sq))))).sum()
    }
}

/// How badly the piece that a ply has put on its square explains it, luma².
fn landing_cost<const TEXTURES: usize>(mv: Move, placement: &Placement, scene: Scene<'_, TEXTURES>) -> u16 {
    let square = landing_square(mv);
    scene.cost(square, Class::of(placement.at(square)))
}

/// How far a step on the picture goes towards the square of a ply, 1/64 cell; `None` where it does not go there by
/// `least_q6`.
fn step_towards(mv: Move, step_q6: [i16; 2], orientation: Orientation, least_q6: i32) -> Option<i16> {
    let from = mv.from()?;
    let to = landing_square(mv);
    let [mut right, mut down] =
        [to.file() as i32 - from.file() as i32, from.rank() as i32 - to.rank() as i32];
    if orientation == Orientation::BlackBottom {
        (right, down) = (-right, -down);
    }
    let [x, y] = step_q6.map(i32::from);
    let (along, across) = (x * right + y * down, (x * down - y * right).abs());
    let length = right.abs().max(down.abs()).max(1);
    let is_towards = along >= least_q6 * length && across * 2 <= along;
    is_towards.then(|| i16::try_from(along / length).unwrap_or(i16::MAX))
}

/// A reading that some hypothesis explained, and how long it stood.
#[derive(Clone, Debug)]
pub(super) struct Sighting {
    reading: BoardReading,
    first: CompactTime,
    last: CompactTime,
}

impl Sighting {
    /// What is seen for the first time.
    pub(super) const fn new(reading: BoardReading, now: MediaTime) -> Self {
        let now = CompactTime::from_time(now);
        Self { reading, first: now, last: now }
    }

    /// Tells that it still stands.
    pub(super) const fn stand_until(&mut self, now: MediaTime) {
        self.last = CompactTime::from_time(now);
    }
}

/// Whether a sighting shows `position`, or `next` in flight from it; what stood for a while was not in flight.
fn explains(position: &Chess, next: Option<Move>, sighting: &Sighting) -> bool {
    let contradicted = sighting.reading.contradicted(&Placement::from(position.board()));
    let is_brief = sighting.last.time().us_since(sighting.first.time()) <= FLIGHT_STAND_MAX_US;
    contradicted.is_empty() || (is_brief && next.is_some_and(|mv| is_in_flight(mv, contradicted)))
}

/// Whether squares that contradict a position may be those of a ply in flight: its origin, and what its pieces pass.
fn is_in_flight(mv: Move, contradicted: Bitboard) -> bool {
    mv.from().is_some_and(|origin| contradicted.contains(origin))
        && (contradicted & !flight_squares(mv)).is_empty()
}

/// Whether a reading may show any legal ply in flight from `position`.
pub(super) fn shows_flight(position: &Chess, reading: &BoardReading) -> bool {
    let contradicted = reading.contradicted(&Placement::from(position.board()));
    any_legal(position, |mv| is_in_flight(mv, contradicted))
}

/// The squares that a ply's pieces leave, pass over and reach.
fn flight_squares(mv: Move) -> Bitboard {
    let ray =
        |from: Square, to: Square| attacks::between(from, to) | Bitboard::from(from) | Bitboard::from(to);
    match mv {
        Move::Castle { king, rook } => ray(king, rook),
        _ => mv.from().map_or(Bitboard::EMPTY, |from| ray(from, mv.to())),
    }
}

/// The squares on which a ply puts pieces.
pub(super) fn landing_squares(mv: Move) -> impl Iterator<Item = Square> + Clone {
    let rook = mv.castling_side().map(|side| side.rook_to(castling_color(mv)));
    core::iter::once(landing_square(mv)).chain(rook)
}

/// The square on which a ply puts its piece, castling the king.
pub(super) fn landing_square(mv: Move) -> Square {
    mv.castling_side().map_or_else(|| mv.to(), |side| side.king_to(castling_color(mv)))
}

/// The side that castles: it shows in the rank of its king.
fn castling_color(mv: Move) -> Color {
    Color::from_white(mv.from().is_none_or(|sq| sq.rank() == Rank::First))
}

/// When a ply's pieces came to rest, where they still stand.
fn rest_time(mv: Move, placement: &Placement, retina: &Retina) -> Option<MediaTime> {
    let role = mv.promotion().unwrap_or_else(|| mv.role());
    let landing = landing_squares(mv);
    let stands = placement.at(landing_square(mv)).is_some_and(|p| p.role == role);
    // A player's own drag leaves a ghost on the square of origin until the piece drops.
    let origin = mv.from().filter(|&sq| placement.at(sq).is_none());
    stands.then(|| landing.chain(origin).map(|sq| retina.watch(sq).rested_at()).max())?
}

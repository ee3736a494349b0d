//! A sequence of plies that may have been played since the last certain position.

use arrayvec::ArrayVec;
use shakmaty::{Bitboard, Chess, Move, Position, Square, attacks};

use super::timeline::TimedPly;
use crate::media_time::MediaTime;
use crate::vision::{BoardReading, Class, Placement, Retina};

/// Plies that a hypothesis can hold: those kept before the first is committed, and one step more.
pub(super) const HYPOTHESIS_PLIES_MAX: usize = 8;

/// Plies that may have been played since the last certain position.
#[derive(Clone, Debug)]
pub(super) struct Hypothesis {
    pub(super) plies: ArrayVec<TimedPly, HYPOTHESIS_PLIES_MAX>,
    /// The position after them.
    pub(super) position: Chess,
    /// Since when the pictures show it without a break; `None` while they show something else.
    pub(super) shown_since: Option<MediaTime>,
}

impl Hypothesis {
    pub(super) fn placement(&self) -> Placement {
        Placement::from(self.position.board())
    }

    /// The hypothesis followed by `moves`, which the retina shows since `now` at the latest; `None` when that is more
    /// than it can hold.
    pub(super) fn followed_by(&self, moves: &[Move], retina: &Retina, now: MediaTime) -> Option<Self> {
        let mut next = self.clone();
        let first_new = next.plies.len();
        for &mv in moves {
            next.position.play_unchecked(mv);
            next.plies.try_push(TimedPly { mv, time: now, is_ambiguous: false }).ok()?;
        }
        let placement = next.placement();
        let mut latest = now;
        for index in (first_new..next.plies.len()).rev() {
            let ply = &mut next.plies[index];
            ply.time = rest_time(ply.mv, &placement, retina).unwrap_or(latest).min(latest);
            latest = ply.time;
        }
        let earliest = first_new.checked_sub(1).map(|i| next.plies[i].time);
        for ply in &mut next.plies[first_new..] {
            ply.time = ply.time.max(earliest.unwrap_or(ply.time));
        }
        next.shown_since = Some(now);
        Some(next)
    }

    /// Moves the last ply's time on while its piece still glides into place.
    pub(super) fn follow_last_ply(&mut self, retina: &Retina) {
        let placement = self.placement();
        if let Some(last) = self.plies.last_mut()
            && let Some(time) = rest_time(last.mv, &placement, retina)
        {
            last.time = last.time.max(time);
        }
    }

    /// How many of the sightings the hypothesis leaves unexplained: a sighting must show one of its positions, or its
    /// next ply in flight, in their order.
    pub(super) fn unexplained(&self, root: &Chess, sightings: &[BoardReading]) -> usize {
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
    pub(super) fn cost(&self, root: &Placement, retina: &Retina) -> u32 {
        let placement = self.placement();
        root.difference(&placement)
            .into_iter()
            .map(|sq| u32::from(retina.watch(sq).costs()[Class::of(placement.at(sq)).index()]))
            .sum()
    }
}

/// Whether a sighting shows `position`, or `next` in flight from it.
fn explains(position: &Chess, next: Option<Move>, sighting: &BoardReading) -> bool {
    let contradicted = sighting.contradicted(&Placement::from(position.board()));
    contradicted.is_empty() || next.is_some_and(|mv| (contradicted & !flight_squares(mv)).is_empty())
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
pub(super) fn landing_squares(mv: Move) -> ArrayVec<Square, 2> {
    let mut squares = ArrayVec::new();
    match mv.castling_side() {
        Some(side) => {
            // The side's colour shows in the rank of its king.
            let color =
                shakmaty::Color::from_white(mv.from().is_none_or(|sq| sq.rank() == shakmaty::Rank::First));
            squares.push(side.king_to(color));
            squares.push(side.rook_to(color));
        }
        None => squares.push(mv.to()),
    }
    squares
}

/// When a ply's pieces came to rest, where they still stand.
fn rest_time(mv: Move, placement: &Placement, retina: &Retina) -> Option<MediaTime> {
    let role = mv.promotion().unwrap_or_else(|| mv.role());
    let landing = landing_squares(mv);
    let stands = landing.first().is_some_and(|&sq| placement.at(sq).is_some_and(|p| p.role == role));
    stands.then(|| landing.iter().map(|&sq| retina.watch(sq).rested_at()).max())?
}

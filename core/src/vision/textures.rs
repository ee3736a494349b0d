//! The textures of all squares of a board.

use arrayvec::ArrayVec;
use serde::{Deserialize, Serialize};
use shakmaty::Square;

use super::piece_model::Texture;

/// The textures of 64 squares, of which `N` may differ from each other.
///
/// Squares of one texture share it. Where more than `N` differ, a square takes the nearest that is kept; with 64 that never
/// happens.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct Textures<const N: usize> {
    distinct: ArrayVec<Texture, N>,
    /// For eight ranks of eight squares, which of them the square has.
    of_square: [[u8; 8]; 8],
}

impl<const N: usize> Textures<N> {
    /// No square has any.
    pub(crate) const PLAIN: Self = Self { distinct: ArrayVec::new_const(), of_square: [[0; 8]; 8] };

    /// Takes every square's texture away.
    pub(crate) fn clear(&mut self) {
        self.distinct.clear();
        self.of_square = [[0; 8]; 8];
    }

    /// The texture of a square.
    pub(crate) fn at(&self, square: Square) -> &Texture {
        self.distinct.get(usize::from(self.slot(square))).unwrap_or(&Texture::PLAIN)
    }

    /// Gives a square a texture; returns whether it had another.
    pub(crate) fn set(&mut self, square: Square, texture: Texture) -> bool {
        let before = *self.at(square);
        let known = self.distinct.iter().position(|t| *t == texture);
        let slot = known.or_else(|| self.place(square, texture)).or_else(|| self.nearest(&texture));
        let index = square as usize;
        self.of_square[(index / 8) & 7][index % 8] =
            slot.and_then(|slot| u8::try_from(slot).ok()).unwrap_or(0);
        *self.at(square) != before
    }

    /// Keeps a texture where there is room for it, or one that only `square` has.
    fn place(&mut self, square: Square, texture: Texture) -> Option<usize> {
        if self.distinct.try_push(texture).is_ok() {
            return Some(self.distinct.len() - 1);
        }
        let others = || Square::ALL.into_iter().filter(|&other| other != square);
        let is_free = |&slot: &usize| others().all(|other| usize::from(self.slot(other)) != slot);
        let slot = (0..self.distinct.len()).find(is_free)?;
        *self.distinct.get_mut(slot)? = texture;
        Some(slot)
    }

    fn nearest(&self, texture: &Texture) -> Option<usize> {
        let distances = self.distinct.iter().map(|kept| kept.distance(texture));
        distances.enumerate().min_by_key(|&(_, distance)| distance).map(|(slot, _)| slot)
    }

    const fn slot(&self, square: Square) -> u8 {
        let index = square as usize;
        self.of_square[(index / 8) & 7][index % 8]
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::vision::tile::Tile;

    /// A texture that no other number has.
    fn texture(number: u8) -> Texture {
        let mut tile = Tile::flat(100);
        tile.rows[usize::from(number / 16)][0] = 101;
        tile.rows[usize::from(number % 16) / 2][1 + usize::from(number % 2)] = 140;
        Texture::of(&tile)
    }

    #[test]
    fn with_room_for_64_every_square_keeps_its_own() {
        let of_round = |square: Square, round: usize| texture(((square as usize * 7 + round) % 128) as u8);
        let mut textures = Textures::<64>::PLAIN;
        for round in 0..3 {
            for square in Square::ALL {
                textures.set(square, of_round(square, round));
            }
            for square in Square::ALL {
                assert_eq!(*textures.at(square), of_round(square, round), "{square}");
            }
        }
    }

    #[test]
    fn without_room_a_square_takes_the_nearest_that_is_kept() {
        let edge_of = |luma: u8| {
            let mut tile = Tile::flat(100);
            tile.rows[0][0] = luma;
            Texture::of(&tile)
        };
        let mut textures = Textures::<2>::PLAIN;
        assert!(textures.set(Square::A1, edge_of(110)));
        assert!(!textures.set(Square::A1, edge_of(110)));
        for square in Square::ALL.into_iter().skip(1) {
            textures.set(square, edge_of(130));
        }
        textures.set(Square::B1, edge_of(129));
        assert_eq!(*textures.at(Square::B1), edge_of(130), "it differs least");
        textures.set(Square::A1, edge_of(90));
        assert_eq!(*textures.at(Square::A1), edge_of(90), "only a1 had the one that it replaces");
    }
}

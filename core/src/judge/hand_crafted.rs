//! An evaluation of terms that a person can name, so that nothing depends on a network.
//!
//! The value is a sum of counted terms times weights, each with one weight for the middlegame and one for the endgame,
//! blended by the material left (a tapered evaluation). Since it is linear, [`visit_terms`] serves both the evaluation
//! and the fitting of its weights.

use shakmaty::{Bitboard, Chess, Color, Move, Piece, Position, Role, Square, attacks};

use super::{evaluation::Evaluator, hand_crafted_weights::WEIGHTS, move_generation::file_from_edge};

/// Game phase of the full set of pieces.
pub const PHASE_FULL: i32 = 24;

/// Where each group of terms begins in the list of weights.
pub mod term {
    /// Pawn, knight, bishop, rook, queen.
    pub const MATERIAL: usize = 0;
    /// Role, then rank from the own side, then file from the nearer edge.
    pub const SQUARE: usize = MATERIAL + 5;
    /// Squares within a knight's reach, 0 to 8.
    pub const KNIGHT_MOBILITY: usize = SQUARE + 6 * 32;
    /// 0 to 13.
    pub const BISHOP_MOBILITY: usize = KNIGHT_MOBILITY + 9;
    /// 0 to 14.
    pub const ROOK_MOBILITY: usize = BISHOP_MOBILITY + 14;
    /// 0 to 27.
    pub const QUEEN_MOBILITY: usize = ROOK_MOBILITY + 15;
    /// Two bishops.
    pub const BISHOP_PAIR: usize = QUEEN_MOBILITY + 28;
    /// A rook on a file without pawns.
    pub const ROOK_OPEN_FILE: usize = BISHOP_PAIR + 1;
    /// A rook on a file without own pawns.
    pub const ROOK_HALF_OPEN_FILE: usize = ROOK_OPEN_FILE + 1;
    /// A knight, or a bishop, that a pawn guards where no pawn can drive it away.
    pub const OUTPOST: usize = ROOK_HALF_OPEN_FILE + 1;
    /// A pawn behind another of its own.
    pub const DOUBLED: usize = OUTPOST + 2;
    /// A pawn without neighbours.
    pub const ISOLATED: usize = DOUBLED + 1;
    /// A pawn beside another, or guarded by one, by rank.
    pub const CONNECTED: usize = ISOLATED + 1;
    /// A passed pawn by rank.
    pub const PASSED: usize = CONNECTED + 8;
    /// A passed pawn whose next square is taken, by rank.
    pub const PASSED_BLOCKED: usize = PASSED + 8;
    /// The own king's distance to a passed pawn beyond the middle.
    pub const PASSED_OWN_KING: usize = PASSED_BLOCKED + 8;
    /// The enemy king's distance to a passed pawn beyond the middle.
    pub const PASSED_ENEMY_KING: usize = PASSED_OWN_KING + 8;
    /// Ranks to the nearest own pawn in front of the king, on its file or a neighbour's; 7: none.
    pub const SHELTER: usize = PASSED_ENEMY_KING + 8;
    /// Ranks to the nearest enemy pawn in front of the king; 7: none.
    pub const STORM: usize = SHELTER + 8;
    /// Weight of the enemy pieces that reach the king's surroundings.
    pub const KING_DANGER: usize = STORM + 8;
    /// Levels of king danger.
    pub const KING_DANGER_LEVELS: usize = 32;
    /// A pawn attacks a piece (minor, rook, queen).
    pub const PAWN_THREAT: usize = KING_DANGER + KING_DANGER_LEVELS;
    /// A minor piece attacks a rook, a queen.
    pub const MINOR_THREAT: usize = PAWN_THREAT + 3;
    /// A rook attacks a queen.
    pub const ROOK_THREAT: usize = MINOR_THREAT + 2;
    /// An enemy piece or pawn is attacked and not guarded.
    pub const HANGING: usize = ROOK_THREAT + 1;
    /// The right to move.
    pub const TEMPO: usize = HANGING + 1;
    /// All terms.
    pub const COUNT: usize = TEMPO + 1;
}

/// The hand-made evaluation.
#[derive(Debug, Clone, Copy, Default)]
pub struct HandCrafted;

impl Evaluator for HandCrafted {
    type State = ();

    fn refresh(&self, _position: &Chess, _state: &mut ()) {}

    fn advance(&self, _before: &(), _position: &Chess, _played: Move, _after: &mut ()) {}

    fn evaluate(&self, _state: &(), position: &Chess) -> i32 {
        let (mut middlegame, mut endgame) = (0, 0);
        visit_terms(position, &mut |term, count| {
            let (m, e) = WEIGHTS[term];
            middlegame += i32::from(m) * count;
            endgame += i32::from(e) * count;
        });
        let phase = phase(position);
        let white = (middlegame * phase + endgame * (PHASE_FULL - phase)) / PHASE_FULL;
        position.turn().fold_wb(white, -white)
    }
}

/// How much of the middlegame is left, 0 to [`PHASE_FULL`].
pub fn phase(position: &Chess) -> i32 {
    let board = position.board();
    let count = |pieces: Bitboard| pieces.count() as i32;
    (count(board.knights() | board.bishops()) + 2 * count(board.rooks()) + 4 * count(board.queens()))
        .min(PHASE_FULL)
}

/// Hands each term of `position` to `add` with its count, White's less Black's.
#[inline]
pub fn visit_terms(position: &Chess, add: &mut impl FnMut(usize, i32)) {
    let white = Side::of(position, Color::White);
    let black = Side::of(position, Color::Black);
    white.visit(&black, &mut |term, count| add(term, count));
    black.visit(&white, &mut |term, count| add(term, -count));
    add(term::TEMPO, position.turn().fold_wb(1, -1));
}

/// What the terms of one side are made of.
struct Side<'p> {
    position: &'p Chess,
    color: Color,
    pieces: Bitboard,
    pawns: Bitboard,
    king: Square,
    pawn_attacks: Bitboard,
    /// Every square that some piece or pawn reaches.
    reach: Bitboard,
}

impl<'p> Side<'p> {
    fn of(position: &'p Chess, color: Color) -> Side<'p> {
        let board = position.board();
        let pieces = board.by_color(color);
        let pawns = board.pawns() & pieces;
        // A legal position has both kings; any square stands in for none.
        let king = board.king_of(color).unwrap_or(Square::A1);
        let pawn_attacks = spread_pawn_attacks(pawns, color);
        let mut reach = pawn_attacks | attacks::king_attacks(king);
        for role in [Role::Knight, Role::Bishop, Role::Rook, Role::Queen] {
            for square in board.by_role(role) & pieces {
                reach |= attacks::attacks(square, Piece { color, role }, board.occupied());
            }
        }
        Side { position, color, pieces, pawns, king, pawn_attacks, reach }
    }

    fn visit(&self, enemy: &Side<'_>, add: &mut impl FnMut(usize, i32)) {
        self.visit_pieces(enemy, add);
        self.visit_pawns(enemy, add);
        self.visit_king(enemy, add);
        let board = self.position.board();
        for (i, roles) in
            [board.knights() | board.bishops(), board.rooks(), board.queens()].into_iter().enumerate()
        {
            let attacked = self.pawn_attacks & enemy.pieces & roles;
            add(term::PAWN_THREAT + i, attacked.count() as i32);
        }
        let hanging = enemy.pieces & self.reach & !enemy.reach & !board.kings();
        add(term::HANGING, hanging.count() as i32);
    }

    fn visit_pieces(&self, enemy: &Side<'_>, add: &mut impl FnMut(usize, i32)) {
        let board = self.position.board();
        for role in Role::ALL {
            for square in board.by_role(role) & self.pieces {
                if role != Role::King {
                    add(term::MATERIAL + role as usize - 1, 1);
                }
                let rank = self.rank_of(square);
                let file = file_from_edge(square.file());
                add(term::SQUARE + (role as usize - 1) * 32 + rank * 4 + file, 1);
            }
        }
        let free = !(self.pawns | board.kings() & self.pieces | enemy.pawn_attacks);
        let zone = attacks::king_attacks(enemy.king).with(enemy.king);
        let (mut danger, mut attackers) = (0, 0);
        for (role, mobility, weight) in [
            (Role::Knight, term::KNIGHT_MOBILITY, 2),
            (Role::Bishop, term::BISHOP_MOBILITY, 2),
            (Role::Rook, term::ROOK_MOBILITY, 3),
            (Role::Queen, term::QUEEN_MOBILITY, 4),
        ] {
            for square in board.by_role(role) & self.pieces {
                let piece = Piece { color: self.color, role };
                let reach = attacks::attacks(square, piece, board.occupied());
                add(mobility + (reach & free).count(), 1);
                let near_king = (reach & zone & !enemy.pawn_attacks).count();
                if near_king > 0 {
                    danger += weight + near_king;
                    attackers += 1;
                }
                let attacked = reach & enemy.pieces;
                if matches!(role, Role::Knight | Role::Bishop) {
                    add(term::MINOR_THREAT, (attacked & board.rooks()).count() as i32);
                    add(term::MINOR_THREAT + 1, (attacked & board.queens()).count() as i32);
                    if self.is_outpost(square, enemy) {
                        add(term::OUTPOST + usize::from(role == Role::Bishop), 1);
                    }
                }
                if role == Role::Rook {
                    add(term::ROOK_THREAT, (attacked & board.queens()).count() as i32);
                    let file = Bitboard::from_file(square.file());
                    if (file & board.pawns()).is_empty() {
                        add(term::ROOK_OPEN_FILE, 1);
                    } else if (file & self.pawns).is_empty() {
                        add(term::ROOK_HALF_OPEN_FILE, 1);
                    }
                }
            }
        }
        if attackers > 1 {
            let level = danger.min(term::KING_DANGER_LEVELS - 1);
            add(term::KING_DANGER + level, 1);
        }
        if (board.bishops() & self.pieces).more_than_one() {
            add(term::BISHOP_PAIR, 1);
        }
    }

    fn visit_pawns(&self, enemy: &Side<'_>, add: &mut impl FnMut(usize, i32)) {
        let board = self.position.board();
        for square in self.pawns {
            let rank = self.rank_of(square);
            let file = Bitboard::from_file(square.file());
            let neighbours = neighbour_files(file);
            let ahead = self.ranks_ahead(square);
            if (ahead & file & self.pawns).any() {
                add(term::DOUBLED, 1);
            }
            if (neighbours & self.pawns).is_empty() {
                add(term::ISOLATED, 1);
            }
            let beside = neighbours & Bitboard::from_rank(square.rank());
            if self.pawn_attacks.contains(square) || (beside & self.pawns).any() {
                add(term::CONNECTED + rank, 1);
            }
            let is_passed = (ahead & (file | neighbours) & enemy.pawns).is_empty()
                && (ahead & file & self.pawns).is_empty();
            if is_passed {
                add(term::PASSED + rank, 1);
                let next = square.offset(self.color.fold_wb(8, -8)).unwrap_or(square);
                if board.occupied().contains(next) {
                    add(term::PASSED_BLOCKED + rank, 1);
                }
                if rank >= 3 {
                    add(term::PASSED_OWN_KING + self.king.distance(next) as usize, 1);
                    add(term::PASSED_ENEMY_KING + enemy.king.distance(next) as usize, 1);
                }
            }
        }
    }

    fn visit_king(&self, enemy: &Side<'_>, add: &mut impl FnMut(usize, i32)) {
        let king_file = Bitboard::from_file(self.king.file());
        let ahead = self.ranks_ahead(self.king) | Bitboard::from_rank(self.king.rank());
        for file in shakmaty::File::ALL {
            let file = Bitboard::from_file(file);
            if (file & (king_file | neighbour_files(king_file))).is_empty() {
                continue;
            }
            let nearest = |pawns: Bitboard| {
                let in_front = pawns & file & ahead;
                let first = self.color.fold_wb(in_front.first(), in_front.last());
                first.map_or(7, |pawn| self.rank_of(pawn) - self.rank_of(self.king))
            };
            add(term::SHELTER + nearest(self.pawns), 1);
            add(term::STORM + nearest(enemy.pawns), 1);
        }
    }

    fn is_outpost(&self, square: Square, enemy: &Side<'_>) -> bool {
        let rank = self.rank_of(square);
        let neighbours = neighbour_files(Bitboard::from_file(square.file()));
        (3..6).contains(&rank)
            && self.pawn_attacks.contains(square)
            && (self.ranks_ahead(square) & neighbours & enemy.pawns).is_empty()
    }

    /// The rank counted from the side's own first rank, 0 to 7.
    fn rank_of(&self, square: Square) -> usize {
        let rank = square.rank().to_usize();
        self.color.fold_wb(rank, 7 - rank)
    }

    /// All squares on ranks beyond the square's own.
    fn ranks_ahead(&self, square: Square) -> Bitboard {
        let rank = square.rank().to_u32();
        match self.color {
            Color::White => Bitboard(u64::MAX.checked_shl(8 * (rank + 1)).unwrap_or(0)),
            Color::Black => Bitboard((1_u64 << (8 * rank)) - 1),
        }
    }
}

fn spread_pawn_attacks(pawns: Bitboard, color: Color) -> Bitboard {
    let mut reach = Bitboard::EMPTY;
    for square in pawns {
        reach |= attacks::pawn_attacks(color, square);
    }
    reach
}

fn neighbour_files(file: Bitboard) -> Bitboard {
    let not_a = !Bitboard::from_file(shakmaty::File::A);
    let not_h = !Bitboard::from_file(shakmaty::File::H);
    (file & not_h).shift(1) | (file & not_a).shift(-1)
}

#[cfg(test)]
mod tests {
    use super::*;
    use shakmaty::{CastlingMode, EnPassantMode, FromSetup, fen::Fen};

    const FENS: [&str; 4] = [
        "r3k2r/p1ppqpb1/bn2pnp1/3PN3/1p2P3/2N2Q1p/PPPBBPPP/R3K2R w KQkq - 0 1",
        "r4rk1/1pp1qppp/p1np1n2/2b1p1B1/2B1P1b1/P1NP1N2/1PP1QPPP/R4RK1 b - - 0 10",
        "8/5k2/3p4/1p1Pp2p/pP2Pp1P/P4P1K/8/8 b - - 99 50",
        "6k1/5ppp/8/3P4/8/8/5PPP/3R2K1 w - - 0 1",
    ];

    fn position(fen: &str) -> Chess {
        fen.parse::<Fen>().unwrap().into_position(CastlingMode::Standard).unwrap()
    }

    #[test]
    fn the_mirrored_position_has_the_same_value_for_the_side_to_move() {
        for fen in FENS {
            let position = position(fen);
            let mirrored = position.to_setup(EnPassantMode::Legal).into_mirrored();
            let mirrored = Chess::from_setup(mirrored, CastlingMode::Standard).unwrap();
            let (value, other) = (HandCrafted.evaluate(&(), &position), HandCrafted.evaluate(&(), &mirrored));
            assert_eq!(value, other, "{fen}");
        }
    }

    #[test]
    fn the_value_is_the_weighted_sum_of_the_terms_seen() {
        for fen in FENS {
            let position = position(fen);
            let mut counts = [0_i32; term::COUNT];
            visit_terms(&position, &mut |term, count| counts[term] += count);
            let sum = |weight: fn((i16, i16)) -> i16| -> i32 {
                counts.iter().zip(WEIGHTS).map(|(count, w)| count * i32::from(weight(w))).sum()
            };
            let phase = phase(&position);
            let white = (sum(|w| w.0) * phase + sum(|w| w.1) * (PHASE_FULL - phase)) / PHASE_FULL;
            assert_eq!(HandCrafted.evaluate(&(), &position), position.turn().fold_wb(white, -white));
        }
    }

    #[test]
    fn a_queen_more_is_worth_much_and_the_start_little() {
        assert!(HandCrafted.evaluate(&(), &Chess::default()).abs() < 60);
        let queen_up = position("rnb1kbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w KQkq - 0 1");
        assert!(HandCrafted.evaluate(&(), &queen_up) > 700);
    }
}

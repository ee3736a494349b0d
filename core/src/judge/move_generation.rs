//! Legal moves in two portions, the noisy ones and the quiet ones, so that a search that stops at the first makes no
//! others. Agrees with shakmaty's own generator (tested move by move).

use shakmaty::{
    Bitboard, Board, CastlingSide, Chess, Color, File, Move, Position, Rank, Role, Square, attacks,
};

/// Which moves to make.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Portion {
    /// Captures and promotions.
    Noisy,
    /// All others.
    Quiet,
}

/// What keeps a piece from moving freely: checks to answer and pins.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Constraints {
    king: Square,
    pub(crate) checkers: Bitboard,
    pinned: Bitboard,
}

impl Constraints {
    /// Reads the constraints of the side to move (`None` without a king, which no legal position is).
    pub(crate) fn of(position: &Chess) -> Option<Constraints> {
        let board = position.board();
        let king = board.king_of(position.turn())?;
        let checkers = board.attacks_to(king, !position.turn(), board.occupied());
        let snipers = (attacks::rook_attacks(king, Bitboard::EMPTY) & board.rooks_and_queens()
            | attacks::bishop_attacks(king, Bitboard::EMPTY) & board.bishops_and_queens())
            & position.them();
        let mut pinned = Bitboard::EMPTY;
        for sniper in snipers {
            let between = attacks::between(king, sniper) & board.occupied();
            if !between.more_than_one() {
                pinned |= between;
            }
        }
        Some(Constraints { king, checkers, pinned: pinned & position.us() })
    }

    pub(crate) fn in_check(&self) -> bool {
        self.checkers.any()
    }

    /// The squares that end every check, for all pieces but the king.
    fn evasion_targets(&self) -> Bitboard {
        match (self.checkers.first(), self.checkers.more_than_one()) {
            (None, _) => Bitboard::FULL,
            (Some(checker), false) => attacks::between(self.king, checker) | checker,
            (Some(_), true) => Bitboard::EMPTY,
        }
    }

    fn allowed_from(&self, from: Square) -> Bitboard {
        if self.pinned.contains(from) { attacks::ray(self.king, from) } else { Bitboard::FULL }
    }
}

/// Hands every legal move of the portion to `push`.
pub(crate) fn generate(
    position: &Chess,
    constraints: &Constraints,
    portion: Portion,
    push: &mut impl FnMut(Move),
) {
    let board = position.board();
    let occupied = board.occupied();
    let enemies = position.them();
    let wanted = match portion {
        Portion::Noisy => enemies,
        Portion::Quiet => !occupied,
    };
    let evasions = constraints.evasion_targets();
    let targets = wanted & evasions;

    if evasions.any() {
        pawn_moves(position, constraints, portion, evasions, push);
        for role in [Role::Knight, Role::Bishop, Role::Rook, Role::Queen] {
            for from in position.our(role) {
                let reach = match role {
                    Role::Knight => attacks::knight_attacks(from),
                    Role::Bishop => attacks::bishop_attacks(from, occupied),
                    Role::Rook => attacks::rook_attacks(from, occupied),
                    _ => attacks::queen_attacks(from, occupied),
                };
                push_all(board, role, from, reach & targets & constraints.allowed_from(from), push);
            }
        }
    }

    let without_king = occupied ^ Bitboard::from_square(constraints.king);
    for to in attacks::king_attacks(constraints.king) & wanted {
        if board.attacks_to(to, !position.turn(), without_king).is_empty() {
            push_all(board, Role::King, constraints.king, Bitboard::from_square(to), push);
        }
    }
    if portion == Portion::Quiet && !constraints.in_check() {
        for side in CastlingSide::ALL {
            castling_move(position, constraints.king, side, push);
        }
    }
}

/// Every move of one piece to `targets`, none of them a promotion; what stands there is taken.
#[inline(always)]
fn push_all(board: &Board, role: Role, from: Square, targets: Bitboard, push: &mut impl FnMut(Move)) {
    for to in targets {
        push(Move::Normal { role, from, capture: board.role_at(to), to, promotion: None });
    }
}

fn pawn_moves(
    position: &Chess,
    constraints: &Constraints,
    portion: Portion,
    evasions: Bitboard,
    push: &mut impl FnMut(Move),
) {
    let (turn, board) = (position.turn(), position.board());
    let free = !board.occupied();
    let (step, third_rank) = match turn {
        Color::White => (8, Bitboard::from_rank(Rank::Third)),
        Color::Black => (-8, Bitboard::from_rank(Rank::Sixth)),
    };
    for from in position.our(Role::Pawn) {
        let allowed = evasions & constraints.allowed_from(from);
        let single = Bitboard::from_square(from).shift(step) & free;
        if portion == Portion::Noisy {
            let captures = attacks::pawn_attacks(turn, from) & position.them();
            for to in (captures | single & Bitboard::BACKRANKS) & allowed {
                if Bitboard::BACKRANKS.contains(to) {
                    for into in [Role::Queen, Role::Knight, Role::Rook, Role::Bishop] {
                        let (capture, promotion) = (board.role_at(to), Some(into));
                        push(Move::Normal { role: Role::Pawn, from, capture, to, promotion });
                    }
                } else {
                    push_all(board, Role::Pawn, from, Bitboard::from_square(to), push);
                }
            }
        } else {
            let double = (single & third_rank).shift(step) & free;
            push_all(board, Role::Pawn, from, (single & !Bitboard::BACKRANKS | double) & allowed, push);
        }
    }
    if portion == Portion::Noisy
        && let Some(to) = position.maybe_ep_square()
    {
        en_passant_moves(position, constraints.king, to, push);
    }
}

/// En passant takes two pawns off a line at once, so its legality is tested on the board after it.
fn en_passant_moves(position: &Chess, king: Square, to: Square, push: &mut impl FnMut(Move)) {
    let board = position.board();
    for from in attacks::pawn_attacks(!position.turn(), to) & position.our(Role::Pawn) {
        let taken = Square::from_coords(to.file(), from.rank());
        let occupied = board.occupied().toggled(from).toggled(taken).with(to);
        if board.attacks_to(king, !position.turn(), occupied).without(taken).is_empty() {
            push(Move::EnPassant { from, to });
        }
    }
}

fn castling_move(position: &Chess, king: Square, side: CastlingSide, push: &mut impl FnMut(Move)) {
    let (turn, board) = (position.turn(), position.board());
    let Some(rook) = position.castles().rook(turn, side) else { return };
    if (position.castles().path(turn, side) & board.occupied()).any() {
        return;
    }
    let king_to = side.king_to(turn);
    let crossed = attacks::between(king, king_to).with(king_to);
    let occupied = board.occupied().without(king);
    let attacked = |square: Square, occupied: Bitboard| board.attacks_to(square, !turn, occupied).any();
    let after = occupied.without(rook).with(side.rook_to(turn));
    if crossed.into_iter().any(|square| attacked(square, occupied)) || attacked(king_to, after) {
        return;
    }
    push(Move::Castle { king, rook });
}

/// True where the side to move has a piece besides king and pawns.
pub(crate) fn has_pieces(position: &Chess) -> bool {
    let board = position.board();
    (position.us() & !(board.pawns() | board.kings())).any()
}

/// True where the legal `m`, neither castling nor promotion nor en passant, gives check.
pub(crate) fn gives_check(position: &Chess, m: Move) -> bool {
    let board = position.board();
    let Some((king, from)) = board.king_of(!position.turn()).zip(m.from()) else { return false };
    let (to, ours) = (m.to(), position.us().without(from));
    let occupied = board.occupied().without(from).with(to);
    let directly = match m.role() {
        Role::Pawn => attacks::pawn_attacks(position.turn(), to),
        Role::King => Bitboard::EMPTY,
        role => reach(role, to, occupied),
    };
    directly.contains(king)
        || (attacks::rook_attacks(king, occupied) & ours & board.rooks_and_queens()).any()
        || (attacks::bishop_attacks(king, occupied) & ours & board.bishops_and_queens()).any()
}

/// The squares that a side attacks or guards, by what attacks them.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Attacks {
    pawns: Bitboard,
    pawns_and_minors: Bitboard,
    all_but_queens_and_king: Bitboard,
    pub(crate) all: Bitboard,
}

impl Attacks {
    pub(crate) const NONE: Attacks = Attacks {
        pawns: Bitboard::EMPTY,
        pawns_and_minors: Bitboard::EMPTY,
        all_but_queens_and_king: Bitboard::EMPTY,
        all: Bitboard::EMPTY,
    };

    /// What `side` attacks.
    pub(crate) fn by(position: &Chess, side: Color) -> Attacks {
        let board = position.board();
        let (pieces, occupied) = (board.by_color(side), board.occupied());
        let pawns = board.pawns() & pieces;
        let (left, right) = match side {
            Color::White => (7, 9),
            Color::Black => (-9, -7),
        };
        let not = |file| !Bitboard::from_file(file);
        let pawns = (pawns & not(File::A)).shift(left) | (pawns & not(File::H)).shift(right);
        let with = |attacked: Bitboard, role: Role| {
            let of_role = pieces & board.by_role(role);
            of_role.into_iter().fold(attacked, |attacked, from| attacked | reach(role, from, occupied))
        };
        let pawns_and_minors = with(with(pawns, Role::Knight), Role::Bishop);
        let all_but_queens_and_king = with(pawns_and_minors, Role::Rook);
        let all = with(with(all_but_queens_and_king, Role::Queen), Role::King);
        Attacks { pawns, pawns_and_minors, all_but_queens_and_king, all }
    }

    /// The squares on which something cheaper than a piece of this role attacks it.
    pub(crate) fn by_lesser_than(&self, role: Role) -> Bitboard {
        match role {
            Role::Queen => self.all_but_queens_and_king,
            Role::Rook => self.pawns_and_minors,
            Role::Bishop | Role::Knight => self.pawns,
            Role::Pawn | Role::King => Bitboard::EMPTY,
        }
    }
}

/// Where a piece other than a pawn goes from a square.
fn reach(role: Role, from: Square, occupied: Bitboard) -> Bitboard {
    match role {
        Role::Knight => attacks::knight_attacks(from),
        Role::Bishop => attacks::bishop_attacks(from, occupied),
        Role::Rook => attacks::rook_attacks(from, occupied),
        Role::Queen => attacks::queen_attacks(from, occupied),
        Role::King => attacks::king_attacks(from),
        Role::Pawn => Bitboard::EMPTY,
    }
}

/// The squares from which a piece of each role would check the other side's king, as the board stands.
pub(crate) struct CheckingSquares {
    pawn: Bitboard,
    knight: Bitboard,
    bishop: Bitboard,
    rook: Bitboard,
}

impl CheckingSquares {
    /// For the side to move.
    pub(crate) fn of(position: &Chess) -> CheckingSquares {
        let (board, turn) = (position.board(), position.turn());
        let from_king = |squares: fn(Square, Bitboard) -> Bitboard| {
            board.king_of(!turn).map_or(Bitboard::EMPTY, |king| squares(king, board.occupied()))
        };
        CheckingSquares {
            pawn: board.king_of(!turn).map_or(Bitboard::EMPTY, |king| attacks::pawn_attacks(!turn, king)),
            knight: from_king(|king, _| attacks::knight_attacks(king)),
            bishop: from_king(attacks::bishop_attacks),
            rook: from_king(attacks::rook_attacks),
        }
    }

    pub(crate) fn has(&self, role: Role, to: Square) -> bool {
        let squares = match role {
            Role::Pawn => self.pawn,
            Role::Knight => self.knight,
            Role::Bishop => self.bishop,
            Role::Rook => self.rook,
            Role::Queen => self.bishop | self.rook,
            Role::King => Bitboard::EMPTY,
        };
        squares.contains(to)
    }
}

/// The file of each square counted from the nearer edge, 0 to 3.
pub(crate) const fn file_from_edge(file: File) -> usize {
    let file = file.to_usize();
    if file < 4 { file } else { 7 - file }
}

#[cfg(test)]
mod tests {
    extern crate std;

    use std::{collections::HashSet, vec::Vec};

    use super::{super::packed_move::PackedMove, *};
    use shakmaty::{CastlingMode, fen::Fen};

    fn position(fen: &str) -> Chess {
        fen.parse::<Fen>().unwrap().into_position(CastlingMode::Standard).unwrap()
    }

    fn both_portions(position: &Chess) -> Vec<Move> {
        let constraints = Constraints::of(position).unwrap();
        let mut moves = Vec::new();
        generate(position, &constraints, Portion::Noisy, &mut |m| moves.push(m));
        let noisy = moves.len();
        generate(position, &constraints, Portion::Quiet, &mut |m| moves.push(m));
        for (i, &m) in moves.iter().enumerate() {
            assert_eq!(PackedMove::pack(m).unwrap().unpack(position), Some(m));
            assert_eq!(m.is_capture() || m.is_promotion(), i < noisy, "{m} in {position:?}");
            let mut after = position.clone();
            after.play_unchecked(m);
            if !m.is_castle() && !m.is_promotion() && !m.is_en_passant() {
                assert_eq!(gives_check(position, m), after.is_check(), "{m} in {position:?}");
                let directly = CheckingSquares::of(position).has(m.role(), m.to());
                assert!(!directly || after.is_check(), "{m} in {position:?}");
            }
            let is_attacked = Attacks::by(position, position.turn()).all.contains(m.to());
            assert!(is_attacked || m.is_castle() || m.role() == Role::Pawn, "{m} in {position:?}");
        }
        moves
    }

    #[test]
    fn a_piece_is_attacked_by_lesser_ones_only() {
        // The pawn attacks d5 and f5, the knight c4 (among others), the rook a7.
        let attacks = Attacks::by(&position("4k3/8/8/8/4P3/4N3/8/R3K3 w Q - 0 1"), Color::White);
        let on =
            |squares: &[Square], role| squares.iter().all(|&at| attacks.by_lesser_than(role).contains(at));
        assert!(on(&[Square::D5, Square::F5], Role::Bishop));
        assert!(on(&[Square::D5, Square::F5, Square::C4], Role::Rook));
        assert!(on(&[Square::D5, Square::F5, Square::C4, Square::A7], Role::Queen));
        assert!(!attacks.by_lesser_than(Role::Knight).contains(Square::C4));
        assert!(!attacks.by_lesser_than(Role::Rook).contains(Square::A7));
        assert!(!attacks.by_lesser_than(Role::Queen).contains(Square::E2), "the king's own");
        assert!(attacks.all.contains(Square::E2));
        assert_eq!(attacks.by_lesser_than(Role::King), Bitboard::EMPTY);
    }

    /// Counts leaves by our generator and checks it at every node against shakmaty's.
    fn perft(position: &Chess, depth: u32) -> u64 {
        let moves = both_portions(position);
        let expected: HashSet<_> = position.legal_moves().into_iter().collect();
        assert_eq!(moves.iter().copied().collect::<HashSet<_>>(), expected, "{position:?}");
        assert_eq!(moves.len(), expected.len(), "a move came twice in {position:?}");
        if depth == 1 {
            return moves.len() as u64;
        }
        let mut leaves = 0;
        for m in moves {
            let mut after = position.clone();
            after.play_unchecked(m);
            leaves += perft(&after, depth - 1);
        }
        leaves
    }

    /// Counts from the Chess Programming Wiki's perft results page.
    #[test]
    fn move_counts_match_the_published_ones() {
        for (fen, depth, leaves) in [
            ("rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w KQkq - 0 1", 4, 197_281),
            ("r3k2r/p1ppqpb1/bn2pnp1/3PN3/1p2P3/2N2Q1p/PPPBBPPP/R3K2R w KQkq - 0 1", 3, 97_862),
            ("8/2p5/3p4/KP5r/1R3p1k/8/4P1P1/8 w - - 0 1", 5, 674_624),
            ("r3k2r/Pppp1ppp/1b3nbN/nP6/BBP1P3/q4N2/Pp1P2PP/R2Q1RK1 w kq - 0 1", 4, 422_333),
            ("rnbq1k1r/pp1Pbppp/2p5/8/2B5/8/PPP1NnPP/RNBQK2R w KQ - 1 8", 3, 62_379),
        ] {
            assert_eq!(perft(&position(fen), depth), leaves, "{fen}");
        }
    }
}

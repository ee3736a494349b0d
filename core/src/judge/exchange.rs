//! Static exchange evaluation: what a capture wins once all recaptures on its square are done.

use shakmaty::{Bitboard, Chess, Move, Position, Role, attacks};

/// What a piece counts in an exchange, in centipawns (the usual round values; a king can't be traded).
pub(crate) const fn exchange_value_cp(role: Role) -> i32 {
    match role {
        Role::Pawn => 100,
        Role::Knight => 320,
        Role::Bishop => 330,
        Role::Rook => 500,
        Role::Queen => 950,
        Role::King => 20_000,
    }
}

/// True where the exchange that the legal move `m` begins wins at least `threshold_cp`, both sides recapturing with
/// their least valuable piece and stopping when that is better.
///
/// The swap algorithm, cut short as soon as the answer is known.
pub(crate) fn exchange_wins(position: &Chess, m: Move, threshold_cp: i32) -> bool {
    let board = position.board();
    let (Some(from), to) = (m.from(), m.to()) else { return false };
    if m.is_castle() {
        return threshold_cp <= 0;
    }
    let promotion_gain =
        m.promotion().map_or(0, |role| exchange_value_cp(role) - exchange_value_cp(Role::Pawn));
    let mut balance = m.capture().map_or(0, exchange_value_cp) + promotion_gain - threshold_cp;
    if balance < 0 {
        return false;
    }
    balance = exchange_value_cp(m.promotion().unwrap_or(m.role())) - balance;
    if balance <= 0 {
        return true;
    }

    let mut occupied = board.occupied().without(from).without(to);
    if let Move::EnPassant { from, to } = m {
        occupied.discard(shakmaty::Square::from_coords(to.file(), from.rank()));
    }
    let diagonal = board.bishops_and_queens();
    let straight = board.rooks_and_queens();
    let mut attackers = (board.attacks_to(to, shakmaty::Color::White, occupied)
        | board.attacks_to(to, shakmaty::Color::Black, occupied))
        & occupied;
    let mut side = position.turn();
    let mut wins = true;
    loop {
        side = !side;
        let ours = attackers & board.by_color(side) & occupied;
        let Some((attacker, role)) = least_valuable(board, ours) else { break };
        wins = !wins;
        if role == Role::King {
            // A king may take only what nobody guards any more.
            let guarded = (attackers & board.by_color(!side) & occupied).any();
            return if guarded { !wins } else { wins };
        }
        balance = exchange_value_cp(role) - balance;
        if balance < i32::from(wins) {
            break;
        }
        occupied.discard(attacker);
        if matches!(role, Role::Pawn | Role::Bishop | Role::Queen) {
            attackers |= attacks::bishop_attacks(to, occupied) & diagonal;
        }
        if matches!(role, Role::Rook | Role::Queen) {
            attackers |= attacks::rook_attacks(to, occupied) & straight;
        }
    }
    wins
}

fn least_valuable(board: &shakmaty::Board, among: Bitboard) -> Option<(shakmaty::Square, Role)> {
    if among.is_empty() {
        return None;
    }
    Role::ALL.into_iter().find_map(|role| (among & board.by_role(role)).first().map(|square| (square, role)))
}

#[cfg(test)]
mod tests {
    use super::*;
    use shakmaty::{CastlingMode, fen::Fen, uci::UciMove};

    /// Positions made for the purpose; each exchange counted by hand with the values above.
    #[test]
    fn exchanges_are_worth_what_a_hand_count_says() {
        for (fen, uci, worth_cp) in [
            // A rook takes an unguarded pawn.
            ("1k1r4/1pp4p/p7/4p3/8/P5P1/1PP4P/2K1R3 w - - 0 1", "e1e5", 100),
            // A knight takes a pawn that a knight and more guard.
            ("1k1r3q/1ppn3p/p4b2/4p3/8/P2N2P1/1PP1R1BP/2K1Q3 w - - 0 1", "d3e5", 100 - 320),
            // A pawn takes a pawn and is retaken.
            ("4k3/8/3p4/4p3/3P4/8/8/4K3 w - - 0 1", "d4e5", 0),
            // A quiet queen move onto a square that a pawn guards.
            ("7k/8/3p4/8/8/8/4Q3/4K3 w - - 0 1", "e2e5", -950),
            // En passant, the taking pawn lost to a pawn behind.
            ("4k3/2p5/8/3pP3/8/8/8/4K3 w - d6 0 1", "e5d6", 0),
            // A promotion that nothing answers.
            ("8/P6k/8/8/8/8/8/K7 w - - 0 1", "a7a8q", 850),
            // The king retakes an unguarded rook, and may not retake a guarded one.
            ("8/8/8/4k3/4p3/8/8/K3R3 w - - 0 1", "e1e4", 100 - 500),
            ("8/8/8/4k3/4p3/8/4R3/K3R3 w - - 0 1", "e2e4", 100),
        ] {
            let position: Chess = fen.parse::<Fen>().unwrap().into_position(CastlingMode::Standard).unwrap();
            let m = uci.parse::<UciMove>().unwrap().to_move(&position).unwrap();
            assert!(exchange_wins(&position, m, worth_cp), "{uci} in {fen} wins {worth_cp}");
            assert!(!exchange_wins(&position, m, worth_cp + 1), "{uci} in {fen} wins no more");
        }
    }
}

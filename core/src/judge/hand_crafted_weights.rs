//! The weights of the hand-made evaluation, in centipawns (middlegame, endgame).

use super::hand_crafted::term;

/// One pair for each term of [`term`].
pub(crate) static WEIGHTS: [(i16, i16); term::COUNT] = weights();

const fn weights() -> [(i16, i16); term::COUNT] {
    let mut w = [(0, 0); term::COUNT];
    let material = [(88, 110), (320, 300), (335, 320), (470, 540), (980, 1000)];
    let mut i = 0;
    while i < 5 {
        w[term::MATERIAL + i] = material[i];
        i += 1;
    }
    let mut rank = 0;
    while rank < 8 {
        let mut file = 0;
        while file < 4 {
            let at = rank * 4 + file;
            let (r, f) = (rank as i16, file as i16);
            // Distance of the rank from the middle, 0 to 3.
            let off = if r < 4 { 3 - r } else { r - 4 };
            w[term::SQUARE + at] = (6 * f - 12 + if f == 3 { 6 * r } else { 2 * r }, 7 * r - 14);
            w[term::SQUARE + 32 + at] = (12 * f - 9 * off - 6, 8 * f - 8 * off);
            w[term::SQUARE + 64 + at] = (5 * f - 5 * off, 3 * f - 4 * off);
            w[term::SQUARE + 96 + at] = (3 * f + if r == 6 { 12 } else { 0 }, if r >= 5 { 8 } else { 0 });
            w[term::SQUARE + 128 + at] = (2 * f - 2 * off, 6 * f - 6 * off);
            w[term::SQUARE + 160 + at] = (-14 * r - 10 * f + 20, 12 * f - 12 * off);
            file += 1;
        }
        let rank_i = rank as i16;
        w[term::CONNECTED + rank] = (2 * rank_i + 2, 2 * rank_i);
        w[term::PASSED + rank] = (2 * rank_i * rank_i, 4 * rank_i * rank_i);
        w[term::PASSED_BLOCKED + rank] = (-rank_i * rank_i / 2, -rank_i * rank_i);
        w[term::PASSED_OWN_KING + rank] = (0, -5 * rank_i);
        w[term::PASSED_ENEMY_KING + rank] = (0, 8 * rank_i);
        w[term::SHELTER + rank] = (if rank == 7 { -22 } else { 12 - 8 * rank_i }, 0);
        w[term::STORM + rank] = (if rank == 0 || rank == 7 { 0 } else { -20 + 5 * rank_i }, 0);
        rank += 1;
    }
    let mut n = 0;
    while n < 28 {
        let reach = n as i16;
        if n < 9 {
            w[term::KNIGHT_MOBILITY + n] = (6 * (reach - 4), 6 * (reach - 4));
        }
        if n < 14 {
            w[term::BISHOP_MOBILITY + n] = (5 * (reach - 6), 5 * (reach - 6));
        }
        if n < 15 {
            w[term::ROOK_MOBILITY + n] = (3 * (reach - 7), 5 * (reach - 7));
        }
        w[term::QUEEN_MOBILITY + n] = (2 * (reach - 12), 3 * (reach - 12));
        n += 1;
    }
    let mut level = 0;
    while level < term::KING_DANGER_LEVELS {
        let l = level as i16;
        w[term::KING_DANGER + level] = (l * l / 3 + 2 * l, 0);
        level += 1;
    }
    w[term::BISHOP_PAIR] = (28, 50);
    w[term::ROOK_OPEN_FILE] = (28, 8);
    w[term::ROOK_HALF_OPEN_FILE] = (12, 8);
    w[term::OUTPOST] = (24, 14);
    w[term::OUTPOST + 1] = (14, 6);
    w[term::DOUBLED] = (-8, -18);
    w[term::ISOLATED] = (-12, -14);
    w[term::PAWN_THREAT] = (45, 35);
    w[term::PAWN_THREAT + 1] = (65, 40);
    w[term::PAWN_THREAT + 2] = (60, 40);
    w[term::MINOR_THREAT] = (35, 25);
    w[term::MINOR_THREAT + 1] = (35, 25);
    w[term::ROOK_THREAT] = (35, 25);
    w[term::HANGING] = (22, 18);
    w[term::TEMPO] = (18, 12);
    w
}

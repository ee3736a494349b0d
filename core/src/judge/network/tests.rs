//! The inference against a slow reference, increments against recomputation, bad files against the parser.

extern crate std;

use std::{vec, vec::Vec};

use proptest::prelude::*;
use shakmaty::{CastlingMode, Chess, Color, Move, Position, Role, fen::Fen};

use super::{
    features::{FEATURES, View, king_of},
    *,
};

const HIDDEN: usize = 16;

/// Bytes of a network with weights by chance: every king square its own bucket, so that views change often.
fn chance_network(weight_bytes: u8, seed: u64) -> Vec<u8> {
    let mut king_map = [0; 64];
    for (i, bucket) in king_map.iter_mut().enumerate() {
        *bucket = (i % 5) as u8;
    }
    let header = Header {
        weight_bytes,
        hidden: HIDDEN as u16,
        king_buckets: 5,
        output_buckets: 8,
        hidden_quantum: 200,
        output_quantum: 64,
        scale_cp: 400,
        king_map,
    };
    let mut state = seed | 1;
    let mut next = || {
        state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        (state >> 33) as i32
    };
    let mut bytes = header.to_bytes().to_vec();
    for _ in 0..header.rows() * HIDDEN {
        match weight_bytes {
            1 => bytes.push((next() % 128) as i8 as u8),
            _ => bytes.extend_from_slice(&((next() % 500) as i16 - 200).to_le_bytes()),
        }
    }
    for _ in 0..HIDDEN {
        bytes.extend_from_slice(&((next() % 100) as i16).to_le_bytes());
    }
    for _ in 0..8 * 2 * HIDDEN {
        bytes.push(((next() % 255) - 127) as i8 as u8);
    }
    for _ in 0..8 {
        bytes.extend_from_slice(&(next() % 10_000 - 5_000).to_le_bytes());
    }
    bytes
}

/// The network's definition in wide integers, straight from the bytes.
fn reference<const BYTES: usize>(bytes: &[u8], pos: &Chess) -> Option<i32> {
    let header = Header::parse(bytes).ok()?;
    let n = HIDDEN;
    let width = BYTES;
    let weights_at = format::HEADER_BYTES;
    let biases_at = weights_at + header.rows() * n * width;
    let outputs_at = biases_at + 2 * n;
    let output_biases_at = outputs_at + 8 * 2 * n;
    let bucket = (pos.board().occupied().count() - 1) * 8 / 32;
    let mut sum = 0i64;
    for (half, color) in [pos.turn(), !pos.turn()].into_iter().enumerate() {
        let king = king_of(pos.board(), color);
        let view = View::new(color, king);
        let king_bucket = usize::from(header.king_map[usize::from(features::seen_king(color, king))]);
        for i in 0..n {
            let mut hidden =
                i64::from(i16::from_le_bytes([bytes[biases_at + 2 * i], bytes[biases_at + 2 * i + 1]]));
            for (square, piece) in pos.board().clone() {
                let row = king_bucket * FEATURES + view.feature(piece, square);
                let at = weights_at + (row * n + i) * width;
                hidden += if width == 1 {
                    i64::from(bytes[at] as i8)
                } else {
                    i64::from(i16::from_le_bytes([bytes[at], bytes[at + 1]]))
                };
            }
            let active = hidden.clamp(0, 200);
            sum += active * active * i64::from(bytes[outputs_at + (2 * bucket + half) * n + i] as i8);
        }
    }
    let at = output_biases_at + 4 * bucket;
    let bias = i64::from(i32::from_le_bytes([bytes[at], bytes[at + 1], bytes[at + 2], bytes[at + 3]]));
    i32::try_from((sum / 200 + bias) * 400 / (200 * 64)).ok().map(|cp| cp.clamp(-30_000, 30_000))
}

fn position(fen: &str) -> Result<Chess, TestCaseError> {
    let fen: Fen = fen.parse().map_err(|e| TestCaseError::fail(std::format!("{e}")))?;
    fen.into_position(CastlingMode::Standard).map_err(|e| TestCaseError::fail(std::format!("{e}")))
}

/// Plays by chance from `pos`, the rarer kinds of moves first, and checks the network after every ply.
fn increments_match<const BYTES: usize>(
    bytes: &[u8],
    mut pos: Chess,
    picks: &[u16],
) -> Result<(), TestCaseError> {
    let network = Network::<BYTES, HIDDEN>::parse(bytes)
        .map_err(|e| TestCaseError::fail(std::format!("failed to {e}")))?;
    let mut state = Accumulator::default();
    network.refresh(&pos, &mut state);
    for &pick in picks {
        let moves = pos.legal_moves();
        let rare: Vec<Move> = moves
            .iter()
            .copied()
            .filter(|m| m.is_castle() || m.is_en_passant() || m.is_promotion())
            .collect();
        let pool: &[Move] = if rare.is_empty() || pick % 3 == 0 { &moves } else { &rare };
        let Some(&played) = pool.get(usize::from(pick) % pool.len().max(1)) else { break };
        let mut after = Accumulator::default();
        network.advance(&state, &pos, played, &mut after);
        pos.play_unchecked(played);
        let mut recomputed = Accumulator::default();
        network.refresh(&pos, &mut recomputed);
        prop_assert_eq!(&after, &recomputed, "after {:?}", played);
        prop_assert_eq!(Some(network.evaluate(&after, &pos)), reference::<BYTES>(bytes, &pos));
        state = after;
    }
    Ok(())
}

/// Both sides may castle both ways, pawns stand before promotion and en passant.
const CASTLING_FEN: &str = "r3k2r/pp1b1ppp/8/2pPp3/2PpP3/8/PP1B1PPP/R3K2R w KQkq c6 0 10";
const PROMOTION_FEN: &str = "1n2k2r/P1P3p1/8/3pP3/4p3/8/1p1P1P1p/R3K1N1 w Qk d6 0 30";

proptest! {
    #![proptest_config(ProptestConfig::with_cases(48))]

    #[test]
    fn an_incremental_accumulator_equals_its_recomputation_over_chance_games(
        seed in any::<u64>(),
        picks in proptest::collection::vec(any::<u16>(), 1..120),
    ) {
        for pos in [Chess::default(), position(CASTLING_FEN)?, position(PROMOTION_FEN)?] {
            increments_match::<2>(&chance_network(2, seed), pos.clone(), &picks)?;
            increments_match::<1>(&chance_network(1, seed), pos, &picks)?;
        }
    }

    #[test]
    fn the_parser_takes_any_bytes_without_a_panic(
        at in 0usize..1024,
        value in any::<u8>(),
        length in 0usize..20_000,
    ) {
        let mut bytes = chance_network(1, 3);
        bytes[at] = value;
        bytes.truncate(length);
        prop_assert!(Network::<1, HIDDEN>::parse(&bytes).is_err());
    }
}

#[test]
fn a_board_and_its_colour_flip_have_the_same_value() -> Result<(), TestCaseError> {
    let bytes = chance_network(2, 11);
    let network =
        Network::<2, HIDDEN>::parse(&bytes).map_err(|e| TestCaseError::fail(std::format!("{e}")))?;
    let value = |fen: &str| -> Result<i32, TestCaseError> {
        let pos = position(fen)?;
        let mut state = Accumulator::default();
        network.refresh(&pos, &mut state);
        Ok(network.evaluate(&state, &pos))
    };
    let white = value("rnb1kbnr/ppp2ppp/8/3pp1q1/4P3/3P1N2/PPP2PPP/RNBQKB1R w KQkq - 0 4")?;
    let flipped = value("rnbqkb1r/ppp2ppp/3p1n2/4p3/3PP1Q1/8/PPP2PPP/RNB1KBNR b KQkq - 0 4")?;
    assert_eq!(white, flipped);
    assert_ne!(white, 0);
    Ok(())
}

#[test]
fn a_board_and_its_mirror_image_have_the_same_value_without_castling_rights() -> Result<(), TestCaseError> {
    let bytes = chance_network(1, 12);
    let network =
        Network::<1, HIDDEN>::parse(&bytes).map_err(|e| TestCaseError::fail(std::format!("{e}")))?;
    let mut values = vec![];
    for fen in ["2k5/1pp5/p6r/8/3N4/6P1/5P1P/6K1 w - - 0 1", "5k2/5pp1/r6p/8/4N3/1P6/P1P5/1K6 w - - 0 1"] {
        let pos = position(fen)?;
        let mut state = Accumulator::default();
        network.refresh(&pos, &mut state);
        values.push(network.evaluate(&state, &pos));
    }
    assert_eq!(values[0], values[1]);
    Ok(())
}

#[test]
fn every_piece_on_every_square_has_its_own_feature() {
    for king in [Square::B1, Square::G8] {
        for perspective in Color::ALL {
            let view = View::new(perspective, king);
            let mut seen = [false; FEATURES];
            for color in Color::ALL {
                for role in Role::ALL {
                    for square in Square::ALL {
                        if role == Role::Pawn && (square.rank() as u8 == 0 || square.rank() as u8 == 7) {
                            continue;
                        }
                        let feature = view.feature(shakmaty::Piece { color, role }, square);
                        assert!(!seen[feature], "{color:?} {role:?} {square}");
                        seen[feature] = true;
                    }
                }
            }
            assert!(seen.iter().all(|&s| s));
        }
    }
}

#[test]
fn a_network_that_could_overflow_is_refused() {
    let mut bytes = chance_network(2, 5);
    assert!(Network::<2, HIDDEN>::parse(&bytes).is_ok());
    let at = format::HEADER_BYTES;
    bytes[at..at + 2].copy_from_slice(&1100i16.to_le_bytes());
    assert_eq!(Network::<2, HIDDEN>::parse(&bytes).err(), Some(NetworkError::Overflows));
}

#[test]
fn a_network_of_another_shape_is_refused_by_name() {
    let bytes = chance_network(2, 5);
    let error = Network::<2, 32>::parse(&bytes).err();
    assert_eq!(error, Some(NetworkError::WrongShape { expected: (32, 2), actual: (HIDDEN, 2) }));
}

#[test]
fn a_header_survives_its_bytes() {
    let bytes = chance_network(1, 9);
    let header = Header::parse(&bytes);
    assert_eq!(header.map(|h| h.to_bytes().to_vec()), Ok(bytes[..format::HEADER_BYTES].to_vec()));
}

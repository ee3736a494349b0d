//! The search as an instrument sees it: mates, draws, sameness.

extern crate std;

use std::{vec, vec::Vec};

use shakmaty::{CastlingMode, Chess, Position, fen::Fen, uci::UciMove};

use super::{
    hand_crafted::HandCrafted,
    history::{
        CAPTURE_CELLS_FULL, CONTINUATION_CELLS_FULL, CORRECTION_CELLS_FULL, History, QUIET_CELLS_FULL,
    },
    limits::{Limits, Observer},
    memory::{Frame, MemoryTooSmall, SearchMemory},
    packed_move::ScoredMove,
    position_key::PositionKey,
    score::{Score, ScoreKind},
    search::{Iteration, Search},
    transposition_table::{Bucket, TranspositionTable},
};

fn position(fen: &str) -> Chess {
    fen.parse::<Fen>().unwrap().into_position(CastlingMode::Standard).unwrap()
}

/// Searches with as many frames, moves and buckets as asked and full histories.
fn search_in(
    sizes: (usize, usize, usize),
    root: &Chess,
    game: &[PositionKey],
    limits: Limits,
    observer: &mut dyn Observer,
) -> Iteration {
    let buckets: Vec<Bucket> = (0..sizes.2).map(|_| Bucket::EMPTY).collect();
    let table = TranspositionTable::new(&buckets);
    let mut frames = vec![Frame::<()>::default(); sizes.0];
    let mut moves = vec![ScoredMove::EMPTY; sizes.1];
    let mut quiet = vec![0; QUIET_CELLS_FULL];
    let mut capture = vec![0; CAPTURE_CELLS_FULL];
    let mut continuation = vec![0; CONTINUATION_CELLS_FULL];
    let mut correction = vec![0; CORRECTION_CELLS_FULL];
    let history = History::new(&mut quiet, &mut capture, &mut continuation, &mut correction);
    let memory = SearchMemory::new(&mut frames, &mut moves, history).unwrap();
    Search::new(&HandCrafted, &table, memory).run(root, game, limits, observer)
}

fn search(fen: &str, limits: Limits) -> Iteration {
    search_in((128, 8192, 1 << 14), &position(fen), &[], limits, &mut ())
}

fn first_move(iteration: &Iteration, fen: &str) -> std::string::String {
    let m = iteration.line[0].unpack(&position(fen)).unwrap();
    std::format!("{}", m.to_uci(CastlingMode::Standard))
}

#[test]
fn forced_mates_are_found_and_their_line_ends_in_mate() {
    for (fen, moves) in [
        ("6k1/5ppp/8/8/8/8/5PPP/3R2K1 w - - 0 1", 1),
        ("7k/8/5K2/6Q1/8/8/8/8 w - - 0 1", 1),
        // Two rooks drive the king to the edge.
        ("8/8/4k3/8/8/8/R7/1R2K3 w - - 0 1", 6),
        // The smothered mate: queen check, double check, queen sacrifice, knight mate.
        ("r4rk1/5Npp/8/8/2Q5/8/5PPP/6K1 w - - 0 1", 4),
    ] {
        let found = search(fen, Limits::nodes(400_000));
        match found.score.kind() {
            ScoreKind::Mate { moves: found_moves } => {
                assert!(found_moves <= moves, "{fen}: {found:?}");
                let mut position = position(fen);
                for packed in &found.line {
                    position.play_unchecked(packed.unpack_legal(&position).unwrap());
                }
                assert!(position.is_checkmate(), "the line of {fen} ends in mate: {found:?}");
                assert_eq!(found.line.len(), 2 * usize::from(found_moves) - 1);
            }
            _ => panic!("{fen}: {found:?}"),
        }
    }
}

#[test]
fn finished_positions_need_no_search() {
    let mated = search("7k/5KQ1/8/8/8/8/8/8 b - - 0 1", Limits::depth(5));
    assert_eq!((mated.score, mated.depth), (Score::mated_in(0), 0));
    assert_eq!(mated.score.kind(), ScoreKind::Mated { moves: 0 });
    let stalemated = search("7k/5K2/6Q1/8/8/8/8/8 b - - 0 1", Limits::depth(5));
    assert_eq!((stalemated.score, stalemated.depth), (Score::DRAW, 0));
}

#[test]
fn a_stalemate_is_avoided_when_winning_and_sought_when_losing() {
    let winning = "7k/8/6K1/8/8/8/8/5Q2 w - - 0 1";
    assert!(search(winning, Limits::depth(6)).score.is_mate());
    // Black's rook checks on and on: taking it is stalemate.
    let losing = "8/8/8/8/8/6k1/5rp1/6K1 w - - 0 1";
    assert_eq!(search(losing, Limits::depth(8)).score, Score::DRAW);
}

#[test]
fn the_fifty_move_rule_makes_a_won_ending_a_draw() {
    let far = search("8/8/8/8/8/4k3/8/R3K3 w - - 10 80", Limits::depth(10));
    assert!(far.score > Score::centipawns(200), "{far:?}");
    let near = search("8/8/8/8/8/4k3/8/R3K3 w - - 96 80", Limits::depth(10));
    assert_eq!(near.score, Score::DRAW, "{near:?}");
}

#[test]
fn a_third_repetition_is_a_draw_and_a_mate_at_the_hundredth_ply_counts() {
    // White is a queen down and shuffles; the game has seen the coming position twice.
    let mut game = Vec::new();
    let mut current = position("6k1/5pp1/7p/8/8/7q/5P2/4Q1K1 w - - 0 1");
    for uci in ["e1e8", "g8h7", "e8e4", "h7g8", "e4e8", "g8h7", "e8e4", "h7g8"] {
        game.push(PositionKey::of(&current));
        let m = uci.parse::<UciMove>().unwrap().to_move(&current).unwrap();
        current.play_unchecked(m);
    }
    let found = search_in((64, 4096, 4096), &current, &game, Limits::depth(6), &mut ());
    assert_eq!(found.score, Score::DRAW, "a check that repeats for the third time: {found:?}");

    let mate = search("6k1/5ppp/8/8/8/8/5PPP/3R2K1 w - - 99 90", Limits::depth(4));
    assert_eq!(mate.score.kind(), ScoreKind::Mate { moves: 1 });
}

#[test]
fn the_same_search_gives_the_same_bits() {
    let fen = "r3k2r/p1ppqpb1/bn2pnp1/3PN3/1p2P3/2N2Q1p/PPPBBPPP/R3K2R w KQkq - 0 1";
    let first = search(fen, Limits::nodes(30_000));
    assert_eq!(first, search(fen, Limits::nodes(30_000)));
    assert!(first.nodes <= 30_000);
}

#[test]
fn a_search_without_a_table_agrees_where_the_truth_is_clear() {
    for (fen, best) in [
        // A fork of king and queen.
        ("4k3/8/8/3q4/8/2N5/8/4K3 w - - 0 1", "c3d5"),
        // A back rank mate in two.
        ("2r3k1/5ppp/8/8/8/8/1Q3PPP/2R3K1 w - - 0 1", "c1c8"),
        // A passed pawn runs.
        ("8/1P5k/8/8/8/8/5p2/K7 w - - 0 1", "b7b8q"),
    ] {
        let with = search(fen, Limits::depth(7));
        let without = search_in((64, 4096, 0), &position(fen), &[], Limits::depth(7), &mut ());
        assert_eq!((first_move(&with, fen).as_str(), first_move(&without, fen).as_str()), (best, best));
        assert!((with.score.value() - without.score.value()).abs() < 120, "{with:?} {without:?}");
    }
}

#[test]
fn the_smallest_memory_searches_and_less_is_refused() {
    let fen = "r3k2r/p1ppqpb1/bn2pnp1/3PN3/1p2P3/2N2Q1p/PPPBBPPP/R3K2R w KQkq - 0 1";
    for sizes in [(4, 256, 0), (5, 300, 1), (24, 900, 64)] {
        let found = search_in(sizes, &position(fen), &[], Limits::depth(9), &mut ());
        assert!(!found.line.is_empty());
        assert!(found.score.value().abs() < 1500, "{found:?}");
    }
    let history = History::new(&mut [], &mut [], &mut [], &mut []);
    let refused = SearchMemory::<()>::new(&mut [], &mut [], history);
    assert_eq!(refused.err(), Some(MemoryTooSmall { frames: (4, 0), moves: (256, 0) }));
}

#[test]
fn an_observer_ends_a_search_and_sees_every_iteration() {
    struct Watch(Vec<u8>);
    impl Observer for Watch {
        fn must_stop(&mut self, nodes: u64) -> bool {
            nodes > 20_000
        }

        fn completed(&mut self, iteration: &Iteration) -> bool {
            self.0.push(iteration.depth);
            false
        }
    }
    let mut watch = Watch(Vec::new());
    let root = Chess::default();
    let found = search_in((128, 8192, 1 << 12), &root, &[], Limits::UNLIMITED, &mut watch);
    assert!((20_000..22_000).contains(&found.nodes), "{}", found.nodes);
    assert_eq!(watch.0, (1..=found.depth).collect::<Vec<_>>());
}

/// A change of this number says that the search changed; one that is meant is written down here.
#[test]
fn the_node_signature_is_the_known_one() {
    let nodes: u64 = [
        "rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w KQkq - 0 1",
        "r3k2r/p1ppqpb1/bn2pnp1/3PN3/1p2P3/2N2Q1p/PPPBBPPP/R3K2R w KQkq - 0 1",
        "r4rk1/1pp1qppp/p1np1n2/2b1p1B1/2B1P1b1/P1NP1N2/1PP1QPPP/R4RK1 w - - 0 10",
        "8/2p5/3p4/KP5r/1R3p1k/8/4P1P1/8 w - - 0 1",
    ]
    .into_iter()
    .map(|fen| search(fen, Limits::depth(9)).nodes)
    .sum();
    assert_eq!(nodes, 37_880);
}

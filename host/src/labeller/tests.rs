use std::sync::Mutex;

use shakmaty::{Chess, Position, san::San};

use super::*;

fn game(moves: &str) -> LabelledGame {
    let mut positions = vec![Chess::default()];
    for san in moves.split_whitespace() {
        let mut position = positions[positions.len() - 1].clone();
        let m = san.parse::<San>().unwrap().to_move(&position).unwrap();
        position.play_unchecked(m);
        positions.push(position);
    }
    LabelledGame::of_positions(positions)
}

const SCHOLARS_MATE: &str = "e4 e5 Bc4 Nc6 Qh5 Nf6 Qxf7";
const REPETITION: &str = "Nf3 Nf6 Ng1 Ng8 Nf3 Nf6 Ng1 Ng8 e4 e5 Nf3 Nc6 Bb5 a6 Ba4 Nf6 O-O Be7 Re1 b5 Bb3 d6 c3 O-O \
    h3 Nb8 d4 Nbd7 Nf3d2 Nf6e8 Nd2f3 Ne8f6";

fn labeller() -> Labeller {
    Labeller { budget: Budget::Nodes(1500), table_mib: 1, ..Labeller::default() }
}

#[test]
fn a_mate_on_the_board_is_certain_and_the_blunder_before_it_a_swing() {
    let labels = labeller().label(&game(SCHOLARS_MATE), &[], &|_| {});
    assert_eq!(labels.len(), 8);
    let (blunder, mate) = (&labels[6], &labels[7]);
    assert_eq!((blunder.leader_after, blunder.wr_swing), (Verdict::White, Verdict::White));
    assert_eq!(
        (mate.p, mate.leader_after, mate.wr_swing),
        (WinProbability::ONE, Verdict::White, Verdict::Equal)
    );
    assert_eq!(mate.search.nodes, 0);
    assert_eq!(labels[1].leader_after, Verdict::Equal);
}

#[test]
fn a_threefold_repetition_is_a_draw_only_where_the_game_ends() {
    let whole = game(REPETITION);
    let shortened = LabelledGame::of_positions(whole.positions()[..=8].to_vec());
    assert_eq!(shortened.final_score(8), Some(Score::DRAW));
    assert_eq!(whole.final_score(8), None);
}

#[test]
fn the_scores_are_the_same_for_any_number_of_threads_and_when_taken_up_again() {
    let game = game(REPETITION);
    let chunks = Mutex::new(Vec::new());
    let keep = |progress: Progress<'_>| {
        if let Progress::Chunk(chunk) = progress {
            chunks.lock().unwrap().push(chunk.clone());
        }
    };
    let one = Labeller { threads: 1, ..labeller() }.label(&game, &[], &keep);
    let three = Labeller { threads: 3, ..labeller() }.label(&game, &[], &|_| {});
    assert_eq!(one, three);
    let chunks = chunks.into_inner().unwrap();
    assert_eq!(chunks.len(), 2, "33 positions are two chunks");
    for known in &chunks {
        let written = serde_json::to_string(known).unwrap();
        let read: Chunk = serde_json::from_str(&written).unwrap();
        assert_eq!(&read, known);
        let searched = Mutex::new(0);
        let again = labeller().label(&game, &[read], &|progress| {
            if let Progress::Chunk(_) = progress {
                *searched.lock().unwrap() += 1;
            }
        });
        assert_eq!(again, one);
        assert_eq!(searched.into_inner().unwrap(), 1, "only the other chunk was searched");
    }
}

#[test]
fn a_budget_of_time_is_kept() {
    let game = game(REPETITION);
    let started = Instant::now();
    let budget = Budget::Game(Duration::from_millis(600));
    let labels = Labeller { budget, ..labeller() }.label(&game, &[], &|_| {});
    assert_eq!(labels.len(), game.positions().len());
    assert!(started.elapsed() < Duration::from_millis(2500), "{:?}", started.elapsed());
}

#[test]
fn provisional_labels_come_ply_by_ply() {
    let mut provisional = labeller().provisional();
    let labels: Vec<_> = game(SCHOLARS_MATE).positions().iter().map(|p| provisional.next(p)).collect();
    assert_eq!(labels.iter().map(|label| label.ply).collect::<Vec<_>>(), (0..8).collect::<Vec<_>>());
    assert_eq!((labels[6].leader_after, labels[6].wr_swing), (Verdict::White, Verdict::White));
    assert_eq!(labels[7].p, WinProbability::ONE);
}

#[test]
fn an_illegal_move_is_named_by_its_ply() {
    let start = Chess::default();
    let first = start.legal_moves()[0];
    assert_eq!(LabelledGame::new(start, &[first, first]).err(), Some(IllegalMove { ply: 2 }));
}

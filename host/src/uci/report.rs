//! What the engine says of its search.

use std::time::Duration;

use plyscope_core::judge::{
    score::{Score, ScoreKind},
    search::Iteration,
    win_model::WinModel,
};
use shakmaty::Chess;

use crate::labeller::{game_ply, uci_line};

/// The `info` line of a completed iteration; with the win-draw-loss of `model` where one is given.
pub(super) fn info(
    root: &Chess,
    found: &Iteration,
    nodes: u64,
    elapsed: Duration,
    fill_per_mille: u32,
    model: Option<&WinModel>,
) -> String {
    let ms = elapsed.as_millis();
    let per_second = u128::from(nodes) * 1_000_000 / elapsed.as_micros().max(1);
    let wdl = model.map_or_else(String::new, |model| format!(" wdl {}", wdl(found.score, root, model)));
    format!(
        "info depth {} seldepth {} score {}{wdl} nodes {nodes} nps {per_second} hashfull {fill_per_mille} time {ms} pv {}",
        found.depth,
        found.selective_depth,
        score(found.score),
        uci_line(root, found).join(" "),
    )
}

/// `cp N` or `mate N` as the side to move sees it.
pub(super) fn score(score: Score) -> String {
    match score.kind() {
        ScoreKind::Centipawns(cp) => format!("cp {cp}"),
        ScoreKind::Mate { moves } => format!("mate {moves}"),
        ScoreKind::Mated { moves: 0 } => "mate 0".into(),
        ScoreKind::Mated { moves } => format!("mate -{moves}"),
    }
}

/// Wins, draws and losses per mille as the side to move sees them.
fn wdl(score: Score, root: &Chess, model: &WinModel) -> String {
    let (win, loss) = match score.kind() {
        ScoreKind::Mate { .. } => (1.0, 0.0),
        ScoreKind::Mated { .. } => (0.0, 1.0),
        ScoreKind::Centipawns(cp) => model.win_and_loss(f64::from(cp), game_ply(root)),
    };
    let per_mille = |share: f64| (share * 1000.0).round() as i32;
    let (win, loss) = (per_mille(win), per_mille(loss));
    format!("{win} {} {loss}", 1000 - win - loss)
}

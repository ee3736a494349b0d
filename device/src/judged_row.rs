//! Rows about judged plies, searched positions and counted trees, as JSON without a heap.

use core::fmt::Write;

use arrayvec::ArrayString;
use plyscope_core::judge::score::{Score, ScoreKind};
use plyscope_core::judge::search::Iteration;
use serde::{Serialize, Serializer, ser::SerializeStruct};
use shakmaty::{CastlingMode, Move};

use crate::perft::Count;
use crate::referee::JudgedPly;

/// The most bytes of a row.
pub const JSON_BYTES_MAX: usize = 192;
/// Four digits of p are written.
const P_UNIT: f64 = 10_000.0;

/// One row.
#[derive(Clone, Debug, PartialEq)]
pub enum JudgedRow {
    /// A ply and its labels.
    Ply {
        /// From 1.
        ply: u32,
        /// What was played.
        mv: Move,
        /// What is said of it.
        judged: JudgedPly,
    },
    /// A position that was searched.
    Searched {
        /// As the side to move sees it.
        score: Score,
        /// Plies searched.
        depth: u8,
        /// Positions visited.
        nodes: u64,
    },
    /// The nodes of all positions together.
    Signature(u64),
    /// A tree that was counted.
    Counted(Count),
}

impl From<&Iteration> for JudgedRow {
    fn from(found: &Iteration) -> Self {
        Self::Searched { score: found.score, depth: found.depth, nodes: found.nodes }
    }
}

impl Serialize for JudgedRow {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        match self {
            Self::Ply { ply, mv, judged } => {
                let mut row = serializer.serialize_struct("Ply", 7)?;
                row.serialize_field("ply", ply)?;
                let mut uci = ArrayString::<8>::new();
                // A move of chess takes five letters at most.
                let _ = write!(uci, "{}", mv.to_uci(CastlingMode::Standard));
                row.serialize_field("uci", uci.as_str())?;
                score_field::<S>(&mut row, judged.score)?;
                row.serialize_field("p", &(libm::round(judged.p.get() * P_UNIT) / P_UNIT))?;
                row.serialize_field("leader_after", &judged.verdicts.leader_after)?;
                row.serialize_field("wr_swing", &judged.verdicts.wr_swing)?;
                row.serialize_field("nodes", &judged.nodes)?;
                row.end()
            }
            Self::Searched { score, depth, nodes } => {
                let mut row = serializer.serialize_struct("Searched", 3)?;
                row.serialize_field("depth", depth)?;
                score_field::<S>(&mut row, *score)?;
                row.serialize_field("nodes", nodes)?;
                row.end()
            }
            Self::Signature(nodes) => {
                let mut row = serializer.serialize_struct("Signature", 1)?;
                row.serialize_field("signature", nodes)?;
                row.end()
            }
            Self::Counted(count) => {
                let mut row = serializer.serialize_struct("Counted", 4)?;
                row.serialize_field("position", &count.position)?;
                row.serialize_field("depth", &count.depth)?;
                row.serialize_field("leaves", &count.leaves)?;
                row.serialize_field("published", &count.published)?;
                row.end()
            }
        }
    }
}

/// `"cp"`, or `"mate"`: moves to it, negative (or 0) where the side whose view it is is mated.
fn score_field<S: Serializer>(row: &mut S::SerializeStruct, score: Score) -> Result<(), S::Error> {
    match score.kind() {
        ScoreKind::Centipawns(cp) => row.serialize_field("cp", &cp),
        ScoreKind::Mate { moves } => row.serialize_field("mate", &i32::from(moves)),
        ScoreKind::Mated { moves } => row.serialize_field("mate", &-i32::from(moves)),
    }
}

impl JudgedRow {
    /// Hands the row's bytes to `emit`.
    pub fn emit(&self, emit: &mut dyn FnMut(&[u8])) {
        let mut buffer = [0; JSON_BYTES_MAX];
        if let Ok(bytes) = serde_json_core::to_slice(self, &mut buffer) {
            emit(buffer.get(..bytes).unwrap_or_default());
        }
    }
}

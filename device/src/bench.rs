//! Searches positions whose node counts are the same on every machine: the search's signature.

use plyscope_core::judge::limits::Limits;
use plyscope_core::judge::search::Iteration;
use shakmaty::fen::Fen;
use shakmaty::{CastlingMode, Chess};

use crate::evaluation::Evaluation;
use crate::profile::{SmallReferee, SmallTables};
use crate::referee::RefereeError;

/// The openings of chess and of the Chess Programming Wiki's perft page.
pub const POSITIONS: [&[u8]; 4] = [
    b"rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w KQkq - 0 1",
    b"r3k2r/p1ppqpb1/bn2pnp1/3PN3/1p2P3/2N2Q1p/PPPBBPPP/R3K2R w KQkq - 0 1",
    b"r4rk1/1pp1qppp/p1np1n2/2b1p1B1/2B1P1b1/P1NP1N2/1PP1QPPP/R4RK1 w - - 0 10",
    b"8/2p5/3p4/KP5r/1R3p1k/8/4P1P1/8 w - - 0 1",
];
/// How deep each is searched.
pub const DEPTH: u8 = 8;

/// Reads one of the positions.
#[must_use]
pub fn position(fen: &[u8]) -> Option<Chess> {
    Fen::from_ascii(fen).ok()?.into_position(CastlingMode::Standard).ok()
}

/// Searches all positions, each from empty memory, and hands what was found to `each`; returns all nodes together. The memory
/// is the small one on every machine, large or small, for it decides which nodes are visited.
///
/// # Errors
///
/// [`RefereeError`] when the memory is too small.
pub fn run(
    evaluation: &Evaluation,
    referee: &mut SmallReferee,
    tables: &mut SmallTables,
    each: &mut dyn FnMut(&Iteration),
) -> Result<u64, RefereeError> {
    let mut nodes = 0;
    for fen in POSITIONS {
        let Some(root) = position(fen) else { continue };
        tables.clear();
        let found =
            referee.search(evaluation, tables, &root, Limits::depth(DEPTH)).map_err(RefereeError::Memory)?;
        nodes += found.nodes;
        each(&found);
    }
    Ok(nodes)
}

#[cfg(test)]
mod tests {
    extern crate std;
    use std::boxed::Box;

    use super::*;

    /// A change of this number says that the search on devices changed; one that is meant is written down here, and the
    /// golden files are written anew.
    #[test]
    fn the_signature_is_the_known_one() -> Result<(), Box<dyn std::error::Error>> {
        let evaluation = crate::evaluation::evaluation()?;
        let mut referee = Box::new(SmallReferee::new());
        let mut tables = Box::new(SmallTables::new());
        let mut positions = 0;
        let nodes = run(&evaluation, &mut referee, &mut tables, &mut |_| positions += 1)?;
        assert_eq!((positions, nodes), (4, 22_526));
        Ok(())
    }
}

//! Counts the leaves of the tree of legal moves: the rules alone.

use shakmaty::Chess;

use crate::bench;

/// The positions of [`POSITIONS`](crate::bench::POSITIONS) that are counted, how deep, and their leaves as the Chess Programming Wiki
/// publishes them.
pub const COUNTS: [(usize, u32, u64); 3] = [(0, 4, 197_281), (1, 3, 97_862), (3, 4, 43_238)];

/// What was counted.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Count {
    /// Which of [`POSITIONS`](crate::bench::POSITIONS).
    pub position: usize,
    /// Plies.
    pub depth: u32,
    /// Leaves found.
    pub leaves: u64,
    /// Leaves that there are.
    pub published: u64,
}

/// Counts all positions and hands each count to `each`; returns whether all are as published.
pub fn run(each: &mut dyn FnMut(Count)) -> bool {
    let mut all_right = true;
    for (position, depth, published) in COUNTS {
        let root: Option<Chess> = bench::POSITIONS.get(position).and_then(|fen| bench::position(fen));
        let leaves = root.map_or(0, |root| shakmaty::perft(&root, depth));
        all_right &= leaves == published;
        each(Count { position, depth, leaves, published });
    }
    all_right
}

#[cfg(test)]
mod tests {
    #[test]
    fn all_counts_are_as_published() {
        assert!(super::run(&mut |count| assert_eq!(count.leaves, count.published, "{count:?}")));
    }
}

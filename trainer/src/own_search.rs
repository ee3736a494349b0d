//! The product's own evaluators and search, as the trainer examines them.

use anyhow::{Result, bail};
use plyscope_core::judge::{
    evaluation::Evaluator,
    history::{
        CAPTURE_CELLS_FULL, CONTINUATION_CELLS_FULL, CORRECTION_CELLS_FULL, History, QUIET_CELLS_FULL,
    },
    memory::{Frame, SearchMemory},
    network::{Header, Network},
    packed_move::ScoredMove,
    search::Search,
    transposition_table::{Bucket, TranspositionTable},
};

/// Frames and moves of the search's memory, buckets of its table: enough for the node counts of a check.
const FRAMES: usize = 128;
const MOVES: usize = 16_384;
const BUCKETS: usize = 1 << 16;

/// Something to do with an evaluator, whatever its type.
pub(crate) trait Exam {
    /// Does it.
    ///
    /// # Errors
    ///
    /// Whatever goes wrong meanwhile.
    fn run<E: Evaluator>(&self, evaluator: &E) -> Result<()>;
}

/// Examines the network in `bytes` by the very code that the product runs.
///
/// # Errors
///
/// When the bytes are no network of a shape that is compiled in, or the exam fails.
pub(crate) fn examine_network(bytes: &[u8], exam: &impl Exam) -> Result<()> {
    let header = Header::parse(bytes)?;
    macro_rules! shapes {
        ($(($hidden:literal, $bytes:literal)),*) => {
            match (header.hidden, header.weight_bytes) {
                $(($hidden, $bytes) => exam.run(&Network::<$bytes, $hidden>::parse(bytes)?),)*
                other => bail!("no inference for {} neurons with {}-byte weights", other.0, other.1),
            }
        };
    }
    shapes!((32, 1), (64, 1), (128, 2), (256, 2), (384, 2), (512, 2), (768, 2))
}

/// Lets `work` search with `evaluator` in memory that lasts as long as it does.
///
/// # Errors
///
/// When `work` fails.
pub(crate) fn with_search<E: Evaluator, R>(
    evaluator: &E,
    work: impl FnOnce(&mut Search<'_, E>, &TranspositionTable<'_>) -> Result<R>,
) -> Result<R> {
    let buckets: Vec<Bucket> = (0..BUCKETS).map(|_| Bucket::EMPTY).collect();
    let table = TranspositionTable::new(&buckets);
    let mut frames = vec![Frame::<E::State>::default(); FRAMES];
    let mut moves = vec![ScoredMove::EMPTY; MOVES];
    let (mut quiet, mut capture) = (vec![0; QUIET_CELLS_FULL], vec![0; CAPTURE_CELLS_FULL]);
    let (mut continuation, mut correction) =
        (vec![0; CONTINUATION_CELLS_FULL], vec![0; CORRECTION_CELLS_FULL]);
    let history = History::new(&mut quiet, &mut capture, &mut continuation, &mut correction);
    let memory = SearchMemory::new(&mut frames, &mut moves, history)?;
    work(&mut Search::new(evaluator, &table, memory), &table)
}

//! Remembers searched positions in memory that the caller hands in, from one bucket of 64 bytes up.
//!
//! Several threads may share one table without locks: an entry is three 32-bit words, and its key word is mixed with
//! the other two, so that an entry torn between two writers fails the key test (Hyatt and Mann's scheme).

use core::sync::atomic::{AtomicU8, AtomicU32, Ordering::Relaxed};

use super::{
    packed_move::PackedMove,
    position_key::PositionKey,
    score::{self, MATE_THRESHOLD},
};

const BUCKET_ENTRIES: usize = 5;
/// The age is kept in five bits beside one for the principal variation and the two of the bound.
const AGE_MASK: u8 = 0x1f;
const AGE_SHIFT: u32 = 3;
const ON_PV_BIT: u32 = 1 << 26;
/// A stored evaluation of this value means that none was made (the position is in check).
const NO_EVALUATION: i16 = i16::MIN;

/// What a stored value says of the true one.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Bound {
    /// The true value is at most the stored one.
    Upper = 1,
    /// The true value is at least the stored one.
    Lower = 2,
    /// The value is exact.
    Exact = 3,
}

impl Bound {
    pub(crate) fn allows_at_least(self) -> bool {
        self as u8 & Bound::Lower as u8 != 0
    }

    pub(crate) fn allows_at_most(self) -> bool {
        self as u8 & Bound::Upper as u8 != 0
    }
}

#[derive(Debug, Default)]
struct Entry {
    /// Low half of the position's key, mixed with the other two words.
    key: AtomicU32,
    /// Move in the low half, value in the high half.
    move_and_value: AtomicU32,
    /// Evaluation in the low half, then depth, then age and bound.
    rest: AtomicU32,
}

/// 64 bytes of table: five entries of twelve bytes.
#[derive(Debug, Default)]
#[repr(align(64))]
pub struct Bucket([Entry; BUCKET_ENTRIES]);

impl Bucket {
    /// A bucket with nothing in it.
    #[expect(clippy::declare_interior_mutable_const, reason = "a pattern to fill memory with, never shared")]
    pub const EMPTY: Bucket = {
        const NOTHING: Entry =
            Entry { key: AtomicU32::new(0), move_and_value: AtomicU32::new(0), rest: AtomicU32::new(0) };
        Bucket([NOTHING; BUCKET_ENTRIES])
    };
}

/// What is known of a position.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Known {
    pub(crate) best: Option<PackedMove>,
    /// As the side to move sees it, mates counted from this position.
    pub(crate) value: i32,
    /// The static evaluation before corrections, unless the position is in check.
    pub(crate) evaluation: Option<i32>,
    pub(crate) depth: i32,
    pub(crate) bound: Bound,
    /// The position was once on a principal variation.
    pub(crate) on_pv: bool,
}

/// A table over the caller's buckets. Without any it remembers nothing.
#[derive(Debug)]
pub struct TranspositionTable<'a> {
    buckets: &'a [Bucket],
    age: AtomicU8,
}

impl<'a> TranspositionTable<'a> {
    /// Uses `buckets` as they are; call [`TranspositionTable::clear`] where old contents must not be seen.
    pub fn new(buckets: &'a [Bucket]) -> TranspositionTable<'a> {
        TranspositionTable { buckets, age: AtomicU8::new(0) }
    }

    /// The same where the entries in `buckets` were left by so many searches before.
    pub fn after_searches(buckets: &'a [Bucket], searches: u8) -> TranspositionTable<'a> {
        TranspositionTable { buckets, age: AtomicU8::new(searches & AGE_MASK) }
    }

    /// Forgets everything.
    pub fn clear(&self) {
        for entry in self.buckets.iter().flat_map(|bucket| &bucket.0) {
            entry.key.store(0, Relaxed);
            entry.move_and_value.store(0, Relaxed);
            entry.rest.store(0, Relaxed);
        }
        self.age.store(0, Relaxed);
    }

    /// Tells that a new search begins: what older ones left gives way first.
    pub fn start_search(&self) {
        self.age.store(self.age.load(Relaxed).wrapping_add(1) & AGE_MASK, Relaxed);
    }

    /// How full the table is with entries of the current search, in per mille of a sample.
    pub fn fill_per_mille(&self) -> u32 {
        let age = self.age.load(Relaxed);
        let (mut used, mut seen) = (0, 0);
        for entry in self.buckets.iter().take(200).flat_map(|bucket| &bucket.0) {
            let rest = entry.rest.load(Relaxed);
            seen += 1;
            used += u32::from(bound_of(rest).is_some() && age_of(rest) == age);
        }
        (used * 1000_u32).checked_div(seen).unwrap_or(0)
    }

    /// The key's high half chooses the bucket, its low half tells the entries apart.
    fn bucket_index(&self, key: PositionKey) -> usize {
        (((key.0 >> 32) * self.buckets.len() as u64) >> 32) as usize
    }

    fn bucket(&self, key: PositionKey) -> Option<&Bucket> {
        self.buckets.get(self.bucket_index(key))
    }

    /// Says that the position with this key is about to be looked up: with the feature `prefetch` the processor fetches its
    /// bucket meanwhile.
    pub(crate) fn announce(&self, key: PositionKey) {
        #[cfg(feature = "prefetch")]
        prefetch_index::prefetch_index(self.buckets, self.bucket_index(key));
        #[cfg(not(feature = "prefetch"))]
        let _ = key;
    }

    /// What is known of the position with this key, `ply` plies from the root.
    pub(crate) fn probe(&self, key: PositionKey, ply: usize) -> Option<Known> {
        for entry in &self.bucket(key)?.0 {
            let move_and_value = entry.move_and_value.load(Relaxed);
            let rest = entry.rest.load(Relaxed);
            if entry.key.load(Relaxed) ^ move_and_value ^ rest != key.0 as u32 {
                continue;
            }
            let Some(bound) = bound_of(rest) else { continue };
            let evaluation = rest as u16 as i16;
            return Some(Known {
                best: PackedMove::from_bits(move_and_value as u16),
                value: value_from_table(i32::from((move_and_value >> 16) as u16 as i16), ply),
                evaluation: (evaluation != NO_EVALUATION).then_some(i32::from(evaluation)),
                depth: i32::from((rest >> 16) as u8 as i8),
                bound,
                on_pv: rest & ON_PV_BIT != 0,
            });
        }
        None
    }

    /// Remembers `known` of the position with this key, `ply` plies from the root. Where the position is there already,
    /// a known move is not given up for none, nor a deep exact value for a shallow one.
    pub(crate) fn store(&self, key: PositionKey, ply: usize, known: Known) {
        let Some(bucket) = self.bucket(key) else { return };
        let age = self.age.load(Relaxed);
        let mut place = &bucket.0[0];
        let mut least_worth = i32::MAX;
        let mut best = known.best;
        for entry in &bucket.0 {
            let move_and_value = entry.move_and_value.load(Relaxed);
            let rest = entry.rest.load(Relaxed);
            let old = bound_of(rest);
            if old.is_some() && entry.key.load(Relaxed) ^ move_and_value ^ rest == key.0 as u32 {
                best = best.or(PackedMove::from_bits(move_and_value as u16));
                let deeper = depth_of(rest) > known.depth + 3;
                if known.bound != Bound::Exact && deeper && age_of(rest) == age {
                    return;
                }
                place = entry;
                break;
            }
            let staleness = i32::from(age.wrapping_sub(age_of(rest)) & AGE_MASK);
            let worth = if old.is_some() { depth_of(rest) - 8 * staleness } else { i32::MIN };
            if worth < least_worth {
                (place, least_worth) = (entry, worth);
            }
        }
        let value = value_to_table(known.value, ply) as i16 as u16;
        let evaluation = known.evaluation.map_or(NO_EVALUATION, |cp| cp as i16) as u16;
        let depth = known.depth.clamp(-1, 127) as i8 as u8;
        let move_and_value = u32::from(best.map_or(0, PackedMove::bits)) | u32::from(value) << 16;
        let rest = u32::from(evaluation)
            | u32::from(depth) << 16
            | u32::from(age << AGE_SHIFT | known.bound as u8) << 24
            | if known.on_pv { ON_PV_BIT } else { 0 };
        place.key.store(key.0 as u32 ^ move_and_value ^ rest, Relaxed);
        place.move_and_value.store(move_and_value, Relaxed);
        place.rest.store(rest, Relaxed);
    }
}

fn bound_of(rest: u32) -> Option<Bound> {
    match rest >> 24 & 3 {
        1 => Some(Bound::Upper),
        2 => Some(Bound::Lower),
        3 => Some(Bound::Exact),
        _ => None,
    }
}

fn age_of(rest: u32) -> u8 {
    (rest >> (24 + AGE_SHIFT)) as u8
}

fn depth_of(rest: u32) -> i32 {
    i32::from((rest >> 16) as u8 as i8)
}

/// A mate is searched as so many plies from the root and stored as so many from the position itself.
fn value_to_table(value: i32, ply: usize) -> i32 {
    match value {
        v if v >= MATE_THRESHOLD => (v + ply as i32).min(score::MATE),
        v if v <= -MATE_THRESHOLD => (v - ply as i32).max(-score::MATE),
        v => v,
    }
}

fn value_from_table(value: i32, ply: usize) -> i32 {
    match value {
        v if v >= MATE_THRESHOLD => (v - ply as i32).max(MATE_THRESHOLD),
        v if v <= -MATE_THRESHOLD => (v + ply as i32).min(-MATE_THRESHOLD),
        v => v,
    }
}

#[cfg(test)]
mod tests {
    extern crate std;

    use super::*;
    use shakmaty::Square;
    use std::vec::Vec;

    fn known(value: i32, depth: i32) -> Known {
        let best = PackedMove::new(Square::E2, Square::E4, None);
        Known { best, value, evaluation: Some(-17), depth, bound: Bound::Lower, on_pv: value > 0 }
    }

    #[test]
    fn an_entry_takes_twelve_bytes_and_a_bucket_a_cache_line() {
        assert_eq!(size_of::<Entry>(), 12);
        assert_eq!(size_of::<Bucket>(), 64);
    }

    #[test]
    fn what_is_stored_comes_back() {
        let buckets: Vec<Bucket> = (0..64).map(|_| Bucket::EMPTY).collect();
        let table = TranspositionTable::new(&buckets);
        let key = PositionKey(0x1234_5678_9abc_def0);
        assert_eq!(table.probe(key, 3), None);
        table.store(key, 3, known(250, 7));
        assert_eq!(table.probe(key, 3), Some(known(250, 7)));
        assert_eq!(table.probe(PositionKey(key.0 ^ 1), 3), None);
        table.clear();
        assert_eq!(table.probe(key, 3), None);
    }

    #[test]
    fn a_mate_keeps_its_distance_from_the_position() {
        let buckets = [Bucket::EMPTY];
        let table = TranspositionTable::new(&buckets);
        let key = PositionKey(99);
        // A mate 9 plies from the root, stored 4 plies from the root, is 5 plies away; seen at ply 10 it is 15 away.
        table.store(key, 4, known(score::MATE - 9, 5));
        assert_eq!(table.probe(key, 10).map(|k| k.value), Some(score::MATE - 15));
        table.store(key, 4, known(-(score::MATE - 8), 5));
        assert_eq!(table.probe(key, 0).map(|k| k.value), Some(-(score::MATE - 4)));
    }

    #[test]
    fn shallow_and_old_entries_give_way_first() {
        let buckets = [Bucket::EMPTY];
        let table = TranspositionTable::new(&buckets);
        for i in 0..5 {
            table.store(PositionKey(i + 1), 0, known(0, 10 + i as i32));
        }
        table.store(PositionKey(100), 0, known(0, 1));
        assert_eq!(table.probe(PositionKey(1), 0), None, "depth 10 was the shallowest");
        assert!(table.probe(PositionKey(5), 0).is_some());
        for _ in 0..3 {
            table.start_search();
        }
        table.store(PositionKey(101), 0, known(0, 1));
        table.store(PositionKey(102), 0, known(0, 1));
        assert!(table.probe(PositionKey(101), 0).is_some(), "the new stays beside the new");
    }

    #[test]
    fn no_memory_is_no_table() {
        let table = TranspositionTable::new(&[]);
        table.store(PositionKey(1), 0, known(1, 1));
        assert_eq!(table.probe(PositionKey(1), 0), None);
        assert_eq!(table.fill_per_mille(), 0);
    }
}

//! The best pairing of two lists of times: most pairs first, then least total distance.
//!
//! Both lists lie on one line and every pair within the tolerance is allowed. Uncrossing two crossed pairs keeps
//! both within the tolerance and never adds distance, so among the best pairings there is one in which an earlier
//! answer time has an earlier truth time, and a table over prefixes finds it (as an alignment of two strings).

use super::exact_time::ExactTime;

/// Pairs of `(answer index, truth index)`, ascending in both.
///
/// Both lists must be sorted. Where several pairings are equally good, the lists are walked from the earliest
/// times on, and at each step the two times at hand are paired if some best pairing of what remains pairs them;
/// else the answer time is dropped if some best pairing leaves it out; else the truth time is.
pub fn best_pairs(answer: &[ExactTime], truth: &[ExactTime], tolerance: ExactTime) -> Vec<(usize, usize)> {
    debug_assert!(answer.is_sorted() && truth.is_sorted());
    let mut pairs = Vec::new();
    let (mut answer_start, mut truth_start) = (0, 0);
    while answer_start < answer.len() && truth_start < truth.len() {
        let (answer_end, truth_end) = cluster_end(answer, truth, answer_start, truth_start, tolerance);
        let in_cluster =
            pairs_of_cluster(&answer[answer_start..answer_end], &truth[truth_start..truth_end], tolerance);
        pairs.extend(in_cluster.into_iter().map(|(a, t)| (a + answer_start, t + truth_start)));
        (answer_start, truth_start) = (answer_end, truth_end);
    }
    pairs
}

/// Where the cluster that starts at the given indices ends: a gap wider than the tolerance in the merged times.
/// No pair reaches over such a gap, so clusters are independent.
fn cluster_end(
    answer: &[ExactTime],
    truth: &[ExactTime],
    mut answer_at: usize,
    mut truth_at: usize,
    tolerance: ExactTime,
) -> (usize, usize) {
    let mut latest = None;
    loop {
        let next_answer = answer.get(answer_at).copied();
        let next_truth = truth.get(truth_at).copied();
        let (next, is_answer) = match (next_answer, next_truth) {
            (Some(a), Some(t)) if a <= t => (a, true),
            (Some(a), None) => (a, true),
            (_, Some(t)) => (t, false),
            (None, None) => return (answer_at, truth_at),
        };
        if latest.is_some_and(|latest| next.distance(latest) > tolerance) {
            return (answer_at, truth_at);
        }
        latest = Some(next);
        if is_answer {
            answer_at += 1;
        } else {
            truth_at += 1;
        }
    }
}

/// How good a pairing is; greater is better.
#[derive(Clone, Copy, Default, PartialEq, Eq)]
struct Worth {
    pairs: usize,
    distance: ExactTime,
}

impl Worth {
    fn with_pair(self, distance: ExactTime) -> Self {
        Self { pairs: self.pairs + 1, distance: self.distance.saturating_add(distance) }
    }

    fn is_at_least(self, other: Self) -> bool {
        self.pairs > other.pairs || (self.pairs == other.pairs && self.distance <= other.distance)
    }
}

/// One step of the walk through both lists.
#[derive(Clone, Copy)]
enum Step {
    Pair,
    DropAnswer,
    DropTruth,
}

fn pairs_of_cluster(answer: &[ExactTime], truth: &[ExactTime], tolerance: ExactTime) -> Vec<(usize, usize)> {
    // steps[a * truth.len() + t]: the preferred best step with answer[a..] and truth[t..] still to pair.
    let mut steps = vec![Step::DropTruth; answer.len() * truth.len()];
    let mut later_answers = vec![Worth::default(); truth.len() + 1];
    let mut from_here = later_answers.clone();
    for (a, &answer_time) in answer.iter().enumerate().rev() {
        for (t, &truth_time) in truth.iter().enumerate().rev() {
            let distance = answer_time.distance(truth_time);
            let dropping_answer = later_answers[t];
            let dropping_truth = from_here[t + 1];
            let (mut best, mut step) = if dropping_answer.is_at_least(dropping_truth) {
                (dropping_answer, Step::DropAnswer)
            } else {
                (dropping_truth, Step::DropTruth)
            };
            if distance <= tolerance {
                let pairing = later_answers[t + 1].with_pair(distance);
                if pairing.is_at_least(best) {
                    (best, step) = (pairing, Step::Pair);
                }
            }
            from_here[t] = best;
            steps[a * truth.len() + t] = step;
        }
        std::mem::swap(&mut later_answers, &mut from_here);
    }
    walk(&steps, answer.len(), truth.len())
}

fn walk(steps: &[Step], answers: usize, truths: usize) -> Vec<(usize, usize)> {
    let mut pairs = Vec::new();
    let (mut a, mut t) = (0, 0);
    while a < answers && t < truths {
        match steps[a * truths + t] {
            Step::Pair => {
                pairs.push((a, t));
                a += 1;
                t += 1;
            }
            Step::DropAnswer => a += 1,
            Step::DropTruth => t += 1,
        }
    }
    pairs
}

#[cfg(test)]
mod tests {
    use super::*;

    fn pairs(answer: &[i64], truth: &[i64]) -> Vec<(usize, usize)> {
        let times = |millis: &[i64]| millis.iter().map(|&ms| ExactTime::from_millis(ms)).collect::<Vec<_>>();
        best_pairs(&times(answer), &times(truth), ExactTime::from_millis(3000))
    }

    #[test]
    fn three_seconds_pair_and_one_millisecond_more_does_not() {
        assert_eq!(pairs(&[5000], &[2000]), [(0, 0)]);
        assert_eq!(pairs(&[5001], &[2000]), []);
    }

    #[test]
    fn more_pairs_beat_nearer_pairs() {
        // The nearest pair (2.9, 3.0) would leave 0.0 and 5.9 alone.
        assert_eq!(pairs(&[0, 2900], &[3000, 5900]), [(0, 0), (1, 1)]);
    }

    #[test]
    fn of_as_many_pairs_the_nearest_are_taken() {
        assert_eq!(pairs(&[0, 1000, 2000], &[1100]), [(1, 0)]);
        assert_eq!(pairs(&[1100], &[0, 1000, 2000]), [(0, 1)]);
    }

    #[test]
    fn of_equally_near_pairs_the_earlier_are_taken() {
        assert_eq!(pairs(&[4000, 6000], &[5000]), [(0, 0)]);
        assert_eq!(pairs(&[5000], &[4000, 6000]), [(0, 0)]);
        assert_eq!(pairs(&[5000, 5000], &[5000]), [(0, 0)]);
    }

    #[test]
    fn distant_clusters_are_paired_each_for_itself() {
        assert_eq!(pairs(&[0, 10_000, 20_000], &[20_100, 30_000]), [(2, 0)]);
        assert_eq!(pairs(&[], &[1000]), []);
        assert_eq!(pairs(&[1000], &[]), []);
    }

    #[test]
    fn as_many_rows_as_a_file_may_hold_are_paired() {
        let answer = vec![ExactTime::ZERO; 2000];
        let truth: Vec<_> = (0..2000).map(|i| ExactTime::from_millis(3000 - i)).rev().collect();
        assert_eq!(best_pairs(&answer, &truth, ExactTime::from_millis(3000)).len(), 2000);
    }
}

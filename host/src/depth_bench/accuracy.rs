//! Shares of right labels.

use plyscope_core::event_row::Verdict;
use serde::{Serialize, Serializer, ser::SerializeStruct};

/// Right labels among those of each true class.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Accuracy {
    /// Right and all, for the truths White, equal, Black.
    classes: [(u32, u32); 3],
}

impl Accuracy {
    fn add(&mut self, truth: Verdict, answer: Verdict) {
        let (right, all) = &mut self.classes[match truth {
            Verdict::White => 0,
            Verdict::Equal => 1,
            Verdict::Black => 2,
        }];
        *right += u32::from(truth == answer);
        *all += 1;
    }

    /// The share of right labels; 1 of none.
    pub fn plain(&self) -> f64 {
        let (right, all) = self.classes.iter().fold((0, 0), |sum, class| (sum.0 + class.0, sum.1 + class.1));
        if all == 0 { 1.0 } else { f64::from(right) / f64::from(all) }
    }

    /// The mean share over the classes that occur in the truth; 1 of none.
    pub fn macro_mean(&self) -> f64 {
        let recalls: Vec<f64> = self
            .classes
            .iter()
            .filter(|(_, all)| *all > 0)
            .map(|(right, all)| f64::from(*right) / f64::from(*all))
            .collect();
        if recalls.is_empty() { 1.0 } else { recalls.iter().sum::<f64>() / recalls.len() as f64 }
    }
}

impl Serialize for Accuracy {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let mut fields = serializer.serialize_struct("Accuracy", 2)?;
        fields.serialize_field("plain", &self.plain())?;
        fields.serialize_field("macro", &self.macro_mean())?;
        fields.end()
    }
}

/// Accuracy of both labels.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize)]
pub struct LabelAccuracy {
    /// Of `leader_after`.
    pub leader: Accuracy,
    /// Of `wr_swing`.
    pub swing: Accuracy,
    /// Plies with both right.
    pub both_right: u32,
    /// All plies.
    pub plies: u32,
}

impl LabelAccuracy {
    /// Counts one ply: (truth, answer) of the leader and of the swing.
    pub fn add(&mut self, leader: (Verdict, Verdict), swing: (Verdict, Verdict)) {
        self.leader.add(leader.0, leader.1);
        self.swing.add(swing.0, swing.1);
        self.both_right += u32::from(leader.0 == leader.1 && swing.0 == swing.1);
        self.plies += 1;
    }

    /// The share of plies with both labels right; 1 of none.
    pub fn both(&self) -> f64 {
        if self.plies == 0 { 1.0 } else { f64::from(self.both_right) / f64::from(self.plies) }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use Verdict::{Black, Equal, White};

    #[test]
    fn the_macro_mean_counts_classes_alike_however_rare() {
        let mut accuracy = LabelAccuracy::default();
        // Leader: 3 of 3 equal right, 0 of 1 White. Swing: all right, one class.
        for leader in [(Equal, Equal), (Equal, Equal), (Equal, Equal), (White, Black)] {
            accuracy.add(leader, (Equal, Equal));
        }
        assert_eq!((accuracy.leader.plain(), accuracy.leader.macro_mean()), (0.75, 0.5));
        assert_eq!((accuracy.swing.plain(), accuracy.swing.macro_mean()), (1.0, 1.0));
        assert_eq!(accuracy.both(), 0.75);
    }
}

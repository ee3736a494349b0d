//! The choice of what values positions.

use std::{path::Path, str::FromStr};

#[cfg(feature = "net-large")]
use plyscope_core::judge::network::LargeNetwork;
#[cfg(feature = "net-small")]
use plyscope_core::judge::network::SmallNetwork;
use plyscope_core::judge::{evaluation::Evaluator, hand_crafted::HandCrafted};

use crate::text_input::InputError;

/// What values positions.
#[derive(Debug, Clone, Copy)]
pub enum Evaluation {
    /// Terms made by hand.
    HandCrafted,
    /// The network for microcontrollers.
    #[cfg(feature = "net-small")]
    Small(SmallNetwork),
    /// The network for hosts.
    #[cfg(feature = "net-large")]
    Large(LargeNetwork),
}

impl Default for Evaluation {
    /// The best that is compiled in.
    fn default() -> Evaluation {
        Evaluation::available().pop().unwrap_or(Evaluation::HandCrafted)
    }
}

impl Evaluation {
    /// All that are compiled in, the best last.
    pub fn available() -> Vec<Evaluation> {
        [
            Some(Evaluation::HandCrafted),
            #[cfg(feature = "net-small")]
            plyscope_core::judge::network::small().ok().map(Evaluation::Small),
            #[cfg(feature = "net-large")]
            plyscope_core::judge::network::large().ok().map(Evaluation::Large),
        ]
        .into_iter()
        .flatten()
        .collect()
    }

    /// The name by which it is chosen.
    pub const fn name(&self) -> &'static str {
        match self {
            Evaluation::HandCrafted => "hand",
            #[cfg(feature = "net-small")]
            Evaluation::Small(_) => "small",
            #[cfg(feature = "net-large")]
            Evaluation::Large(_) => "large",
        }
    }

    /// A network out of a file, of the shape of one that is compiled in.
    ///
    /// # Errors
    /// [`InputError`] where the file can't be read or is no such network.
    pub fn of_file(path: &Path) -> Result<Evaluation, InputError> {
        let bytes = std::fs::read(path).map_err(|error| InputError::new(path, error))?;
        // A network lives as long as the program that was told to use it.
        let bytes: &'static [u8] = bytes.leak();
        #[cfg(feature = "net-large")]
        if let Ok(network) = LargeNetwork::parse(bytes) {
            return Ok(Evaluation::Large(network));
        }
        #[cfg(feature = "net-small")]
        if let Ok(network) = SmallNetwork::parse(bytes) {
            return Ok(Evaluation::Small(network));
        }
        Err(InputError::new(path, format!("it is no network of a shape known here ({} bytes)", bytes.len())))
    }

    /// Lets `work` use the evaluator.
    pub fn lend<W: WithEvaluator>(&self, work: W) -> W::Output {
        match self {
            Evaluation::HandCrafted => work.run(&HandCrafted),
            #[cfg(feature = "net-small")]
            Evaluation::Small(network) => work.run(network),
            #[cfg(feature = "net-large")]
            Evaluation::Large(network) => work.run(network),
        }
    }
}

impl FromStr for Evaluation {
    type Err = String;

    fn from_str(name: &str) -> Result<Evaluation, String> {
        let available = Evaluation::available();
        let names: Vec<_> = available.iter().map(Evaluation::name).collect();
        available
            .into_iter()
            .find(|evaluation| evaluation.name() == name)
            .ok_or_else(|| format!("choose one of {}", names.join(", ")))
    }
}

/// Work that is the same for every evaluator, compiled for each.
pub trait WithEvaluator {
    /// What the work yields.
    type Output;

    /// Does the work.
    fn run<E>(self, evaluator: &E) -> Self::Output
    where
        E: Evaluator + Sync,
        E::State: Send;
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_evaluation_is_found_by_its_name() {
        for evaluation in Evaluation::available() {
            assert_eq!(evaluation.name().parse::<Evaluation>().map(|e| e.name()), Ok(evaluation.name()));
        }
        assert!("best".parse::<Evaluation>().unwrap_err().contains("hand"));
    }
}

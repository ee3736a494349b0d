//! What a bad camera or a bad wire makes of frames.

use clap::ValueEnum;

/// How frames are damaged: one in three, the others are left as they are.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, ValueEnum)]
pub(crate) enum Damage {
    /// Not at all
    #[default]
    None,
    /// Every pixel is noise
    Noise,
    /// The frame is lost
    Dropped,
    /// The upper half is that of the frame before
    Torn,
    /// All black
    Black,
    /// All white
    White,
    /// Each in turn
    All,
}

impl Damage {
    /// Every way alone.
    const EACH: [Self; 5] = [Self::Noise, Self::Dropped, Self::Torn, Self::Black, Self::White];

    /// Damages frame number `index`, before which `earlier` was shown; `false`: the frame is lost.
    pub(crate) fn strike(self, index: usize, earlier: &[u8], frame: &mut [u8]) -> bool {
        if index % 3 != 1 {
            return true;
        }
        match self {
            Self::None => {}
            Self::Noise => {
                // Numerical Recipes' linear congruential generator.
                let mut state = index as u32;
                for luma in frame {
                    state = state.wrapping_mul(1_664_525).wrapping_add(1_013_904_223);
                    *luma = (state >> 24) as u8;
                }
            }
            Self::Dropped => return false,
            Self::Torn => {
                let half = frame.len() / 2;
                frame.iter_mut().zip(earlier).take(half).for_each(|(luma, before)| *luma = *before);
            }
            Self::Black => frame.fill(0),
            Self::White => frame.fill(255),
            Self::All => return Self::EACH[index / 3 % Self::EACH.len()].strike(index, earlier, frame),
        }
        true
    }
}

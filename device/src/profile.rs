//! Sizes that suit memories of microcontrollers.

use crate::Device;
use crate::referee::Referee;

/// Seeing and tracking alone, frames up to 96 px: it has no memory to search in and can only follow a game.
pub type SeeOnly = Device<{ 96 * 96 }, 0, 0, 0, 0>;

/// For 64 KiB of memory, such as a Cortex-M3 LM3S6965: frames up to 96 px, a table of 2 KiB.
pub type Small = Device<{ 96 * 96 }, 16, 512, 512, 32>;
/// The referee of [`Small`].
pub type SmallReferee = Referee<16, 512, 512, 32>;

/// For 128 KiB, such as a Cortex-M4 STM32F405: frames up to 96 px, a table of 64 KiB.
pub type Medium = Device<{ 96 * 96 }, 20, 768, 512, 1024>;
/// The referee of [`Medium`].
pub type MediumReferee = Referee<20, 768, 512, 1024>;

/// For megabytes, such as a Cortex-M7 with external memory: frames up to 240 px, a table of 1 MiB.
pub type Large = Device<{ 240 * 240 }, 64, 4096, 8192, 16_384>;
/// The referee of [`Large`].
pub type LargeReferee = Referee<64, 4096, 8192, 16_384>;

#[cfg(test)]
mod tests {
    use super::*;
    use crate::StageBytes;

    #[test]
    fn each_profile_fits_the_memory_it_is_meant_for() {
        const KIB: usize = 1024;
        assert!(
            size_of::<Small>() <= 44 * KIB,
            "{} leaves less than 20 KiB of 64 for a stack",
            size_of::<Small>()
        );
        assert!(size_of::<Medium>() <= 108 * KIB, "{} leaves less than 20 KiB of 128", size_of::<Medium>());
        assert!(size_of::<Large>() <= 1536 * KIB, "{}", size_of::<Large>());
    }

    #[test]
    fn the_stages_sum_up_to_the_whole() {
        let sum = |stages: [StageBytes; 6]| stages.iter().map(|s| s.bytes).sum::<usize>();
        assert_eq!(sum(Small::stages()), size_of::<Small>());
        assert_eq!(sum(Medium::stages()), size_of::<Medium>());
        assert_eq!(sum(Large::stages()), size_of::<Large>());
    }
}

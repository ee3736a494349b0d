//! Sizes that suit memories of microcontrollers.

use crate::Device;
use crate::referee::{Referee, SearchTables};

/// Seeing and tracking in as little memory as will do, for 16 KiB in all, such as a Cortex-M0 nRF51.
pub type LeastDevice = Device<4, 6, 16>;
/// Seeing and tracking with memory for whatever a picture may show, as on a computer.
pub type FullDevice = Device<8, 12, 64>;

/// A referee for 64 KiB of memory in all, such as a Cortex-M3 LM3S6965.
pub type SmallReferee = Referee<16>;
/// Tables for the same: 8 KiB remember positions.
pub type SmallTables = SearchTables<512, 512, 128>;

/// A referee for 128 KiB, such as a Cortex-M4 STM32F405.
pub type MediumReferee = Referee<20>;
/// Tables for the same: 64 KiB remember positions.
pub type MediumTables = SearchTables<768, 512, 1024>;

/// A referee for megabytes, such as a Cortex-M7 with external memory.
pub type LargeReferee = Referee<64>;
/// Tables for the same: 1 MiB remembers positions.
pub type LargeTables = SearchTables<4096, 8192, 16_384>;

/// Bytes of the widest rank of frames up to 96 px a side.
pub const STRIP_BYTES: usize = 1280;
/// Bytes of the widest rank of frames up to 240 px a side.
pub const LARGE_STRIP_BYTES: usize = 7680;

#[cfg(test)]
mod tests {
    use shakmaty::Rank;

    use super::*;
    use crate::seer::rows_of_rank;

    #[test]
    fn each_profile_leaves_room_for_a_stack() {
        const KIB: usize = 1024;
        assert!(size_of::<LeastDevice>() <= 16 * KIB - 5 * KIB, "{}", size_of::<LeastDevice>());
        let small = size_of::<FullDevice>() + size_of::<SmallReferee>() + size_of::<SmallTables>();
        assert!(small <= 48 * KIB, "{small}");
        let medium = size_of::<FullDevice>() + size_of::<MediumReferee>() + size_of::<MediumTables>();
        assert!(medium <= 112 * KIB, "{medium}");
    }

    #[test]
    fn a_strip_holds_any_rank_of_any_frame_it_is_meant_for() -> Result<(), crate::seer::SeerError> {
        for (side_max_px, bytes) in [(96, STRIP_BYTES), (240, LARGE_STRIP_BYTES)] {
            for side_px in 64..=side_max_px {
                for rank in Rank::ALL {
                    let rows = rows_of_rank(side_px, rank)?;
                    assert!(rows.len() * side_px <= bytes, "{side_px} px, rank {rank}: {rows:?}");
                }
            }
        }
        Ok(())
    }
}

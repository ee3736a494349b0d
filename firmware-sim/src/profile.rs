//! The sizes that devices are built for, and what each keeps in memory.

use anyhow::Result;
use plyscope_core::track::Tracker;
use plyscope_device::profile::{
    FullDevice, LARGE_STRIP_BYTES, LargeReferee, LargeTables, LeastDevice, MediumReferee, MediumTables,
    STRIP_BYTES, SmallReferee, SmallTables,
};

use crate::host_device;
use crate::machine::{Image, Machine};

/// Something that a device keeps, and its bytes.
pub(crate) type Stage = (&'static str, usize);

/// Sizes of a device.
pub(crate) struct Profile {
    /// Its name.
    pub(crate) name: &'static str,
    /// What it keeps, the stack aside.
    pub(crate) stages: &'static [Stage],
    /// The largest side of a frame.
    pub(crate) side_max_px: u32,
    /// Whether it can judge.
    pub(crate) judges: bool,
    run: fn(Image, &[u8]) -> Result<Vec<String>>,
}

const fn seeing(tracker_bytes: usize, device_bytes: usize, strip_bytes: usize) -> [Stage; 3] {
    [
        ("strip of a frame", strip_bytes),
        ("seeing and tracking", tracker_bytes),
        ("rows and padding", device_bytes - tracker_bytes),
    ]
}

const fn judging(strip_bytes: usize, referee: usize, tables: usize, table: usize) -> [Stage; 5] {
    let [strip, tracker, rows] = seeing(size_of::<Tracker>(), size_of::<FullDevice>(), strip_bytes);
    [strip, tracker, rows, ("search", referee + tables - table), ("transposition table", table)]
}

impl Profile {
    /// The profiles, smallest first.
    pub(crate) const ALL: [Self; 5] = [
        Self {
            name: "least",
            stages: &const { seeing(size_of::<Tracker<4, 6, 16>>(), size_of::<LeastDevice>(), STRIP_BYTES) },
            side_max_px: 96,
            judges: false,
            run: |_, shown| host_device::see(&mut Box::new(LeastDevice::new()), shown),
        },
        Self {
            name: "see",
            stages: &const { seeing(size_of::<Tracker>(), size_of::<FullDevice>(), LARGE_STRIP_BYTES) },
            side_max_px: 240,
            judges: false,
            run: |_, shown| host_device::see(&mut Box::new(FullDevice::new()), shown),
        },
        Self {
            name: "small",
            stages: &const {
                let (referee, tables) = (size_of::<SmallReferee>(), size_of::<SmallTables>());
                judging(STRIP_BYTES, referee, tables, SmallTables::TABLE_BYTES)
            },
            side_max_px: 96,
            judges: true,
            run: |image, shown| {
                let (mut referee, mut tables) = (Box::new(SmallReferee::new()), Box::new(SmallTables::new()));
                host_device::judge_or_play(image, &mut referee, &mut tables, shown)
            },
        },
        Self {
            name: "medium",
            stages: &const {
                let (referee, tables) = (size_of::<MediumReferee>(), size_of::<MediumTables>());
                judging(STRIP_BYTES, referee, tables, MediumTables::TABLE_BYTES)
            },
            side_max_px: 96,
            judges: true,
            run: |image, shown| {
                let (mut referee, mut tables) =
                    (Box::new(MediumReferee::new()), Box::new(MediumTables::new()));
                host_device::judge_or_play(image, &mut referee, &mut tables, shown)
            },
        },
        Self {
            name: "large",
            stages: &const {
                let (referee, tables) = (size_of::<LargeReferee>(), size_of::<LargeTables>());
                judging(LARGE_STRIP_BYTES, referee, tables, LargeTables::TABLE_BYTES)
            },
            side_max_px: 240,
            judges: true,
            run: |image, shown| {
                let (mut referee, mut tables) = (Box::new(LargeReferee::new()), Box::new(LargeTables::new()));
                host_device::judge_or_play(image, &mut referee, &mut tables, shown)
            },
        },
    ];

    /// All its memory in bytes, the stack aside.
    pub(crate) fn bytes(&self) -> usize {
        self.stages.iter().map(|(_, bytes)| bytes).sum()
    }

    /// The largest profile of at most `budget_bytes` that does what `image` does with frames of `side_px`.
    pub(crate) fn for_budget(image: Image, budget_bytes: usize, side_px: u32) -> Option<&'static Self> {
        Self::fitting(image, side_px).rfind(|p| p.bytes() <= budget_bytes)
    }

    /// The smallest profile that does what `image` does with frames of `side_px`.
    pub(crate) fn smallest_for(image: Image, side_px: u32) -> Option<&'static Self> {
        Self::fitting(image, side_px).next()
    }

    /// The profile with which `image` is built for `machine`.
    pub(crate) fn of_image(image: Image, machine: Machine) -> Option<&'static Self> {
        let name = match (machine, image.judges()) {
            (Machine::Microbit, _) => "least",
            (_, false) => "see",
            (Machine::Lm3s6965evb, true) => "small",
            (Machine::Netduinoplus2, true) => "medium",
            (Machine::Mps2An500, true) => "large",
        };
        Self::ALL.iter().find(|p| p.name == name)
    }

    fn fitting(image: Image, side_px: u32) -> impl DoubleEndedIterator<Item = &'static Self> {
        let does = move |p: &&Self| p.judges || !image.judges();
        Self::ALL.iter().filter(move |p| does(p) && p.side_max_px >= side_px)
    }

    /// Does on this computer what `image` does on a machine, and returns the rows that it writes.
    pub(crate) fn run(&self, image: Image, shown: &[u8]) -> Result<Vec<String>> {
        match image {
            Image::Perft => host_device::perft(),
            Image::Bench => host_device::bench(),
            _ => (self.run)(image, shown),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_largest_profile_within_the_budget_is_taken() {
        let name = |image, kib: usize, side_px| {
            Profile::for_budget(image, kib * 1024, side_px).map(|profile| profile.name)
        };
        assert_eq!(name(Image::Game, 32, 64), None, "a device that only sees cannot judge");
        assert_eq!(name(Image::See, 16, 64), Some("least"));
        assert_eq!(name(Image::See, 32, 64), Some("see"));
        assert_eq!(name(Image::Game, 64, 96), Some("small"));
        assert_eq!(name(Image::Game, 128, 112), None, "only the large profile takes such frames");
        assert_eq!(name(Image::Game, 128, 96), Some("medium"));
        assert_eq!(name(Image::Game, 2 << 10, 240), Some("large"));
    }

    #[test]
    fn the_table_of_a_machine_with_128_kib_takes_half_of_it() {
        let medium = Profile::ALL.iter().find(|p| p.name == "medium");
        let table = medium.and_then(|p| p.stages.iter().find(|(name, _)| *name == "transposition table"));
        assert_eq!(table.map(|(_, bytes)| *bytes), Some(64 << 10));
    }
}

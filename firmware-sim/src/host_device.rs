//! A device of fixed size on this computer.

use anyhow::{Context, Result, anyhow};
use plyscope::game_record::GameRecord;
use plyscope_core::media_time::MediaTime;
use plyscope_device::profile::{Large, Medium, SeeOnly, Small};
use plyscope_device::referee::Judgement;
use plyscope_device::{Device, StageBytes};

use crate::camera::Camera;
use crate::machine::{Image, Machine};

/// The name of the profile without memory to search in.
const SEE_ONLY: &str = "see only";

/// A profile, and how to run a game on it.
pub(crate) struct Profile {
    /// Its name.
    pub(crate) name: &'static str,
    /// All its memory in bytes, without the stack.
    pub(crate) bytes: usize,
    /// What its stages take of that.
    pub(crate) stages: [StageBytes; 6],
    /// The largest side of a frame.
    pub(crate) side_max_px: u32,
    run: fn(&Camera, &GameRecord, Option<Judgement>) -> Result<Vec<String>>,
}

impl Profile {
    /// The profiles, smallest first.
    pub(crate) const ALL: [Self; 4] = [
        Self {
            name: SEE_ONLY,
            bytes: size_of::<SeeOnly>(),
            stages: SeeOnly::stages(),
            side_max_px: 96,
            run: |camera, record, judgement| run(&mut Box::new(SeeOnly::new(judgement)), camera, record),
        },
        Self {
            name: "small",
            bytes: size_of::<Small>(),
            stages: Small::stages(),
            side_max_px: 96,
            run: |camera, record, judgement| run(&mut Box::new(Small::new(judgement)), camera, record),
        },
        Self {
            name: "medium",
            bytes: size_of::<Medium>(),
            stages: Medium::stages(),
            side_max_px: 96,
            run: |camera, record, judgement| run(&mut Box::new(Medium::new(judgement)), camera, record),
        },
        Self {
            name: "large",
            bytes: size_of::<Large>(),
            stages: Large::stages(),
            side_max_px: 240,
            run: |camera, record, judgement| run(&mut Box::new(Large::new(judgement)), camera, record),
        },
    ];

    /// The largest profile of at most `budget_bytes` that does what `image` does with frames of `side_px`.
    pub(crate) fn for_budget(image: Image, budget_bytes: usize, side_px: u32) -> Option<&'static Self> {
        Self::fitting(image, side_px).rfind(|p| p.bytes <= budget_bytes)
    }

    /// The smallest profile that does what `image` does with frames of `side_px`.
    pub(crate) fn smallest_for(image: Image, side_px: u32) -> Option<&'static Self> {
        Self::fitting(image, side_px).next()
    }

    /// The profile with which `image` is built for `machine`.
    pub(crate) fn of_image(image: Image, machine: Machine) -> Option<&'static Self> {
        let name = if image == Image::See { SEE_ONLY } else { machine.profile() };
        Self::ALL.iter().find(|p| p.name == name)
    }

    fn fitting(image: Image, side_px: u32) -> impl DoubleEndedIterator<Item = &'static Self> {
        let does = move |p: &&Self| image == Image::See || p.name != SEE_ONLY;
        Self::ALL.iter().filter(move |p| does(p) && p.side_max_px >= side_px)
    }

    /// Shows the game to a device of this profile and returns the rows that it wrote.
    pub(crate) fn run(
        &self,
        camera: &Camera,
        record: &GameRecord,
        judgement: Option<Judgement>,
    ) -> Result<Vec<String>> {
        (self.run)(camera, record, judgement)
    }
}

fn run<
    const FRAME_BYTES: usize,
    const FRAMES: usize,
    const MOVES: usize,
    const CELLS: usize,
    const BUCKETS: usize,
>(
    device: &mut Device<FRAME_BYTES, FRAMES, MOVES, CELLS, BUCKETS>,
    camera: &Camera,
    record: &GameRecord,
) -> Result<Vec<String>> {
    let mut rows = Vec::new();
    let mut emit = |row: &[u8]| rows.push(String::from_utf8_lossy(row).into_owned());
    let side_px = camera.side_px as usize;
    camera.shoot(record, |time: MediaTime, luma| {
        let buffer = device.frame_mut().get_mut(..luma.len());
        buffer
            .ok_or_else(|| anyhow!("a frame of {side_px} px does not fit the device"))?
            .copy_from_slice(luma);
        device.observe(side_px, time, &mut emit).context("the device failed to")?;
        Ok(())
    })?;
    device.finish(&mut emit).context("the device failed to")?;
    Ok(rows)
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::path::Path;

    use plyscope::render::schedule::Slide;

    /// Damages one frame in three, each in another way; `false`: the frame is lost.
    fn damage(index: u64, earlier: &[u8], frame: &mut [u8]) -> bool {
        let half = frame.len() / 2;
        match index % 15 {
            1 => frame.fill(0),
            4 => frame.fill(255),
            7 => frame[..half].copy_from_slice(&earlier[..half]),
            10 => {
                let mut noise = index;
                for luma in frame {
                    // Numerical Recipes' linear congruential generator.
                    noise = noise.wrapping_mul(1_664_525).wrapping_add(1_013_904_223);
                    *luma = luma.wrapping_add((noise >> 24) as u8);
                }
            }
            13 => return false,
            _ => {}
        }
        true
    }

    #[test]
    fn damaged_frames_never_fault_and_every_row_stays_json() -> Result<()> {
        let game = Path::new(env!("CARGO_MANIFEST_DIR")).join("../samples/opera-1858.pgn");
        let record = GameRecord::read_file(&game)?;
        let camera = Camera { side_px: 96, rate: "5".parse()?, slide: Slide::Frames(2) };
        let mut device = Box::new(Small::new(None));
        let (mut index, mut earlier, mut rows) = (0, vec![0; 96 * 96], Vec::new());
        let mut emit = |row: &[u8]| rows.push(serde_json::from_slice::<serde_json::Value>(row));
        camera.shoot(&record, |time, luma| {
            let buffer = device.frame_mut();
            buffer.copy_from_slice(luma);
            index += 1;
            if damage(index, &earlier, buffer) {
                device.observe(96, time, &mut emit)?;
            }
            earlier.copy_from_slice(luma);
            Ok(())
        })?;
        device.finish(&mut emit)?;
        assert!(rows.iter().all(Result::is_ok));
        assert!(rows.len() > 20, "most of the game is read all the same, not {} rows", rows.len());
        Ok(())
    }

    #[test]
    fn the_largest_profile_within_the_budget_is_taken() {
        let name =
            |kib: usize, side_px| Profile::for_budget(Image::Game, kib * 1024, side_px).map(|p| p.name);
        assert_eq!(name(32, 64), None, "a device that only sees cannot judge");
        assert_eq!(Profile::for_budget(Image::See, 32 * 1024, 64).map(|p| p.name), Some("see only"));
        assert_eq!(name(64, 96), Some("small"));
        assert_eq!(name(128, 112), None, "only the large profile takes such frames");
        assert_eq!(name(128, 96), Some("medium"));
        assert_eq!(name(1 << 20, 240), Some("large"));
    }
}

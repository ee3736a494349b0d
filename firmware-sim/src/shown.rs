//! What a device is shown, byte for byte as it comes in.

use std::fs;
use std::path::Path;

use anyhow::{Context, Result};
use plyscope::game_record::GameRecord;
use plyscope_core::judge::packed_move::PackedMove;
use plyscope_device::input_stream::{Header, time_to_bytes};
use plyscope_device::referee::Judgement;

use crate::camera::Camera;
use crate::damage::Damage;

/// The frames of a game.
pub(crate) fn frames(
    camera: &Camera,
    record: &GameRecord,
    judgement: Option<Judgement>,
    damage: Damage,
) -> Result<Vec<u8>> {
    let mut bytes = Header { side_px: camera.side_px, judgement }.to_bytes().to_vec();
    let (mut index, mut earlier) = (0, Vec::new());
    camera.shoot(record, |time, luma| {
        let mut frame = luma.to_vec();
        if damage.strike(index, &earlier, &mut frame) {
            bytes.extend(time_to_bytes(time));
            bytes.extend(frame);
        }
        index += 1;
        earlier.clear();
        earlier.extend(luma);
        Ok(())
    })?;
    Ok(bytes)
}

/// The plies of a game.
pub(crate) fn plies(record: &GameRecord, judgement: Judgement) -> Vec<u8> {
    let header = Header { side_px: 0, judgement: Some(judgement) }.to_bytes();
    let packed = record.plies.iter().filter_map(|ply| PackedMove::pack(ply.mv));
    header.into_iter().chain(packed.flat_map(|mv| mv.bits().to_le_bytes())).collect()
}

/// The bytes in a file, where it holds frames; `None` where it holds something else, such as a game.
pub(crate) fn recorded(path: &Path) -> Result<Option<Vec<u8>>> {
    let bytes = fs::read(path).with_context(|| format!("cannot read {path:?}"))?;
    Ok(bytes.starts_with(&Header::MAGIC).then_some(bytes))
}

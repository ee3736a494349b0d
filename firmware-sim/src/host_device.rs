//! What images do on machines, done on this computer by the same code.

use anyhow::{Context, Result};
use plyscope_core::judge::packed_move::PackedMove;
use plyscope_device::evaluation::evaluation;
use plyscope_device::input_stream::{Header, PLY_BYTES, TIME_BYTES, time_from_bytes};
use plyscope_device::judged_row::JudgedRow;
use plyscope_device::profile::{FullDevice, SmallReferee, SmallTables};
use plyscope_device::referee::{Judgement, Referee, SearchTables, SittingReferee};
use plyscope_device::seer::rows_of_rank;
use plyscope_device::{Arbiter, Device, Unjudged, bench, perft};
use shakmaty::Rank;

use crate::machine::Image;

/// Reads the header; the rest follows it.
fn header(shown: &[u8]) -> Result<(Header, &[u8])> {
    let (header, rest) = shown.split_first_chunk().context("what is shown ends within its header")?;
    Ok((Header::from_bytes(header).context("failed to")?, rest))
}

/// Shows frames to a device without memory to judge in.
pub(crate) fn see<const HYPOTHESES: usize, const SIGHTINGS: usize, const TEXTURES: usize>(
    device: &mut Device<HYPOTHESES, SIGHTINGS, TEXTURES>,
    shown: &[u8],
) -> Result<Vec<String>> {
    let (header, frames) = header(shown)?;
    follow(device, &mut Unjudged::new(), header.side_px as usize, frames)
}

/// Plays a game to a referee, or shows it to a device with one.
pub(crate) fn judge_or_play<
    const FRAMES: usize,
    const MOVES: usize,
    const CELLS: usize,
    const BUCKETS: usize,
>(
    image: Image,
    referee: &mut Referee<FRAMES>,
    tables: &mut SearchTables<MOVES, CELLS, BUCKETS>,
    shown: &[u8],
) -> Result<Vec<String>> {
    let (header, rest) = header(shown)?;
    let side_px = header.side_px as usize;
    let evaluation = &evaluation().context("failed to")?;
    match (image, header.judgement) {
        (Image::Judge, Some(judgement)) => judge(referee, tables, &judgement, rest),
        (Image::Game, Some(judgement)) => {
            let mut arbiter = SittingReferee { referee, tables, evaluation, judgement, nodes: 0 };
            follow(&mut Box::new(FullDevice::new()), &mut arbiter, side_px, rest)
        }
        _ => see(&mut Box::new(FullDevice::new()), shown),
    }
}

fn judge<const FRAMES: usize, const MOVES: usize, const CELLS: usize, const BUCKETS: usize>(
    referee: &mut Referee<FRAMES>,
    tables: &mut SearchTables<MOVES, CELLS, BUCKETS>,
    judgement: &Judgement,
    plies: &[u8],
) -> Result<Vec<String>> {
    let evaluation = evaluation().context("failed to")?;
    let mut rows = Vec::new();
    for (bytes, ply) in plies.as_chunks::<PLY_BYTES>().0.iter().zip(1..) {
        let mv = PackedMove::from_bits(u16::from_le_bytes(*bytes))
            .and_then(|packed| packed.unpack_legal(referee.position()))
            .context("the game holds a ply that the rules do not allow")?;
        let judged = referee.judge(mv, judgement, &evaluation, tables).context("the referee failed to")?;
        JudgedRow::Ply { ply, mv, judged }.emit(&mut |row| rows.push(text(row)));
    }
    Ok(rows)
}

/// Counts trees of legal moves.
pub(crate) fn perft() -> Result<Vec<String>> {
    let mut rows = Vec::new();
    let all_right = perft::run(&mut |count| JudgedRow::Counted(count).emit(&mut |row| rows.push(text(row))));
    all_right.then_some(rows).context("the leaves are not as many as are published")
}

/// Searches known positions.
pub(crate) fn bench() -> Result<Vec<String>> {
    let evaluation = evaluation().context("failed to")?;
    let (mut referee, mut tables) = (Box::new(SmallReferee::new()), Box::new(SmallTables::new()));
    let mut rows = Vec::new();
    let mut each = |found: &_| JudgedRow::from(found).emit(&mut |row| rows.push(text(row)));
    let nodes = bench::run(&evaluation, &mut referee, &mut tables, &mut each).context("failed to")?;
    JudgedRow::Signature(nodes).emit(&mut |row| rows.push(text(row)));
    Ok(rows)
}

/// Shows all frames to a device, rank by rank from the top.
fn follow<const HYPOTHESES: usize, const SIGHTINGS: usize, const TEXTURES: usize>(
    device: &mut Device<HYPOTHESES, SIGHTINGS, TEXTURES>,
    arbiter: &mut dyn Arbiter,
    side_px: usize,
    frames: &[u8],
) -> Result<Vec<String>> {
    let mut rows = Vec::new();
    let mut emit = |row: &[u8]| rows.push(text(row));
    let frame_bytes = side_px.checked_mul(side_px).context("the frames are too large")?;
    let mut rest = frames;
    while let Some((time, after)) = rest.split_first_chunk::<TIME_BYTES>()
        && let Some((frame, after)) = after.split_at_checked(frame_bytes)
    {
        rest = after;
        let time = time_from_bytes(*time);
        for rank in Rank::ALL.into_iter().rev() {
            let of_rank = rows_of_rank(side_px, rank).context("the device failed to")?;
            let strip = frame.get(of_rank.start * side_px..of_rank.end * side_px).unwrap_or_default();
            device.look_at_rank(strip, side_px, rank, time).context("the device failed to")?;
        }
        device.conclude(side_px, time, arbiter, &mut emit).context("the device failed to")?;
    }
    device.finish(arbiter, &mut emit).context("the device failed to")?;
    Ok(rows)
}

fn text(row: &[u8]) -> String {
    String::from_utf8_lossy(row).into_owned()
}

#[cfg(test)]
mod tests {
    use std::path::Path;

    use plyscope::game_record::GameRecord;
    use plyscope::render::schedule::Slide;

    use super::*;
    use crate::camera::Camera;
    use crate::damage::Damage;
    use crate::profile::Profile;
    use crate::shown;

    #[test]
    fn damaged_frames_never_fault_and_every_row_stays_json() -> Result<()> {
        let game = Path::new(env!("CARGO_MANIFEST_DIR")).join("../samples/opera-1858.pgn");
        let record = GameRecord::read_file(&game)?;
        let camera = Camera { side_px: 96, rate: "5".parse()?, slide: Slide::Frames(2) };
        for damage in
            [Damage::Noise, Damage::Dropped, Damage::Torn, Damage::Black, Damage::White, Damage::All]
        {
            let shown = shown::frames(&camera, &record, None, damage)?;
            for profile in Profile::ALL.iter().take(2) {
                let rows = profile.run(Image::See, &shown)?;
                for row in &rows {
                    serde_json::from_str::<serde_json::Value>(row)?;
                }
                assert!(rows.len() > 20, "{damage:?}: most is read all the same, not {} rows", rows.len());
            }
        }
        Ok(())
    }
}

//! Pictures that two games explain which differ in whose turn it is: the ply that follows decides.

mod reading;

use plyscope_core::media_time::MediaTime;
use plyscope_core::track::Tracker;
use plyscope_core::vision::{BoardRect, LumaView, Orientation};
use reading::{Fault, draw};

const SIDE_PX: u32 = 240;
/// Frames of 5 a second.
const FRAME_MS: i64 = 200;

/// The plies that are read where the board shows these numbers of plies of these games for so many frames each.
fn follow(shown: &[(&str, usize, usize)]) -> Result<Vec<String>, Fault> {
    let start = draw(ON_ITS_WAY, 0, SIDE_PX)?;
    let side = SIDE_PX as usize;
    let rect = BoardRect::from_px(0, 0, SIDE_PX, SIDE_PX)?;
    let view = LumaView::new(&start, side, side, side)?;
    let mut tracker: Tracker = Tracker::start(&view, rect, Orientation::WhiteBottom, MediaTime::ZERO)?;
    let mut read = Vec::new();
    let mut time_ms = 0;
    for &(moves, plies, frames) in shown {
        let picture = draw(moves, plies, SIDE_PX)?;
        let view = LumaView::new(&picture, side, side, side)?;
        for _ in 0..frames {
            time_ms += FRAME_MS;
            tracker.observe(&view, MediaTime::from_ms(time_ms))?;
            read.extend(std::iter::from_fn(|| tracker.take()).map(|ply| ply.mv.to_string()));
        }
    }
    tracker.finish()?;
    read.extend(std::iter::from_fn(|| tracker.take()).map(|ply| ply.mv.to_string()));
    Ok(read)
}

/// A bishop that is first seen on e2, then on c4 with Black's knight on c6.
const ON_ITS_WAY: &str = "1. e4 e5 2. Bc4 Nc6 3. Nf3 Nf6 *";
const STOPPED: &str = "1. e4 e5 2. Be2 Nc6 3. Bc4 Nf6 4. Nf3 *";

#[test]
fn a_piece_seen_on_its_way_has_not_stopped_there_when_its_side_moves_next() -> Result<(), Fault> {
    let read = follow(&[
        (ON_ITS_WAY, 2, 10),
        (STOPPED, 3, 1),
        (ON_ITS_WAY, 4, 20),
        (ON_ITS_WAY, 5, 10),
        (ON_ITS_WAY, 6, 10),
    ])?;
    assert_eq!(read, ["e2-e4", "e7-e5", "Bf1-c4", "Nb8-c6", "Ng1-f3", "Ng8-f6"]);
    Ok(())
}

#[test]
fn a_piece_that_did_stop_there_has_when_the_other_side_moves_next() -> Result<(), Fault> {
    let read =
        follow(&[(STOPPED, 2, 10), (STOPPED, 3, 1), (STOPPED, 5, 20), (STOPPED, 6, 10), (STOPPED, 7, 10)])?;
    assert_eq!(read, ["e2-e4", "e7-e5", "Bf1-e2", "Nb8-c6", "Be2-c4", "Ng8-f6", "Ng1-f3"]);
    Ok(())
}

#[test]
fn where_no_ply_follows_the_fewest_are_taken() -> Result<(), Fault> {
    let read = follow(&[(ON_ITS_WAY, 2, 10), (STOPPED, 3, 1), (ON_ITS_WAY, 4, 20)])?;
    assert_eq!(read, ["e2-e4", "e7-e5", "Bf1-c4", "Nb8-c6"]);
    Ok(())
}

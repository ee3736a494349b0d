//! What images are shown for tables and golden files.

use anyhow::Result;
use plyscope::game_record::GameRecord;
use plyscope::render::schedule::Slide;
use plyscope::win_models;
use plyscope_device::referee::Judgement;

use crate::camera::Camera;
use crate::damage::Damage;
use crate::machine::Image;
use crate::{comparison, shown};

const SIDE_PX: u32 = 96;
const FPS: &str = "5";
/// The longest that a machine may take, seconds.
pub(crate) const LIMIT_S: u64 = 600;

/// What an image is shown of a game, `nodes` positions to be visited for each ply.
pub(crate) fn shown(image: Image, record: &GameRecord, nodes: u64) -> Result<Vec<u8>> {
    let model = win_models::shipped(&comparison::device_evaluation()?, win_models::Form::Sf);
    let judgement = Judgement { nodes, model };
    let camera = Camera { side_px: SIDE_PX, rate: FPS.parse()?, slide: Slide::Frames(2) };
    match image {
        Image::See => shown::frames(&camera, record, None, Damage::None),
        Image::Game => shown::frames(&camera, record, Some(judgement), Damage::None),
        Image::Judge => Ok(shown::plies(record, judgement)),
        Image::Perft | Image::Bench | Image::Fault => Ok(Vec::new()),
    }
}

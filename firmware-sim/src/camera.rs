//! What a camera over the board would deliver: small luma frames of a game at its own pace.

use std::time::Duration;

use anyhow::{Context, Result};
use plyscope::game_record::GameRecord;
use plyscope::render::board_picture::{BoardPicture, Look};
use plyscope::render::coordinates::Coordinates;
use plyscope::render::effects::Effects;
use plyscope::render::frame_rate::FrameRate;
use plyscope::render::layout::Layout;
use plyscope::render::schedule::{Easing, Schedule, Slide};
use plyscope::render::theme::Theme;
use plyscope_core::media_time::MediaTime;
use shakmaty::Color;

/// How long the last position stays in view.
const TAIL: Duration = Duration::from_secs(2);

/// A board that fills the frame, and how often it is looked at.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Camera {
    /// The side of a frame in pixels, even.
    pub(crate) side_px: u32,
    /// Frames a second.
    pub(crate) rate: FrameRate,
    /// How pieces move.
    pub(crate) slide: Slide,
}

impl Camera {
    /// When each ply's piece comes to rest.
    pub(crate) fn settled_at(&self, record: &GameRecord) -> Vec<MediaTime> {
        self.schedule(record).settled_at()
    }

    /// Hands every frame of the game to `take`, with its time.
    pub(crate) fn shoot(
        &self,
        record: &GameRecord,
        mut take: impl FnMut(MediaTime, &[u8]) -> Result<()>,
    ) -> Result<()> {
        let layout = Layout::with_margin(self.side_px, 0, Color::White).context("cannot draw the board")?;
        let look = Look {
            layout,
            theme: Theme::Brown,
            coordinates: Coordinates::None,
            highlight: false,
            easing: Easing::Linear,
            effects: Effects::NONE,
        };
        let mut picture = BoardPicture::new(record, look).context("cannot draw the board")?;
        let luma_bytes = (layout.width_px * layout.height_px) as usize;
        let mut index = 0;
        for shot in self.schedule(record).shots() {
            let luma = picture.frame(shot.scene).get(..luma_bytes).unwrap_or_default();
            for _ in 0..shot.frames {
                take(self.rate.time_of(index), luma)?;
                index += 1;
            }
        }
        Ok(())
    }

    fn schedule(&self, record: &GameRecord) -> Schedule {
        Schedule::new(&record.timeline(), self.rate, self.slide, TAIL)
    }
}

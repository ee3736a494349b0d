//! Small pictures of the video at the plies that shifted the balance.

use std::collections::BTreeMap;
use std::io::Cursor;

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD as BASE64;
use image::codecs::jpeg::JpegEncoder;
use rayon::prelude::*;
use serde::Serialize;

use super::moments::{MOMENTS_MAX, largest};
use crate::judged_game::JudgedGame;
use crate::video::VideoInput;

/// The longer side of a thumbnail; twice what the page shows, for dense screens.
const SIDE_PX_MAX: u32 = 288;
/// JPEG quality, 1 to 100: text and pieces stay clear.
const QUALITY: u8 = 80;

/// A picture as a data URI.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Thumbnail {
    uri: String,
    width: u32,
    height: u32,
}

/// Pictures by ply, from 1.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Thumbnails(BTreeMap<usize, Thumbnail>);

impl Thumbnails {
    /// The pictures of `video` that a report of `game` shows. A picture that cannot be had is left out.
    #[must_use]
    pub fn of_video(game: &JudgedGame, video: &VideoInput) -> Self {
        let plies: Vec<usize> = largest(game).into_iter().take(MOMENTS_MAX).collect();
        let take = |index: &usize| {
            let picture = video.picture_at(game.plies[*index].shown_at, SIDE_PX_MAX).ok().flatten()?;
            Some((index + 1, Thumbnail::of(&picture)?))
        };
        Self(plies.par_iter().filter_map(take).collect())
    }

    /// The picture of a ply.
    #[must_use]
    pub fn get(&self, ply: usize) -> Option<&Thumbnail> {
        self.0.get(&ply)
    }
}

impl Thumbnail {
    /// A picture; `None` where it cannot be encoded.
    #[must_use]
    pub fn of(picture: &image::RgbImage) -> Option<Self> {
        let mut jpeg = Cursor::new(Vec::new());
        picture.write_with_encoder(JpegEncoder::new_with_quality(&mut jpeg, QUALITY)).ok()?;
        let uri = format!("data:image/jpeg;base64,{}", BASE64.encode(jpeg.into_inner()));
        Some(Self { uri, width: picture.width(), height: picture.height() })
    }
}

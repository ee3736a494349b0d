//! One picture of a video, in colour.

use std::ffi::OsString;
use std::process::{Command, Stdio};

use image::RgbImage;
use plyscope_core::media_time::MediaTime;

use super::{VideoError, VideoInput};

/// Seeking takes the first frame that is not before the time asked for; timestamps in files are rounded.
const ROUNDING_US: i64 = 1_000;

impl VideoInput {
    /// The whole picture that is shown at `time`, made smaller where a side is longer than `side_px_max`; `None` where
    /// the video has none there.
    ///
    /// # Errors
    ///
    /// [`VideoError`] where ffmpeg cannot be started, or a picture of a folder cannot be read.
    pub fn picture_at(&self, time: MediaTime, side_px_max: u32) -> Result<Option<RgbImage>, VideoError> {
        if let Some(folder) = self.folder() {
            let Some(path) = folder.picture_at(time) else { return Ok(None) };
            let bad = |error: image::ImageError| VideoError::BadPicture {
                name: path.to_owned(),
                reason: error.to_string(),
            };
            let picture = image::open(path).map_err(bad)?;
            let is_small = picture.width().max(picture.height()) <= side_px_max;
            let fitted = if is_small { picture } else { picture.thumbnail(side_px_max, side_px_max) };
            return Ok(Some(fitted.into_rgb8()));
        }
        let Some((path, _)) = self.file() else { return Ok(None) };
        let mut url = OsString::from("file:");
        url.push(path);
        let from_us = time.us().saturating_sub(ROUNDING_US).max(0);
        let fitted = format!(
            "scale='min({side_px_max},iw)':'min({side_px_max},ih)':force_original_aspect_ratio=decrease"
        );
        let output = Command::new("ffmpeg")
            .args(["-hide_banner", "-loglevel", "quiet", "-nostats", "-nostdin"])
            .args(["-protocol_whitelist", "file,pipe", "-ss", &format!("{from_us}us"), "-i"])
            .arg(url)
            .args(["-map", "0:v:0", "-an", "-sn", "-dn", "-frames:v", "1", "-vf", &fitted])
            .args(["-f", "image2pipe", "-c:v", "bmp", "-pix_fmt", "bgr24", "pipe:1"])
            .stdin(Stdio::null())
            .output()
            .map_err(|error| VideoError::start("ffmpeg", error))?;
        let picture = image::load_from_memory_with_format(&output.stdout, image::ImageFormat::Bmp);
        Ok(picture.ok().map(|picture| picture.into_rgb8()))
    }
}

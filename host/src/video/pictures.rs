//! A folder of still pictures as a video.

use std::fs;
use std::path::{Path, PathBuf};

use plyscope_core::media_time::MediaTime;

use super::VideoError;
use super::frames::{Crop, Frame};

/// Endings of picture files.
const ENDINGS: [&str; 5] = ["png", "jpg", "jpeg", "bmp", "webp"];

/// Pictures with the moments at which they were taken, in order.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct PictureFolder {
    pictures: Vec<(MediaTime, PathBuf)>,
}

impl PictureFolder {
    /// Lists the pictures of `folder`: `fps` of them a second in the order of their names, numbers by value; without
    /// `fps` the last number in each name is its second.
    ///
    /// # Errors
    ///
    /// [`VideoError`] where the folder cannot be read, holds no pictures, or a name has no second.
    pub fn list(folder: &Path, fps: Option<f64>) -> Result<Self, VideoError> {
        let unreadable = |cause| VideoError::Unreadable { name: folder.to_owned(), cause };
        let mut paths = Vec::new();
        for entry in fs::read_dir(folder).map_err(unreadable)? {
            let path = entry.map_err(unreadable)?.path();
            let ending = path.extension().map(|e| e.to_string_lossy().to_lowercase());
            if ending.is_some_and(|e| ENDINGS.contains(&e.as_str())) && path.is_file() {
                paths.push(path);
            }
        }
        if paths.is_empty() {
            return Err(VideoError::NoPictures { name: folder.to_owned() });
        }
        let mut pictures = Vec::with_capacity(paths.len());
        match fps {
            Some(fps) => {
                paths.sort_by_cached_key(|path| natural_key(&stem(path)));
                for (index, path) in paths.into_iter().enumerate() {
                    pictures.push((MediaTime::from_us((index as f64 * 1e6 / fps).round() as i64), path));
                }
            }
            None => {
                for path in paths {
                    let Some(seconds) = last_number(&stem(&path)) else {
                        let reason = "its name holds no second; give --fps".to_owned();
                        return Err(VideoError::BadPicture { name: path, reason });
                    };
                    pictures.push((MediaTime::from_us((seconds * 1e6).round() as i64), path));
                }
                pictures.sort();
            }
        }
        Ok(Self { pictures })
    }

    /// How many pictures there are.
    #[must_use]
    pub const fn len(&self) -> usize {
        self.pictures.len()
    }

    /// Whether there are none; a folder without pictures is an error before.
    #[must_use]
    pub const fn is_empty(&self) -> bool {
        self.pictures.is_empty()
    }

    /// When the last picture was taken.
    #[must_use]
    pub fn last_time(&self) -> MediaTime {
        self.pictures.last().map_or(MediaTime::ZERO, |(time, _)| *time)
    }

    /// The last picture that was taken by `time`.
    #[must_use]
    pub fn picture_at(&self, time: MediaTime) -> Option<&Path> {
        let after = self.pictures.partition_point(|(taken, _)| *taken <= time);
        self.pictures.get(after.checked_sub(1)?).map(|(_, path)| path.as_path())
    }

    /// Luma of the last picture that was taken by `time`: width, height, pixels.
    pub(super) fn luma_at(&self, time: MediaTime) -> Result<Option<(usize, usize, Vec<u8>)>, VideoError> {
        let Some(path) = self.picture_at(time) else { return Ok(None) };
        let picture = load(path)?;
        let (width, height) = picture.dimensions();
        Ok(Some((width as usize, height as usize, picture.into_raw())))
    }

    /// The whole pictures as luma: time, width, height, pixels.
    pub fn whole(&self) -> impl Iterator<Item = Result<(MediaTime, u32, u32, Vec<u8>), VideoError>> + '_ {
        self.pictures.iter().map(|(time, path)| {
            let picture = load(path)?;
            let (width, height) = picture.dimensions();
            Ok((*time, width, height, picture.into_raw()))
        })
    }
}

/// The pictures of a folder, cut to the board.
pub struct PictureFrames {
    pictures: std::vec::IntoIter<(MediaTime, PathBuf)>,
    crop: Crop,
    buffer: Vec<u8>,
    before: Vec<u8>,
}

impl PictureFrames {
    /// The pictures from `from` on.
    #[must_use]
    pub fn start(folder: &PictureFolder, crop: Crop, from: Option<MediaTime>) -> Self {
        let mut pictures = folder.pictures.clone();
        pictures.retain(|(time, _)| from.is_none_or(|from| *time >= from));
        Self { pictures: pictures.into_iter(), crop, buffer: Vec::new(), before: Vec::new() }
    }

    /// Reads the next picture; `None` after the last.
    ///
    /// # Errors
    ///
    /// [`VideoError::BadPicture`] where it cannot be read or does not reach as far as the board.
    pub fn next_frame(&mut self) -> Result<Option<Frame>, VideoError> {
        let Some((time, path)) = self.pictures.next() else { return Ok(None) };
        let picture = load(&path)?;
        let Crop { left, top, width, height } = self.crop;
        if picture.width() < left + width || picture.height() < top + height {
            let reason = "it is smaller than the pictures before it".to_owned();
            return Err(VideoError::BadPicture { name: path, reason });
        }
        self.before = std::mem::take(&mut self.buffer);
        self.buffer = image::imageops::crop_imm(&picture, left, top, width, height).to_image().into_raw();
        Ok(Some(Frame { time, stood_until: None }))
    }

    /// The pixels of the last picture.
    #[must_use]
    pub fn luma(&self) -> &[u8] {
        &self.buffer
    }

    /// The pixels of the picture before the last; empty where there is none.
    #[must_use]
    pub fn luma_before(&self) -> &[u8] {
        &self.before
    }

    /// The rectangle of the pictures that is shown.
    #[must_use]
    pub const fn crop(&self) -> Crop {
        self.crop
    }
}

fn load(path: &Path) -> Result<image::GrayImage, VideoError> {
    image::open(path)
        .map(|picture| picture.into_luma8())
        .map_err(|error| VideoError::BadPicture { name: path.to_owned(), reason: error.to_string() })
}

fn stem(path: &Path) -> String {
    path.file_stem().map(|s| s.to_string_lossy().into_owned()).unwrap_or_default()
}

/// The last number in a name, with its decimals.
fn last_number(name: &str) -> Option<f64> {
    let is_part = |c: char| c.is_ascii_digit() || c == '.';
    let end = name.rfind(|c: char| c.is_ascii_digit())? + 1;
    let start = name[..end]
        .rfind(|c| !is_part(c))
        .map_or(0, |i| i + name[i..].chars().next().map_or(1, char::len_utf8));
    name[start..end].trim_start_matches('.').parse().ok()
}

/// A name cut into text and numbers, so that 10 comes after 9.
fn natural_key(name: &str) -> Vec<(String, u64)> {
    let mut key = Vec::new();
    let mut rest = name;
    while !rest.is_empty() {
        let text_end = rest.find(|c: char| c.is_ascii_digit()).unwrap_or(rest.len());
        let (text, after) = rest.split_at(text_end);
        let digits_end = after.find(|c: char| !c.is_ascii_digit()).unwrap_or(after.len());
        let (digits, after) = after.split_at(digits_end);
        key.push((text.to_owned(), digits.parse().unwrap_or(u64::MAX)));
        rest = after;
    }
    key
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_are_sorted_by_the_values_of_their_numbers() {
        let mut names = vec!["f10", "f9", "f1", "a2", "f010b", ""];
        names.sort_by_cached_key(|n| natural_key(n));
        assert_eq!(names, ["", "a2", "f1", "f9", "f10", "f010b"]);
    }

    #[test]
    fn the_last_number_of_a_name_is_its_second() {
        assert_eq!(last_number("shot_12.5"), Some(12.5));
        assert_eq!(last_number("g3-0004"), Some(4.0));
        assert_eq!(last_number("7"), Some(7.0));
        assert_eq!(last_number("é3s"), Some(3.0));
        assert_eq!(last_number("none"), None);
    }
}

//! Looks through a video for a board in a known position, most often the start.

use std::ffi::OsString;
use std::io::{BufReader, Read};
use std::process::{Command, Stdio};

use plyscope_core::media_time::MediaTime;
use plyscope_core::vision::{BoardRect, LumaView, Orientation, Retina};
use serde::{Deserialize, Serialize};
use shakmaty::Board;

use super::frames::{Crop, LUMA, PLANAR_FORMATS, SQUARE_PIXELS};
use super::{Probe, VideoError, VideoInput, find_boards, find_boards_in_play};

/// Which side sits at the bottom, as the user says.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum OrientationChoice {
    /// To be found out.
    #[default]
    Auto,
    /// Known.
    Fixed(Orientation),
}

/// A board that shows what was looked for.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Located {
    /// Where it lies in the whole picture.
    pub rect: BoardRect,
    /// Which side sits at the bottom.
    pub orientation: Orientation,
    /// When it is first seen.
    pub time: MediaTime,
}

impl Located {
    /// The part of the picture that holds the board, on even pixels, and where the board lies in it.
    ///
    /// # Errors
    ///
    /// [`VideoError::Core`] where the board is no board; it was one when it was found.
    pub fn crop(&self) -> Result<(Crop, BoardRect), VideoError> {
        let floor = |q8: u32| q8 >> 8 & !1;
        let (left, top) = (floor(self.rect.left_q8()), floor(self.rect.top_q8()));
        let size = |start: u32, from_q8: u32, side_q8: u32| ((from_q8 + side_q8).div_ceil(256)) - start;
        let width = size(left, self.rect.left_q8(), self.rect.width_q8());
        let height = size(top, self.rect.top_q8(), self.rect.height_q8());
        let rect = self.rect.cropped(left, top).map_err(|e| VideoError::Core(Box::new(e)))?;
        Ok((Crop { left, top, width, height }, rect))
    }
}

/// Finds the board in the first picture that shows one with these pieces on it.
///
/// # Errors
///
/// [`VideoError::NoBoard`] or [`VideoError::NoSuchPosition`] where there is none.
pub fn locate_board(
    input: &VideoInput,
    orientation: OrientationChoice,
    shown: &Board,
) -> Result<Located, VideoError> {
    let mut looked = 0;
    let mut look = |time, width: usize, height: usize, pixels: &[u8]| {
        looked += 1;
        let view = LumaView::new(pixels, width, height, width).ok()?;
        locate_in(&view, orientation, time, shown)
    };
    let found = match (input.file(), input.folder()) {
        (Some((path, probe)), _) => {
            let mut look_through = |which| {
                let mut pictures = Pictures::start(path, probe, which)?;
                Ok::<_, VideoError>(std::iter::from_fn(|| pictures.next()).find_map(
                    |(pts, width, height, pixels)| look(probe.time_of(pts), width, height, &pixels),
                ))
            };
            match look_through(Which::First)? {
                Some(found) => Some(found),
                None => look_through(Which::Later)?,
            }
        }
        (_, Some(folder)) => {
            let mut found = None;
            for picture in folder.whole() {
                let (time, width, height, pixels) = picture?;
                found = look(time, width as usize, height as usize, &pixels);
                if found.is_some() {
                    break;
                }
            }
            found
        }
        _ => None,
    };
    found.ok_or_else(|| VideoError::not_found(input.name().to_owned(), looked, shown))
}

/// The board in one picture, where it shows one with these pieces on it.
pub(crate) fn locate_in(
    view: &LumaView<'_>,
    choice: OrientationChoice,
    time: MediaTime,
    shown: &Board,
) -> Option<Located> {
    let orientations: &[Orientation] = match choice {
        OrientationChoice::Auto => &[Orientation::WhiteBottom, Orientation::BlackBottom],
        OrientationChoice::Fixed(Orientation::WhiteBottom) => &[Orientation::WhiteBottom],
        OrientationChoice::Fixed(Orientation::BlackBottom) => &[Orientation::BlackBottom],
    };
    let shows_it = |rect| {
        let fits =
            |&&orientation: &&Orientation| Retina::calibrate_by(view, rect, orientation, time, shown).is_ok();
        let orientation = *orientations.iter().find(fits)?;
        Some(Located { rect, orientation, time })
    };
    if *shown == Board::new() {
        find_boards(view).find_map(shows_it)
    } else {
        find_boards_in_play(view).find_map(shows_it)
    }
}

/// Which pictures of a video to look at.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Which {
    /// The first alone, for little: most videos show the board at once.
    First,
    /// After the first, two a second.
    Later,
}

/// Whole pictures of a video, with their timestamps.
struct Pictures {
    child: std::process::Child,
    stream: BufReader<std::process::ChildStdout>,
    timestamps: std::sync::mpsc::Receiver<i64>,
}

impl Pictures {
    fn start(path: &std::path::Path, probe: &Probe, which: Which) -> Result<Self, VideoError> {
        let mut url = OsString::from("file:");
        url.push(path);
        let (select, threads, frames): (_, &[&str], &[&str]) = match which {
            // One thread: others would decode frames ahead that nobody asks for.
            Which::First => ("", &["-threads", "1"], &["-frames:v", "1"]),
            Which::Later => ("select='n*(isnan(prev_selected_t)+gte(t-prev_selected_t\\,0.5))',", &[], &[]),
        };
        let shape = if probe.has_square_pixels { "" } else { SQUARE_PIXELS };
        let filters = format!(
            "{select}metadata=mode=add:key=plyscope:value=1,\
             metadata=mode=print:file='pipe\\:2':direct=1,{shape}{PLANAR_FORMATS},{LUMA}"
        );
        let mut child = Command::new("ffmpeg")
            .args(["-hide_banner", "-loglevel", "quiet", "-nostats", "-nostdin"])
            .args(threads)
            .args(["-protocol_whitelist", "file,pipe", "-copyts", "-i"])
            .arg(url)
            .args(["-map", "0:v:0", "-an", "-sn", "-dn", "-vf", &filters, "-fps_mode", "passthrough"])
            .args(frames)
            .args(["-f", "image2pipe", "-c:v", "pgm", "pipe:1"])
            .stdin(Stdio::null())
            .stdout(Stdio::piped())
            .stderr(Stdio::piped())
            .spawn()
            .map_err(|e| VideoError::start("ffmpeg", e))?;
        let (Some(stdout), Some(stderr)) = (child.stdout.take(), child.stderr.take()) else {
            return Err(VideoError::start("ffmpeg", std::io::ErrorKind::BrokenPipe.into()));
        };
        let timestamps = super::frames::read_timestamps(stderr).0;
        Ok(Self { child, stream: BufReader::new(stdout), timestamps })
    }

    /// The next picture: timestamp, width, height, pixels.
    fn next(&mut self) -> Option<(i64, usize, usize, Vec<u8>)> {
        // A binary PGM: "P5", width, height, 255, one white space, then the pixels.
        let mut words = Vec::new();
        let mut word = String::new();
        while words.len() < 4 {
            let mut byte = [0];
            self.stream.read_exact(&mut byte).ok()?;
            if byte[0].is_ascii_whitespace() {
                if !word.is_empty() {
                    words.push(std::mem::take(&mut word));
                }
            } else {
                word.push(char::from(byte[0]));
            }
        }
        let (width, height): (usize, usize) = (words[1].parse().ok()?, words[2].parse().ok()?);
        let mut pixels = vec![0; width.checked_mul(height)?];
        self.stream.read_exact(&mut pixels).ok()?;
        Some((self.timestamps.recv().ok()?, width, height, pixels))
    }
}

impl Drop for Pictures {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

//! Looks through a video for a board in a known position, most often the start.

use std::ffi::OsString;
use std::io::{BufReader, Read};
use std::process::{Command, Stdio};

use plyscope_core::media_time::MediaTime;
use plyscope_core::vision::{BoardRect, LumaView, Orientation, Retina};
use serde::{Deserialize, Serialize};
use shakmaty::{Board, Chess, Position};

use super::frames::{Crop, LUMA, PLANAR_FORMATS, SQUARE_PIXELS};
use super::{Probe, VideoError, VideoInput, find_boards, find_boards_in_play};
use crate::recognise::read_board;
use crate::reconstruct::positions_of;

/// Which side sits at the bottom, as the user says.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum OrientationChoice {
    /// To be found out.
    #[default]
    Auto,
    /// Known.
    Fixed(Orientation),
}

impl OrientationChoice {
    /// The orientations to try, the likelier first where both may be.
    pub(crate) fn orientations(self, likelier: Orientation) -> impl Iterator<Item = Orientation> {
        let (first, other) = match self {
            Self::Auto => (likelier, Some(likelier.opposite())),
            Self::Fixed(known) => (known, None),
        };
        std::iter::once(first).chain(other)
    }
}

/// Timestamps in files are rounded by up to this.
const SEEK_ROUNDING_US: i64 = 1_000;
/// Places of one picture at which pieces are read.
const PLACES_READ_MAX: usize = 12;
/// Pieces are read on boards of at least this side, in pixels.
const SIDE_READ_MIN_PX: usize = 160;
/// Pieces are read in so many pictures that differ, and then in two that follow each other at longer and longer intervals:
/// a picture in which no board is found takes longer than all else.
const READ_OFTEN_MAX: usize = 20;
/// Each interval makes the pictures so far more by one of so many parts.
const READ_PAUSE_PARTS: usize = 4;

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

/// Pictures of a video are looked at two a second. A start position that comes so much later than a board in play is not
/// waited for.
const START_WAIT_MAX_US: i64 = 120_000_000;

/// Finds the board in the first picture that shows one in the position that was given.
///
/// Where none was given, that is the start position. Where the video does not show that, or shows it later at the same place,
/// it is the first board that stands still and whose pieces can be read; they are then returned too.
///
/// # Errors
///
/// [`VideoError::NoBoard`] or [`VideoError::NoSuchPosition`] where there is none.
pub fn locate_board(
    input: &VideoInput,
    orientation: OrientationChoice,
    given: Option<&Chess>,
) -> Result<(Located, Option<Board>), VideoError> {
    let mut search = BoardSearch::new(orientation, given);
    match (input.file(), input.folder()) {
        (Some((path, probe)), _) => {
            for which in [Which::First, Which::Later] {
                let mut pictures = Pictures::start(path, probe, which)?;
                while !search.is_over()
                    && let Some((pts, width, height, pixels)) = pictures.next()
                {
                    search.look(probe.time_of(pts), width, height, pixels, which == Which::First);
                }
                if search.is_over() {
                    break;
                }
            }
        }
        (_, Some(folder)) => {
            for picture in folder.whole() {
                let (time, width, height, pixels) = picture?;
                search.look(time, width as usize, height as usize, pixels, false);
                if search.is_over() {
                    break;
                }
            }
        }
        _ => {}
    }
    let looked = search.looked;
    search.found().ok_or_else(|| VideoError::not_found(input.name().to_owned(), looked, given.is_some()))
}

/// The search for a board, picture by picture.
#[derive(Default)]
pub(crate) struct BoardSearch {
    orientation: OrientationChoice,
    given: Option<Board>,
    looked: usize,
    /// Pictures that differ from the one before.
    pictures: usize,
    /// From which of these on pieces are to be read.
    read_next: usize,
    /// The board in the position that is looked for.
    known: Option<Located>,
    /// A board in play, and since when it has stood in two pictures.
    read: Option<(Located, Board)>,
    /// What the last picture showed in play.
    last_read: Option<(Located, Board)>,
    last_picture: Vec<u8>,
    is_waiting_over: bool,
}

impl BoardSearch {
    /// Looks for a board in the position that was given, or else in the start position or any that can be read.
    pub(crate) fn new(orientation: OrientationChoice, given: Option<&Chess>) -> Self {
        Self { orientation, given: given.map(|p| p.board().clone()), ..Self::default() }
    }

    /// How many pictures have been looked at.
    pub(crate) const fn looked(&self) -> usize {
        self.looked
    }

    /// What the last picture shows, without waiting for a start position: the board that is looked for, or one in play
    /// and its pieces.
    pub(crate) fn shown_now(&self) -> Option<(Located, Option<Board>)> {
        let read = self.last_read.as_ref().filter(|_| self.read.is_some());
        let in_play = || read.map(|(located, board)| (*located, Some(board.clone())));
        self.known.map(|known| (known, None)).or_else(in_play)
    }

    fn is_over(&self) -> bool {
        self.known.is_some() || self.is_waiting_over
    }

    /// Looks at a picture; `is_first_alone` says that the same will come again.
    pub(crate) fn look(
        &mut self,
        time: MediaTime,
        width: usize,
        height: usize,
        pixels: Vec<u8>,
        is_first_alone: bool,
    ) {
        self.looked += 1;
        if pixels == self.last_picture {
            self.read = self.read.take().or_else(|| self.last_read.clone());
        } else if let Ok(view) = LumaView::new(&pixels, width, height, width) {
            let start = Board::new();
            self.known = locate_in(&view, self.orientation, time, self.given.as_ref().unwrap_or(&start));
            self.pictures += usize::from(!is_first_alone);
            let is_to_be_read = self.given.is_none() && self.read.is_none() && !is_first_alone;
            if self.known.is_none() && is_to_be_read && self.pictures >= self.read_next {
                self.read_in(&view, time);
                let is_second = self.pictures > self.read_next && self.pictures >= READ_OFTEN_MAX;
                if is_second {
                    self.read_next = self.pictures + self.pictures / READ_PAUSE_PARTS;
                }
            }
        }
        let waited = self.read.as_ref().map(|(located, _)| time.us_since(located.time));
        self.is_waiting_over = waited.is_some_and(|us| us >= START_WAIT_MAX_US);
        if !is_first_alone {
            self.last_picture = pixels;
        }
    }

    fn read_in(&mut self, view: &LumaView<'_>, time: MediaTime) {
        let now = find_boards_in_play(view, SIDE_READ_MIN_PX).take(PLACES_READ_MAX).find_map(|rect| {
            let (board, orientation) = read_board(view, rect, self.orientation, time)?;
            Some((Located { rect, orientation, time }, board))
        });
        let before = std::mem::replace(&mut self.last_read, now);
        if let (Some(before), Some(now)) = (before, &self.last_read)
            && before.0.orientation == now.0.orientation
            && may_follow(&before.1, &now.1)
        {
            self.read = Some(before);
        }
    }

    /// What the search has come to.
    fn found(self) -> Option<(Located, Option<Board>)> {
        // One picture alone has no time to stand in.
        let read = self.read.or_else(|| self.last_read.filter(|_| self.looked <= 2));
        match (self.known, read) {
            (Some(known), Some((located, board))) if is_same_place(&known.rect, &located.rect) => {
                Some((located, Some(board)))
            }
            (Some(known), _) => Some((known, None)),
            (None, read) => read.map(|(located, board)| (located, Some(board))),
        }
    }
}

/// Whether one board may show the other up to two plies later.
fn may_follow(before: &Board, now: &Board) -> bool {
    let after_a_ply = |position: Chess| {
        let moves = position.legal_moves();
        moves.into_iter().filter_map(move |mv| position.clone().play(mv).ok())
    };
    before == now
        || positions_of(before).into_iter().flat_map(after_a_ply).any(|position| {
            position.board() == now || after_a_ply(position).any(|position| position.board() == now)
        })
}

/// Places that differ by less than this share of a square are the same.
const SAME_PLACE_PERCENT: u32 = 10;

/// Whether two boards lie at the same place.
pub(crate) fn is_same_place(a: &BoardRect, b: &BoardRect) -> bool {
    let near = |a: u32, b: u32, side: u32| a.abs_diff(b) * 100 <= side / 8 * SAME_PLACE_PERCENT;
    let side = a.width_q8().min(b.width_q8());
    near(a.left_q8(), b.left_q8(), side)
        && near(a.top_q8(), b.top_q8(), side)
        && near(a.width_q8(), b.width_q8(), side)
        && near(a.height_q8(), b.height_q8(), side)
}

/// The board in one picture, where it shows one with these pieces on it.
pub(crate) fn locate_in(
    view: &LumaView<'_>,
    choice: OrientationChoice,
    time: MediaTime,
    shown: &Board,
) -> Option<Located> {
    let shows_it = |rect| {
        let fits =
            |&orientation: &Orientation| Retina::calibrate_by(view, rect, orientation, time, shown).is_ok();
        let orientation = choice.orientations(Orientation::WhiteBottom).find(fits)?;
        Some(Located { rect, orientation, time })
    };
    if *shown == Board::new() {
        find_boards(view).find_map(shows_it)
    } else {
        find_boards_in_play(view, 0).find_map(shows_it)
    }
}

impl VideoInput {
    /// Luma of the whole picture that is shown at `time`: width, height, and rows of as many bytes; `None` where there is
    /// none.
    ///
    /// # Errors
    ///
    /// [`VideoError`] where ffmpeg cannot be started, or a picture of a folder cannot be read.
    pub(crate) fn luma_at(&self, time: MediaTime) -> Result<Option<(usize, usize, Vec<u8>)>, VideoError> {
        if let Some(folder) = self.folder() {
            return folder.luma_at(time);
        }
        let Some((path, probe)) = self.file() else { return Ok(None) };
        let picture = Pictures::start(path, probe, Which::At(time))?.next();
        Ok(picture.map(|(_, width, height, pixels)| (width, height, pixels)))
    }
}

/// Which pictures of a video to look at.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Which {
    /// The first alone, for little: most videos show the board at once.
    First,
    /// After the first, two a second.
    Later,
    /// The one that is shown at a moment.
    At(MediaTime),
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
            Which::At(_) => ("", &["-threads", "1"], &["-frames:v", "1"]),
            Which::Later => ("select='n*(isnan(prev_selected_t)+gte(t-prev_selected_t\\,0.5))',", &[], &[]),
        };
        let shape = if probe.has_square_pixels { "" } else { SQUARE_PIXELS };
        let filters = format!(
            "{select}metadata=mode=add:key=plyscope:value=1,\
             metadata=mode=print:file='pipe\\:2':direct=1,{shape}{PLANAR_FORMATS},{LUMA}"
        );
        let seek = match which {
            Which::At(time) => {
                // Seeking takes the first frame that is not before the time asked for; timestamps in files are rounded.
                let from_us = time.us().saturating_sub(SEEK_ROUNDING_US).max(0);
                vec!["-ss".to_owned(), format!("{from_us}us")]
            }
            _ => Vec::new(),
        };
        let mut child = Command::new("ffmpeg")
            .args(["-hide_banner", "-loglevel", "quiet", "-nostats", "-nostdin"])
            .args(threads)
            .args(seek)
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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_place_is_the_same_up_to_a_tenth_of_a_square() {
        let rect = |left, side| BoardRect::from_px(left, 40, side, side).expect("a board");
        assert!(is_same_place(&rect(100, 800), &rect(109, 800)));
        assert!(!is_same_place(&rect(100, 800), &rect(111, 800)));
        assert!(!is_same_place(&rect(100, 800), &rect(100, 780)));
    }
}

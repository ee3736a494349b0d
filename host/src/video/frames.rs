//! Frames of a video as luma with their own timestamps, decoded by ffmpeg.

use std::ffi::OsString;
use std::io::{self, BufRead, BufReader, Read, Write};
use std::path::{Path, PathBuf};
use std::process::{Child, ChildStdout, Command, Stdio};
use std::sync::mpsc::{Receiver, channel};
use std::thread::JoinHandle;

use plyscope_core::media_time::MediaTime;

use super::{FramePlan, Probe, VideoError};

/// A frame, whose pixels lie in the reader's buffer.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Frame {
    /// When the frame is shown.
    pub time: MediaTime,
    /// Until when the frame before it stood unchanged, where frames between were left out.
    pub stood_until: Option<MediaTime>,
}

/// A rectangle of whole pixels.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Crop {
    /// Pixels left of it.
    pub left: u32,
    /// Rows above it.
    pub top: u32,
    /// Its width.
    pub width: u32,
    /// Its height.
    pub height: u32,
}

/// What the metadata filter prints before each timestamp.
const FRAME_PREFIX: &str = "frame:";
/// After so many times the usual interval without a frame, and at least so long, the recorder has left some out, for they
/// were as the one before. A shorter pause may be one in which it could not keep up.
const PAUSE_MIN_INTERVALS: i64 = 3;
const PAUSE_MIN_US: i64 = 400_000;
/// Filters longer than this do not go on a command line, where Linux allows 128 KiB a word.
const ARGUMENT_BYTES_MAX: usize = 100_000;
/// Seconds by which decoding starts before the frame that is wanted, at least: from the keyframe before.
const SEEK_MARGIN_S: i64 = 1;
/// A video whose last frame lies this far before its stated end has broken off.
const BREAK_MIN_US: i64 = 2_000_000;

/// The frames of a video, in order.
pub struct VideoFrames {
    name: PathBuf,
    probe: Probe,
    crop: Crop,
    child: Child,
    pixels: ChildStdout,
    timestamps: Receiver<i64>,
    complaints: Option<JoinHandle<String>>,
    buffer: Vec<u8>,
    before: Vec<u8>,
    from_pts: i64,
    last_time: MediaTime,
    last_pts: Option<i64>,
}

impl VideoFrames {
    /// Starts to decode `path`, which the user knows as `name`, at the timestamp `from_pts`.
    ///
    /// # Errors
    ///
    /// [`VideoError`] where ffmpeg cannot be started.
    pub fn start(
        path: &Path,
        name: &Path,
        probe: &Probe,
        crop: Crop,
        from_pts: Option<i64>,
    ) -> Result<Self, VideoError> {
        let plan = from_pts.map_or_else(|| probe.plan.clone(), |pts| probe.plan.from_pts(pts));
        let mut child = start_decoder(path, probe, &filters(probe, &plan, crop), from_pts)
            .map_err(|e| VideoError::start("ffmpeg", e))?;
        let (Some(stdout), Some(stderr)) = (child.stdout.take(), child.stderr.take()) else {
            return Err(VideoError::start("ffmpeg", io::ErrorKind::BrokenPipe.into()));
        };
        let (timestamps, complaints) = read_timestamps(stderr);
        Ok(Self {
            name: name.to_owned(),
            probe: Probe { plan, ..probe.clone() },
            crop,
            child,
            pixels: stdout,
            timestamps,
            complaints: Some(complaints),
            buffer: vec![0; crop.width as usize * crop.height as usize],
            before: vec![0; crop.width as usize * crop.height as usize],
            from_pts: from_pts.unwrap_or(i64::MIN),
            last_time: MediaTime::ZERO,
            last_pts: None,
        })
    }

    /// Reads the next frame into the buffer; `None` after the last.
    ///
    /// # Errors
    ///
    /// [`VideoError::BreaksOff`] where the video ends before its time.
    pub fn next_frame(&mut self) -> Result<Option<Frame>, VideoError> {
        std::mem::swap(&mut self.buffer, &mut self.before);
        loop {
            if self.pixels.read_exact(&mut self.buffer).is_err() {
                return self.end().map(|()| None);
            }
            let Ok(pts) = self.timestamps.recv() else {
                return self.end().map(|()| None);
            };
            if pts < self.from_pts {
                continue;
            }
            let time = self.probe.time_of(pts);
            let left_out = self.probe.plan.left_out_before(pts);
            let stood_until = self.stood_until(left_out, pts).map(|ticks| self.probe.time_of(ticks));
            (self.last_time, self.last_pts) = (time, Some(pts));
            return Ok(Some(Frame { time, stood_until }));
        }
    }

    /// Until when the frame before `pts` stood unchanged: to the last frame that we left out, or to just before this frame
    /// where the recorder left some out.
    fn stood_until(&self, left_out: Option<i64>, pts: i64) -> Option<i64> {
        let before = left_out.or(self.last_pts)?;
        let pause_us = self.probe.time_of(pts).us_since(self.probe.time_of(before));
        match self.probe.frame_interval {
            Some(interval) if pts - before >= interval * PAUSE_MIN_INTERVALS && pause_us >= PAUSE_MIN_US => {
                Some(pts - interval)
            }
            _ => left_out,
        }
    }

    /// The pixels of the last frame: rows of [`Crop::width`] bytes.
    #[must_use]
    pub fn luma(&self) -> &[u8] {
        &self.buffer
    }

    /// The pixels of the frame before the last; all zero where there is none.
    #[must_use]
    pub fn luma_before(&self) -> &[u8] {
        &self.before
    }

    fn end(&mut self) -> Result<(), VideoError> {
        let status = self.child.wait();
        let said = self.complaints.take().and_then(|reader| reader.join().ok()).unwrap_or_default();
        let failed = !status.is_ok_and(|s| s.success());
        let is_short = self.probe.duration.is_some_and(|d| d.us_since(self.last_time) > BREAK_MIN_US);
        if failed || (is_short && !said.is_empty()) {
            let said = if said.is_empty() { "ffmpeg stopped".to_owned() } else { said };
            return Err(VideoError::BreaksOff {
                name: self.name.clone(),
                after_s: self.last_time.seconds(),
                said,
            });
        }
        Ok(())
    }

    /// The rectangle of the picture that the frames show.
    #[must_use]
    pub const fn crop(&self) -> Crop {
        self.crop
    }
}

impl Drop for VideoFrames {
    fn drop(&mut self) {
        if let Ok(None) = self.child.try_wait() {
            let _ = self.child.kill();
            let _ = self.child.wait();
        }
    }
}

/// Starts ffmpeg on the first video stream of `path` from `from_pts` on, or a little before: raw pictures come on its
/// stdout, timestamps on its stderr.
fn start_decoder(path: &Path, probe: &Probe, filters: &str, from_pts: Option<i64>) -> io::Result<Child> {
    let mut url = OsString::from("file:");
    url.push(path);
    let mut command = Command::new("ffmpeg");
    command.args(["-hide_banner", "-loglevel", "error", "-nostats", "-nostdin"]);
    command.args(["-protocol_whitelist", "file,pipe", "-copyts"]);
    if let Some(pts) = from_pts {
        let (numerator, denominator) = probe.time_base;
        let seconds =
            pts.saturating_mul(numerator) / denominator - probe.start_us / 1_000_000 - SEEK_MARGIN_S;
        if seconds > 0 {
            command.args(["-noaccurate_seek", "-ss", &seconds.to_string()]);
        }
    }
    command.args(probe.thread_args()).arg("-i").arg(url).args(["-map", "0:v:0", "-an", "-sn", "-dn"]);
    if filters.len() > ARGUMENT_BYTES_MAX {
        command.args(["-filter_script:v", "pipe:0"]).stdin(Stdio::piped());
    } else {
        command.args(["-filter:v", filters]).stdin(Stdio::null());
    }
    command.args(["-fps_mode", "passthrough", "-f", "rawvideo", "pipe:1"]);
    let mut child = command.stdout(Stdio::piped()).stderr(Stdio::piped()).spawn()?;
    if let Some(mut stdin) = child.stdin.take() {
        // Where ffmpeg does not read to the end it says itself why.
        let _ = stdin.write_all(filters.as_bytes());
    }
    Ok(child)
}

/// Reads ffmpeg's stderr in a thread of its own: the timestamps of the frames as they come, and at the end the last
/// complaint.
pub(super) fn read_timestamps(stderr: impl Read + Send + 'static) -> (Receiver<i64>, JoinHandle<String>) {
    let (sender, timestamps) = channel();
    let complaints = std::thread::spawn(move || {
        let mut said = String::new();
        for line in BufReader::new(stderr).split(b'\n').map_while(Result::ok) {
            let line = String::from_utf8_lossy(&line);
            match timestamp(&line) {
                // Nobody listens any more once the board is found.
                Some(pts) => drop(sender.send(pts)),
                None if line.starts_with("plyscope=") => {}
                None => without_address(line.trim()).clone_into(&mut said),
            }
        }
        said
    });
    (timestamps, complaints)
}

/// Planar 8-bit formats whose first plane is luma: ffmpeg converts only what is not among them.
pub(super) const PLANAR_FORMATS: &str = "format=yuv420p|yuvj420p|yuv422p|yuvj422p|yuv444p|yuvj444p|nv12|gray";
/// Brings pictures whose pixels are oblong to their shape on a screen.
pub(super) const SQUARE_PIXELS: &str = "scale=trunc(iw*sar/2)*2:ih,setsar=1,";
/// Takes luma out of one of these formats.
pub(super) const LUMA: &str = "extractplanes=y";

/// The filters: select first, so that what is left out costs nothing more; then each frame says its timestamp.
fn filters(probe: &Probe, plan: &FramePlan, crop: Crop) -> String {
    let shape = if probe.has_square_pixels { "" } else { SQUARE_PIXELS };
    let select = plan.select_expression().map_or_else(String::new, |e| format!("select='{e}',"));
    let Crop { left, top, width, height } = crop;
    format!(
        "{select}metadata=mode=add:key=plyscope:value=1,metadata=mode=print:file='pipe\\:2':direct=1,\
         {shape}{PLANAR_FORMATS},crop={width}:{height}:{left}:{top}:exact=1,{LUMA}"
    )
}

/// A complaint without the part of ffmpeg that utters it: `[matroska,webm @ 0x5591615d8a80] File ended prematurely`.
fn without_address(line: &str) -> &str {
    let rest = line.strip_prefix('[').and_then(|rest| rest.split_once("] "));
    rest.filter(|(part, _)| part.contains(" @ 0x")).map_or(line, |(_, said)| said)
}

/// The timestamp in a line such as `frame:12   pts:6144    pts_time:0.4`.
fn timestamp(line: &str) -> Option<i64> {
    let rest = line.strip_prefix(FRAME_PREFIX)?;
    let (_, rest) = rest.split_once("pts:")?;
    rest.split_whitespace().next()?.parse().ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn timestamps_are_read_as_ffmpeg_prints_them() {
        assert_eq!(timestamp("frame:0    pts:0       pts_time:0"), Some(0));
        assert_eq!(timestamp("frame:123  pts:-6144   pts_time:-0.4"), Some(-6144));
        assert_eq!(timestamp("frame:1    pts:NOPTS   pts_time:NOPTS"), None);
        assert_eq!(timestamp("plyscope=1"), None);
    }

    #[test]
    fn complaints_are_shown_without_addresses() {
        let said = "[mov,mp4,m4a @ 0x557e7098ea80] stream 0, offset 0x87bc: partial file";
        assert_eq!(without_address(said), "stream 0, offset 0x87bc: partial file");
        assert_eq!(without_address("[1] killed"), "[1] killed");
        assert_eq!(without_address("v.mp4: End of file"), "v.mp4: End of file");
    }

    #[test]
    fn frames_are_selected_before_anything_else_is_done_to_them() {
        let crop = Crop { left: 3, top: 5, width: 480, height: 480 };
        let mut probe = Probe {
            time_base: (1, 25),
            start_us: 0,
            duration: None,
            has_square_pixels: true,
            frame_interval: None,
            macroblocks: 900,
            plan: FramePlan::All,
        };
        assert!(filters(&probe, &FramePlan::All, crop).starts_with("metadata="));
        let some = FramePlan::Some(Vec::new());
        assert!(filters(&probe, &some, crop).starts_with("select='0',metadata="));
        assert!(filters(&probe, &some, crop).ends_with("crop=480:480:3:5:exact=1,extractplanes=y"));
        assert!(!filters(&probe, &some, crop).contains("scale"));
        probe.has_square_pixels = false;
        assert!(filters(&probe, &some, crop).contains("scale=trunc(iw*sar/2)*2:ih,setsar=1,format="));
    }

    #[test]
    fn filters_too_long_for_a_command_line_reach_ffmpeg_all_the_same() {
        let folder = tempfile::tempdir().unwrap();
        let video = folder.path().join("v.mp4");
        let drawn = Command::new("ffmpeg")
            .args(["-loglevel", "error", "-nostdin", "-f", "lavfi", "-i", "testsrc=s=32x32:d=1:r=5"])
            .arg(&video)
            .status();
        assert!(drawn.unwrap().success());
        let probe = Probe::of(&video, &video).unwrap();
        let bytes_of = |select: &str| {
            let filters = format!("select='{select}',{PLANAR_FORMATS},{LUMA}");
            let mut child = start_decoder(&video, &probe, &filters, None).unwrap();
            let mut pixels = Vec::new();
            child.stdout.take().unwrap().read_to_end(&mut pixels).unwrap();
            assert!(child.wait().unwrap().success());
            (pixels.len(), filters.len() > ARGUMENT_BYTES_MAX)
        };
        assert_eq!(bytes_of("eq(n,1)+eq(n,3)"), (2 * 32 * 32, false));
        let nothing_more = " ".repeat(2 * ARGUMENT_BYTES_MAX);
        assert_eq!(bytes_of(&format!("eq(n,1)+eq(n,3){nothing_more}")), (2 * 32 * 32, true));
    }
}

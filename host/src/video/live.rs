//! Frames of a source that is still growing or never ends: standard input, a file being written, a screen or a camera.
//!
//! One ffmpeg decodes the source as it comes and hands over whole pictures with their timestamps.

use std::fs::File;
use std::io::{self, BufReader, Read, Write};
use std::path::PathBuf;
use std::process::{Child, ChildStdin, ChildStdout, Command, Stdio};
use std::sync::atomic::{AtomicBool, Ordering::Relaxed};
use std::sync::mpsc::{Receiver, channel};
use std::sync::{Arc, Mutex, PoisonError};
use std::thread::JoinHandle;
use std::time::{Duration, Instant};

use plyscope_core::media_time::MediaTime;

use super::VideoError;
use super::frames::{LUMA, PLANAR_FORMATS};

/// What to watch.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum LiveSource {
    /// A stream on standard input, in a format that can be read without seeking (Matroska, MPEG-TS, FLV, fragmented MP4).
    Stdin,
    /// A file that is being written, in such a format; it is over when it has not grown for so long.
    GrowingFile {
        /// The file.
        path: PathBuf,
        /// How long to wait for more.
        patience: Duration,
    },
    /// What one of ffmpeg's grabbers delivers.
    Grabber {
        /// The grabber, by ffmpeg's name.
        format: String,
        /// The screen, window or device, as the grabber takes it.
        device: String,
        /// The part of it to take.
        region: Option<Region>,
        /// Pictures a second to ask for.
        rate: Option<u32>,
    },
}

/// A rectangle of a screen, in pixels.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Region {
    /// Its width.
    pub width: u32,
    /// Its height.
    pub height: u32,
    /// Pixels left of it.
    pub left: u32,
    /// Rows above it.
    pub top: u32,
}

impl LiveSource {
    /// As messages name it.
    #[must_use]
    pub fn name(&self) -> PathBuf {
        match self {
            Self::Stdin => PathBuf::from("standard input"),
            Self::GrowingFile { path, .. } => path.clone(),
            Self::Grabber { format, device, .. } => PathBuf::from(format!("{format}:{device}")),
        }
    }

    /// The arguments by which ffmpeg opens it.
    fn input_arguments(&self) -> Vec<String> {
        let Self::Grabber { format, device, region, rate } = self else {
            // A short look is enough to know the stream: what comes later is not to wait for it.
            let short = ["-protocol_whitelist", "pipe", "-analyzeduration", "1000000", "-i", "pipe:0"];
            return short.map(str::to_owned).to_vec();
        };
        let mut arguments = vec!["-f".to_owned(), format.clone()];
        if let Some(rate) = rate {
            arguments.extend(["-framerate".to_owned(), rate.to_string()]);
        }
        if let Some(Region { width, height, left, top }) = region {
            let (x, y) = match format.as_str() {
                "x11grab" => ("-grab_x", "-grab_y"),
                "gdigrab" => ("-offset_x", "-offset_y"),
                // The others deliver all; a filter cuts.
                _ => ("", ""),
            };
            if !x.is_empty() {
                let size = format!("{width}x{height}");
                arguments.extend(["-video_size".to_owned(), size]);
                arguments.extend([x.to_owned(), left.to_string(), y.to_owned(), top.to_string()]);
            }
        }
        arguments.extend(["-i".to_owned(), device.clone()]);
        arguments
    }

    /// The part that a filter cuts out.
    fn filtered_region(&self) -> Option<Region> {
        match self {
            Self::Grabber { format, region, .. } if !["x11grab", "gdigrab"].contains(&format.as_str()) => {
                *region
            }
            _ => None,
        }
    }
}

/// A picture, whose pixels lie in the reader's buffer.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct LiveFrame {
    /// When it is shown, from the first picture on.
    pub time: MediaTime,
    /// Its width.
    pub width: usize,
    /// Its height.
    pub height: usize,
}

/// The pictures of a live source, in order.
pub struct LiveFrames {
    name: PathBuf,
    stopper: Stopper,
    pixels: BufReader<ChildStdout>,
    times: Receiver<MediaTime>,
    complaints: Option<JoinHandle<String>>,
    buffer: Vec<u8>,
    frames: u64,
}

/// Ends a source from another thread.
#[derive(Clone)]
pub struct Stopper {
    is_stopped: Arc<AtomicBool>,
    child: Arc<Mutex<Child>>,
}

impl Stopper {
    /// Ends the source: the reader finds no further picture.
    pub fn stop(&self) {
        self.is_stopped.store(true, Relaxed);
        // A child that has ended already needs no end.
        let _ = self.child.lock().unwrap_or_else(PoisonError::into_inner).kill();
    }

    /// Whether somebody ended it.
    #[must_use]
    pub fn is_stopped(&self) -> bool {
        self.is_stopped.load(Relaxed)
    }
}

impl LiveFrames {
    /// Starts to watch.
    ///
    /// # Errors
    ///
    /// [`VideoError`] where the source cannot be opened or ffmpeg cannot be started.
    pub fn start(source: &LiveSource) -> Result<Self, VideoError> {
        let unreadable = |cause| VideoError::Unreadable { name: source.name(), cause };
        let growing = match source {
            LiveSource::GrowingFile { path, patience } => {
                Some((File::open(path).map_err(unreadable)?, *patience))
            }
            _ => None,
        };
        let stdin = match source {
            LiveSource::Stdin => Stdio::inherit(),
            LiveSource::GrowingFile { .. } => Stdio::piped(),
            LiveSource::Grabber { .. } => Stdio::null(),
        };
        let mut command = Command::new("ffmpeg");
        // Threads that decode whole frames would each hold one back.
        command.args(["-hide_banner", "-loglevel", "error", "-nostats", "-nostdin", "-threads", "1"]);
        command.args(source.input_arguments()).args(["-map", "0:v:0", "-an", "-sn", "-dn", "-vf"]);
        command.arg(filters(source.filtered_region()));
        command.args([
            "-fps_mode",
            "passthrough",
            "-f",
            "image2pipe",
            "-c:v",
            "pgm",
            "-flush_packets",
            "1",
            "pipe:1",
        ]);
        command.stdin(stdin).stdout(Stdio::piped()).stderr(Stdio::piped());
        let mut child = command.spawn().map_err(|error| VideoError::start("ffmpeg", error))?;
        let (Some(stdout), Some(stderr)) = (child.stdout.take(), child.stderr.take()) else {
            return Err(VideoError::start("ffmpeg", io::ErrorKind::BrokenPipe.into()));
        };
        let to_child = child.stdin.take();
        let stopper =
            Stopper { is_stopped: Arc::new(AtomicBool::new(false)), child: Arc::new(Mutex::new(child)) };
        if let (Some((file, patience)), Some(pipe)) = (growing, to_child) {
            let stopper = stopper.clone();
            std::thread::spawn(move || feed(file, pipe, patience, &stopper));
        }
        let (times, complaints) = read_times(stderr);
        Ok(Self {
            name: source.name(),
            stopper,
            pixels: BufReader::with_capacity(1 << 16, stdout),
            times,
            complaints: Some(complaints),
            buffer: Vec::new(),
            frames: 0,
        })
    }

    /// A way to end the source from another thread.
    #[must_use]
    pub fn stopper(&self) -> Stopper {
        self.stopper.clone()
    }

    /// As messages name the source.
    #[must_use]
    pub fn name(&self) -> &PathBuf {
        &self.name
    }

    /// Waits for the next picture; `None` when the source is over or was stopped.
    ///
    /// # Errors
    ///
    /// [`VideoError::NoVideo`] where there never was a picture.
    pub fn next_frame(&mut self) -> Result<Option<LiveFrame>, VideoError> {
        let header = read_pgm_header(&mut self.pixels);
        let frame = header.and_then(|(width, height)| {
            self.buffer.resize(width.checked_mul(height)?, 0);
            self.pixels.read_exact(&mut self.buffer).ok()?;
            Some(LiveFrame { time: self.times.recv().ok()?, width, height })
        });
        self.frames += u64::from(frame.is_some());
        if frame.is_none() && self.frames == 0 && !self.stopper.is_stopped() {
            let said = self.complaints.take().and_then(|reader| reader.join().ok()).unwrap_or_default();
            let said = if said.is_empty() { "nothing came".to_owned() } else { said };
            return Err(VideoError::NoVideo { name: self.name.clone(), said });
        }
        Ok(frame)
    }

    /// The pixels of the last picture.
    #[must_use]
    pub fn luma(&self) -> &[u8] {
        &self.buffer
    }
}

impl Drop for LiveFrames {
    fn drop(&mut self) {
        let mut child = self.stopper.child.lock().unwrap_or_else(PoisonError::into_inner);
        let _ = child.kill();
        let _ = child.wait();
    }
}

fn filters(region: Option<Region>) -> String {
    let crop = region.map_or_else(String::new, |Region { width, height, left, top }| {
        format!("crop={width}:{height}:{left}:{top}:exact=1,")
    });
    format!(
        "{crop}metadata=mode=add:key=plyscope:value=1,metadata=mode=print:file='pipe\\:2':direct=1,{PLANAR_FORMATS},{LUMA}"
    )
}

/// Hands a file that is being written to ffmpeg, as far as it has come, until it has not grown for `patience`.
fn feed(mut file: File, mut pipe: ChildStdin, patience: Duration, stopper: &Stopper) {
    const PAUSE: Duration = Duration::from_millis(50);
    let mut buffer = vec![0; 1 << 16];
    let mut grown = Instant::now();
    while !stopper.is_stopped() {
        match file.read(&mut buffer) {
            Ok(0) if grown.elapsed() >= patience => break,
            Ok(0) => std::thread::sleep(PAUSE),
            Ok(bytes) => {
                grown = Instant::now();
                if pipe.write_all(&buffer[..bytes]).is_err() {
                    break;
                }
            }
            Err(error) if error.kind() == io::ErrorKind::Interrupted => {}
            Err(_) => break,
        }
    }
}

/// Reads ffmpeg's stderr in a thread of its own: the moments of the pictures as they come, and at the end the last
/// complaint. Moments count from the first picture.
fn read_times(stderr: impl Read + Send + 'static) -> (Receiver<MediaTime>, JoinHandle<String>) {
    use std::io::BufRead;
    let (sender, times) = channel();
    let complaints = std::thread::spawn(move || {
        let mut said = String::new();
        let mut first = None;
        for line in BufReader::new(stderr).split(b'\n').map_while(Result::ok) {
            let line = String::from_utf8_lossy(&line);
            match moment_us(&line) {
                Some(us) => {
                    let first = *first.get_or_insert(us);
                    // Nobody listens any more at the end.
                    let _ = sender.send(MediaTime::from_us(us - first));
                }
                None if line.starts_with("plyscope=") || line.starts_with("frame:") => {}
                None => line.trim().clone_into(&mut said),
            }
        }
        said
    });
    (times, complaints)
}

/// The moment in a line such as `frame:12   pts:6144    pts_time:0.4`, in microseconds.
fn moment_us(line: &str) -> Option<i64> {
    let (_, time) = line.strip_prefix("frame:")?.split_once("pts_time:")?;
    let seconds: f64 = time.trim().parse().ok()?;
    seconds.is_finite().then(|| (seconds * 1e6).round() as i64)
}

/// The size in the head of a binary PGM: `P5`, width, height, 255, each followed by white space.
fn read_pgm_header(stream: &mut impl Read) -> Option<(usize, usize)> {
    let mut words = Vec::new();
    let mut word = String::new();
    while words.len() < 4 {
        let mut byte = [0];
        stream.read_exact(&mut byte).ok()?;
        if byte[0].is_ascii_whitespace() {
            if !word.is_empty() {
                words.push(std::mem::take(&mut word));
            }
        } else {
            word.push(char::from(byte[0]));
        }
    }
    Some((words[1].parse().ok()?, words[2].parse().ok()?))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_screens_region_is_told_to_the_grabber_where_it_can_and_cut_where_it_cannot() {
        let region = Some(Region { width: 800, height: 600, left: 10, top: 20 });
        let grab = |format: &str| LiveSource::Grabber {
            format: format.into(),
            device: ":0".into(),
            region,
            rate: Some(15),
        };
        let told = grab("x11grab").input_arguments().join(" ");
        assert_eq!(told, "-f x11grab -framerate 15 -video_size 800x600 -grab_x 10 -grab_y 20 -i :0");
        assert_eq!(grab("x11grab").filtered_region(), None);
        assert_eq!(grab("v4l2").input_arguments().join(" "), "-f v4l2 -framerate 15 -i :0");
        assert!(filters(grab("v4l2").filtered_region()).starts_with("crop=800:600:10:20:exact=1,"));
    }

    #[test]
    fn moments_and_sizes_are_read_as_ffmpeg_prints_them() {
        assert_eq!(moment_us("frame:12   pts:6144    pts_time:0.4"), Some(400_000));
        assert_eq!(moment_us("frame:1    pts:NOPTS   pts_time:NOPTS"), None);
        assert_eq!(read_pgm_header(&mut &b"P5\n640 480\n255\nxyz"[..]), Some((640, 480)));
        assert_eq!(read_pgm_header(&mut &b"P5\n640 4"[..]), None);
    }
}

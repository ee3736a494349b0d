//! What ffprobe says of a video: its time base, and how large each packet is.

use std::io::{BufRead, BufReader};
use std::path::Path;
use std::process::{Command, Stdio};

use plyscope_core::media_time::MediaTime;

use super::VideoError;
use super::frame_plan::{FramePlan, Planner};
use crate::child_process::read_end;

/// What is known of a video before it is decoded.
#[derive(Clone, Debug)]
pub struct Probe {
    /// Seconds per tick of a timestamp, as a fraction.
    pub time_base: (i64, i64),
    /// What a player takes for the start, in microseconds of the file's own time.
    pub start_us: i64,
    /// How long the container says the video is.
    pub duration: Option<MediaTime>,
    /// Whether a pixel is as wide as it is high when the video is shown.
    pub has_square_pixels: bool,
    /// The shortest usual time between two frames, in ticks of the time base; `None` where it is not known.
    pub frame_interval: Option<i64>,
    /// Size of a frame in macroblocks of 16x16 pixels.
    pub macroblocks: u64,
    /// Which frames are worth decoding into pictures.
    pub plan: FramePlan,
}

/// Frames up to this size are decoded on one thread, in macroblocks: 1920x1088 pixels.
///
/// Several threads hand their rows to each other, which costs a quarter more than decoding alone, and one decodes such
/// a video many times faster than it plays.
const ONE_THREAD_MACROBLOCKS_MAX: u64 = 120 * 68;

/// Codecs whose packets tell by their size whether a frame shows anything new: a frame is coded as what differs from
/// its neighbours, and no frame is sent ahead in hiding.
const CODECS_WITH_TELLING_SIZES: [&str; 5] = ["h264", "hevc", "mpeg4", "mpeg2video", "mpeg1video"];

impl Probe {
    /// Asks ffprobe about the first video stream of `path`, which the user knows as `name`.
    ///
    /// # Errors
    ///
    /// [`VideoError`] where ffprobe is missing or finds no video.
    pub fn of(path: &Path, name: &Path) -> Result<Self, VideoError> {
        let mut command = ffprobe(path);
        let entries = "packet=pts,size:stream=codec_name,width,height,sample_aspect_ratio,time_base:format=start_time,duration";
        command.args(["-show_entries", entries, "-of", "compact"]);
        let mut child = command.stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().map_err(start)?;
        let stderr = child.stderr.take().map(|s| std::thread::spawn(move || read_end(s)));
        let mut planner = Planner::default();
        let mut info = StreamInfo::default();
        if let Some(lines) = child.stdout.take() {
            for line in BufReader::new(lines).lines().map_while(Result::ok) {
                let mut fields = line.split('|');
                match fields.next() {
                    Some("packet") => {
                        let mut packet = (None, None);
                        for (key, value) in fields.filter_map(|field| field.split_once('=')) {
                            match key {
                                "pts" => packet.0 = value.parse().ok(),
                                "size" => packet.1 = value.parse().ok(),
                                _ => {}
                            }
                        }
                        planner.add(packet.0, packet.1);
                    }
                    Some("stream" | "format") => {
                        fields
                            .filter_map(|f| f.split_once('='))
                            .for_each(|(key, value)| info.take(key, value));
                    }
                    _ => {}
                }
            }
        }
        // A file that breaks off is read as far as it goes; the decoder reports it.
        let _ = child.wait();
        let said = stderr.and_then(|reader| reader.join().ok()).unwrap_or_default();
        if info.macroblocks == 0 || info.time_base.0 <= 0 || info.time_base.1 <= 0 {
            let said = said.lines().last().map_or("it holds no video stream", |line| {
                line.rsplit_once(": ").map_or(line, |(_, cause)| cause)
            });
            return Err(VideoError::NoVideo { name: name.to_owned(), said: said.to_owned() });
        }
        Ok(Self {
            time_base: info.time_base,
            start_us: info.start_us,
            duration: info.duration,
            has_square_pixels: !info.has_oblong_pixels,
            frame_interval: planner.frame_interval(),
            macroblocks: info.macroblocks,
            plan: planner.finish(info.macroblocks, info.has_telling_sizes),
        })
    }

    /// What tells ffmpeg on how many threads to decode, before its input.
    pub(super) const fn thread_args(&self) -> &'static [&'static str] {
        if self.macroblocks <= ONE_THREAD_MACROBLOCKS_MAX { &["-threads", "1"] } else { &[] }
    }

    /// The moment of a timestamp, from the start of the video.
    #[must_use]
    pub fn time_of(&self, pts: i64) -> MediaTime {
        let (numerator, denominator) = (i128::from(self.time_base.0), i128::from(self.time_base.1));
        let us = (i128::from(pts) * numerator * 1_000_000 + denominator / 2).div_euclid(denominator);
        MediaTime::from_us(i64::try_from(us).unwrap_or(i64::MAX).saturating_sub(self.start_us))
    }

    /// The timestamp of a moment, the inverse of [`Self::time_of`] up to its rounding.
    #[must_use]
    pub fn pts_of(&self, time: MediaTime) -> i64 {
        let (numerator, denominator) = (i128::from(self.time_base.0), i128::from(self.time_base.1));
        let us = i128::from(time.us()) + i128::from(self.start_us);
        let ticks = numerator * 1_000_000;
        i64::try_from((us * denominator + ticks / 2).div_euclid(ticks)).unwrap_or(i64::MAX)
    }
}

#[derive(Debug, Default)]
struct StreamInfo {
    macroblocks: u64,
    time_base: (i64, i64),
    start_us: i64,
    duration: Option<MediaTime>,
    has_telling_sizes: bool,
    has_oblong_pixels: bool,
    width: u64,
}

impl StreamInfo {
    fn take(&mut self, key: &str, value: &str) {
        let seconds_us =
            || value.parse::<f64>().ok().filter(|s| s.is_finite()).map(|s| (s * 1e6).round() as i64);
        match key {
            "codec_name" => self.has_telling_sizes = CODECS_WITH_TELLING_SIZES.contains(&value),
            "width" => self.width = value.parse().unwrap_or(0),
            "height" => {
                self.macroblocks = self.width.div_ceil(16) * value.parse::<u64>().unwrap_or(0).div_ceil(16)
            }
            // "0:1" and "N/A" where nobody said.
            "sample_aspect_ratio" => {
                let sides = value.split_once(':').map(|(w, h)| (w.parse::<u64>(), h.parse::<u64>()));
                self.has_oblong_pixels = matches!(sides, Some((Ok(w @ 1..), Ok(h @ 1..))) if w != h);
            }
            "time_base" => {
                let parts = value.split_once('/');
                self.time_base =
                    parts.and_then(|(n, d)| Some((n.parse().ok()?, d.parse().ok()?))).unwrap_or((0, 0));
            }
            "start_time" => self.start_us = seconds_us().unwrap_or(0),
            "duration" => self.duration = seconds_us().map(MediaTime::from_us),
            _ => {}
        }
    }
}

fn start(cause: std::io::Error) -> VideoError {
    VideoError::start("ffprobe", cause)
}

/// ffprobe on the first video stream of a file, whatever its name looks like.
fn ffprobe(path: &Path) -> Command {
    let mut url = std::ffi::OsString::from("file:");
    url.push(path);
    let mut command = Command::new("ffprobe");
    command
        .args(["-v", "error", "-protocol_whitelist", "file,pipe", "-select_streams", "v:0", "-i"])
        .arg(url)
        .stdin(Stdio::null());
    command
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn timestamps_count_from_the_start_of_the_video() {
        let probe = Probe {
            time_base: (1, 15_360),
            start_us: 500_000,
            duration: None,
            has_square_pixels: true,
            frame_interval: None,
            macroblocks: 100,
            plan: Planner::default().finish(100, true),
        };
        assert_eq!(probe.time_of(7_680), MediaTime::ZERO);
        assert_eq!(probe.time_of(7_680 + 512), MediaTime::from_us(33_333));
        for pts in [-3, 0, 1, 7_680, 8_192, 1_000_001] {
            assert_eq!(probe.pts_of(probe.time_of(pts)), pts);
        }
        assert_eq!(probe.time_of(i64::MAX).us(), i64::MAX - 500_000);
    }
}

//! ffmpeg as a child process that turns raw frames into a video file.

use std::ffi::OsString;
use std::io::{self, Write};
use std::path::Path;
use std::process::{Child, ChildStdin, Command, ExitStatus, Stdio};
use std::thread::JoinHandle;

use plyscope_core::media_time::MediaTime;

use super::frame_rate::FrameRate;
use crate::child_process::{read_end, shell_line};
use crate::output_file::{OutputError, OutputFile, Partial};

/// How the video is compressed.
#[derive(Clone, Debug)]
pub struct Encoding {
    /// Frames a second.
    pub rate: FrameRate,
    /// x264's constant rate factor, 0 (lossless) to 51.
    pub crf: u8,
    /// x264's preset, `ultrafast` to `placebo`.
    pub preset: String,
    /// Leave out frames that repeat the one before, as screen recorders do: the frame rate varies, and the video ends
    /// with its last change. After [`REPEATS_DROPPED_MAX_S`] seconds without a change one is kept.
    pub drop_repeats: bool,
}

/// The longest time without a frame where repeats are left out.
pub const REPEATS_DROPPED_MAX_S: i64 = 10;

/// Why there is no video.
#[derive(Debug, thiserror::Error)]
pub enum EncoderError {
    /// The program is not there.
    #[error("ffmpeg was not found; install it (for example with `apt install ffmpeg`) or put it on the PATH")]
    Missing,
    /// The program is there and does not start.
    #[error("ffmpeg cannot be started: {0}")]
    Start(io::Error),
    /// The output cannot be written.
    #[error(transparent)]
    Output(#[from] OutputError),
    /// The name of the output ends in no container that takes such a video.
    #[error("{name:?} names no container for the video; end it in {}", CONTAINERS.map(|(ending, _)| ending).join(", "))]
    Container {
        /// The output as the user named it.
        name: std::path::PathBuf,
    },
    /// ffmpeg stopped with an error.
    #[error("ffmpeg failed ({status}): {said}\n  the command was: {command}")]
    Failed {
        /// How it stopped.
        status: ExitStatus,
        /// The end of what it wrote to stderr.
        said: String,
        /// The command line, ready for a shell.
        command: String,
    },
    /// Frames could not be handed over although ffmpeg reports no fault.
    #[error("frames could not be handed to ffmpeg: {0}")]
    Pipe(io::Error),
}

/// Endings of a video's name, and ffmpeg's names for the containers.
const CONTAINERS: [(&str, &str); 5] =
    [(".mp4", "mp4"), (".mkv", "matroska"), (".mov", "mov"), (".avi", "avi"), (".ts", "mpegts")];

/// What ffmpeg says, with exit code 0, of a video whose end it could not write.
const UNFINISHED: &str = "Error writing trailer";

/// A running ffmpeg. Dropped before [`Encoder::finish`] succeeds, it is stopped, and the output is as before.
pub struct Encoder {
    partial: Option<Partial>,
    child: Child,
    frames: Option<ChildStdin>,
    said: Option<JoinHandle<String>>,
    command: String,
}

impl Encoder {
    /// Starts ffmpeg; the container follows from the extension of `output`, which is replaced when the video is whole.
    ///
    /// # Errors
    ///
    /// [`EncoderError`] where the output cannot be created or ffmpeg cannot be started.
    pub fn start(encoding: &Encoding, size_px: (u32, u32), output: &Path) -> Result<Encoder, EncoderError> {
        // A wrong path is told in clear words and before any work is done.
        let partial = OutputFile::open(output)?.partial()?;
        let container =
            container(output).ok_or_else(|| EncoderError::Container { name: output.to_owned() })?;
        let mut command = ffmpeg_command(encoding, size_px, container, partial.path());
        let shown = shell_line(&command);
        let mut child = command.spawn().map_err(|error| match error.kind() {
            io::ErrorKind::NotFound => EncoderError::Missing,
            _ => EncoderError::Start(error),
        })?;
        let frames = child.stdin.take();
        // Read beside the frames: a full stderr pipe would stop ffmpeg and so us.
        let said = child.stderr.take().map(|stderr| std::thread::spawn(move || read_end(stderr)));
        Ok(Encoder { partial: Some(partial), child, frames, said, command: shown })
    }

    /// Hands over one planar YUV 4:2:0 frame.
    ///
    /// # Errors
    ///
    /// [`EncoderError`] where ffmpeg no longer takes frames.
    pub fn write_frame(&mut self, frame: &[u8]) -> Result<(), EncoderError> {
        let Some(frames) = &mut self.frames else {
            return Err(EncoderError::Pipe(io::ErrorKind::BrokenPipe.into()));
        };
        match frames.write_all(frame) {
            Ok(()) => Ok(()),
            // The pipe broke because ffmpeg gave up; why, it says itself.
            Err(error) => Err(self.wait().err().unwrap_or(EncoderError::Pipe(error))),
        }
    }

    /// Ends the video and waits until it is written.
    ///
    /// # Errors
    ///
    /// [`EncoderError`] where ffmpeg fails.
    pub fn finish(mut self) -> Result<(), EncoderError> {
        self.wait()?;
        match self.partial.take() {
            Some(partial) => Ok(partial.finish()?),
            None => Ok(()),
        }
    }

    fn wait(&mut self) -> Result<(), EncoderError> {
        drop(self.frames.take());
        let status = self.child.wait().map_err(EncoderError::Pipe)?;
        let said = self.said.take().and_then(|reader| reader.join().ok()).unwrap_or_default();
        let is_full = said.contains("No space left on device");
        if let Some(partial) = self.partial.as_ref().filter(|_| is_full) {
            return Err(partial.error(io::ErrorKind::StorageFull).into());
        }
        if status.success() && !said.contains(UNFINISHED) {
            Ok(())
        } else {
            Err(EncoderError::Failed { status, said, command: self.command.clone() })
        }
    }
}

impl Drop for Encoder {
    fn drop(&mut self) {
        // A finished child is only asked again; an abandoned one must not outlive its frames.
        if let Ok(None) = self.child.try_wait() {
            let _ = self.child.kill();
            let _ = self.child.wait();
        }
    }
}

/// ffmpeg's name for the container that a video of this name has.
fn container(output: &Path) -> Option<&'static str> {
    let name = output.file_name()?.to_string_lossy().to_lowercase();
    CONTAINERS.iter().find(|(ending, _)| name.ends_with(ending)).map(|&(_, container)| container)
}

fn ffmpeg_command(encoding: &Encoding, size_px: (u32, u32), container: &str, output: &Path) -> Command {
    // With its protocol said, a name that begins with `-` or holds a colon is a file.
    let mut output_url = OsString::from("file:");
    output_url.push(output);
    let mut command = Command::new("ffmpeg");
    command
        .args(["-hide_banner", "-loglevel", "error", "-nostats", "-y"])
        .args(["-protocol_whitelist", "pipe", "-f", "rawvideo", "-pix_fmt", "yuv420p"])
        .args(["-color_range", "tv", "-colorspace", "smpte170m"])
        .arg("-video_size")
        .arg(format!("{}x{}", size_px.0, size_px.1))
        .arg("-framerate")
        .arg(encoding.rate.to_string())
        .args(["-i", "pipe:0", "-map_metadata", "-1"]);
    if encoding.drop_repeats {
        let frames_max = encoding.rate.first_frame_at(MediaTime::from_ms(REPEATS_DROPPED_MAX_S * 1000));
        command.arg("-vf").arg(format!("mpdecimate=hi=0:lo=0:max={frames_max}")).args(["-fps_mode", "vfr"]);
    }
    command
        .args(["-c:v", "libx264", "-pix_fmt", "yuv420p", "-preset", &encoding.preset])
        .arg("-crf")
        .arg(encoding.crf.to_string())
        .args(["-color_range", "tv", "-colorspace", "smpte170m"])
        .args(["-color_primaries", "smpte170m", "-color_trc", "smpte170m"])
        .args(["-f", container])
        .arg(output_url)
        .stdin(Stdio::piped())
        .stdout(Stdio::null())
        .stderr(Stdio::piped());
    command
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_shown_command_can_be_pasted_into_a_shell() {
        let encoding = Encoding {
            rate: FrameRate::new(30, 1).expect("in range"),
            crf: 18,
            preset: "medium".to_owned(),
            drop_repeats: false,
        };
        let command = ffmpeg_command(&encoding, (480, 480), "mp4", Path::new("it's 100%.mp4"));
        let line = shell_line(&command);
        assert!(line.starts_with("ffmpeg -hide_banner "), "{line}");
        assert!(line.ends_with(r"'file:it'\''s 100%.mp4'"), "{line}");
    }
}

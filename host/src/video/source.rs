//! One way to read frames, whatever they come from.

use std::fs::File;
use std::io;
use std::path::{Path, PathBuf};

use plyscope_core::media_time::MediaTime;
use tempfile::NamedTempFile;

use super::frames::{Crop, Frame};
use super::{PictureFolder, PictureFrames, Probe, VideoError, VideoFrames};

/// A video that was found readable.
pub struct VideoInput {
    /// As the user named it.
    name: PathBuf,
    kind: Kind,
}

enum Kind {
    File { path: PathBuf, probe: Probe, _spooled: Option<NamedTempFile> },
    Folder(PictureFolder),
}

impl VideoInput {
    /// Opens a video file, a folder of pictures (`fps` of them a second) or, for `-`, standard input.
    ///
    /// Standard input is stored in a temporary file first: many containers have their index at the end.
    ///
    /// # Errors
    ///
    /// [`VideoError`] where nothing can be read.
    pub fn open(name: &Path, fps: Option<f64>) -> Result<Self, VideoError> {
        if name == Path::new("-") {
            let mut spooled = NamedTempFile::with_prefix(".plyscope.").map_err(VideoError::Spool)?;
            io::copy(&mut io::stdin().lock(), &mut spooled).map_err(VideoError::Spool)?;
            let path = spooled.path().to_owned();
            let name = PathBuf::from("standard input");
            let probe = Probe::of(&path, &name)?;
            return Ok(Self { name, kind: Kind::File { path, probe, _spooled: Some(spooled) } });
        }
        let unreadable = |cause| VideoError::Unreadable { name: name.to_owned(), cause };
        if std::fs::metadata(name).map_err(unreadable)?.is_dir() {
            return Ok(Self { name: name.to_owned(), kind: Kind::Folder(PictureFolder::list(name, fps)?) });
        }
        File::open(name).map_err(unreadable)?;
        let probe = Probe::of(name, name)?;
        Ok(Self { name: name.to_owned(), kind: Kind::File { path: name.to_owned(), probe, _spooled: None } })
    }

    /// As the user named it.
    #[must_use]
    pub fn name(&self) -> &Path {
        &self.name
    }

    /// How long the video is said to be.
    #[must_use]
    pub fn duration(&self) -> Option<MediaTime> {
        match &self.kind {
            Kind::File { probe, .. } => probe.duration,
            Kind::Folder(folder) => Some(folder.last_time()),
        }
    }

    /// The file that ffmpeg reads and what is known of it; `None` for a folder of pictures.
    pub(super) const fn file(&self) -> Option<(&PathBuf, &Probe)> {
        match &self.kind {
            Kind::File { path, probe, .. } => Some((path, probe)),
            Kind::Folder(_) => None,
        }
    }

    /// The folder of pictures.
    pub(super) const fn folder(&self) -> Option<&PictureFolder> {
        match &self.kind {
            Kind::File { .. } => None,
            Kind::Folder(folder) => Some(folder),
        }
    }

    /// The frames from `from` on, cut to `crop`.
    ///
    /// # Errors
    ///
    /// [`VideoError`] where decoding cannot start.
    pub fn frames(&self, crop: Crop, from: Option<MediaTime>) -> Result<FrameSource, VideoError> {
        match &self.kind {
            Kind::File { path, probe, .. } => {
                let from_pts = from.map(|time| probe.pts_of(time));
                VideoFrames::start(path, &self.name, probe, crop, from_pts)
                    .map(|frames| FrameSource::Video(Box::new(frames)))
            }
            Kind::Folder(folder) => Ok(FrameSource::Pictures(PictureFrames::start(folder, crop, from))),
        }
    }
}

/// Frames in order, cut to the board.
pub enum FrameSource {
    /// Of a video.
    Video(Box<VideoFrames>),
    /// Of a folder of pictures.
    Pictures(PictureFrames),
}

impl FrameSource {
    /// Reads the next frame; `None` after the last.
    ///
    /// # Errors
    ///
    /// [`VideoError`] where the video breaks off.
    pub fn next_frame(&mut self) -> Result<Option<Frame>, VideoError> {
        match self {
            Self::Video(frames) => frames.next_frame(),
            Self::Pictures(frames) => frames.next_frame(),
        }
    }

    /// The pixels of the last frame: rows of [`Crop::width`] bytes.
    #[must_use]
    pub fn luma(&self) -> &[u8] {
        match self {
            Self::Video(frames) => frames.luma(),
            Self::Pictures(frames) => frames.luma(),
        }
    }

    /// The pixels of the frame before the last; of no use where there is none.
    #[must_use]
    pub fn luma_before(&self) -> &[u8] {
        match self {
            Self::Video(frames) => frames.luma_before(),
            Self::Pictures(frames) => frames.luma_before(),
        }
    }

    /// The rectangle of the picture that the frames show.
    #[must_use]
    pub const fn crop(&self) -> Crop {
        match self {
            Self::Video(frames) => frames.crop(),
            Self::Pictures(frames) => frames.crop(),
        }
    }
}

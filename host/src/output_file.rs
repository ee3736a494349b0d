//! Output files that are whole at every instant.
//!
//! A regular file is never written in place: its next contents go to a temporary file in the same folder, which is
//! synced and then renamed over it, so that a reader, a crash or a full disk only ever meets the contents before or
//! the contents after. Standard output and devices, which cannot be replaced, are written once, at the end.

use std::error::Error;
use std::ffi::OsStr;
use std::fs::{self, File, OpenOptions};
use std::io::{self, ErrorKind, Write};
use std::path::{Path, PathBuf};

use tempfile::NamedTempFile;

use crate::exit_code::{Coded, ExitCode};

/// An output that was found writable and has not been touched yet.
#[derive(Debug)]
pub struct OutputFile {
    /// As the user named it.
    name: PathBuf,
    target: Target,
}

#[derive(Debug)]
enum Target {
    /// A regular file, there already or not yet, with links followed.
    Replaced { path: PathBuf, folder: PathBuf },
    /// A device or a named pipe.
    Device,
    /// Standard output.
    Stdout,
}

/// Temporary files are named after the program and not after the output, whose name may be as long as names can be.
const PARTIAL_PREFIX: &str = ".plyscope.";
const PARTIAL_SUFFIX: &str = ".partial";
/// How often another run's tidying up may cost a temporary file before that is an error.
const REPLACE_TRIES: u32 = 10;

/// Why an output cannot be written. What stood there before stands there still.
#[derive(Debug, thiserror::Error)]
pub enum OutputError {
    /// The folder to write to does not exist.
    #[error("cannot write {name:?}: its folder does not exist, create it or choose another place")]
    NoFolder {
        /// The output as the user named it.
        name: PathBuf,
    },
    /// The name is that of a folder.
    #[error("cannot write {name:?}: it is a folder, give the name of a file")]
    IsFolder {
        /// The output as the user named it.
        name: PathBuf,
    },
    /// The file or its folder may not be written.
    #[error("cannot write {name:?}: no permission to write there, choose another place ({cause})")]
    NotPermitted {
        /// The output as the user named it.
        name: PathBuf,
        /// What the system said.
        cause: io::Error,
    },
    /// No room is left.
    #[error(
        "cannot write {name:?}: the disk is full, make room and run again; what was there before is kept"
    )]
    DiskFull {
        /// The output as the user named it.
        name: PathBuf,
    },
    /// The output is a device, a pipe or standard output, and what is to be written needs a file.
    #[error("cannot write {name:?}: a video goes to a regular file, give the name of one")]
    NotAFile {
        /// The output as the user named it.
        name: PathBuf,
    },
    /// Anything else.
    #[error("cannot write {name:?}: {cause}; choose another place")]
    Other {
        /// The output as the user named it.
        name: PathBuf,
        /// What the system said.
        cause: io::Error,
    },
}

impl OutputError {
    fn new(name: &Path, cause: io::Error) -> Self {
        let name = name.to_owned();
        match cause.kind() {
            ErrorKind::NotFound | ErrorKind::NotADirectory => Self::NoFolder { name },
            ErrorKind::IsADirectory => Self::IsFolder { name },
            ErrorKind::PermissionDenied | ErrorKind::ReadOnlyFilesystem => Self::NotPermitted { name, cause },
            ErrorKind::StorageFull | ErrorKind::QuotaExceeded => Self::DiskFull { name },
            _ => Self::Other { name, cause },
        }
    }
}

impl Coded for OutputError {
    fn exit_code(&self) -> ExitCode {
        ExitCode::OutputUnwritable
    }
}

impl OutputFile {
    /// Makes sure that `path` (`-` is standard output) can be written, and changes nothing there.
    ///
    /// # Errors
    /// [`OutputError`] where the folder is missing, or it or the file may not be written.
    pub fn open(path: &Path) -> Result<Self, OutputError> {
        let target = Target::find(path).map_err(|cause| OutputError::new(path, cause))?;
        let is_stdout = matches!(target, Target::Stdout);
        let name = if is_stdout { PathBuf::from("standard output") } else { path.to_owned() };
        Ok(Self { name, target })
    }

    /// Whether the output is written once, at the end, so that there is no use in [`Self::checkpoint`].
    pub const fn is_stream(&self) -> bool {
        !matches!(self.target, Target::Replaced { .. })
    }

    /// Whether a regular file of this name is there.
    pub fn exists(&self) -> bool {
        matches!(&self.target, Target::Replaced { path, .. } if path.is_file())
    }

    /// What a regular file holds; `None` where there is none, and for streams.
    pub fn read(&self) -> Option<Vec<u8>> {
        match &self.target {
            Target::Replaced { path, .. } => fs::read(path).ok(),
            Target::Device | Target::Stdout => None,
        }
    }

    /// The error of this output whose contents could not be made because of `cause`.
    pub fn error(&self, cause: impl Into<Box<dyn Error + Send + Sync>>) -> OutputError {
        OutputError::new(&self.name, io::Error::other(cause))
    }

    /// A place for the next contents of a regular file, for a program that writes them by itself.
    ///
    /// # Errors
    /// [`OutputError`] where the output is no regular file, or nothing can be written beside it.
    pub fn partial(self) -> Result<Partial, OutputError> {
        let Self { name, target } = self;
        let Target::Replaced { path, folder } = target else { return Err(OutputError::NotAFile { name }) };
        match partial_file(&folder) {
            Ok(file) => Ok(Partial { name, path, folder, file }),
            Err(cause) => Err(OutputError::new(&name, cause)),
        }
    }

    /// Replaces the contents by `bytes`; more may follow. Streams are left for [`Self::finish`].
    ///
    /// # Errors
    /// [`OutputError`]; the contents are then those before.
    pub fn checkpoint(&self, bytes: &[u8]) -> Result<(), OutputError> {
        match &self.target {
            Target::Replaced { path, folder } => {
                replace(path, folder, bytes).map_err(|cause| OutputError::new(&self.name, cause))
            }
            Target::Device | Target::Stdout => Ok(()),
        }
    }

    /// Replaces the contents by `bytes`, or writes them to the stream, for good.
    ///
    /// A reader of standard output that went away early has seen all it wanted: that is no error.
    ///
    /// # Errors
    /// [`OutputError`]; the contents of a regular file are then those before.
    pub fn finish(self, bytes: &[u8]) -> Result<(), OutputError> {
        let written = match &self.target {
            Target::Replaced { .. } => return self.checkpoint(bytes),
            Target::Device => {
                OpenOptions::new().write(true).open(&self.name).and_then(|mut file| file.write_all(bytes))
            }
            Target::Stdout => {
                let mut stdout = io::stdout().lock();
                stdout.write_all(bytes).and_then(|()| stdout.flush())
            }
        };
        match written {
            Err(cause) if cause.kind() == ErrorKind::BrokenPipe => Ok(()),
            Err(cause) => Err(OutputError::new(&self.name, cause)),
            Ok(()) => Ok(()),
        }
    }
}

/// The next contents of a regular file while another program writes them. Dropped before [`Partial::finish`], they are
/// removed, and the file is as before.
#[derive(Debug)]
pub struct Partial {
    name: PathBuf,
    path: PathBuf,
    folder: PathBuf,
    file: NamedTempFile,
}

impl Partial {
    /// Where to write.
    #[must_use]
    pub fn path(&self) -> &Path {
        self.file.path()
    }

    /// The error of this output for what the system said.
    #[must_use]
    pub fn error(&self, kind: ErrorKind) -> OutputError {
        OutputError::new(&self.name, kind.into())
    }

    /// Puts what was written in the place of the file.
    ///
    /// # Errors
    /// [`OutputError`]; the contents are then those before.
    pub fn finish(self) -> Result<(), OutputError> {
        let Self { name, path, folder, file } = self;
        put(file, &path, &folder).map_err(|cause| OutputError::new(&name, cause))
    }
}

impl Target {
    fn find(path: &Path) -> io::Result<Self> {
        if path == Path::new("-") {
            return Ok(Self::Stdout);
        }
        let path = match fs::metadata(path) {
            Ok(found) if found.is_dir() => return Err(ErrorKind::IsADirectory.into()),
            Ok(found) if !found.is_file() => return Ok(Self::Device),
            Ok(_) => {
                OpenOptions::new().write(true).open(path)?;
                fs::canonicalize(path)?
            }
            Err(error) if error.kind() == ErrorKind::NotFound => path.to_owned(),
            Err(error) => return Err(error),
        };
        if path.file_name().is_none() {
            return Err(ErrorKind::IsADirectory.into());
        }
        let folder = match path.parent() {
            Some(parent) if parent != Path::new("") => parent.to_owned(),
            _ => PathBuf::from("."),
        };
        remove_partials_of_dead_runs(&folder);
        // The surest test of whether a file can be made here is to make one.
        partial_file(&folder)?;
        Ok(Self::Replaced { path, folder })
    }
}

fn replace(path: &Path, folder: &Path, bytes: &[u8]) -> io::Result<()> {
    let mut tries_left = REPLACE_TRIES;
    loop {
        tries_left -= 1;
        match try_to_replace(path, folder, bytes) {
            // Another run tidied up in the moment between the making of the temporary file and its lock.
            Err(error) if error.kind() == ErrorKind::NotFound && folder.is_dir() && tries_left > 0 => {}
            outcome => return outcome,
        }
    }
}

fn try_to_replace(path: &Path, folder: &Path, bytes: &[u8]) -> io::Result<()> {
    let mut partial = partial_file(folder)?;
    partial.write_all(bytes)?;
    put(partial, path, folder)
}

fn put(partial: NamedTempFile, path: &Path, folder: &Path) -> io::Result<()> {
    if let Ok(before) = fs::metadata(path) {
        partial.as_file().set_permissions(before.permissions())?;
    }
    partial.as_file().sync_all()?;
    partial.persist(path).map_err(|error| error.error)?;
    sync_folder(folder)
}

/// A temporary file in `folder`, removed when dropped, and locked so that no other run takes it for left over.
fn partial_file(folder: &Path) -> io::Result<NamedTempFile> {
    let mut builder = tempfile::Builder::new();
    builder.prefix(PARTIAL_PREFIX).suffix(PARTIAL_SUFFIX);
    #[cfg(unix)]
    {
        use std::os::unix::fs::PermissionsExt;
        // As any new file: readable by whom the umask lets.
        builder.permissions(fs::Permissions::from_mode(0o666));
    }
    let partial = builder.tempfile_in(folder)?;
    // File systems without locks still get whole files; only the tidying up is less careful there.
    let _ = partial.as_file().try_lock();
    Ok(partial)
}

/// A killed run leaves its temporary file behind, unlocked. Failing to tidy up is no reason to fail.
fn remove_partials_of_dead_runs(folder: &Path) {
    for entry in fs::read_dir(folder).into_iter().flatten().flatten() {
        let path = entry.path();
        if is_partial_name(&entry.file_name())
            && entry.file_type().is_ok_and(|kind| kind.is_file())
            && File::open(&path).is_ok_and(|file| file.try_lock().is_ok())
        {
            let _ = fs::remove_file(path);
        }
    }
}

/// Whether `name` is one that [`partial_file`] makes: prefix, six letters or digits, suffix.
fn is_partial_name(name: &OsStr) -> bool {
    name.as_encoded_bytes()
        .strip_prefix(PARTIAL_PREFIX.as_bytes())
        .and_then(|rest| rest.strip_suffix(PARTIAL_SUFFIX.as_bytes()))
        .is_some_and(|middle| middle.len() == 6 && middle.iter().all(u8::is_ascii_alphanumeric))
}

/// Makes the rename itself survive a power cut, where the file system can.
fn sync_folder(folder: &Path) -> io::Result<()> {
    match File::open(folder).and_then(|folder| folder.sync_all()) {
        Err(error) if matches!(error.kind(), ErrorKind::InvalidInput | ErrorKind::Unsupported) => Ok(()),
        // A folder that may be written but not read cannot be opened; the file itself is synced.
        Err(error) if error.kind() == ErrorKind::PermissionDenied => Ok(()),
        outcome => outcome,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::ffi::OsString;

    fn names_in(folder: &Path) -> Vec<OsString> {
        let mut names: Vec<_> =
            fs::read_dir(folder).into_iter().flatten().flatten().map(|entry| entry.file_name()).collect();
        names.sort();
        names
    }

    #[test]
    fn opening_changes_nothing_and_finishing_leaves_one_file() -> Result<(), Box<dyn std::error::Error>> {
        let folder = tempfile::tempdir()?;
        let longest = "x".repeat(255);
        for name in ["answer.json", "-o.json", "with space %d.json", "Ünïcödé ♞.json", &longest] {
            let path = folder.path().join(name);
            let output = OutputFile::open(&path)?;
            assert!(!output.exists() && names_in(folder.path()).is_empty());
            output.checkpoint(b"one")?;
            assert_eq!(fs::read(&path)?, b"one");
            output.finish(b"two")?;
            assert_eq!(fs::read(&path)?, b"two");
            assert_eq!(names_in(folder.path()), [OsString::from(name)]);
            fs::remove_file(&path)?;
        }
        Ok(())
    }

    #[test]
    fn what_dead_runs_left_is_removed_and_what_live_ones_hold_is_not()
    -> Result<(), Box<dyn std::error::Error>> {
        let folder = tempfile::tempdir()?;
        let path = folder.path().join("a.json");
        let left_over = folder.path().join(".plyscope.Ab12Cd.partial");
        let others =
            [".plyscope.bak", ".plyscope.Ab12.partial", "Ab12Cd.partial"].map(|n| folder.path().join(n));
        fs::write(&left_over, "{")?;
        others.iter().try_for_each(|other| fs::write(other, "mine"))?;
        let live = partial_file(folder.path())?;
        OutputFile::open(&path)?;
        assert!(!left_over.exists());
        assert!(live.path().exists() && others.iter().all(|other| other.exists()));
        Ok(())
    }

    #[cfg(unix)]
    #[test]
    fn links_are_followed_and_permissions_kept() -> Result<(), Box<dyn std::error::Error>> {
        use std::os::unix::fs::{PermissionsExt, symlink};
        let folder = tempfile::tempdir()?;
        let (file, link) = (folder.path().join("file"), folder.path().join("link"));
        fs::write(&file, "before")?;
        fs::set_permissions(&file, fs::Permissions::from_mode(0o640))?;
        symlink(&file, &link)?;
        OutputFile::open(&link)?.finish(b"after")?;
        assert!(fs::symlink_metadata(&link)?.is_symlink());
        assert_eq!(fs::read(&file)?, b"after");
        assert_eq!(fs::metadata(&file)?.permissions().mode() & 0o777, 0o640);
        Ok(())
    }

    #[test]
    fn what_cannot_be_written_is_told_at_once() -> Result<(), Box<dyn std::error::Error>> {
        let folder = tempfile::tempdir()?;
        let missing = folder.path().join("no/such/answer.json");
        assert!(matches!(OutputFile::open(&missing), Err(OutputError::NoFolder { .. })));
        assert!(matches!(OutputFile::open(folder.path()), Err(OutputError::IsFolder { .. })));
        let file = folder.path().join("file");
        fs::write(&file, "")?;
        assert!(matches!(OutputFile::open(&file.join("answer.json")), Err(OutputError::NoFolder { .. })));
        Ok(())
    }

    #[cfg(target_os = "linux")]
    #[test]
    fn devices_are_written_to_and_never_replaced() -> Result<(), Box<dyn std::error::Error>> {
        let null = OutputFile::open(Path::new("/dev/null"))?;
        assert!(null.is_stream());
        null.checkpoint(b"x")?;
        null.finish(b"x")?;
        assert!(!fs::metadata("/dev/null")?.is_file());
        let full = OutputFile::open(Path::new("/dev/full"))?;
        assert!(matches!(full.finish(b"x"), Err(OutputError::DiskFull { .. })));
        Ok(())
    }
}

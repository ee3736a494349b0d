//! Reading a whole text input (JSON, PGN, model file) with errors that name the file.

use std::error::Error;
use std::fmt;
use std::fs::File;
use std::io::{self, Read};
use std::path::{Path, PathBuf};

use crate::exit_code::{Coded, ExitCode};

/// The largest text input: the games and answers of a lifetime are smaller, a video named by mistake is not.
pub const TEXT_INPUT_BYTES_MAX: u64 = 64 << 20;

/// A text input that cannot be read or used, with the file's name.
#[derive(Debug)]
pub struct InputError {
    /// The file as the user named it.
    pub path: PathBuf,
    /// What is wrong with it.
    pub cause: Box<dyn Error + Send + Sync>,
}

impl InputError {
    /// Says that the file at `path` cannot be used because of `cause`.
    pub fn new(path: &Path, cause: impl Into<Box<dyn Error + Send + Sync>>) -> Self {
        Self { path: path.to_owned(), cause: cause.into() }
    }
}

impl fmt::Display for InputError {
    /// The cause is part of the sentence and no `source`, so that no report says it twice.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "cannot use {:?}: {}", self.path, self.cause)
    }
}

impl Error for InputError {}

impl Coded for InputError {
    fn exit_code(&self) -> ExitCode {
        ExitCode::InputMalformed
    }
}

/// Reads the text file at `path`, or standard input for `-`.
///
/// # Errors
/// [`InputError`] where it cannot be opened or read, is larger than [`TEXT_INPUT_BYTES_MAX`], or is no UTF-8.
pub fn read_text(path: &Path) -> Result<String, InputError> {
    let bytes = read_bytes(path).map_err(|error| InputError::new(path, reason(error)))?;
    if bytes.len() as u64 > TEXT_INPUT_BYTES_MAX {
        let limit = TEXT_INPUT_BYTES_MAX >> 20;
        return Err(InputError::new(
            path,
            format!("it is larger than {limit} MiB, which no such text file is"),
        ));
    }
    String::from_utf8(bytes).map_err(|_| InputError::new(path, "it is not UTF-8 text"))
}

/// Why a file cannot be read, in words that say what to do where that is clear.
fn reason(error: io::Error) -> Box<dyn Error + Send + Sync> {
    match error.kind() {
        io::ErrorKind::NotFound => "there is no such file, check its name".into(),
        io::ErrorKind::IsADirectory => "it is a folder, give the name of a file".into(),
        io::ErrorKind::PermissionDenied => "you may not read it, change its permissions".into(),
        _ => error.into(),
    }
}

fn read_bytes(path: &Path) -> io::Result<Vec<u8>> {
    let mut bytes = Vec::new();
    let limit = TEXT_INPUT_BYTES_MAX + 1;
    if path == Path::new("-") {
        io::stdin().lock().take(limit).read_to_end(&mut bytes)?;
    } else {
        File::open(path)?.take(limit).read_to_end(&mut bytes)?;
    }
    Ok(bytes)
}

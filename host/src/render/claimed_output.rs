//! An output whose place is made sure of before the work, and that leaves nothing behind if the work fails.

use std::fs::{self, OpenOptions};
use std::io;
use std::path::{Path, PathBuf};

/// A file that can be written. Dropped before [`ClaimedOutput::keep`], it is removed if it is new.
#[derive(Debug)]
pub struct ClaimedOutput {
    path: PathBuf,
    remove_on_drop: bool,
}

impl ClaimedOutput {
    /// Makes sure that the file can be written, creating it where it is not there; what it holds stays.
    ///
    /// # Errors
    ///
    /// What the system says.
    pub fn claim(path: &Path) -> io::Result<ClaimedOutput> {
        let existed = path.exists();
        OpenOptions::new().append(true).create(true).open(path)?;
        Ok(ClaimedOutput { path: path.to_owned(), remove_on_drop: !existed })
    }

    /// The path that was claimed.
    pub fn path(&self) -> &Path {
        &self.path
    }

    /// The work is done, the file stays.
    pub fn keep(mut self) {
        self.remove_on_drop = false;
    }
}

impl Drop for ClaimedOutput {
    fn drop(&mut self) {
        if self.remove_on_drop {
            // A file that cannot be removed is no second fault to report beside the first.
            let _ = fs::remove_file(&self.path);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_a_new_file_is_removed_and_only_if_not_kept() {
        let folder = tempfile::tempdir().expect("a temporary folder");
        let [old, new, kept] = ["old", "new", "kept"].map(|name| folder.path().join(name));
        fs::write(&old, "before").expect("the folder takes a file");
        drop(ClaimedOutput::claim(&old).expect("writable"));
        drop(ClaimedOutput::claim(&new).expect("writable"));
        ClaimedOutput::claim(&kept).expect("writable").keep();
        assert_eq!(fs::read_to_string(&old).expect("still there"), "before");
        assert!(!new.exists() && kept.exists());
        assert!(ClaimedOutput::claim(&folder.path().join("no/where")).is_err());
    }
}

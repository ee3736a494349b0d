//! What child processes say, and how they were called.

use std::io::Read;
use std::process::Command;

/// This much of the end of a child's stderr is shown.
pub(crate) const SAID_BYTES_MAX: usize = 2000;

/// Reads a child's stderr to its end and keeps the last [`SAID_BYTES_MAX`] bytes.
pub(crate) fn read_end(mut stderr: impl Read) -> String {
    let mut said = Vec::new();
    // What could be read before a fault is still worth showing.
    let _ = stderr.read_to_end(&mut said);
    let end = &said[said.len().saturating_sub(SAID_BYTES_MAX)..];
    String::from_utf8_lossy(end).trim().to_owned()
}

/// The command as one could type it.
pub(crate) fn shell_line(command: &Command) -> String {
    let words = std::iter::once(command.get_program()).chain(command.get_args());
    let quoted: Vec<String> = words.map(|word| shell_word(&word.to_string_lossy())).collect();
    quoted.join(" ")
}

fn shell_word(word: &str) -> String {
    let is_plain = |c: char| c.is_ascii_alphanumeric() || "-_./:=,+@".contains(c);
    if !word.is_empty() && word.chars().all(is_plain) {
        word.to_owned()
    } else {
        format!("'{}'", word.replace('\'', "'\\''"))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_the_end_of_a_long_complaint_is_kept() {
        let complaint = "x".repeat(5000) + "the cause\n";
        let shown = read_end(complaint.as_bytes());
        assert!(shown.ends_with("the cause") && shown.len() <= SAID_BYTES_MAX);
    }
}

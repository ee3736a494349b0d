//! What differs between the lines that were expected and those that came, for people.

use std::fmt::Write;

const RED: &str = "\x1b[31m";
const GREEN: &str = "\x1b[32m";
const PLAIN: &str = "\x1b[0m";

/// The lines of both, those that are missing after a red `-` and those that were not expected after a green `+`; `None`
/// where they are the same.
pub(crate) fn diff(expected: &[&str], actual: &[&str], coloured: bool) -> Option<String> {
    if expected == actual {
        return None;
    }
    let (red, green, plain) = if coloured { (RED, GREEN, PLAIN) } else { ("", "", "") };
    let common = longest_common(expected, actual);
    let (mut before, mut after) = (expected.iter(), actual.iter());
    let mut text = String::new();
    for shared in common.into_iter().map(Some).chain([None]) {
        for line in before.by_ref().take_while(|line| Some(**line) != shared) {
            let _ = writeln!(text, "{red}-{line}{plain}");
        }
        for line in after.by_ref().take_while(|line| Some(**line) != shared) {
            let _ = writeln!(text, "{green}+{line}{plain}");
        }
        if let Some(line) = shared {
            let _ = writeln!(text, " {line}");
        }
    }
    Some(text)
}

/// A longest sequence of lines that both hold in this order (Wagner and Fischer's table).
fn longest_common<'a>(left: &[&'a str], right: &[&str]) -> Vec<&'a str> {
    let width = right.len() + 1;
    // Entry (i, j): how many lines the rests from i and from j on have in common.
    let mut lengths = vec![0_u32; (left.len() + 1) * width];
    for i in (0..left.len()).rev() {
        for j in (0..right.len()).rev() {
            lengths[i * width + j] = if left[i] == right[j] {
                lengths[(i + 1) * width + j + 1] + 1
            } else {
                lengths[(i + 1) * width + j].max(lengths[i * width + j + 1])
            };
        }
    }
    let (mut i, mut j, mut common) = (0, 0, Vec::new());
    while i < left.len() && j < right.len() {
        if left[i] == right[j] {
            common.push(left[i]);
            (i, j) = (i + 1, j + 1);
        } else if lengths[(i + 1) * width + j] >= lengths[i * width + j + 1] {
            i += 1;
        } else {
            j += 1;
        }
    }
    common
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn equal_lines_have_no_difference() {
        assert_eq!(diff(&["a", "b"], &["a", "b"], true), None);
    }

    #[test]
    fn missing_lines_are_red_and_new_ones_green() {
        let text = diff(&["a", "b", "c", "a"], &["a", "x", "c", "a", "d"], true);
        let expected = " a\n\x1b[31m-b\x1b[0m\n\x1b[32m+x\x1b[0m\n c\n a\n\x1b[32m+d\x1b[0m\n";
        assert_eq!(text.as_deref(), Some(expected));
        assert_eq!(diff(&[], &["a"], false).as_deref(), Some("+a\n"));
    }
}

//! Finds what a lenient PGN reader would pass over in silence: a word among the moves that is no move.

use shakmaty::san::SanPlus;

/// A word of the main line that is neither a move, a move number, a glyph nor a result.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct UnreadableWord {
    /// The ply that should stand there, counted from 1.
    pub(super) ply: usize,
    pub(super) word: String,
}

/// Longer words are cut in the message.
const WORD_SHOWN_MAX: usize = 24;

/// Looks through the main line of the first game in `pgn`.
pub(super) fn first_unreadable_word(pgn: &[u8]) -> Option<UnreadableWord> {
    let mut scan = Scan { rest: skip_tags(pgn), variation_depth: 0 };
    let mut plies = 0;
    while let Some(word) = scan.next_word() {
        match classify(word) {
            Word::Ply => plies += 1,
            Word::NotAPly => {}
            Word::Unreadable => {
                let text = String::from_utf8_lossy(word);
                let word = text.chars().take(WORD_SHOWN_MAX).collect();
                return Some(UnreadableWord { ply: plies + 1, word });
            }
        }
    }
    None
}

enum Word {
    Ply,
    NotAPly,
    Unreadable,
}

fn classify(word: &[u8]) -> Word {
    const RESULTS: [&[u8]; 4] = [b"1-0", b"0-1", b"1/2-1/2", "½-½".as_bytes()];
    let has_letters_or_digits = word.iter().any(|byte| byte.is_ascii_alphanumeric() || !byte.is_ascii());
    let is_number = word.iter().all(u8::is_ascii_digit);
    if !has_letters_or_digits || is_number || RESULTS.contains(&word) {
        return Word::NotAPly;
    }
    let zeros_for_castling = word.strip_suffix(b"+").or(word.strip_suffix(b"#")).unwrap_or(word);
    if [b"0-0".as_slice(), b"0-0-0"].contains(&zeros_for_castling) || SanPlus::from_ascii(word).is_ok() {
        Word::Ply
    } else {
        Word::Unreadable
    }
}

/// The movetext that is still to be looked through.
struct Scan<'a> {
    rest: &'a [u8],
    variation_depth: usize,
}

impl<'a> Scan<'a> {
    /// The next word of the main line, outside comments and variations; `None` at the end of the game.
    fn next_word(&mut self) -> Option<&'a [u8]> {
        loop {
            match *self.rest.first()? {
                b'{' => self.skip_past(b'}'),
                b';' => self.skip_past_line(),
                b'(' => {
                    self.variation_depth += 1;
                    self.rest = &self.rest[1..];
                }
                b')' => {
                    self.variation_depth = self.variation_depth.saturating_sub(1);
                    self.rest = &self.rest[1..];
                }
                b'\n' if ends_game(&self.rest[1..]) => return None,
                b'\n' if self.rest.get(1) == Some(&b'%') => {
                    self.rest = &self.rest[1..];
                    self.skip_past_line();
                }
                b'$' => {
                    self.rest = &self.rest[1..];
                    self.take_word();
                }
                byte if is_word_end(byte) => self.rest = &self.rest[1..],
                _ if self.rest.starts_with(b"e.p.") => self.rest = &self.rest[4..],
                _ => {
                    let word = self.take_word();
                    if self.variation_depth == 0 {
                        return Some(word);
                    }
                }
            }
        }
    }

    fn take_word(&mut self) -> &'a [u8] {
        let end = self.rest.iter().position(|&byte| is_word_end(byte)).unwrap_or(self.rest.len());
        let (word, rest) = self.rest.split_at(end);
        self.rest = rest;
        word
    }

    fn skip_past(&mut self, end: u8) {
        let at = self.rest.iter().position(|&byte| byte == end);
        self.rest = at.map_or(&[], |at| &self.rest[at + 1..]);
    }

    /// Skips to the line break, which stays: it may begin the blank line that ends the game.
    fn skip_past_line(&mut self) {
        let at = self.rest.iter().position(|&byte| byte == b'\n');
        self.rest = at.map_or(&[], |at| &self.rest[at..]);
    }
}

fn skip_tags(pgn: &[u8]) -> &[u8] {
    let mut rest = pgn.strip_prefix("\u{feff}".as_bytes()).unwrap_or(pgn).trim_ascii_start();
    while rest.first() == Some(&b'[') {
        let line_end = rest.iter().position(|&byte| byte == b'\n').unwrap_or(rest.len());
        rest = rest[line_end..].trim_ascii_start();
    }
    rest
}

fn ends_game(after_line_break: &[u8]) -> bool {
    matches!(after_line_break, [b'\n' | b'[', ..] | [b'\r', b'\n', ..])
}

fn is_word_end(byte: u8) -> bool {
    byte.is_ascii_whitespace() || b"{}()!?$;.*".contains(&byte)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_word_that_is_no_move_is_found_with_its_ply() {
        let found = first_unreadable_word(b"[Event \"x\"]\n\n1. e4 e5 2. Nf9 Nc6 *\n");
        assert_eq!(found, Some(UnreadableWord { ply: 3, word: "Nf9".into() }));
    }

    #[test]
    fn everything_that_export_format_holds_is_passed() {
        let pgn = "[Event \"x [y]\"]\n[Site \"?\"]\n\n; a line\n1. e4! {a {comment} $3 e5?! (1... c5 2. rubbish (x)) \
                   2.Nf3 Nc6 3.Bc4 Nf6 4. 0-0 Be7 5. exd6 e.p. +/- Qd8# N1c3+ e8=Q+ 1/2-1/2\n\nnext game\n";
        assert_eq!(first_unreadable_word(pgn.as_bytes()), None);
    }

    #[test]
    fn two_moves_run_together_are_no_move() {
        let found = first_unreadable_word(b"1. e4 e5Nf3 *");
        assert_eq!(found, Some(UnreadableWord { ply: 2, word: "e5Nf3".into() }));
    }
}

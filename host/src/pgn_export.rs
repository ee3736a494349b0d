//! A game as PGN that other programs read: export format, with video times and evaluations in the comments.
//!
//! After each ply stand `[%vt s]`, the second of the video at which the ply appears (as pgn4web reads it), `[%emt h:mm:ss.f]`,
//! the time since the ply before, and where they are known `[%clk h:mm:ss.f]`, what the mover's clock shows, and
//! `[%eval]`, White's view in pawns or `#n`. A ply that gave much away carries a Numeric Annotation Glyph and a remark.

use std::fmt::{self, Write as _};
use std::io::{self, Write};
use std::time::Duration;

use plyscope_core::media_time::MediaTime;
use shakmaty::fen::Fen;
use shakmaty::san::SanPlus;
use shakmaty::{Chess, Color, EnPassantMode, Move, Outcome, Position};

/// PGN's export format keeps lines below 80 columns.
const COLUMNS_MAX: usize = 79;

/// The tags that every exported game carries, in this order, and what stands for an unknown one.
const ROSTER: [(&str, &str); 7] = [
    ("Event", "?"),
    ("Site", "?"),
    ("Date", "????.??.??"),
    ("Round", "?"),
    ("White", "?"),
    ("Black", "?"),
    ("Result", "*"),
];

/// What a position is worth, seen by White.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ExportEval {
    /// Centipawns.
    Centipawns(i32),
    /// A forced mate in so many moves, negative where Black mates, 0 where the mate is on the board.
    Mate(i32),
}

impl fmt::Display for ExportEval {
    /// As `[%eval]` takes it: `0.37`, `-12.05`, `#3`, `#-4`.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match *self {
            ExportEval::Centipawns(cp) => {
                let sign = if cp < 0 { "-" } else { "" };
                let cp = cp.unsigned_abs();
                write!(f, "{sign}{}.{:02}", cp / 100, cp % 100)
            }
            ExportEval::Mate(moves) => write!(f, "#{moves}"),
        }
    }
}

/// One ply as it goes into the PGN.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ExportPly {
    /// The move.
    pub mv: Move,
    /// When the ply appears in the video.
    pub shown_at: MediaTime,
    /// What the mover's clock shows after it, where that is known.
    pub clock: Option<Duration>,
    /// What the position after it is worth, where that is known.
    pub eval: Option<ExportEval>,
    /// A Numeric Annotation Glyph, without its `$`.
    pub nag: Option<u8>,
    /// Words about the ply. Braces and control characters, which would break the file, are left out.
    pub remark: Option<String>,
    /// Plies that were played in its place and taken back, each time from this one on: variations.
    pub instead: Vec<Vec<ExportPly>>,
}

impl ExportPly {
    /// A ply of which only the time is known.
    #[must_use]
    pub const fn new(mv: Move, shown_at: MediaTime) -> Self {
        Self { mv, shown_at, clock: None, eval: None, nag: None, remark: None, instead: Vec::new() }
    }
}

/// A game ready to be written.
#[derive(Clone, Copy, Debug)]
pub struct PgnExport<'a> {
    /// Tag pairs in any order; those of the roster come first in the file, and `Result`, `SetUp` and `FEN` follow from
    /// the game.
    pub tags: &'a [(String, String)],
    /// The position before the first ply.
    pub start: &'a Chess,
    /// The plies in order.
    pub plies: &'a [ExportPly],
    /// How the game ended.
    pub result: Outcome,
}

/// Why a game was not written.
#[derive(Debug, thiserror::Error)]
pub enum PgnExportError {
    /// A ply that the rules forbid.
    #[error("ply {ply} is not legal and cannot be written as PGN")]
    IllegalMove {
        /// The ply, from 1.
        ply: usize,
    },
    /// The output failed.
    #[error(transparent)]
    Write(#[from] io::Error),
}

impl PgnExport<'_> {
    /// Writes the game.
    ///
    /// # Errors
    ///
    /// [`PgnExportError`] where a ply is illegal, before anything is written, or where `out` fails.
    pub fn write(&self, out: &mut impl Write) -> Result<(), PgnExportError> {
        let movetext = self.movetext()?;
        for (name, value) in self.all_tags() {
            writeln!(out, "[{name} \"{}\"]", escape(&value))?;
        }
        writeln!(out)?;
        out.write_all(movetext.as_bytes())?;
        writeln!(out)?;
        Ok(())
    }

    fn all_tags(&self) -> Vec<(&str, String)> {
        let given =
            |name: &str| self.tags.iter().find(|(tag, _)| tag == name).map(|(_, value)| value.clone());
        let mut tags: Vec<(&str, String)> = ROSTER
            .iter()
            .map(|&(name, unknown)| (name, given(name).unwrap_or_else(|| unknown.to_owned())))
            .collect();
        if let Some((_, result)) = tags.last_mut() {
            *result = self.result.to_string();
        }
        if *self.start != Chess::default() {
            let fen = Fen::from_position(self.start, EnPassantMode::Legal);
            tags.extend([("SetUp", "1".to_owned()), ("FEN", fen.to_string())]);
        }
        let is_ours =
            |name: &str| ["SetUp", "FEN"].contains(&name) || ROSTER.iter().any(|&(tag, _)| tag == name);
        let others = self.tags.iter().filter(|(name, _)| is_tag_name(name) && !is_ours(name));
        tags.extend(others.map(|(name, value)| (name.as_str(), value.clone())));
        tags
    }

    fn movetext(&self) -> Result<String, PgnExportError> {
        let mut text = WrappedText::default();
        self.push_line(&mut text, self.start.clone(), self.plies, MediaTime::ZERO)?;
        text.push(self.result.as_str());
        Ok(text.finish())
    }

    /// Writes plies from `position` on, the one before them shown at `previous`, each followed by its variations.
    fn push_line(
        &self,
        text: &mut WrappedText,
        mut position: Chess,
        plies: &[ExportPly],
        mut previous: MediaTime,
    ) -> Result<(), PgnExportError> {
        for (index, ply) in plies.iter().enumerate() {
            if !position.is_legal(ply.mv) {
                return Err(PgnExportError::IllegalMove { ply: index + 1 });
            }
            let before = position.clone();
            // A comment follows every ply, so that every ply needs its number again.
            let dots = if position.turn() == Color::White { "." } else { "..." };
            text.push(&format!("{}{dots}", position.fullmoves()));
            let san = SanPlus::from_move_and_play_unchecked(&mut position, ply.mv);
            text.push(&san.to_string());
            if let Some(nag) = ply.nag {
                text.push(&format!("${nag}"));
            }
            text.push(&comment(ply, previous));
            for variation in &ply.instead {
                text.push("(");
                self.push_line(text, before.clone(), variation, previous)?;
                text.push(")");
            }
            previous = ply.shown_at;
        }
        Ok(())
    }
}

fn comment(ply: &ExportPly, previous: MediaTime) -> String {
    let shown_ms = whole_ms(ply.shown_at.us());
    let elapsed_ms = shown_ms.saturating_sub(whole_ms(previous.us()));
    let mut comment = format!("{{ [%vt {}]", decimal_seconds(shown_ms));
    // Writing to a String cannot fail.
    let _ = write!(comment, " [%emt {}]", clock_face(elapsed_ms));
    if let Some(clock) = ply.clock {
        let clock_ms = u64::try_from(clock.as_millis()).unwrap_or(u64::MAX);
        let _ = write!(comment, " [%clk {}]", clock_face(clock_ms));
    }
    if let Some(eval) = ply.eval {
        let _ = write!(comment, " [%eval {eval}]");
    }
    if let Some(remark) = &ply.remark {
        let safe = |c: char| if c.is_control() || "{}[]".contains(c) { ' ' } else { c };
        let _ = write!(comment, " {}", remark.chars().map(safe).collect::<String>());
    }
    comment + " }"
}

/// `h:mm:ss.f`.
fn clock_face(ms: u64) -> String {
    let (hours, minutes, seconds) = (ms / 3_600_000, ms / 60_000 % 60, ms / 1000 % 60);
    format!("{hours}:{minutes:02}:{seconds:02}{}", decimal_fraction(ms))
}

fn whole_ms(us: i64) -> u64 {
    (us.max(0).cast_unsigned() + 500) / 1000
}

fn decimal_seconds(ms: u64) -> String {
    format!("{}{}", ms / 1000, decimal_fraction(ms))
}

/// The part after the whole seconds: `.5`, `.033`, or nothing.
fn decimal_fraction(ms: u64) -> String {
    let fraction = format!(".{:03}", ms % 1000);
    fraction.trim_end_matches('0').trim_end_matches('.').to_owned()
}

/// A tag name is letters, digits and underscores; anything else would break the file.
fn is_tag_name(name: &str) -> bool {
    !name.is_empty() && name.bytes().all(|byte| byte.is_ascii_alphanumeric() || byte == b'_')
}

fn escape(value: &str) -> String {
    let one_line: String = value.chars().map(|c| if c.is_control() { ' ' } else { c }).collect();
    one_line.replace('\\', "\\\\").replace('"', "\\\"")
}

/// Words with single spaces between them, in lines below 80 columns.
#[derive(Debug, Default)]
struct WrappedText {
    text: String,
    column: usize,
}

impl WrappedText {
    /// Adds words; a command in square brackets is broken at no space.
    fn push(&mut self, words: &str) {
        for word in split_outside_brackets(words) {
            let width = word.chars().count();
            if self.column == 0 {
                self.column = width;
            } else if self.column + 1 + width <= COLUMNS_MAX {
                self.text.push(' ');
                self.column += 1 + width;
            } else {
                self.text.push('\n');
                self.column = width;
            }
            self.text.push_str(word);
        }
    }

    fn finish(mut self) -> String {
        self.text.push('\n');
        self.text
    }
}

fn split_outside_brackets(words: &str) -> impl Iterator<Item = &str> {
    let mut in_brackets = false;
    words
        .split(move |c: char| {
            match c {
                '[' => in_brackets = true,
                ']' => in_brackets = false,
                _ => {}
            }
            c == ' ' && !in_brackets
        })
        .filter(|word| !word.is_empty())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::game_record::GameRecord;
    use proptest::prelude::*;

    fn plies(record: &GameRecord) -> Vec<ExportPly> {
        let shown = record.timeline();
        record.plies.iter().zip(shown).map(|(ply, shown_at)| ExportPly::new(ply.mv, shown_at)).collect()
    }

    fn export(tags: &[(String, String)], start: &Chess, plies: &[ExportPly], result: Outcome) -> String {
        let mut out = Vec::new();
        PgnExport { tags, start, plies, result }.write(&mut out).expect("memory takes it");
        String::from_utf8(out).expect("PGN is UTF-8")
    }

    #[test]
    fn a_game_is_written_in_export_format() {
        let record =
            GameRecord::read(&b"1. e4 {[%emt 0:00:01]} e5 {[%emt 0:01:02.5]} 2. Nf3 *"[..]).expect("legal");
        let mut plies = plies(&record);
        plies[0].eval = Some(ExportEval::Centipawns(37));
        plies[1].eval = Some(ExportEval::Mate(-3));
        plies[2].clock = Some(Duration::from_millis(3_599_900));
        plies[2].nag = Some(6);
        plies[2].remark = Some("no {\u{7}} braces".into());
        let tags = [("Black", "B \"the\\B\""), ("Annotator", "x"), ("Bad]Name", "y"), ("Result", "1-0")]
            .map(|(name, value)| (name.to_owned(), value.to_owned()));
        let expected = r#"[Event "?"]
[Site "?"]
[Date "????.??.??"]
[Round "?"]
[White "?"]
[Black "B \"the\\B\""]
[Result "*"]
[Annotator "x"]

1. e4 { [%vt 2] [%emt 0:00:02] [%eval 0.37] } 1... e5 { [%vt 64.5]
[%emt 0:01:02.5] [%eval #-3] } 2. Nf3 $6 { [%vt 65.5] [%emt 0:00:01]
[%clk 0:59:59.9] no braces } *

"#;
        assert_eq!(export(&tags, &record.start, &plies, record.result), expected);
    }

    #[test]
    fn plies_taken_back_are_variations() {
        let record = GameRecord::read(&b"1. e4 e5 2. Nf3 *"[..]).expect("legal");
        let other = GameRecord::read(&b"1. e4 c5 2. d4 *"[..]).expect("legal");
        let mut plies = plies(&record);
        plies[1].instead = vec![super::tests::plies(&other)[1..].to_vec()];
        let text = export(&[], &record.start, &plies, record.result);
        let read = GameRecord::read(text.as_bytes()).expect("it reads back");
        assert_eq!(read.plies.len(), 3);
        let moves: String = text.lines().skip_while(|l| !l.is_empty()).collect::<Vec<_>>().join(" ");
        let words = moves.split('{').filter_map(|part| part.rsplit('}').next()).collect::<String>();
        let words = words.split_whitespace().collect::<Vec<_>>().join(" ");
        assert_eq!(words, "1. e4 1... e5 ( 1... c5 2. d4 ) 2. Nf3 *");
    }

    #[test]
    fn evaluations_are_written_in_pawns_and_mates() {
        let shown = |eval: ExportEval| eval.to_string();
        assert_eq!(shown(ExportEval::Centipawns(-5)), "-0.05");
        assert_eq!(shown(ExportEval::Centipawns(1234)), "12.34");
        assert_eq!(shown(ExportEval::Mate(0)), "#0");
    }

    #[test]
    fn an_illegal_ply_is_refused_and_nothing_is_written() {
        let record = GameRecord::read(&b"1. e4 *"[..]).expect("legal");
        let twice = [plies(&record)[0].clone(), plies(&record)[0].clone()];
        let mut out = Vec::new();
        let export = PgnExport { tags: &[], start: &record.start, plies: &twice, result: Outcome::Unknown };
        let error = export.write(&mut out).expect_err("refused");
        assert_eq!(error.to_string(), "ply 2 is not legal and cannot be written as PGN");
        assert!(out.is_empty());
    }

    proptest! {
        /// Random games from a start with every special move near, with random times: what is written reads back.
        #[test]
        fn what_is_written_reads_back(
            choices in proptest::collection::vec((any::<prop::sample::Index>(), 1_i64..9_000_000), 0..120),
            from_fen in any::<bool>(),
        ) {
            let start = if from_fen {
                let pgn = b"[FEN \"r3k2r/1P4P1/8/2pP4/4pP2/8/1p4p1/R3K2R b KQkq f3 0 23\"]\n\n*";
                GameRecord::read(&pgn[..]).expect("legal").start
            } else {
                Chess::default()
            };
            let mut position = start.clone();
            let mut plies = Vec::new();
            let mut shown_ms = 2000;
            for (choice, think_ms) in choices {
                let moves = position.legal_moves();
                if moves.is_empty() {
                    break;
                }
                let mv = moves[choice.index(moves.len())];
                position.play_unchecked(mv);
                plies.push(ExportPly::new(mv, MediaTime::from_ms(shown_ms)));
                shown_ms += think_ms;
            }
            let text = export(&[], &start, &plies, Outcome::Unknown);
            prop_assert!(text.lines().all(|line| line.chars().count() <= COLUMNS_MAX));
            let read = GameRecord::read(text.as_bytes()).expect("our own PGN is legal");
            prop_assert_eq!(&read.start, &start);
            prop_assert_eq!(read.plies.len(), plies.len());
            let mut read_ms = 0;
            for (read, written) in read.plies.iter().zip(&plies) {
                prop_assert_eq!(read.mv, written.mv);
                read_ms += i64::try_from(read.elapsed.expect("every ply has [%emt]").as_millis()).expect("small");
                prop_assert_eq!(read_ms * 1000, written.shown_at.us());
            }
        }
    }
}

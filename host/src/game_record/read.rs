//! PGN text into a [`GameRecord`].

use std::fs::File;
use std::io::{self, Read};
use std::ops::ControlFlow;
use std::path::Path;

use pgn_reader::{RawComment, RawTag, Reader, SanPlus, Visitor};
use shakmaty::fen::Fen;
use shakmaty::san::SanError;
use shakmaty::{CastlingMode, Chess, Color, Outcome, Position};

use super::clock_comment::{ClockComment, MalformedClock};
use super::movetext_check::first_unreadable_word;
use super::{GameRecord, Ply};
use crate::text_input::InputError;

/// More bytes than this are no game (a video given by mistake, say).
const PGN_BYTES_MAX: u64 = 16 << 20;

/// Why a PGN gave no game. Plies are counted from 1; `number` is the move number as printed, `3.` or `3...`.
#[derive(Debug, thiserror::Error)]
pub enum GameRecordError {
    /// The file could not be read.
    #[error("cannot read the PGN: {0}")]
    Read(#[from] io::Error),
    /// Not a PGN, or one without a game in it.
    #[error("the PGN holds no game")]
    NoGame,
    /// More than any one game needs.
    #[error("the file is larger than {} MiB and so no PGN of one game", PGN_BYTES_MAX >> 20)]
    TooLarge,
    /// A tag or a comment that never ends.
    #[error("the PGN is broken: {0}")]
    Syntax(String),
    /// The `FEN` tag holds no position from which chess can be played.
    #[error("the PGN's FEN tag is no legal position: {reason} (\"{fen}\")")]
    BadStart {
        /// The tag's value.
        fen: String,
        /// What is wrong with it.
        reason: String,
    },
    /// A word where a move should stand.
    #[error("ply {ply}: \"{word}\" is no move in PGN notation")]
    UnreadableMove {
        /// The ply that the word should be.
        ply: usize,
        /// The word, cut when long.
        word: String,
    },
    /// A move that the rules forbid there.
    #[error("ply {ply}: {number} {san} is not a legal move in this position")]
    IllegalMove {
        /// The illegal ply.
        ply: usize,
        /// Its move number.
        number: String,
        /// The move as the PGN writes it.
        san: String,
    },
    /// A move that two pieces could make.
    #[error("ply {ply}: {number} {san} fits more than one legal move")]
    AmbiguousMove {
        /// The ambiguous ply.
        ply: usize,
        /// Its move number.
        number: String,
        /// The move as the PGN writes it.
        san: String,
    },
    /// A clock command that holds no time.
    #[error("ply {ply}: [{text}] holds no time such as 0:09:53.1")]
    BadClock {
        /// The ply that the comment follows.
        ply: usize,
        /// The command as the PGN writes it.
        text: String,
    },
}

impl GameRecord {
    /// Reads the first game of a PGN.
    ///
    /// # Errors
    ///
    /// [`GameRecordError`]; it names the ply wherever there is one.
    ///
    /// ```
    /// use plyscope::game_record::GameRecord;
    ///
    /// let record = GameRecord::read(&b"1. e4 {[%clk 0:01:00]} e5 *"[..])?;
    /// assert_eq!(record.plies[0].uci.to_string(), "e2e4");
    /// # Ok::<(), plyscope::game_record::GameRecordError>(())
    /// ```
    pub fn read(source: impl Read) -> Result<GameRecord, GameRecordError> {
        let mut pgn = Vec::new();
        source.take(PGN_BYTES_MAX + 1).read_to_end(&mut pgn)?;
        if pgn.len() as u64 > PGN_BYTES_MAX {
            return Err(GameRecordError::TooLarge);
        }
        let record = Reader::new(pgn.as_slice())
            .read_game(&mut RecordVisitor)
            .map_err(|error| GameRecordError::Syntax(error.to_string()))?
            .ok_or(GameRecordError::NoGame)?;
        // An unreadable word comes first in the text, so it is the cause of an illegal move after it.
        let unreadable = first_unreadable_word(&pgn);
        match (record, unreadable) {
            (Err(error), Some(word)) if error.ply().is_some_and(|ply| ply < word.ply) => Err(error),
            (_, Some(word)) => Err(GameRecordError::UnreadableMove { ply: word.ply, word: word.word }),
            (Ok(record), None) if record.tags.is_empty() && record.plies.is_empty() => {
                Err(GameRecordError::NoGame)
            }
            (record, None) => record,
        }
    }

    /// Reads the first game of the PGN file at `path`, or of standard input for `-`.
    ///
    /// # Errors
    ///
    /// As [`GameRecord::read`], with the file's name.
    pub fn read_file(path: &Path) -> Result<GameRecord, InputError> {
        let record = if path == Path::new("-") {
            GameRecord::read(io::stdin().lock())
        } else {
            File::open(path).map_err(GameRecordError::from).and_then(GameRecord::read)
        };
        record.map_err(|error| InputError::new(path, error))
    }
}

impl GameRecordError {
    fn ply(&self) -> Option<usize> {
        match *self {
            GameRecordError::UnreadableMove { ply, .. }
            | GameRecordError::IllegalMove { ply, .. }
            | GameRecordError::AmbiguousMove { ply, .. }
            | GameRecordError::BadClock { ply, .. } => Some(ply),
            _ => None,
        }
    }
}

/// The game so far, and the comment chunks that wait for their end.
struct Movetext {
    record: GameRecord,
    position: Chess,
    comment: Vec<u8>,
}

struct RecordVisitor;

impl Visitor for RecordVisitor {
    type Tags = Vec<(String, String)>;
    type Movetext = Movetext;
    type Output = Result<GameRecord, GameRecordError>;

    fn begin_tags(&mut self) -> ControlFlow<Self::Output, Self::Tags> {
        ControlFlow::Continue(Vec::new())
    }

    fn tag(&mut self, tags: &mut Self::Tags, name: &[u8], value: RawTag<'_>) -> ControlFlow<Self::Output> {
        let name = String::from_utf8_lossy(name).into_owned();
        tags.push((name, value.decode_utf8_lossy().into_owned()));
        ControlFlow::Continue(())
    }

    fn begin_movetext(&mut self, tags: Self::Tags) -> ControlFlow<Self::Output, Self::Movetext> {
        let fen = tags.iter().find(|(name, _)| name == "FEN").map(|(_, value)| value.as_str());
        let (start, castling_mode) = match start_position(fen) {
            Ok(start) => start,
            Err(error) => return ControlFlow::Break(Err(error)),
        };
        let result = tags
            .iter()
            .find(|(name, _)| name == "Result")
            .and_then(|(_, value)| Outcome::from_ascii(value.as_bytes()).ok())
            .unwrap_or(Outcome::Unknown);
        let position = start.clone();
        let record = GameRecord { tags, start, castling_mode, plies: Vec::new(), result };
        ControlFlow::Continue(Movetext { record, position, comment: Vec::new() })
    }

    fn san(&mut self, movetext: &mut Self::Movetext, san_plus: SanPlus) -> ControlFlow<Self::Output> {
        let mv = match san_plus.san.to_move(&movetext.position) {
            Ok(mv) => mv,
            Err(error) => return ControlFlow::Break(Err(movetext.refuse(san_plus, error))),
        };
        let san = SanPlus::from_move_and_play_unchecked(&mut movetext.position, mv);
        movetext.record.plies.push(Ply {
            mv,
            uci: mv.to_uci(movetext.record.castling_mode),
            san,
            after: movetext.position.clone(),
            clock: None,
            elapsed: None,
            video_time: None,
            note: None,
        });
        ControlFlow::Continue(())
    }

    fn partial_comment(
        &mut self,
        movetext: &mut Self::Movetext,
        comment: RawComment<'_>,
    ) -> ControlFlow<Self::Output> {
        movetext.comment.extend_from_slice(comment.as_bytes());
        ControlFlow::Continue(())
    }

    fn comment(
        &mut self,
        movetext: &mut Self::Movetext,
        comment: RawComment<'_>,
    ) -> ControlFlow<Self::Output> {
        movetext.comment.extend_from_slice(comment.as_bytes());
        let bytes = std::mem::take(&mut movetext.comment);
        let ply_number = movetext.record.plies.len();
        let Some(ply) = movetext.record.plies.last_mut() else { return ControlFlow::Continue(()) };
        match ClockComment::find(&String::from_utf8_lossy(&bytes)) {
            Ok(found) => {
                ply.clock = ply.clock.or(found.clock);
                ply.elapsed = ply.elapsed.or(found.elapsed);
                ply.video_time = ply.video_time.or(found.video_time);
                if let Some(words) = found.words {
                    let note = ply.note.get_or_insert_default();
                    let gap = if note.is_empty() { "" } else { " " };
                    note.push_str(gap);
                    note.push_str(&words);
                }
                ControlFlow::Continue(())
            }
            Err(MalformedClock(text)) => {
                ControlFlow::Break(Err(GameRecordError::BadClock { ply: ply_number, text }))
            }
        }
    }

    fn outcome(&mut self, movetext: &mut Self::Movetext, outcome: Outcome) -> ControlFlow<Self::Output> {
        if outcome.is_known() {
            movetext.record.result = outcome;
        }
        ControlFlow::Continue(())
    }

    fn end_game(&mut self, movetext: Self::Movetext) -> Self::Output {
        Ok(movetext.record)
    }
}

impl Movetext {
    fn refuse(&self, san: SanPlus, error: SanError) -> GameRecordError {
        let ply = self.record.plies.len() + 1;
        let dots = if self.position.turn() == Color::White { "." } else { "..." };
        let number = format!("{}{dots}", self.position.fullmoves());
        let san = san.to_string();
        match error {
            SanError::IllegalSan => GameRecordError::IllegalMove { ply, number, san },
            SanError::AmbiguousSan => GameRecordError::AmbiguousMove { ply, number, san },
        }
    }
}

fn start_position(fen: Option<&str>) -> Result<(Chess, CastlingMode), GameRecordError> {
    let Some(fen) = fen else { return Ok((Chess::default(), CastlingMode::Standard)) };
    let bad_start = |reason: String| GameRecordError::BadStart { fen: fen.to_owned(), reason };
    let parsed: Fen = fen.parse().map_err(|error| bad_start(format!("{error}")))?;
    let mode = CastlingMode::detect(&parsed.clone().into_setup());
    let start = parsed.into_position(mode).map_err(|error| bad_start(error.to_string()))?;
    Ok((start, mode))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn message(pgn: &str) -> String {
        GameRecord::read(pgn.as_bytes()).expect_err("the PGN is bad").to_string()
    }

    #[test]
    fn an_illegal_move_is_named_with_its_ply_and_number() {
        assert_eq!(message("1. e4 e5 2. Ke3 *"), "ply 3: 2. Ke3 is not a legal move in this position");
        assert_eq!(message("1. e4 Nd6 *"), "ply 2: 1... Nd6 is not a legal move in this position");
    }

    #[test]
    fn a_move_that_two_pieces_could_make_is_called_ambiguous() {
        let pgn = "[FEN \"4k3/8/8/8/8/8/8/RN2KN2 w - - 0 1\"]\n\n1. Nd2 *";
        assert_eq!(message(pgn), "ply 1: 1. Nd2 fits more than one legal move");
    }

    #[test]
    fn the_first_fault_in_the_text_is_the_one_reported() {
        assert_eq!(message("1. e4 e9 2. Nf3 *"), "ply 2: \"e9\" is no move in PGN notation");
        assert_eq!(message("1. e5 e9 *"), "ply 1: 1. e5 is not a legal move in this position");
    }

    #[test]
    fn broken_texts_have_their_own_messages() {
        assert_eq!(message(""), "the PGN holds no game");
        assert_eq!(message("1. e4 {[%clk 0:01:00 "), "the PGN is broken: unterminated comment");
        assert_eq!(message("1. e4 {[%clk soon]} *"), "ply 1: [%clk soon] holds no time such as 0:09:53.1");
        let no_kings = "[FEN \"8/8/8/8/8/8/8/8 w - - 0 1\"]\n\n*";
        assert!(message(no_kings).starts_with("the PGN's FEN tag is no legal position: "));
    }

    #[test]
    fn special_moves_tell_where_the_pieces_went() {
        let pgn = "[FEN \"r3k2r/1P6/8/8/4p3/8/3P4/R3K2R w KQkq - 0 1\"]\n[Result \"0-1\"]\n\n\
                   1. d4 exd3 2. O-O-O O-O 3. bxa8=N *";
        let record = GameRecord::read(pgn.as_bytes()).expect("the game is legal");
        let told: Vec<String> = record
            .plies
            .iter()
            .map(|ply| {
                let captured = ply.captured_at().map_or("-".into(), |square| square.to_string());
                format!("{} {} {captured}", ply.uci, ply.destination())
            })
            .collect();
        assert_eq!(told, ["d2d4 d4 -", "e4d3 d3 d4", "e1c1 c1 -", "e8g8 g8 -", "b7a8n a8 a8"]);
        assert_eq!(record.result.to_string(), "0-1");
    }

    #[test]
    fn a_clock_in_a_very_long_comment_is_found() {
        let pgn = format!("1. e4 {{ {} [%clk 0:00:07] }} *", "words ".repeat(200));
        let record = GameRecord::read(pgn.as_bytes()).expect("the game is legal");
        assert_eq!(record.plies[0].clock, Some(std::time::Duration::from_secs(7)));
    }

    #[test]
    fn only_the_first_game_of_a_file_is_read() {
        let record = GameRecord::read(&b"1. e4 *\n\n[Event \"two\"]\n\n1. d4 d5 *\n"[..]).expect("legal");
        assert_eq!(record.plies.len(), 1);
    }

    use proptest::prelude::*;

    /// A game with everything in it that the reader knows.
    const RICH: &str = "[Event \"x\"]\n[TimeControl \"2/60+1:600\"]\n[FEN \"r3k2r/1P6/8/8/4p3/8/3P4/R3K2R w KQkq - 0 1\"]\n\n\
                        1. d4 {[%clk 0:00:59.5]} 1... exd3 $1 {[%emt 0:00:01]} 2. O-O-O! (2. O-O e.p. {x}) O-O ; end\n\
                        3. bxa8=N+ 1/2-1/2\n";

    proptest! {
        /// Any damage to a game is a game or an error, and a game's timeline can be drawn.
        #[test]
        fn no_text_makes_the_reader_panic(
            damage in proptest::collection::vec((any::<prop::sample::Index>(), any::<u8>(), 0_u8..3), 0..12),
            noise in proptest::collection::vec(any::<u8>(), 0..40),
        ) {
            let mut pgn = RICH.as_bytes().to_vec();
            for (index, byte, kind) in damage {
                let at = index.index(pgn.len());
                match kind {
                    0 => pgn[at] = byte,
                    1 => pgn.insert(at, byte),
                    _ => pgn.truncate(at.max(1)),
                }
            }
            for text in [pgn, noise] {
                if let Ok(record) = GameRecord::read(text.as_slice()) {
                    prop_assert_eq!(record.timeline().len(), record.plies.len());
                }
            }
        }
    }
}

//! The evaluator as an engine that speaks UCI, as chess programs and match runners do.
//!
//! Lines come in on one thread; a search runs on others, so that `stop` and `isready` are heard while it does.

mod clock;
mod command;
mod options;
mod report;
mod search_job;

use std::{
    io::{self, BufRead, Write},
    sync::{Arc, Mutex, PoisonError},
};

use plyscope_core::judge::position_key::PositionKey;
use shakmaty::{CastlingMode, Chess, Position, fen::Fen, uci::UciMove};

use self::{
    command::Command,
    options::Options,
    search_job::{RunningSearch, SearchJob},
};
use crate::engine::SharedTable;

/// Where replies go; searches write there too.
pub type Output = Arc<Mutex<dyn Write + Send>>;

/// Reads commands from `input` until `quit` or its end, and writes replies to `output`.
///
/// A line that can't be understood is answered by `info string` and changes nothing.
///
/// # Errors
/// An error of reading or writing.
pub fn run(input: impl BufRead, output: Output) -> io::Result<()> {
    let mut session = Session::new(output);
    for line in input.lines() {
        let line = line?;
        match Command::parse(&line) {
            Ok(Some(Command::Quit)) => break,
            Ok(Some(command)) => session.obey(command)?,
            Ok(None) => {}
            Err(why) => session.say(&format!("info string {why}"))?,
        }
    }
    session.stop_search();
    Ok(())
}

/// Writes one line, whole.
fn write_line(output: &Output, line: &str) -> io::Result<()> {
    let mut output = output.lock().unwrap_or_else(PoisonError::into_inner);
    writeln!(output, "{line}")?;
    output.flush()
}

struct Session {
    output: Output,
    options: Options,
    table: Arc<SharedTable>,
    position: Chess,
    /// Keys of the positions before, oldest first.
    game: Vec<PositionKey>,
    running: Option<RunningSearch>,
}

impl Session {
    fn new(output: Output) -> Session {
        let options = Options::default();
        let table = Arc::new(SharedTable::new(options.hash_mib));
        Session { output, options, table, position: Chess::default(), game: Vec::new(), running: None }
    }

    fn say(&self, line: &str) -> io::Result<()> {
        write_line(&self.output, line)
    }

    fn stop_search(&mut self) {
        if let Some(running) = self.running.take() {
            running.stop();
        }
    }

    fn obey(&mut self, command: Command) -> io::Result<()> {
        match command {
            Command::Uci => {
                self.say(&format!("id name Plyscope {}", env!("CARGO_PKG_VERSION")))?;
                self.say("id author the Plyscope authors")?;
                for line in Options::declarations() {
                    self.say(&line)?;
                }
                self.say("uciok")
            }
            Command::IsReady => self.say("readyok"),
            Command::NewGame => {
                self.stop_search();
                self.table.clear();
                self.position = Chess::default();
                self.game.clear();
                Ok(())
            }
            Command::SetOption { name, value } => {
                self.stop_search();
                match self.options.set(&name, &value) {
                    Ok(options::Effect::Nothing) => Ok(()),
                    Ok(options::Effect::NewTable) => {
                        self.table = Arc::new(SharedTable::new(self.options.hash_mib));
                        Ok(())
                    }
                    Ok(options::Effect::ClearTable) => {
                        self.table.clear();
                        Ok(())
                    }
                    Err(why) => self.say(&format!("info string {why}")),
                }
            }
            Command::Position { fen, moves } => {
                self.stop_search();
                match set_up(fen.as_deref(), &moves) {
                    Ok((position, game)) => {
                        (self.position, self.game) = (position, game);
                        Ok(())
                    }
                    Err(why) => self.say(&format!("info string {why}")),
                }
            }
            Command::Go(go) => {
                self.stop_search();
                let job = SearchJob {
                    position: self.position.clone(),
                    game: self.game.clone(),
                    go,
                    options: self.options.clone(),
                    table: Arc::clone(&self.table),
                    output: Arc::clone(&self.output),
                };
                match job.start() {
                    Ok(running) => {
                        self.running = Some(running);
                        Ok(())
                    }
                    Err(error) => self.say(&format!("info string failed to start a search: {error}")),
                }
            }
            Command::Stop => {
                self.stop_search();
                Ok(())
            }
            Command::Quit => Ok(()),
        }
    }
}

/// The position that `position` asks for, and the keys of those before it.
fn set_up(fen: Option<&str>, moves: &[String]) -> Result<(Chess, Vec<PositionKey>), String> {
    let mut position = match fen {
        None => Chess::default(),
        Some(fen) => fen
            .parse::<Fen>()
            .map_err(|error| format!("cannot read the FEN {fen:?}: {error}"))?
            .into_position(CastlingMode::Standard)
            .map_err(|error| format!("cannot set up {fen:?}: {error}"))?,
    };
    let mut game = Vec::with_capacity(moves.len());
    for text in moves {
        let m = text
            .parse::<UciMove>()
            .ok()
            .and_then(|uci| uci.to_move(&position).ok())
            .ok_or_else(|| format!("{text:?} is no legal move there, the position stays as it was"))?;
        game.push(PositionKey::of(&position));
        position.play_unchecked(m);
    }
    Ok((position, game))
}

#[cfg(test)]
mod tests;

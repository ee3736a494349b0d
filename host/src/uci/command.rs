//! What a line from the other side asks.

use std::time::Duration;

/// A command of the protocol.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum Command {
    Uci,
    IsReady,
    NewGame,
    SetOption {
        name: String,
        value: String,
    },
    Position {
        fen: Option<String>,
        moves: Vec<String>,
    },
    Go(Go),
    /// Also for `ponderhit`: a search for the opponent's time is an endless one.
    Stop,
    Quit,
}

/// The bounds that `go` sets.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(super) struct Go {
    /// Search until `stop`.
    pub(super) infinite: bool,
    pub(super) depth: Option<u8>,
    pub(super) nodes: Option<u64>,
    pub(super) move_time: Option<Duration>,
    /// Time left on White's and Black's clock.
    pub(super) time: [Option<Duration>; 2],
    pub(super) increment: [Duration; 2],
    pub(super) moves_to_go: Option<u32>,
}

impl Command {
    /// Reads a line; `None` for an empty one or one that asks for nothing here.
    ///
    /// # Errors
    /// A sentence that says what is not understood.
    pub(super) fn parse(line: &str) -> Result<Option<Command>, String> {
        let mut words = line.split_whitespace();
        let Some(first) = words.next() else { return Ok(None) };
        Ok(Some(match first {
            "uci" => Command::Uci,
            "isready" => Command::IsReady,
            "ucinewgame" => Command::NewGame,
            "setoption" => set_option(words)?,
            "position" => position(words)?,
            "go" => Command::Go(go(words)?),
            "stop" | "ponderhit" => Command::Stop,
            "quit" => Command::Quit,
            "debug" | "register" => return Ok(None),
            _ => return Err(format!("unknown command {first:?}")),
        }))
    }
}

fn set_option<'w>(mut words: impl Iterator<Item = &'w str>) -> Result<Command, String> {
    if words.next() != Some("name") {
        return Err("setoption needs 'name NAME [value VALUE]'".into());
    }
    let mut name = Vec::new();
    let mut value = Vec::new();
    let mut is_value = false;
    for word in words {
        match (word, is_value) {
            ("value", false) => is_value = true,
            (_, false) => name.push(word),
            (_, true) => value.push(word),
        }
    }
    Ok(Command::SetOption { name: name.join(" "), value: value.join(" ") })
}

fn position<'w>(mut words: impl Iterator<Item = &'w str>) -> Result<Command, String> {
    let fen = match words.next() {
        Some("startpos") => None,
        Some("fen") => Some(words.by_ref().take_while(|&word| word != "moves").collect::<Vec<_>>().join(" ")),
        _ => return Err("position needs 'startpos' or 'fen FEN', then 'moves ...'".into()),
    };
    let moves = words.filter(|&word| word != "moves").map(str::to_owned).collect();
    Ok(Command::Position { fen, moves })
}

fn go<'w>(mut words: impl Iterator<Item = &'w str>) -> Result<Go, String> {
    let mut go = Go::default();
    while let Some(word) = words.next() {
        let mut number = || -> Result<i64, String> {
            let text = words.next().ok_or_else(|| format!("go {word} needs a number"))?;
            text.parse().map_err(|_| format!("go {word} needs a number, not {text:?}"))
        };
        // Some programs send a clock that has fallen below zero.
        let duration = |ms: i64| Duration::from_millis(ms.max(0).unsigned_abs());
        match word {
            "infinite" | "ponder" => go.infinite = true,
            "depth" => go.depth = Some(number()?.clamp(1, 120) as u8),
            "nodes" => go.nodes = Some(number()?.max(1).unsigned_abs()),
            // A mate in n moves takes 2n - 1 plies.
            "mate" => go.depth = Some((2 * number()?.clamp(1, 60) - 1) as u8),
            "movetime" => go.move_time = Some(duration(number()?)),
            "wtime" => go.time[0] = Some(duration(number()?)),
            "btime" => go.time[1] = Some(duration(number()?)),
            "winc" => go.increment[0] = duration(number()?),
            "binc" => go.increment[1] = duration(number()?),
            "movestogo" => go.moves_to_go = Some(number()?.clamp(1, 1000) as u32),
            "searchmoves" => return Err("go searchmoves is not supported".into()),
            _ => return Err(format!("go does not know {word:?}")),
        }
    }
    Ok(go)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_go_line_is_read_word_by_word() {
        let Ok(Some(Command::Go(go))) =
            Command::parse("go wtime 1000 btime -5 winc 20 movestogo 12 nodes 300 depth 9")
        else {
            panic!("not understood")
        };
        assert_eq!(go.time, [Some(Duration::from_secs(1)), Some(Duration::ZERO)]);
        assert_eq!(go.increment, [Duration::from_millis(20), Duration::ZERO]);
        assert_eq!((go.moves_to_go, go.nodes, go.depth), (Some(12), Some(300), Some(9)));
        assert!(!go.infinite);
    }

    #[test]
    fn names_and_values_of_options_may_hold_spaces() {
        assert_eq!(
            Command::parse("setoption name Clear Hash"),
            Ok(Some(Command::SetOption { name: "Clear Hash".into(), value: String::new() }))
        );
        assert_eq!(
            Command::parse("setoption name EvalNet value my nets/a b"),
            Ok(Some(Command::SetOption { name: "EvalNet".into(), value: "my nets/a b".into() }))
        );
    }

    #[test]
    fn what_is_not_understood_is_said() {
        for line in ["hello", "go depth", "go depth x", "position", "setoption Hash 3"] {
            assert!(Command::parse(line).is_err(), "{line}");
        }
        assert_eq!(Command::parse("  "), Ok(None));
    }
}

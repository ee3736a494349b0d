//! Reads `{"events": [...]}` files row by row, forgiving in the rows and strict in the frame.
//!
//! An answer may come from anywhere. A row that is not as it should be never stops the judge: the row counts as
//! wrong, and [`Row::fault`] says why. Only a file that is no JSON, or holds no list of events, is an error.

use std::borrow::Cow;
use std::collections::BTreeMap;

use plyscope_core::event_row::Verdict;
use serde_json::value::RawValue;
use shakmaty::{Color, Square};
use thiserror::Error;

use super::exact_time::ExactTime;

/// The most rows in one file. The longest tournament game had 538 plies; the matching of this many rows of one
/// key at one time still takes 100 MB and about a second.
pub const EVENTS_MAX: usize = 10_000;

/// What a row reports.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum RowType {
    /// A piece stands on its new square.
    Move,
    /// A piece was removed.
    Capture,
}

/// The T1 key of a row: what is seen, without any label.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Sighting {
    /// Move or capture.
    pub row_type: RowType,
    /// Whose piece moved, or was removed.
    pub color: Color,
    /// Where it stands, or stood.
    pub coord: Square,
}

/// One row of an event file as the judge sees it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Row {
    /// What the row reports; `None` where `type`, `color` or `coord` is missing or unknown.
    pub sighting: Option<Sighting>,
    /// When; `None` where `game_clock_s` is missing, no number, or 10^12 s and more.
    pub time: Option<ExactTime>,
    /// The `leader_after` label (or its synonym `leader`) of a move.
    pub leader_after: Option<Verdict>,
    /// The `wr_swing` label of a move.
    pub wr_swing: Option<Verdict>,
    /// The row as it stands in the file, without line breaks.
    pub text: String,
}

impl Row {
    /// Why the row can pair with nothing, if so.
    pub fn fault(&self) -> Option<&'static str> {
        match (self.sighting, self.time) {
            (None, _) => Some("type, color or coord is missing or unknown"),
            (Some(_), None) => Some("no usable game_clock_s"),
            (Some(_), Some(_)) => None,
        }
    }
}

/// Why a text is no event file.
#[derive(Debug, Error)]
pub enum EventFileError {
    /// It is not JSON at all.
    #[error("it is not JSON ({0}); NaN and Infinity are no JSON numbers either")]
    NotJson(#[source] serde_json::Error),
    /// It is JSON, but not an object with the list that was asked for.
    #[error("it has no list {wanted:?}; an event file looks like {{\"events\": [...]}}")]
    NoEvents {
        /// The field that was looked for.
        wanted: String,
    },
    /// No game has that many rows.
    #[error("it has {count} rows, the judge takes {EVENTS_MAX} at most")]
    TooManyEvents {
        /// How many rows there are.
        count: usize,
    },
}

/// Which list of a file to read.
#[derive(Clone, Copy, Debug)]
pub enum EventList<'a> {
    /// `events`; where there is none, `events_sf`, the name in files that hold the labels of several models.
    Default,
    /// The list of this name.
    Named(&'a str),
}

/// Reads the rows of an event file.
///
/// # Errors
/// [`EventFileError`] where `text` is no JSON object with a list of events; faults of single rows are no errors.
pub fn read_events(text: &str, list: EventList<'_>) -> Result<Vec<Row>, EventFileError> {
    let text = text.trim_start_matches('\u{feff}');
    serde_json::from_str::<&RawValue>(text).map_err(EventFileError::NotJson)?;
    let fields = object_fields(text);
    let names: &[&str] = match list {
        EventList::Default => &["events", "events_sf"],
        EventList::Named(name) => &[name],
    };
    let rows = names
        .iter()
        .find_map(|name| fields.get(*name))
        .and_then(|raw| serde_json::from_str::<Vec<&RawValue>>(raw.get()).ok())
        .ok_or_else(|| EventFileError::NoEvents { wanted: names[0].to_owned() })?;
    if rows.len() > EVENTS_MAX {
        return Err(EventFileError::TooManyEvents { count: rows.len() });
    }
    Ok(rows.into_iter().map(|raw| read_row(raw.get())).collect())
}

/// The fields of a JSON object, unread; none where `text` is another kind of value.
fn object_fields(text: &str) -> BTreeMap<Cow<'_, str>, &RawValue> {
    serde_json::from_str(text).unwrap_or_default()
}

fn read_row(text: &str) -> Row {
    let fields = object_fields(text);
    let word = |name: &str| -> Option<String> { serde_json::from_str(fields.get(name)?.get()).ok() };
    let label = |name: &str| word(name).and_then(|word| Verdict::from_word(&word));
    let is_given = |name: &str| fields.get(name).is_some_and(|raw| raw.get() != "null");
    let leader = if is_given("leader_after") { "leader_after" } else { "leader" };
    Row {
        sighting: read_sighting(word("type"), word("color"), word("coord")),
        time: fields.get("game_clock_s").and_then(|raw| ExactTime::parse_seconds(raw.get())),
        leader_after: label(leader),
        wr_swing: label("wr_swing"),
        text: text.split_whitespace().collect::<Vec<_>>().join(" "),
    }
}

fn read_sighting(row_type: Option<String>, color: Option<String>, coord: Option<String>) -> Option<Sighting> {
    let row_type = match row_type?.as_str() {
        "move" => RowType::Move,
        "capture" => RowType::Capture,
        _ => return None,
    };
    let color = match color?.as_str() {
        "W" => Color::White,
        "B" => Color::Black,
        _ => return None,
    };
    let coord = coord?;
    let is_upper_case = !coord.bytes().any(|b| b.is_ascii_lowercase());
    let coord = coord.to_ascii_lowercase().parse().ok().filter(|_| is_upper_case)?;
    Some(Sighting { row_type, color, coord })
}

//! A game as one page: board, moves, charts, and the moments that mattered, in one HTML file that needs no network.
//!
//! [`crate::judged_game::JudgedGame`] -> a view (what the page's template is filled with) -> HTML. The page carries a
//! content security policy that allows its own style and script by their digests and nothing else, and the template
//! escapes every text: names and comments of a PGN stay text.

mod charts;
mod drawing;
mod moments;
mod spoken;
pub mod thumbnails;
mod view;

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD as BASE64;
use minijinja::{AutoEscape, Environment};
use sha2::{Digest, Sha256};

use crate::judged_game::JudgedGame;
use thumbnails::Thumbnails;

/// A stretch of the video that the plies do not explain.
#[derive(Clone, Debug, PartialEq)]
pub struct UnexplainedSpan {
    /// From this second on.
    pub from_s: f64,
    /// Until this second.
    pub to_s: f64,
    /// The ply before it, from 1; 0 before the first.
    pub after_ply: usize,
    /// Why, in words that go on from a time: "no legal plies explain the board".
    pub reason: String,
}

/// A name and a value for the list of facts.
#[derive(Clone, Debug, PartialEq, Eq, serde::Serialize)]
pub struct Fact {
    /// What it is.
    pub name: String,
    /// How much or which.
    pub value: String,
}

impl Fact {
    /// A fact.
    pub fn new(name: &str, value: impl Into<String>) -> Self {
        Self { name: name.to_owned(), value: value.into() }
    }
}

/// All that a report shows.
#[derive(Clone, Debug)]
pub struct Report<'a> {
    /// The game.
    pub game: &'a JudgedGame,
    /// What the page is called where the game names no players.
    pub title: &'a str,
    /// What the recording leaves open; `None` where the game was not read from a video.
    pub unexplained: Option<&'a [UnexplainedSpan]>,
    /// Pictures of the video, by ply from 1.
    pub thumbnails: &'a Thumbnails,
    /// What is said of the recording and of how it was judged.
    pub facts: &'a [Fact],
}

/// Why there is no report. Both would be faults of this program.
#[derive(Debug, thiserror::Error)]
pub enum ReportError {
    /// The template.
    #[error("cannot make the report: {0}")]
    Template(#[from] minijinja::Error),
}

const PAGE: &str = include_str!("../../assets/report/page.html");
const STYLE: &str = include_str!("../../assets/report/style.css");
const SCRIPT: &str = include_str!("../../assets/report/script.js");

impl Report<'_> {
    /// The page.
    ///
    /// # Errors
    /// [`ReportError`] where the template cannot be filled.
    pub fn to_html(&self) -> Result<String, ReportError> {
        let mut environment = Environment::new();
        environment.set_auto_escape_callback(|_| AutoEscape::Html);
        let page = view::page(self, STYLE, SCRIPT, &content_security_policy());
        Ok(environment.render_named_str("page.html", PAGE, page)?)
    }
}

/// Allows the page's own style and script and embedded pictures; no frame, no form, no connection.
fn content_security_policy() -> String {
    let digest = |text: &str| BASE64.encode(Sha256::digest(text.as_bytes()));
    format!(
        "default-src 'none'; img-src data:; style-src 'sha256-{}'; script-src 'sha256-{}'; base-uri 'none'; form-action 'none'",
        digest(STYLE),
        digest(SCRIPT)
    )
}

#[cfg(test)]
mod tests;

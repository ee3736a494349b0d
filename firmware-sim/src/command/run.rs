//! `plyscope-firmware-sim run`.

use std::path::PathBuf;
use std::time::Duration;

use anyhow::{Context, Result, bail, ensure};
use clap::ValueEnum;
use plyscope::exit_code::WrongUsage;
use plyscope::game_record::GameRecord;
use plyscope::output_file::OutputFile;
use plyscope::render::frame_rate::FrameRate;
use plyscope::render::schedule::Slide;
use plyscope::scoring::judge::Scores;
use plyscope::win_models;
use plyscope_device::referee::Judgement;

use crate::camera::Camera;
use crate::damage::Damage;
use crate::machine::{Image, Machine};
use crate::profile::Profile;
use crate::report::Report;
use crate::{comparison, emulator, shown};

/// Do on a device of fixed size what an image does, and compare its rows with this computer's
#[derive(clap::Args, Debug)]
#[command(after_help = "Examples:\n  plyscope-firmware-sim run --input game.pgn --budget-kib 64\n  \
    plyscope-firmware-sim run game --machine lm3s6965evb --input game.pgn\n\n\
    The host's renderer draws the frames; the device gets them one by one, as from a camera. On a machine the rows\n\
    must be those that the same device writes on this computer, byte for byte. INPUT is a game, or frames that\n\
    --save-frames wrote.")]
pub(super) struct RunArgs {
    /// What the device does
    #[arg(value_enum, default_value_t)]
    image: Image,
    /// The game, as PGN, or recorded frames; perft and bench need none
    #[arg(long, value_name = "INPUT")]
    input: Option<PathBuf>,
    /// Run on this emulated machine
    #[arg(long, value_enum, value_name = "M", required_unless_present = "budget_kib")]
    machine: Option<Machine>,
    /// Run on this computer, with the largest device that keeps no more than this, the stack aside
    #[arg(long, value_name = "N", conflicts_with = "machine")]
    budget_kib: Option<usize>,
    /// The side of a frame in pixels
    #[arg(long, value_name = "PX", default_value_t = 96, value_parser = clap::value_parser!(u32).range(64..=240))]
    side: u32,
    /// Frames a second
    #[arg(long, value_name = "N", default_value = "5")]
    fps: FrameRate,
    /// How long pieces slide: frames, or milliseconds such as 200ms
    #[arg(long, value_name = "LENGTH", default_value = "2")]
    slide: Slide,
    /// Damage one frame in three, as a bad camera or wire would
    #[arg(long, value_enum, value_name = "HOW", default_value_t)]
    damage: Damage,
    /// Positions to visit for each ply
    #[arg(long, value_name = "N", default_value_t = 2000, value_parser = clap::value_parser!(u64).range(1..))]
    nodes: u64,
    /// From centipawns to win probability: sf, lichess, or a file
    #[arg(long, value_name = "M", default_value = "sf")]
    win_model: PathBuf,
    /// How the image fault fails
    #[arg(long, value_enum, value_name = "HOW", default_value_t)]
    fail: Failure,
    /// Give up on the emulator after so many seconds
    #[arg(long, value_name = "S", default_value_t = 300)]
    time_limit: u64,
    /// Write the rows, {"events": [...]}, to this file
    #[arg(short, long, value_name = "FILE")]
    output: Option<PathBuf>,
    /// Write the frames that the device is shown to this file
    #[arg(long, value_name = "FILE")]
    save_frames: Option<PathBuf>,
    /// How to write the report
    #[arg(long, value_enum, default_value_t)]
    format: Format,
}

#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, ValueEnum)]
enum Format {
    /// For people
    #[default]
    Text,
    /// For programs
    Json,
}

#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, ValueEnum)]
enum Failure {
    /// A check of the language fails
    #[default]
    Panic,
    /// The processor meets an instruction that it does not know
    Undefined,
    /// A load of several words from an odd address
    Unaligned,
}

/// Compares rows with those of an ideal reader; `None` where nobody knows these.
type Scoring = dyn Fn(&[String]) -> Result<Option<Scores>>;

/// What the device is shown, and what an ideal reader would make of it.
struct Showing {
    bytes: Vec<u8>,
    scores: Box<Scoring>,
}

impl RunArgs {
    pub(super) fn run(&self) -> Result<()> {
        let limit = Duration::from_secs(self.time_limit);
        if self.image == Image::Fault {
            return self.fail(limit);
        }
        // The video's chroma is stored in pairs of pixels, so the renderer draws even sides only.
        let camera = Camera { side_px: self.side & !1, rate: self.fps, slide: self.slide };
        let profile = self.profile(&camera)?;
        let showing = self.showing(camera)?;
        if let Some(path) = &self.save_frames {
            OutputFile::open(path)?.finish(&showing.bytes)?;
        }
        let rows = profile.run(self.image, &showing.bytes)?;
        let emulated = match self.machine {
            Some(machine) => {
                let emulated = emulator::run(self.image, machine, &showing.bytes, limit)?;
                comparison::ensure_equal(&emulated.rows, &rows)?;
                Some((machine, emulated))
            }
            None => None,
        };
        if let Some(path) = &self.output {
            OutputFile::open(path)?.finish(events(&rows).as_bytes())?;
        }
        let scores = (showing.scores)(&rows)?;
        let is_read = scores.as_ref().is_none_or(|s| s.t1.f1 == 1.0);
        let report = Report { image: self.image, profile, rows: &rows, scores, emulated: emulated.as_ref() };
        super::print(&match self.format {
            Format::Text => report.to_text(),
            Format::Json => report.to_json()?,
        })?;
        // Damaged frames may cost plies; what they must not cost is the device.
        ensure!(is_read || self.damage != Damage::None, "the device read another game than was shown");
        Ok(())
    }

    /// The profile of the machine, or the largest within the budget.
    fn profile(&self, camera: &Camera) -> Result<&'static Profile> {
        let side_px = camera.side_px;
        if let Some(machine) = self.machine {
            if !machine.takes(self.image) {
                let (image, name) = (self.image.name(), machine.name());
                bail!(WrongUsage(format!("{name} has too little memory for {image}; see list")));
            }
            let profile = Profile::of_image(self.image, machine).context("the machine has no profile")?;
            let most_px = profile.side_max_px;
            // An image has its strip of a frame: what the largest machine takes, others may not.
            let most_px = if machine == Machine::Mps2An500 { most_px } else { most_px.min(96) };
            if self.image.sees() && side_px > most_px {
                bail!(WrongUsage(format!(
                    "the device takes no frames of {side_px} px; give at most --side {most_px}"
                )));
            }
            return Ok(profile);
        }
        let budget_kib = self.budget_kib.unwrap_or(0);
        Profile::for_budget(self.image, budget_kib.saturating_mul(1024), side_px).ok_or_else(|| {
            let least_kib = Profile::smallest_for(self.image, side_px).map_or(0, |p| p.bytes().div_ceil(1024));
            WrongUsage(format!(
                "no device for frames of {side_px} px fits {budget_kib} KiB; give at least --budget-kib {least_kib}"
            ))
            .into()
        })
    }

    fn showing(&self, camera: Camera) -> Result<Showing> {
        let unscored = |bytes| Showing { bytes, scores: Box::new(|_| Ok(None)) };
        if matches!(self.image, Image::Perft | Image::Bench) {
            return Ok(unscored(Vec::new()));
        }
        let Some(input) = &self.input else {
            bail!(WrongUsage(format!("{} is shown a game: give --input", self.image.name())));
        };
        if self.image.sees()
            && let Some(bytes) = shown::recorded(input)?
        {
            return Ok(unscored(bytes));
        }
        let record = GameRecord::read_file(input)?;
        let model = win_models::by_name_or_file(&self.win_model, &comparison::device_evaluation()?)?;
        let judgement = Judgement { nodes: self.nodes, model };
        if self.image == Image::Judge {
            return Ok(unscored(shown::plies(&record, judgement)));
        }
        let judgement = self.image.judges().then_some(judgement);
        let bytes = shown::frames(&camera, &record, judgement, self.damage)?;
        let scores = Box::new(move |rows: &[String]| {
            comparison::score(rows, &comparison::host_rows(&camera, &record, judgement)?).map(Some)
        });
        Ok(Showing { bytes, scores })
    }

    /// Runs the image that fails on purpose, and fails as it does.
    fn fail(&self, limit: Duration) -> Result<()> {
        let Some(machine) = self.machine else {
            bail!(WrongUsage("give the --machine that is to fail".to_owned()));
        };
        let how: &[u8] = match self.fail {
            Failure::Panic => b"p",
            Failure::Undefined => b"u",
            Failure::Unaligned => b"l",
        };
        emulator::run(Image::Fault, machine, how, limit)?;
        bail!("the image was to fail and did not");
    }
}

fn events(rows: &[String]) -> String {
    if rows.is_empty() {
        return "{\"events\": []}\n".to_owned();
    }
    format!("{{\"events\": [\n{}\n]}}\n", rows.join(",\n"))
}

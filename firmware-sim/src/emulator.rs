//! Runs an image on an emulated machine.

use std::fs::{self, File};
use std::io::{BufWriter, Read, Write};
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::thread;
use std::time::{Duration, Instant};

use anyhow::{Context, Result, bail};
use plyscope::game_record::GameRecord;
use plyscope_device::frame_stream::{Header, time_to_bytes};
use plyscope_device::referee::Judgement;
use serde::Deserialize;

use crate::camera::Camera;
use crate::elf::Footprint;
use crate::machine::{Image, Machine};

/// The emulator.
const QEMU: &str = "qemu-system-arm";
/// The name under which images look for their frames.
const FRAMES_FILE: &str = "frames.bin";
/// How often a running emulator is looked after.
const POLL: Duration = Duration::from_millis(20);

/// What an image wrote.
#[derive(Debug)]
pub(crate) struct Emulated {
    /// The rows, one JSON object each.
    pub(crate) rows: Vec<String>,
    /// What the image measured.
    pub(crate) measured: Measured,
    /// What the image takes of the chip.
    pub(crate) footprint: Footprint,
}

/// What an image says of its run, in its last line.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Deserialize)]
pub(crate) struct Measured {
    /// Frames after which no ply was certain yet.
    pub(crate) quiet_frames: u64,
    /// Instructions for them.
    pub(crate) quiet_frame_instructions: u64,
    /// Frames after which a ply was certain.
    pub(crate) plies: u64,
    /// Instructions for them, judging the ply included.
    pub(crate) ply_instructions: u64,
    /// The most stack that was in use.
    pub(crate) stack_peak_bytes: u64,
    /// The stack that there is.
    pub(crate) stack_bytes: u64,
}

impl Measured {
    /// Instructions for a frame after which no ply was certain.
    pub(crate) fn instructions_per_quiet_frame(&self) -> u64 {
        self.quiet_frame_instructions.checked_div(self.quiet_frames).unwrap_or(0)
    }

    /// Instructions for a frame after which a ply was certain, judging it included.
    pub(crate) fn instructions_per_ply(&self) -> u64 {
        self.ply_instructions.checked_div(self.plies).unwrap_or(0)
    }
}

/// Whether the emulator is installed.
pub(crate) fn is_installed() -> bool {
    let asked = Command::new(QEMU).arg("--version").stdout(Stdio::null()).stderr(Stdio::null()).status();
    asked.is_ok_and(|status| status.success())
}

/// Shows a game to an image on a machine.
pub(crate) fn run(
    image: Image,
    machine: Machine,
    camera: &Camera,
    record: &GameRecord,
    judgement: Option<Judgement>,
    limit: Duration,
) -> Result<Emulated> {
    if !is_installed() {
        bail!(
            "{QEMU} is missing: install it (Debian: apt install qemu-system-arm), or give --budget-kib instead of --machine"
        );
    }
    let path = find_or_build(image, machine)?;
    let footprint = Footprint::of_elf(&fs::read(&path)?).with_context(|| format!("cannot use {path:?}"))?;
    let folder = tempfile::tempdir().context("cannot make a temporary folder")?;
    write_frames(&folder.path().join(FRAMES_FILE), camera, record, judgement)?;
    let output = emulate(&path, machine, folder.path(), limit)?;
    let (rows, rest): (Vec<&str>, Vec<&str>) = output.lines().partition(|line| line.starts_with('{'));
    let last = rest.iter().find_map(|line| line.strip_prefix("# ")).unwrap_or_default();
    let measured = serde_json::from_str(last)
        .with_context(|| format!("the image ended without its measurements; it said {rest:?}"))?;
    Ok(Emulated { rows: rows.into_iter().map(str::to_owned).collect(), measured, footprint })
}

/// The image's file; where it is missing, it is built.
fn find_or_build(image: Image, machine: Machine) -> Result<PathBuf> {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).parent().unwrap_or(Path::new(".")).to_owned();
    let path = root.join("firmware/target/images").join(machine.name()).join(image.name());
    if !path.exists() {
        let script = root.join("scripts/build-firmware");
        let built = Command::new(&script)
            .arg(machine.name())
            .stdout(Stdio::null())
            .status()
            .with_context(|| format!("cannot run {script:?}"))?;
        if !built.success() || !path.exists() {
            bail!("{script:?} {} built no image {:?}", machine.name(), image.name());
        }
    }
    Ok(path)
}

fn write_frames(
    path: &Path,
    camera: &Camera,
    record: &GameRecord,
    judgement: Option<Judgement>,
) -> Result<()> {
    let mut file = BufWriter::new(File::create(path)?);
    file.write_all(&Header { side_px: camera.side_px, judgement }.to_bytes())?;
    camera.shoot(record, |time, luma| {
        file.write_all(&time_to_bytes(time))?;
        Ok(file.write_all(luma)?)
    })?;
    Ok(file.flush()?)
}

/// Runs the emulator in `folder` until the image ends it, and returns what the image wrote.
fn emulate(image: &Path, machine: Machine, folder: &Path, limit: Duration) -> Result<String> {
    let mut child = Command::new(QEMU)
        .args(["-M", machine.name(), "-display", "none", "-monitor", "none", "-serial", "none"])
        .args(["-chardev", "stdio,id=console,signal=off"])
        .args(["-semihosting-config", "enable=on,target=native,chardev=console"])
        .args(["-icount", "shift=0", "-kernel"])
        .arg(image)
        .current_dir(folder)
        .stdin(Stdio::null())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .with_context(|| format!("cannot start {QEMU}"))?;
    let (stdout, stderr) = (drain(child.stdout.take()), drain(child.stderr.take()));
    let deadline = Instant::now() + limit;
    let status = loop {
        if let Some(status) = child.try_wait()? {
            break status;
        }
        if Instant::now() >= deadline {
            child.kill()?;
            child.wait()?;
            bail!("the image did not end within {} s", limit.as_secs());
        }
        thread::sleep(POLL);
    };
    let text = |reader: thread::JoinHandle<Vec<u8>>| {
        reader.join().map(|bytes| String::from_utf8_lossy(&bytes).into_owned()).unwrap_or_default()
    };
    let (stdout, stderr) = (text(stdout), text(stderr));
    if !status.success() {
        let said = stdout.lines().filter(|line| !line.starts_with('{')).chain(stderr.lines());
        let said: Vec<&str> = said.collect();
        bail!("the image failed on {}: {}", machine.name(), said.join("; "));
    }
    Ok(stdout)
}

/// Reads a pipe to its end in a thread of its own, so that the emulator never waits for a full pipe.
fn drain(pipe: Option<impl Read + Send + 'static>) -> thread::JoinHandle<Vec<u8>> {
    thread::spawn(move || {
        let mut bytes = Vec::new();
        if let Some(mut pipe) = pipe {
            // What was read before an error is all there is.
            let _ = pipe.read_to_end(&mut bytes);
        }
        bytes
    })
}

//! Runs an image on an emulated machine.

use std::fs;
use std::io::Read;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::thread;
use std::time::{Duration, Instant};

use anyhow::{Context, Result, bail};
use serde::Deserialize;

use crate::elf::{Elf, Footprint};
use crate::machine::{Image, Machine};

/// The emulator.
const QEMU: &str = "qemu-system-arm";
/// The name under which images look for what they are shown.
const INPUT_FILE: &str = "input.bin";
/// How often a running emulator is looked after.
const POLL: Duration = Duration::from_millis(20);

/// What an image wrote.
#[derive(Debug)]
pub(crate) struct Emulated {
    /// The rows, one JSON object each.
    pub(crate) rows: Vec<String>,
    /// What else it said.
    pub(crate) remarks: Vec<String>,
    /// What it measured.
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
    /// Plies that were seen or judged.
    pub(crate) plies: u64,
    /// Instructions for the frames that made them certain and for judging them.
    pub(crate) ply_instructions: u64,
    /// Positions that were searched, or leaves that were counted.
    pub(crate) nodes: u64,
    /// Instructions for them.
    pub(crate) node_instructions: u64,
    /// The most stack that was in use.
    pub(crate) stack_peak_bytes: u64,
    /// The stack that there is.
    pub(crate) stack_bytes: u64,
}

impl Measured {
    /// Instructions for a frame after which no ply was certain; `None` where there was no such frame.
    pub(crate) const fn per_frame(&self) -> Option<u64> {
        self.quiet_frame_instructions.checked_div(self.quiet_frames)
    }

    /// Instructions for a ply, judging it included; `None` where there was none.
    pub(crate) const fn per_ply(&self) -> Option<u64> {
        self.ply_instructions.checked_div(self.plies)
    }

    /// Instructions for 1,000 nodes; `None` where none was visited.
    pub(crate) const fn per_1000_nodes(&self) -> Option<u64> {
        self.node_instructions.saturating_mul(1000).checked_div(self.nodes)
    }
}

/// Whether the emulator is installed.
pub(crate) fn is_installed() -> bool {
    let asked = Command::new(QEMU).arg("--version").stdout(Stdio::null()).stderr(Stdio::null()).status();
    asked.is_ok_and(|status| status.success())
}

/// Runs an image on a machine that is shown `shown`.
pub(crate) fn run(image: Image, machine: Machine, shown: &[u8], limit: Duration) -> Result<Emulated> {
    if !is_installed() {
        bail!(
            "{QEMU} is missing: install it (Debian: apt install qemu-system-arm), or give --budget-kib instead of --machine"
        );
    }
    let path = find_or_build(image, machine)?;
    let file = fs::read(&path)?;
    let elf = Elf::new(&file).with_context(|| format!("cannot use {path:?}"))?;
    let footprint = elf.footprint()?;
    let folder = tempfile::tempdir().context("cannot make a temporary folder")?;
    fs::write(folder.path().join(INPUT_FILE), shown).context("cannot write what the image is shown")?;
    let Output { text, succeeded } = emulate(&path, machine, folder.path(), limit)?;
    let (rows, rest): (Vec<&str>, Vec<&str>) = text.lines().partition(|line| line.starts_with('{'));
    if !succeeded {
        let said: Vec<String> = rest.iter().map(|line| with_functions(line, &elf)).collect();
        bail!("the image failed on {}: {}", machine.name(), said.join("; "));
    }
    let last = rest.iter().find_map(|line| line.strip_prefix("# ")).unwrap_or_default();
    let measured = serde_json::from_str(last)
        .with_context(|| format!("the image ended without its measurements; it said {rest:?}"))?;
    let owned = |lines: Vec<&str>| lines.into_iter().map(str::to_owned).collect();
    let remarks = owned(rest.into_iter().filter(|line| !line.starts_with("# ")).collect());
    Ok(Emulated { rows: owned(rows), remarks, measured, footprint })
}

/// The line with the functions named in which the addresses lie that it tells.
fn with_functions(line: &str, elf: &Elf<'_>) -> String {
    let functions = elf.functions().unwrap_or_default();
    let name_of = |word: &str| {
        let digits = word.trim_end_matches(',').strip_prefix("0x")?;
        let address = u32::from_str_radix(digits, 16).ok()?;
        let holds = |f: &&crate::elf::Function| {
            (f.address..f.address.saturating_add(f.bytes.max(2))).contains(&(address & !1))
        };
        functions.iter().find(holds).map(|f| f.name.as_str())
    };
    let words = line.split(' ').map(|word| match name_of(word) {
        Some(name) => {
            format!("{} in {name}{}", word.trim_end_matches(','), if word.ends_with(',') { "," } else { "" })
        }
        None => word.to_owned(),
    });
    words.collect::<Vec<_>>().join(" ")
}

/// The image's file; where it is missing, it is built.
pub(crate) fn find_or_build(image: Image, machine: Machine) -> Result<PathBuf> {
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

/// What the emulator's console carried, and whether the image ended well.
struct Output {
    text: String,
    succeeded: bool,
}

/// Runs the emulator in `folder` until the image ends it, and returns what the image wrote.
fn emulate(image: &Path, machine: Machine, folder: &Path, limit: Duration) -> Result<Output> {
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
    let (mut text, stderr) = (text(stdout), text(stderr));
    if !status.success() {
        // QEMU's own words; of a run that succeeds they are not the image's.
        text += &stderr;
    }
    Ok(Output { text, succeeded: status.success() })
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

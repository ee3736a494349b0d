//! The core on emulated microcontrollers: the same rows as on this computer and as in the golden files, byte for byte.
//!
//! `scripts/test` installs the emulator and builds the images; without them these tests say that they skip.

use std::path::{Path, PathBuf};
use std::process::{Command, Output};

use serde_json::Value;

type Outcome = Result<(), Box<dyn std::error::Error>>;

const MACHINES: [&str; 4] = ["microbit", "lm3s6965evb", "netduinoplus2", "mps2-an500"];
const IMAGES: [&str; 5] = ["see", "judge", "game", "perft", "bench"];

fn root() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("..")
}

fn command() -> Command {
    Command::new(env!("CARGO_BIN_EXE_plyscope-firmware-sim"))
}

/// Whether an image can be run here.
fn can_run(image: &str, machine: &str) -> bool {
    let qemu = Command::new("qemu-system-arm").arg("--version").output();
    if !qemu.is_ok_and(|output| output.status.success()) {
        eprintln!("SKIPPED: {image} on {machine}, for qemu-system-arm is not installed");
        return false;
    }
    let is_built = root().join("firmware/target/images").join(machine).join(image).exists();
    if !is_built {
        eprintln!("SKIPPED: {image} on {machine}, for scripts/build-firmware has not built it");
    }
    is_built
}

fn run(image: &str, machine: &str, arguments: &[&str]) -> std::io::Result<Output> {
    command()
        .args(["run", image, "--machine", machine, "--nodes", "200", "--format", "json", "--input"])
        .arg(root().join("samples/opera-1858.pgn"))
        .args(arguments)
        .output()
}

/// The report of a game shown to an image; `None` where it cannot be run here. The command itself fails where one byte of
/// the rows differs from this computer's.
fn report(
    image: &str,
    machine: &str,
    arguments: &[&str],
) -> Result<Option<Value>, Box<dyn std::error::Error>> {
    if !can_run(image, machine) {
        return Ok(None);
    }
    let output = run(image, machine, arguments)?;
    assert!(output.status.success(), "{machine}: {}", String::from_utf8_lossy(&output.stderr));
    Ok(Some(serde_json::from_slice(&output.stdout)?))
}

/// Bytes of flash, and of memory with the stack.
fn taken(report: &Value) -> Result<(u64, u64), String> {
    let bytes = |field: &str| report["machine"][field].as_u64().ok_or(format!("no {field}"));
    Ok((bytes("flash_bytes")?, bytes("static_bytes")? + bytes("stack_peak_bytes")?))
}

/// Compares what every image writes on a machine with its golden file.
fn writes_what_its_golden_files_say(machine: &str) -> Outcome {
    let images = if machine == "microbit" { &["see", "perft"][..] } else { &IMAGES };
    if !images.iter().all(|image| can_run(image, machine)) {
        return Ok(());
    }
    let output = command().args(["golden", "--machine", machine]).output()?;
    let (said, failed) = (String::from_utf8(output.stdout)?, String::from_utf8(output.stderr)?);
    assert!(output.status.success(), "{said}{failed}");
    assert_eq!(said.matches("the same").count(), images.len(), "{said}");
    Ok(())
}

#[test]
fn every_image_of_a_cortex_m0_writes_what_its_golden_files_say() -> Outcome {
    writes_what_its_golden_files_say(MACHINES[0])
}

#[test]
fn every_image_of_a_cortex_m3_writes_what_its_golden_files_say() -> Outcome {
    writes_what_its_golden_files_say(MACHINES[1])
}

#[test]
fn every_image_of_a_cortex_m4_writes_what_its_golden_files_say() -> Outcome {
    writes_what_its_golden_files_say(MACHINES[2])
}

#[test]
fn every_image_of_a_cortex_m7_writes_what_its_golden_files_say() -> Outcome {
    writes_what_its_golden_files_say(MACHINES[3])
}

#[test]
fn a_golden_file_that_differs_fails_and_shows_the_difference_until_it_is_overwritten() -> Outcome {
    if !can_run("perft", "microbit") {
        return Ok(());
    }
    let folder = tempfile::tempdir()?;
    let golden = |more: &[&str]| {
        let mut golden = command();
        golden.args(["golden", "--machine", "microbit", "--image", "perft", "--folder"]).arg(folder.path());
        golden.args(more).output()
    };
    assert_eq!(golden(&[])?.status.code(), Some(1), "there is no golden file yet");
    assert!(golden(&["--overwrite"])?.status.success());
    assert!(golden(&[])?.status.success());
    let path = folder.path().join("perft/microbit.jsonl");
    let changed = std::fs::read_to_string(&path)?.replacen("197281", "197280", 1);
    std::fs::write(&path, changed)?;
    let output = golden(&[])?;
    assert_eq!(output.status.code(), Some(1));
    let said = String::from_utf8(output.stdout)?;
    assert!(said.contains("-{\"position\":0,\"depth\":4,\"leaves\":197280"), "{said}");
    assert!(said.contains("+{\"position\":0,\"depth\":4,\"leaves\":197281"), "{said}");
    Ok(())
}

#[test]
fn seeing_and_tracking_fit_16_kib_of_memory_with_the_stack() -> Outcome {
    let Some(report) = report("see", "microbit", &[])? else { return Ok(()) };
    let (flash, memory) = taken(&report)?;
    assert!(memory < 16 * 1024 && flash < 256 * 1024, "{flash} and {memory} bytes");
    assert_eq!((&report["t1_f1"], report["events"].as_array().map(Vec::len)), (&1.0.into(), Some(45)));
    Ok(())
}

#[test]
fn the_whole_way_fits_64_kib_of_memory_and_256_kib_of_flash() -> Outcome {
    let Some(report) = report("game", "lm3s6965evb", &[])? else { return Ok(()) };
    let (flash, memory) = taken(&report)?;
    assert!(memory < 64 * 1024 && flash < 256 * 1024, "{flash} and {memory} bytes");
    assert_eq!((&report["t1_f1"], report["events"].as_array().map(Vec::len)), (&1.0.into(), Some(45)));
    Ok(())
}

#[test]
fn on_a_cortex_m4_a_table_of_64_kib_is_in_use() -> Outcome {
    let Some(report) = report("judge", "netduinoplus2", &[])? else { return Ok(()) };
    assert_eq!(report["stage_bytes"]["transposition_table"], 64 << 10);
    let remark = report["machine"]["remarks"][0].as_str().unwrap_or_default();
    let used = remark.strip_prefix("table: 65536 bytes, ").and_then(|rest| rest.split(' ').next());
    assert!(used.is_some_and(|used| used.parse::<u32>().is_ok_and(|per_mille| per_mille > 0)), "{remark}");
    Ok(())
}

#[test]
fn damaged_frames_fault_on_no_machine_and_every_row_stays_json() -> Outcome {
    let each = ["noise", "dropped", "torn", "black", "white", "all"].map(|d| ("see", "microbit", 16, d));
    let whole_way = ("game", "lm3s6965evb", 64, "all");
    for (image, machine, memory_kib, damage) in each.into_iter().chain([whole_way]) {
        let Some(report) = report(image, machine, &["--damage", damage])? else { continue };
        let rows = report["events"].as_array().map_or(0, Vec::len);
        assert!(rows > 20, "{machine}, {damage}: most is read all the same, not {rows} rows");
        let (_, memory) = taken(&report)?;
        assert!(memory < memory_kib * 1024, "{machine}, {damage}: {memory} bytes");
    }
    Ok(())
}

#[test]
fn a_panic_and_a_fault_end_the_run_and_say_where() -> Outcome {
    for machine in MACHINES {
        if !can_run("fault", machine) {
            continue;
        }
        for (how, expected) in [
            ("panic", "panicked at src/bin/fault.rs:"),
            ("undefined", "hard fault at 0x"),
            ("unaligned", "in fault::load_unaligned"),
        ] {
            let output = command().args(["run", "fault", "--machine", machine, "--fail", how]).output()?;
            assert_eq!(output.status.code(), Some(1), "{machine}, {how}");
            let said = String::from_utf8(output.stderr)?;
            assert!(said.contains(expected), "{machine}, {how}: {said}");
            if how == "undefined" {
                assert!(said.contains("in fault::undefined_instruction"), "{machine}: {said}");
            }
        }
    }
    Ok(())
}

#[test]
fn of_every_call_of_a_panic_in_an_image_it_is_said_why_it_stays() -> Outcome {
    let pairs = MACHINES.into_iter().flat_map(|m| IMAGES.map(|image| (image, m)));
    let of_machine = |&(image, m): &(&str, &str)| m != "microbit" || matches!(image, "see" | "perft");
    if !pairs.filter(of_machine).all(|(image, machine)| can_run(image, machine)) {
        return Ok(());
    }
    let output = command().arg("panics").output()?;
    let said = String::from_utf8(output.stdout)?;
    assert!(output.status.success(), "{said}{}", String::from_utf8_lossy(&output.stderr));
    assert!(said.contains("core::panicking::panic_fmt"), "{said}");
    Ok(())
}

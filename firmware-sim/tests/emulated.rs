//! The core on emulated microcontrollers: the same rows as on this computer, byte for byte.
//!
//! `scripts/test` installs the emulator and builds the images; without them these tests say that they skip.

use std::path::Path;
use std::process::Command;

use serde_json::Value;

type Outcome = Result<(), Box<dyn std::error::Error>>;

/// The report of a game shown to an image; `None` where it cannot be run here.
fn report(image: &str, machine: &str) -> Result<Option<Value>, Box<dyn std::error::Error>> {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("..");
    let qemu = Command::new("qemu-system-arm").arg("--version").output();
    if !qemu.is_ok_and(|output| output.status.success()) {
        eprintln!("SKIPPED: {image} on {machine}, for qemu-system-arm is not installed");
        return Ok(None);
    }
    if !root.join("firmware/target/images").join(machine).join(image).exists() {
        eprintln!("SKIPPED: {image} on {machine}, for scripts/build-firmware has not built it");
        return Ok(None);
    }
    let output = Command::new(env!("CARGO_BIN_EXE_plyscope-firmware-sim"))
        .args(["run", image, "--machine", machine, "--nodes", "300", "--format", "json", "--input"])
        .arg(root.join("samples/opera-1858.pgn"))
        .output()?;
    // The command itself fails where one byte of the rows differs from this computer's.
    assert!(output.status.success(), "{machine}: {}", String::from_utf8_lossy(&output.stderr));
    Ok(Some(serde_json::from_slice(&output.stdout)?))
}

#[test]
fn the_whole_way_fits_a_cortex_m3_with_64_kib_and_writes_the_same_rows() -> Outcome {
    let Some(report) = report("game", "lm3s6965evb")? else { return Ok(()) };
    let machine = &report["machine"];
    let bytes = |field: &str| machine[field].as_u64().ok_or(format!("no {field}"));
    let (used, flash) = (bytes("static_bytes")? + bytes("stack_peak_bytes")?, bytes("flash_bytes")?);
    assert!(used < 64 * 1024 && flash < 256 * 1024, "{machine}");
    assert_eq!(report["events"].as_array().map(Vec::len), Some(45));
    Ok(())
}

#[test]
fn seeing_and_tracking_run_alone_on_a_cortex_m3() -> Outcome {
    let Some(report) = report("see", "lm3s6965evb")? else { return Ok(()) };
    let stack = report["machine"]["stack_peak_bytes"].as_u64().ok_or("no stack")?;
    assert!(stack < 20 * 1024, "{stack} bytes of stack");
    assert_eq!(report["t1_f1"], 1.0);
    Ok(())
}

#[test]
fn larger_machines_write_the_same_rows_as_this_computer() -> Outcome {
    for machine in ["netduinoplus2", "mps2-an500"] {
        if let Some(report) = report("game", machine)? {
            assert_eq!(report["t1_f1"], 1.0, "{machine}");
        }
    }
    Ok(())
}

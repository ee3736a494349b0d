//! Links the image into the memory of the machine that PLYSCOPE_MACHINE names.

use std::path::PathBuf;
use std::{env, fs};

const MACHINES: [&str; 4] = ["microbit", "lm3s6965evb", "netduinoplus2", "mps2-an500"];

fn main() -> Result<(), Box<dyn std::error::Error>> {
    println!("cargo:rerun-if-env-changed=PLYSCOPE_MACHINE");
    println!("cargo:rerun-if-changed=machines");
    println!("cargo:rustc-check-cfg=cfg(machine, values(\"{}\"))", MACHINES.join("\", \""));
    let machine = env::var("PLYSCOPE_MACHINE").unwrap_or_else(|_| MACHINES[1].to_owned());
    if !MACHINES.contains(&machine.as_str()) {
        return Err(format!("PLYSCOPE_MACHINE is {machine:?}; give one of {}", MACHINES.join(", ")).into());
    }
    println!("cargo:rustc-cfg=machine=\"{machine}\"");
    let out = PathBuf::from(env::var("OUT_DIR")?);
    fs::copy(format!("machines/{machine}.x"), out.join("memory.x"))?;
    println!("cargo:rustc-link-search={}", out.display());
    println!("cargo:rustc-link-arg-bins=-Tlink.x");
    println!("cargo:rustc-link-arg-bins=--nmagic");
    Ok(())
}

//! The `plyscope-firmware-sim` command: the core as a microcontroller would run it.

use std::process;

use clap::Parser;
use plyscope::exit_code::ExitCode;

mod camera;
mod command;
mod comparison;
mod damage;
mod elf;
mod emulator;
mod host_device;
mod machine;
mod panic_paths;
mod profile;
mod report;
mod row_diff;
mod shown;
mod standard;

fn main() -> process::ExitCode {
    match command::CommandLine::parse().run() {
        Ok(()) => ExitCode::Done.into(),
        Err(error) => {
            eprintln!("plyscope-firmware-sim: {error:#}");
            ExitCode::of(&error).into()
        }
    }
}

//! The `plyscope` command.

use std::process;

use clap::Parser;
use plyscope::exit_code::ExitCode;

mod command;

fn main() -> process::ExitCode {
    let line = command::CommandLine::parse();
    match line.command.run(line.quiet) {
        Ok(()) => ExitCode::Done.into(),
        Err(error) => {
            eprintln!("plyscope: {error:#}");
            ExitCode::of(&error).into()
        }
    }
}

//! The `plyscope` command.

use std::io::Write;
use std::process;

use clap::Parser;
use plyscope::exit_code::ExitCode;

mod command;

fn main() -> process::ExitCode {
    let line = command::CommandLine::parse();
    match line.command.run(line.quiet) {
        Ok(()) => ExitCode::Done.into(),
        Err(error) => {
            // Nobody may be there to read it; the exit code tells all the same.
            let _ = writeln!(std::io::stderr(), "plyscope: {error:#}");
            ExitCode::of(&error).into()
        }
    }
}

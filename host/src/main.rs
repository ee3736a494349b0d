//! The `plyscope` command.

use std::io::Write;
use std::process;

use clap::Parser;
use plyscope::exit_code::ExitCode;

mod command;

fn main() -> process::ExitCode {
    if !processor_is_able() {
        let _ = writeln!(
            std::io::stderr(),
            "plyscope: this build needs a processor with AVX2 and BMI2; build it with RUSTFLAGS=\"-C target-cpu=x86-64\""
        );
        return ExitCode::Failed.into();
    }
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

/// Whether the processor has the instructions that the compiler was told of (`.cargo/config.toml`).
#[cfg(all(target_arch = "x86_64", target_feature = "avx2"))]
fn processor_is_able() -> bool {
    use std::arch::x86_64::{__cpuid, __cpuid_count};

    // Asked of the processor itself: the standard macro takes the compiler's word. Leaf 7 has a bit for each (Intel's manual,
    // volume 2, CPUID).
    const BMI1_AVX2_BMI2: u32 = 1 << 3 | 1 << 5 | 1 << 8;
    __cpuid(0).eax >= 7 && __cpuid_count(7, 0).ebx & BMI1_AVX2_BMI2 == BMI1_AVX2_BMI2
}

/// Whether the processor has the instructions that the compiler was told of.
#[cfg(not(all(target_arch = "x86_64", target_feature = "avx2")))]
const fn processor_is_able() -> bool {
    true
}

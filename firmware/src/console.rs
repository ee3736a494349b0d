//! Lines to the emulator's console, as a UART would carry them, and the end of the run.

use core::fmt;

use cortex_m_semihosting::{debug, hio};

/// Writes a line. Without a console the line is lost, and nothing else.
pub fn line(text: fmt::Arguments<'_>) {
    if let Ok(mut out) = hio::hstdout() {
        let _ = fmt::Write::write_fmt(&mut out, format_args!("{text}\n"));
    }
}

/// Writes bytes and ends the line.
pub fn bytes(text: &[u8]) {
    if let Ok(mut out) = hio::hstdout() {
        let _ = out.write_all(text).and_then(|()| out.write_all(b"\n"));
    }
}

/// Ends the emulator, with exit code 0 for success and 1 for failure.
pub fn exit(success: bool) -> ! {
    debug::exit(if success { debug::EXIT_SUCCESS } else { debug::EXIT_FAILURE });
    loop {
        cortex_m::asm::wfi();
    }
}

//! The input file, read through the emulator: it stands for a camera's direct memory access, or for a wire.

use cortex_m_semihosting::syscall;

/// An open file of the host.
#[derive(Debug)]
pub struct Input {
    handle: usize,
}

/// "rb" in the order of the semihosting specification.
const READ_BINARY: usize = 1;

impl Input {
    /// Opens what the device is shown: `input.bin` in the folder where the emulator runs.
    pub fn open() -> Option<Self> {
        let path = c"input.bin".to_bytes_with_nul();
        // SAFETY: SYS_OPEN takes the path, its length without the zero byte, and a mode; it writes no memory.
        let handle = unsafe { syscall!(OPEN, path.as_ptr(), READ_BINARY, path.len() - 1) };
        (handle != usize::MAX).then_some(Self { handle })
    }

    /// Goes on reading `at` bytes from the start; false where that cannot be.
    pub fn seek(&mut self, at: usize) -> bool {
        // SAFETY: SYS_SEEK takes a handle and a position; it writes no memory.
        let failed = unsafe { syscall!(SEEK, self.handle, at) };
        failed == 0
    }

    /// Fills `buffer`; false where the file ends before.
    pub fn fill(&mut self, buffer: &mut [u8]) -> bool {
        // SAFETY: SYS_READ writes at most `buffer.len()` bytes to `buffer` and returns how many it did not fill.
        let missing = unsafe { syscall!(READ, self.handle, buffer.as_mut_ptr(), buffer.len()) };
        missing == 0
    }
}

//! The input file, read through the emulator: it stands for a camera's direct memory access.

use cortex_m_semihosting::syscall;

/// An open file of the host.
#[derive(Debug)]
pub struct Input {
    handle: usize,
}

/// "rb" in the order of the semihosting specification.
const READ_BINARY: usize = 1;

impl Input {
    /// Opens the file of this name, which ends with a zero byte, in the folder where the emulator runs.
    pub fn open(name: &core::ffi::CStr) -> Option<Self> {
        let path = name.to_bytes_with_nul();
        // SAFETY: SYS_OPEN takes the path, its length without the zero byte, and a mode; it writes no memory.
        let handle = unsafe { syscall!(OPEN, path.as_ptr(), READ_BINARY, path.len() - 1) };
        (handle != usize::MAX).then_some(Self { handle })
    }

    /// Fills `buffer`; false where the file ends before.
    pub fn fill(&mut self, buffer: &mut [u8]) -> bool {
        // SAFETY: SYS_READ writes at most `buffer.len()` bytes to `buffer` and returns how many it did not fill.
        let missing = unsafe { syscall!(READ, self.handle, buffer.as_mut_ptr(), buffer.len()) };
        missing == 0
    }
}

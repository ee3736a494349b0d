//! The painted stack: how deep it was ever used.

use core::ptr::{addr_of_mut, read_volatile, write_volatile};

/// What unused stack is filled with.
const PAINT: u32 = 0xa5c3_96e7;
/// Words below the present stack pointer that painting leaves alone.
const CLEARANCE_WORDS: usize = 64;

unsafe extern "C" {
    static mut _stack_start: u32;
    #[link_name = "__sheap"]
    static mut LOWEST: u32;
}

/// Fills the unused stack with paint. Call it first in `main`.
#[inline(never)]
pub fn paint() {
    let mut word = addr_of_mut!(LOWEST);
    let end = cortex_m::register::msp::read() as usize - CLEARANCE_WORDS * 4;
    while (word as usize) < end {
        // SAFETY: from the linker's lowest address of the stack up to below the stack pointer, no variable lives.
        unsafe {
            write_volatile(word, PAINT);
            word = word.add(1);
        }
    }
}

/// The most bytes of stack that were in use since it was painted, and the bytes that it may take.
pub fn peak_bytes() -> (usize, usize) {
    let (lowest, top) = (addr_of_mut!(LOWEST), addr_of_mut!(_stack_start) as usize);
    let mut word = lowest;
    // SAFETY: all words between the two linker symbols are memory.
    while (word as usize) < top && unsafe { read_volatile(word) } == PAINT {
        // SAFETY: as above; the loop ends at the top.
        word = unsafe { word.add(1) };
    }
    (top - word as usize, top - lowest as usize)
}

//! What every image shares: the console, the input file, the instruction counter and the painted stack.
#![no_std]

pub mod console;
pub mod input;
pub mod instructions;
pub mod measured;
pub mod profile;
pub mod session;
pub mod stack;

use core::cell::UnsafeCell;
use core::panic::PanicInfo;
use core::sync::atomic::{AtomicBool, Ordering};

use cortex_m_rt::{ExceptionFrame, exception};

/// One value that lives as long as the image runs, made when the image is built: making it takes no stack.
pub struct Once<T> {
    taken: AtomicBool,
    value: UnsafeCell<T>,
}

// SAFETY: the value is handed out once only, by `Once::take`; these machines have one core, and no exception handler takes it.
unsafe impl<T> Sync for Once<T> {}

impl<T> Once<T> {
    /// Holds `value`.
    pub const fn new(value: T) -> Self {
        Self { taken: AtomicBool::new(false), value: UnsafeCell::new(value) }
    }

    /// Hands the value out; `None` from the second time on.
    pub fn take(&'static self) -> Option<&'static mut T> {
        if self.taken.load(Ordering::Relaxed) {
            return None;
        }
        self.taken.store(true, Ordering::Relaxed);
        // SAFETY: `taken` was false, so that no other reference to the value exists or will exist.
        Some(unsafe { &mut *self.value.get() })
    }
}

#[panic_handler]
fn panic(info: &PanicInfo<'_>) -> ! {
    console::line(format_args!("panic: {info}"));
    console::exit(false)
}

#[exception]
unsafe fn HardFault(frame: &ExceptionFrame) -> ! {
    console::line(format_args!("hard fault at {:#010x}, called from {:#010x}", frame.pc(), frame.lr()));
    console::exit(false)
}

//! Counts instructions.
//!
//! Under `-icount shift=0` the emulator lets one nanosecond pass for each instruction, so that the system timer counts
//! instructions, at the machine's own ratio. They are no cycles: the emulator models none.

use core::sync::atomic::{AtomicU32, Ordering};

use cortex_m::peripheral::{SYST, syst::SystClkSource};
use cortex_m_rt::exception;

/// The timer's largest count, 24 bits.
const RELOAD: u32 = 0x00ff_ffff;
/// Instructions of the loop that the timer is compared with: two in each round.
const YARDSTICK: u64 = 2_000_000;

static WRAPS: AtomicU32 = AtomicU32::new(0);

#[exception]
fn SysTick() {
    WRAPS.store(WRAPS.load(Ordering::Relaxed).wrapping_add(1), Ordering::Relaxed);
}

/// The system timer as a counter of instructions.
#[derive(Debug)]
pub struct Counter {
    /// Timer ticks that the yardstick takes.
    yardstick_ticks: u64,
}

impl Counter {
    /// Starts the timer and compares it with a loop of known length.
    pub fn start(mut timer: SYST) -> Self {
        timer.set_clock_source(SystClkSource::Core);
        timer.set_reload(RELOAD);
        timer.clear_current();
        timer.enable_interrupt();
        timer.enable_counter();
        // The first reload comes a tick later.
        while SYST::get_current() == 0 {}
        let start = ticks();
        rounds(YARDSTICK as u32 / 2);
        Self { yardstick_ticks: ticks().wrapping_sub(start).max(1) }
    }

    /// Ticks now.
    pub fn now(&self) -> u64 {
        ticks()
    }

    /// Instructions since `start` ticks.
    pub fn since(&self, start: u64) -> u64 {
        ticks().wrapping_sub(start) * YARDSTICK / self.yardstick_ticks
    }
}

/// Ticks since the start.
fn ticks() -> u64 {
    loop {
        // A pending exception is taken here, not between the two counts.
        cortex_m::asm::isb();
        let wraps = WRAPS.load(Ordering::Relaxed);
        let current = SYST::get_current();
        if WRAPS.load(Ordering::Relaxed) == wraps {
            // The count that fires the exception is the first of the next round.
            let passed = if current == 0 { 0 } else { RELOAD + 1 - current };
            return u64::from(wraps) * (u64::from(RELOAD) + 1) + u64::from(passed);
        }
    }
}

/// Runs a loop of two instructions.
fn rounds(count: u32) {
    // SAFETY: the loop changes one register, which it is given, and the flags.
    unsafe {
        core::arch::asm!("2: subs {0}, {0}, #1", "bne 2b", inout(reg) count => _, options(nomem, nostack));
    }
}

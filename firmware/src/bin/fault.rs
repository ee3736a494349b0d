//! Fails on purpose, in the way that the input's first byte names: to show that a failure ends the run and says where.
#![no_std]
#![no_main]

use cortex_m_rt::entry;
use plyscope_firmware::input::Input;
use plyscope_firmware::session::{self, Break};
use plyscope_firmware::stack;

/// Where nothing answers on any of the machines.
const NOWHERE: usize = 0xd000_0000;

#[entry]
fn main() -> ! {
    stack::paint();
    let mut kind = [0];
    let is_read = Input::open().is_some_and(|mut input| input.fill(&mut kind));
    match &kind {
        b"p" if is_read => panic_on_purpose(kind.len()),
        b"u" if is_read => undefined_instruction(),
        b"b" if is_read => read_from_nowhere(),
        _ => session::end(Err(Break::Start("learn how to fail"))),
    }
}

#[inline(never)]
fn panic_on_purpose(index: usize) -> ! {
    let cells = core::hint::black_box([0_u8; 1]);
    panic!("this cell holds {}", cells[index])
}

#[inline(never)]
fn undefined_instruction() -> ! {
    cortex_m::asm::udf()
}

#[inline(never)]
fn read_from_nowhere() -> ! {
    // SAFETY: it is not: the read is to fail, and no reference to the address is made.
    let value = unsafe { core::ptr::read_volatile(NOWHERE as *const u32) };
    panic!("nowhere holds {value}")
}

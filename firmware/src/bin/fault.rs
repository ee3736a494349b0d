//! Fails on purpose, in the way that the input's first byte names: to show that a failure ends the run and says where.
#![no_std]
#![no_main]

use cortex_m_rt::entry;
use plyscope_firmware::input::Input;
use plyscope_firmware::session::{self, Break};
use plyscope_firmware::stack;

#[entry]
fn main() -> ! {
    stack::paint();
    let mut kind = [0];
    let is_read = Input::open().is_some_and(|mut input| input.fill(&mut kind));
    match &kind {
        b"p" if is_read => panic_on_purpose(kind.len()),
        b"u" if is_read => undefined_instruction(),
        b"l" if is_read => load_unaligned(),
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
fn load_unaligned() -> ! {
    let words = core::hint::black_box([0_u32; 3]);
    let odd = words.as_ptr() as usize + 1;
    let mut sum: u32;
    // SAFETY: it is not: the address is odd, which no load of several words takes. What it would read lies within `words`.
    unsafe {
        core::arch::asm!(
            "ldm {0}!, {{r2, r3}}",
            "adds {1}, r2, r3",
            inout(reg) odd => _,
            out(reg) sum,
            out("r2") _,
            out("r3") _,
        );
    }
    panic!("the words sum up to {sum}")
}

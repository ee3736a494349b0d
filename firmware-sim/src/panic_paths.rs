//! Which calls to panics are left in a linked image, and why each stays.

use std::collections::BTreeMap;
use std::collections::BTreeSet;

use anyhow::Result;

use crate::elf::{Elf, Function};

/// Functions that call a panic, and what they call.
pub(crate) type Calls = BTreeSet<(String, String)>;

/// Functions of the standard library that do nothing but panic.
fn is_panic(name: &str) -> bool {
    let is_of_core = name.starts_with("core::") || name.starts_with("<core::");
    (is_of_core && (name.contains("panicking::") || name.contains("_fail")))
        || name == "arrayvec::arrayvec::extend_panic"
}

/// Every call of a panic by a function that is none itself.
pub(crate) fn calls(elf: &Elf<'_>) -> Result<Calls> {
    let functions = elf.functions()?;
    let panics: BTreeMap<u32, &Function> =
        functions.iter().filter(|f| is_panic(&f.name)).map(|f| (f.address, f)).collect();
    let mut calls = Calls::new();
    for function in functions.iter().filter(|f| !is_panic(&f.name)) {
        for target in targets(function.address, elf.code(function)?) {
            if let Some(panic) = panics.get(&target) {
                calls.insert((function.name.clone(), panic.name.clone()));
            }
        }
    }
    Ok(calls)
}

/// The functions of panics that an image holds.
pub(crate) fn symbols(elf: &Elf<'_>) -> Result<BTreeSet<String>> {
    let functions = elf.functions()?;
    Ok(functions.into_iter().map(|f| f.name).filter(|name| is_panic(name)).collect())
}

/// Where the branches of a function's code go (Armv7-M Architecture Reference Manual, A7.7.12 and A7.7.18: B.W and BL in
/// encodings T4 and T1, and the 16-bit B). Constants between the code may look like branches; a panic hardly ever lies where
/// they seem to go.
fn targets(address: u32, code: &[u8]) -> Vec<u32> {
    let halves: Vec<u16> = code.as_chunks::<2>().0.iter().map(|bytes| u16::from_le_bytes(*bytes)).collect();
    let mut targets = Vec::new();
    let mut index = 0;
    while let Some(&first) = halves.get(index) {
        // The program counter reads as the instruction's address and four.
        let pc = address.wrapping_add(2 * index as u32 + 4);
        index += 1;
        if first >> 11 < 0b11101 {
            if first >> 11 == 0b11100 {
                let offset = i32::from(first << 5) << 16 >> 20;
                targets.push(pc.wrapping_add_signed(offset));
            }
            continue;
        }
        let Some(&second) = halves.get(index) else { break };
        index += 1;
        if first >> 11 == 0b11110 && matches!(second >> 12 & 0b1101, 0b1001 | 0b1101) {
            targets.push(pc.wrapping_add_signed(long_offset(first, second)));
        }
    }
    targets
}

/// The offset of a 32-bit branch: S:I1:I2:imm10:imm11:0, where I is J, flipped where the sign is clear.
fn long_offset(first: u16, second: u16) -> i32 {
    let (first, second) = (u32::from(first), u32::from(second));
    let sign = first >> 10 & 1;
    let flipped = |j: u32| !(j ^ sign) & 1;
    let (i1, i2) = (flipped(second >> 13 & 1), flipped(second >> 11 & 1));
    let offset = sign << 24 | i1 << 23 | i2 << 22 | (first & 0x3ff) << 12 | (second & 0x7ff) << 1;
    ((offset << 7) as i32) >> 7
}

/// Why a call to a panic is never made; `None` where nobody has said so.
pub(crate) fn reason(caller: &str, panic: &str) -> Option<&'static str> {
    REASONS.iter().find(|(by, of, _)| caller.contains(by) && panic.contains(of)).map(|(_, _, why)| *why)
}

/// By whom, of what, and why it is never made.
const REASONS: [(&str, &str, &str); 23] = [
    ("judge::search::Worker", "div_by_zero", QUANTA),
    ("judge::search::Worker", "", FRAMES),
    ("judge::network::Network", "div_by_zero", QUANTA),
    ("judge::network::Network", "bounds", ROWS),
    (
        "judge::move_picker::MovePicker",
        "bounds",
        "an index into the moves that are left, which its loop bounds",
    ),
    ("plyscope_device::referee", "extend_panic", LINE),
    ("plyscope_device::referee", "bounds", ROOT),
    ("plyscope_device::referee", "div_by_zero", QUANTA),
    ("extend_from_iter", "extend_panic", LINE),
    ("serde_json_core::", "", DIGITS),
    ("plyscope_device::judged_row", "bounds", DIGITS),
    ("core::fmt::Display", "bounds", "the standard library's digits of a number have room for the largest"),
    ("core::fmt::num", "bounds", "the standard library's digits of a number have room for the largest"),
    ("plyscope_firmware::instructions", "div_by_zero", "the yardstick takes at least one tick of the timer"),
    (
        "ArrayVec<shakmaty::m::Move",
        "unwrap_failed",
        "the list has room for more than the 218 moves that a position has",
    ),
    ("shakmaty::", "expect_failed", KINGS),
    ("shakmaty::", "panicking::panic", CASTLING),
    ("::run", "slice_index_fail", "a FEN of the image itself is cut where it ends"),
    ("::run", "extend_panic", LINE),
    ("::run", "bounds", ROOT),
    ("::run", "panicking::panic", "a FEN of the image itself names each square once"),
    ("::run", "expect_failed", KINGS),
    ("::run", "div_by_zero", QUANTA),
];
const FRAMES: &str =
    "an index into the frames of a line: a place that has no frame after it is valued without a search";
const ROOT: &str = "the root's frame: a memory of fewer than four frames is refused";
const ROWS: &str = "an index into the network's rows: header and features bound it, and the header is checked when it is read";
const QUANTA: &str = "the network's quanta and counts are at least 1, which is checked when it is read";
const LINE: &str = "a best line is copied into one of the same size";
const DIGITS: &str =
    "each byte is written after the room for all of them was checked, and a number's digits have room";
const KINGS: &str = "a king in standard chess: every position comes by legal plies from one that has both";
const CASTLING: &str = "castling puts king and rook on squares that the rules found free";

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn branches_are_followed_forwards_and_backwards() {
        // bl, b.w and b, then nop, as an assembler makes them.
        let code = [0x00, 0xf0, 0x7e, 0xf8, 0xff, 0xf7, 0xfc, 0xbf, 0xfa, 0xe7, 0x00, 0xbf];
        assert_eq!(targets(0x1000, &code), [0x1100, 0x1000, 0x1000]);
    }
}

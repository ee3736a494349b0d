//! How much of a chip an image takes: the sizes of its sections.

use anyhow::{Context, Result, ensure};

/// What an image takes of a chip.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct Footprint {
    /// Code, constants, and what variables begin with.
    pub(crate) flash_bytes: u64,
    /// Variables, the stack aside.
    pub(crate) static_bytes: u64,
}

const NOBITS: u32 = 8;
const FLAG_WRITE: u32 = 1;
const FLAG_ALLOC: u32 = 2;
const SECTION_HEADER_BYTES: usize = 40;

impl Footprint {
    /// Sums up the sections of a 32-bit little-endian ELF file.
    pub(crate) fn of_elf(file: &[u8]) -> Result<Self> {
        ensure!(file.get(..6) == Some(b"\x7fELF\x01\x01"), "it is no 32-bit little-endian ELF file");
        let table_at = word(file, 32)? as usize;
        let count = usize::from(half(file, 48)?);
        let mut footprint = Self::default();
        for index in 0..count {
            let at = table_at + index * SECTION_HEADER_BYTES;
            let (kind, flags) = (word(file, at + 4)?, word(file, at + 8)?);
            let bytes = u64::from(word(file, at + 20)?);
            if flags & FLAG_ALLOC == 0 {
                continue;
            }
            if kind != NOBITS {
                footprint.flash_bytes += bytes;
            }
            if kind == NOBITS || flags & FLAG_WRITE != 0 {
                footprint.static_bytes += bytes;
            }
        }
        Ok(footprint)
    }
}

fn word(file: &[u8], at: usize) -> Result<u32> {
    let bytes = file.get(at..).and_then(|rest| rest.first_chunk()).context("the ELF file ends early")?;
    Ok(u32::from_le_bytes(*bytes))
}

fn half(file: &[u8], at: usize) -> Result<u16> {
    let bytes = file.get(at..).and_then(|rest| rest.first_chunk()).context("the ELF file ends early")?;
    Ok(u16::from_le_bytes(*bytes))
}

#[cfg(test)]
mod tests {
    use super::*;

    const PROGBITS: u32 = 1;

    /// An ELF header and sections of (kind, flags, bytes).
    fn elf(sections: &[(u32, u32, u32)]) -> Vec<u8> {
        let mut file = vec![0; 52];
        file[..6].copy_from_slice(b"\x7fELF\x01\x01");
        file[32..36].copy_from_slice(&52_u32.to_le_bytes());
        file[48..50].copy_from_slice(&(sections.len() as u16).to_le_bytes());
        for &(kind, flags, bytes) in sections {
            let mut header = [0; SECTION_HEADER_BYTES];
            header[4..8].copy_from_slice(&kind.to_le_bytes());
            header[8..12].copy_from_slice(&flags.to_le_bytes());
            header[20..24].copy_from_slice(&bytes.to_le_bytes());
            file.extend(header);
        }
        file
    }

    #[test]
    fn initialised_variables_count_in_both_memories() -> Result<()> {
        let text = (PROGBITS, FLAG_ALLOC, 1000);
        let data = (PROGBITS, FLAG_ALLOC | FLAG_WRITE, 20);
        let bss = (NOBITS, FLAG_ALLOC | FLAG_WRITE, 300);
        let debug = (PROGBITS, 0, 50_000);
        let footprint = Footprint::of_elf(&elf(&[text, data, bss, debug]))?;
        assert_eq!(footprint, Footprint { flash_bytes: 1020, static_bytes: 320 });
        Ok(())
    }

    #[test]
    fn other_files_are_refused() {
        assert!(Footprint::of_elf(b"#!/bin/sh\n").is_err());
        assert!(Footprint::of_elf(&elf(&[(1, 2, 3)])[..60]).is_err());
    }
}

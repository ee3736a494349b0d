//! What an image holds: the sizes of its sections, and its functions.

use anyhow::{Context, Result, ensure};

/// What an image takes of a chip.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct Footprint {
    /// Code, constants, and what variables begin with.
    pub(crate) flash_bytes: u64,
    /// Variables, the stack aside.
    pub(crate) static_bytes: u64,
}

/// A function of an image.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Function {
    /// Its name as people write it, without the hash.
    pub(crate) name: String,
    pub(crate) address: u32,
    pub(crate) bytes: u32,
}

/// A 32-bit little-endian ELF file.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Elf<'a> {
    file: &'a [u8],
}

#[derive(Clone, Copy, Debug)]
struct Section {
    kind: u32,
    flags: u32,
    address: u32,
    offset: usize,
    bytes: u32,
    /// Of a symbol table: the section that holds its names.
    link: usize,
}

const SYMBOL_TABLE: u32 = 2;
const NOBITS: u32 = 8;
const FLAG_WRITE: u32 = 1;
const FLAG_ALLOC: u32 = 2;
const SECTION_HEADER_BYTES: usize = 40;
const SYMBOL_BYTES: usize = 16;
const SYMBOL_FUNCTION: u8 = 2;
/// Where functions have the lowest bit of their address set, to say that they are Thumb code.
const THUMB: u32 = 1;

impl<'a> Elf<'a> {
    /// A view of the file, once its first bytes are right.
    pub(crate) fn new(file: &'a [u8]) -> Result<Self> {
        ensure!(file.get(..6) == Some(b"\x7fELF\x01\x01"), "it is no 32-bit little-endian ELF file");
        Ok(Self { file })
    }

    /// Sums up the sections.
    pub(crate) fn footprint(&self) -> Result<Footprint> {
        let mut footprint = Footprint::default();
        for section in self.sections()?.iter().filter(|s| s.flags & FLAG_ALLOC != 0) {
            let bytes = u64::from(section.bytes);
            if section.kind != NOBITS {
                footprint.flash_bytes += bytes;
            }
            if section.kind == NOBITS || section.flags & FLAG_WRITE != 0 {
                footprint.static_bytes += bytes;
            }
        }
        Ok(footprint)
    }

    /// All functions, by their addresses.
    pub(crate) fn functions(&self) -> Result<Vec<Function>> {
        let sections = self.sections()?;
        let mut functions = Vec::new();
        for table in sections.iter().filter(|s| s.kind == SYMBOL_TABLE) {
            let names = sections.get(table.link).context("the symbols have no names")?;
            for index in 0..table.bytes as usize / SYMBOL_BYTES {
                let at = table.offset + index * SYMBOL_BYTES;
                let kind = *self.file.get(at + 12).context("the ELF file ends early")? & 0xf;
                if kind == SYMBOL_FUNCTION {
                    let name = self.text(names.offset + word(self.file, at)? as usize);
                    functions.push(Function {
                        name: format!("{:#}", rustc_demangle::demangle(&name)),
                        address: word(self.file, at + 4)? & !THUMB,
                        bytes: word(self.file, at + 8)?,
                    });
                }
            }
        }
        functions.sort_by_key(|function| function.address);
        functions.dedup_by_key(|function| function.address);
        Ok(functions)
    }

    /// The bytes of a function.
    pub(crate) fn code(&self, function: &Function) -> Result<&'a [u8]> {
        let holds =
            |s: &&Section| s.kind != NOBITS && s.flags & FLAG_ALLOC != 0 && s.address <= function.address;
        let sections = self.sections()?;
        let section = sections.iter().filter(holds).max_by_key(|s| s.address);
        let section = section.context("a function lies in no section")?;
        let start = section.offset + (function.address - section.address) as usize;
        self.file.get(start..start + function.bytes as usize).context("the ELF file ends early")
    }

    fn sections(&self) -> Result<Vec<Section>> {
        let table_at = word(self.file, 32)? as usize;
        let count = usize::from(half(self.file, 48)?);
        (0..count)
            .map(|index| {
                let at = table_at + index * SECTION_HEADER_BYTES;
                let field = |offset| word(self.file, at + offset);
                Ok(Section {
                    kind: field(4)?,
                    flags: field(8)?,
                    address: field(12)?,
                    offset: field(16)? as usize,
                    bytes: field(20)?,
                    link: field(24)? as usize,
                })
            })
            .collect()
    }

    /// The text from a byte of the file to the next zero.
    fn text(&self, at: usize) -> String {
        let bytes = self.file.get(at..).unwrap_or_default();
        let text = bytes.split(|byte| *byte == 0).next().unwrap_or_default();
        String::from_utf8_lossy(text).into_owned()
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
        let footprint = Elf::new(&elf(&[text, data, bss, debug]))?.footprint()?;
        assert_eq!(footprint, Footprint { flash_bytes: 1020, static_bytes: 320 });
        Ok(())
    }

    #[test]
    fn other_files_are_refused() {
        assert!(Elf::new(b"#!/bin/sh\n").is_err());
        let early = &elf(&[(1, 2, 3)])[..60];
        assert!(Elf::new(early).and_then(|elf| elf.footprint()).is_err());
    }
}

//! `plyscope-firmware-sim list`.

use anyhow::Result;

use crate::emulator;
use crate::machine::{Image, Machine};
use crate::profile::Profile;

pub(super) fn run() -> Result<()> {
    let mut text = String::from("Devices:\n");
    for profile in &Profile::ALL {
        let does = if profile.judges { "sees and judges" } else { "sees" };
        let (name, bytes, side_px) = (profile.name, profile.bytes(), profile.side_max_px);
        text += &format!("  {name:<14}{bytes:>9} bytes, {does}, frames up to {side_px} px\n");
    }
    text += "Machines:\n";
    for machine in Machine::ALL {
        let (flash_kib, ram_kib) = (machine.flash_bytes() >> 10, machine.ram_bytes() >> 10);
        let images: Vec<&str> =
            Image::USEFUL.iter().filter(|image| machine.takes(**image)).map(|image| image.name()).collect();
        let (name, part, images) = (machine.name(), machine.description(), images.join(", "));
        text += &format!("  {name:<14}{part}, {flash_kib} KiB flash, {ram_kib} KiB RAM: {images}\n");
    }
    text += if emulator::is_installed() { "" } else { "QEMU is not installed: machines cannot be run.\n" };
    super::print(&text)
}

//! The emulated machines and the images that run on them.

use clap::ValueEnum;

/// A machine that QEMU emulates.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub(crate) enum Machine {
    /// Cortex-M3, 256 KiB of flash, 64 KiB of memory
    Lm3s6965evb,
    /// STM32F405: Cortex-M4F, 1 MiB of flash, 128 KiB of memory
    Netduinoplus2,
    /// Cortex-M7, 4 MiB each
    #[value(name = "mps2-an500")]
    Mps2An500,
}

impl Machine {
    /// All machines, smallest first.
    pub(crate) const ALL: [Self; 3] = [Self::Lm3s6965evb, Self::Netduinoplus2, Self::Mps2An500];

    /// Its name in QEMU.
    pub(crate) const fn name(self) -> &'static str {
        match self {
            Self::Lm3s6965evb => "lm3s6965evb",
            Self::Netduinoplus2 => "netduinoplus2",
            Self::Mps2An500 => "mps2-an500",
        }
    }

    /// The name of the profile that its images use.
    pub(crate) const fn profile(self) -> &'static str {
        match self {
            Self::Lm3s6965evb => "small",
            Self::Netduinoplus2 => "medium",
            Self::Mps2An500 => "large",
        }
    }

    /// The highest clock of the part (its data sheet; the MPS2's processor as Arm's image sets it), MHz.
    pub(crate) const fn clock_mhz(self) -> u32 {
        match self {
            Self::Lm3s6965evb => 50,
            Self::Netduinoplus2 => 168,
            Self::Mps2An500 => 25,
        }
    }

    /// The processor and its memories, for people.
    pub(crate) const fn description(self) -> &'static str {
        match self {
            Self::Lm3s6965evb => "LM3S6965, Cortex-M3, 256 KiB flash, 64 KiB RAM",
            Self::Netduinoplus2 => "STM32F405, Cortex-M4F, 1 MiB flash, 128 KiB RAM",
            Self::Mps2An500 => "MPS2 AN500, Cortex-M7, 4 MiB + 4 MiB",
        }
    }
}

/// What runs on a machine.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, ValueEnum)]
pub(crate) enum Image {
    /// Frames in, rows out; both labels are "equal"
    See,
    /// The whole way: frames in, rows with labels out
    #[default]
    Game,
}

impl Image {
    /// All images.
    pub(crate) const ALL: [Self; 2] = [Self::See, Self::Game];

    /// The image's name.
    pub(crate) const fn name(self) -> &'static str {
        match self {
            Self::See => "see",
            Self::Game => "game",
        }
    }
}

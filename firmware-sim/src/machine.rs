//! The emulated machines and the images that run on them.

use clap::ValueEnum;

/// A machine that QEMU emulates.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub(crate) enum Machine {
    /// nRF51822: Cortex-M0, 256 KiB of flash, 16 KiB of memory
    Microbit,
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
    pub(crate) const ALL: [Self; 4] =
        [Self::Microbit, Self::Lm3s6965evb, Self::Netduinoplus2, Self::Mps2An500];

    /// Its name in QEMU.
    pub(crate) const fn name(self) -> &'static str {
        match self {
            Self::Microbit => "microbit",
            Self::Lm3s6965evb => "lm3s6965evb",
            Self::Netduinoplus2 => "netduinoplus2",
            Self::Mps2An500 => "mps2-an500",
        }
    }

    /// The highest clock of the part (its data sheet; the MPS2's processor as Arm's image sets it), MHz.
    pub(crate) const fn clock_mhz(self) -> u32 {
        match self {
            Self::Microbit => 16,
            Self::Lm3s6965evb => 50,
            Self::Netduinoplus2 => 168,
            Self::Mps2An500 => 25,
        }
    }

    /// Bytes of flash that the linker may fill, as in `firmware/machines/`.
    pub(crate) const fn flash_bytes(self) -> u64 {
        match self {
            Self::Microbit | Self::Lm3s6965evb => 256 << 10,
            Self::Netduinoplus2 => 1 << 20,
            Self::Mps2An500 => 4 << 20,
        }
    }

    /// Bytes of memory, likewise.
    pub(crate) const fn ram_bytes(self) -> u64 {
        match self {
            Self::Microbit => 16 << 10,
            Self::Lm3s6965evb => 64 << 10,
            Self::Netduinoplus2 => 128 << 10,
            Self::Mps2An500 => 4 << 20,
        }
    }

    /// The part and its processor, for people.
    pub(crate) const fn description(self) -> &'static str {
        match self {
            Self::Microbit => "nRF51822, Cortex-M0",
            Self::Lm3s6965evb => "LM3S6965, Cortex-M3",
            Self::Netduinoplus2 => "STM32F405, Cortex-M4F",
            Self::Mps2An500 => "MPS2 AN500, Cortex-M7",
        }
    }

    /// Whether the machine has the memory for an image.
    pub(crate) const fn takes(self, image: Image) -> bool {
        !matches!((self, image), (Self::Microbit, Image::Judge | Image::Game | Image::Bench))
    }
}

/// What runs on a machine.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, ValueEnum)]
pub(crate) enum Image {
    /// Frames in, rows out; both labels are "equal"
    See,
    /// The plies of a game in, rows with scores and labels out
    Judge,
    /// The whole way: frames in, rows with labels out
    #[default]
    Game,
    /// Count leaves of trees of legal moves
    Perft,
    /// Search known positions: the nodes are the search's signature
    Bench,
    /// Fail on purpose, as --fail says
    Fault,
}

impl Image {
    /// The images that do something of use.
    pub(crate) const USEFUL: [Self; 5] = [Self::See, Self::Judge, Self::Game, Self::Perft, Self::Bench];

    /// The image's name.
    pub(crate) const fn name(self) -> &'static str {
        match self {
            Self::See => "see",
            Self::Judge => "judge",
            Self::Game => "game",
            Self::Perft => "perft",
            Self::Bench => "bench",
            Self::Fault => "fault",
        }
    }

    /// Whether it is shown frames.
    pub(crate) const fn sees(self) -> bool {
        matches!(self, Self::See | Self::Game)
    }

    /// Whether it judges plies.
    pub(crate) const fn judges(self) -> bool {
        matches!(self, Self::Judge | Self::Game)
    }
}

/// Every useful image with every machine that takes it.
pub(crate) fn pairs() -> impl Iterator<Item = (Machine, Image)> {
    let of = |machine: Machine| Image::USEFUL.into_iter().map(move |image| (machine, image));
    Machine::ALL.into_iter().flat_map(of).filter(|(machine, image)| machine.takes(*image))
}

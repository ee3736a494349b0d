//! The colours of a board.

/// A colour as red, green and blue, 0 to 255.
pub type Rgb = [u8; 3];

/// A named set of board colours.
#[derive(Clone, Copy, Debug, PartialEq, Eq, clap::ValueEnum)]
pub enum Theme {
    /// Warm wood tones.
    Brown,
    /// Cold blue.
    Blue,
    /// Cream and leaf green.
    Green,
    /// Two greys.
    Grey,
    /// Two light tones that hardly differ.
    Pale,
    /// Two dark tones.
    Night,
}

/// The colours of one theme.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Palette {
    /// The light squares.
    pub light: Rgb,
    /// The dark squares.
    pub dark: Rgb,
    /// What tints the squares of the last ply.
    pub highlight: Rgb,
    /// The picture around the board.
    pub surround: Rgb,
    /// Coordinates on the surround.
    pub surround_ink: Rgb,
}

impl Theme {
    /// The colours.
    pub fn palette(self) -> Palette {
        const INK: Rgb = [0xd8, 0xd4, 0xcc];
        let (light, dark, highlight, surround, surround_ink) = match self {
            Theme::Brown => {
                ([0xec, 0xd7, 0xb3], [0xad, 0x7d, 0x55], [0xe8, 0xd0, 0x38], [0x2b, 0x26, 0x22], INK)
            }
            Theme::Blue => {
                ([0xe0, 0xe8, 0xf0], [0x7b, 0x99, 0xba], [0x5c, 0xd6, 0xc0], [0x1f, 0x27, 0x30], INK)
            }
            Theme::Green => {
                ([0xec, 0xec, 0xd2], [0x6c, 0x92, 0x52], [0xf2, 0xee, 0x50], [0x24, 0x2a, 0x22], INK)
            }
            Theme::Grey => {
                ([0xd6, 0xd6, 0xd6], [0x8c, 0x8c, 0x8c], [0xe0, 0xb0, 0x50], [0x30, 0x30, 0x30], INK)
            }
            Theme::Pale => (
                [0xf0, 0xee, 0xe8],
                [0xda, 0xd5, 0xca],
                [0xc8, 0xd8, 0xa0],
                [0xfa, 0xfa, 0xf8],
                [0x60, 0x5c, 0x56],
            ),
            Theme::Night => {
                ([0x66, 0x6e, 0x78], [0x46, 0x4d, 0x56], [0x4a, 0x86, 0x8c], [0x16, 0x18, 0x1c], INK)
            }
        };
        Palette { light, dark, highlight, surround, surround_ink }
    }
}

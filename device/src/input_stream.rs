//! What a device is shown, as bytes from a file or over a wire.
//!
//! A header of [`Header::BYTES`]; then, of frames, for each its time, eight bytes of microseconds, and its luma; of a game
//! without frames (a side of 0 px), two bytes for each ply ([`PackedMove`](plyscope_core::judge::packed_move::PackedMove)).
//! All numbers are little-endian.

use plyscope_core::judge::win_model::WinModel;
use plyscope_core::media_time::MediaTime;

use crate::referee::Judgement;

const FORM_WIN_DRAW_LOSS: u32 = 0;
const FORM_LOGISTIC: u32 = 1;

/// What a stream of frames begins with.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Header {
    /// The side of every frame in pixels; 0: plies follow, no frames.
    pub side_px: u32,
    /// How to judge; `None`: see only.
    pub judgement: Option<Judgement>,
}

/// Bytes that are no header.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct NoHeader;

impl core::fmt::Display for NoHeader {
    fn fmt(&self, f: &mut core::fmt::Formatter<'_>) -> core::fmt::Result {
        f.write_str("read the header of what is shown")
    }
}

impl core::error::Error for NoHeader {}

impl Header {
    /// What every header begins with.
    pub const MAGIC: [u8; 8] = *b"PLYFRAM1";
    /// Magic, side, form of the model, nodes, eight parameters.
    pub const BYTES: usize = 8 + 4 + 4 + 8 + 8 * 8;

    /// The header as bytes. Zero nodes stand for no judgement.
    #[must_use]
    pub fn to_bytes(&self) -> [u8; Self::BYTES] {
        let nodes = self.judgement.map_or(0, |j| j.nodes);
        let model = self.judgement.map_or(WinModel::LICHESS, |j| j.model);
        let mut parameters = [0.0; 8];
        let form = match model {
            WinModel::WinDrawLoss { a, b } => {
                parameters.iter_mut().zip(a.iter().chain(&b)).for_each(|(p, value)| *p = *value);
                FORM_WIN_DRAW_LOSS
            }
            WinModel::Logistic { slope, clamp_cp } => {
                parameters[..2].copy_from_slice(&[slope, clamp_cp]);
                FORM_LOGISTIC
            }
        };
        let mut bytes = [0; Self::BYTES];
        let words = [self.side_px, form];
        let values = Self::MAGIC
            .into_iter()
            .chain(words.into_iter().flat_map(u32::to_le_bytes))
            .chain(nodes.to_le_bytes())
            .chain(parameters.into_iter().flat_map(f64::to_le_bytes));
        bytes.iter_mut().zip(values).for_each(|(byte, value)| *byte = value);
        bytes
    }

    /// The header in `bytes`.
    ///
    /// # Errors
    ///
    /// [`NoHeader`] where they are none.
    pub fn from_bytes(bytes: &[u8; Self::BYTES]) -> Result<Self, NoHeader> {
        let (magic, rest) = bytes.split_first_chunk().ok_or(NoHeader)?;
        let (side, rest) = rest.split_first_chunk().ok_or(NoHeader)?;
        let (form, rest) = rest.split_first_chunk().ok_or(NoHeader)?;
        let (nodes, rest) = rest.split_first_chunk().ok_or(NoHeader)?;
        let mut parameters = [0.0; 8];
        for (parameter, bytes) in parameters.iter_mut().zip(rest.as_chunks().0) {
            *parameter = f64::from_le_bytes(*bytes);
        }
        let [a0, a1, a2, a3, b0, b1, b2, b3] = parameters;
        let model = match u32::from_le_bytes(*form) {
            FORM_WIN_DRAW_LOSS => WinModel::WinDrawLoss { a: [a0, a1, a2, a3], b: [b0, b1, b2, b3] },
            // A clamp's bounds must be numbers in order.
            FORM_LOGISTIC if a1 >= 0.0 => WinModel::Logistic { slope: a0, clamp_cp: a1 },
            _ => return Err(NoHeader),
        };
        let nodes = u64::from_le_bytes(*nodes);
        let judgement = (nodes > 0).then_some(Judgement { nodes, model });
        let side_px = u32::from_le_bytes(*side);
        if *magic == Self::MAGIC { Ok(Self { side_px, judgement }) } else { Err(NoHeader) }
    }
}

/// The bytes of a ply.
pub const PLY_BYTES: usize = 2;

/// The bytes of a frame's time.
pub const TIME_BYTES: usize = 8;

/// A frame's time from its bytes.
#[must_use]
pub const fn time_from_bytes(bytes: [u8; TIME_BYTES]) -> MediaTime {
    MediaTime::from_us(i64::from_le_bytes(bytes))
}

/// A frame's time as bytes.
#[must_use]
pub const fn time_to_bytes(time: MediaTime) -> [u8; TIME_BYTES] {
    time.us().to_le_bytes()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_header_comes_back_from_its_bytes() {
        let sf = WinModel::WinDrawLoss { a: [90.0, 1.5, -0.25, 0.0], b: [20.0, 0.0, 1e-9, -3.0] };
        for judgement in [
            None,
            Some(Judgement { nodes: 1, model: sf }),
            Some(Judgement { nodes: u64::MAX, model: WinModel::LICHESS }),
        ] {
            let header = Header { side_px: 96, judgement };
            assert_eq!(Header::from_bytes(&header.to_bytes()), Ok(header));
        }
    }

    #[test]
    fn other_bytes_are_no_header() {
        let good = Header { side_px: 96, judgement: None }.to_bytes();
        let with = |at: usize, byte: u8| {
            let mut bytes = good;
            bytes[at] = byte;
            Header::from_bytes(&bytes)
        };
        assert_eq!(with(0, b'Q'), Err(NoHeader), "magic");
        assert_eq!(with(12, 9), Err(NoHeader), "form of the model");
        assert_eq!(with(39, 0xff), Err(NoHeader), "a clamp below zero");
    }
}

//! The network file: a header of 128 bytes, then plain arrays.
//!
//! | bytes | content, little-endian |
//! |---|---|
//! | 0..4 | `PLYN` |
//! | 4 | version, 1 |
//! | 5 | bytes of a feature weight, 1 or 2 |
//! | 6..8 | hidden neurons of a perspective, N |
//! | 8 | king buckets, K |
//! | 9 | output buckets, B |
//! | 10..12 | quantum of the hidden layer: 1.0 is this many units (`qa`) |
//! | 12..14 | quantum of the output weights (`qb`) |
//! | 14..16 | centipawns of an output of 1.0 |
//! | 16..80 | king bucket for each square of the own king, seen by its side and mirrored to the files A to D |
//! | 80..128 | zero |
//! | then | K * 736 rows of N feature weights; N biases of 2 bytes; B * 2 rows (own, other) of N output weights of 1 byte; B output biases of 4 bytes in units of `qa * qb` |

use super::features::FEATURES;

/// Bytes before the arrays.
pub const HEADER_BYTES: usize = 128;

/// Largest quantum of the hidden layer: its product with any output weight must fit 16 bits.
pub const HIDDEN_QUANTUM_MAX: u16 = 255;

const MAGIC: [u8; 4] = *b"PLYN";
const VERSION: u8 = 1;

/// Shape and quanta of a network.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Header {
    /// Bytes of a feature weight: 1 or 2.
    pub weight_bytes: u8,
    /// Hidden neurons of a perspective.
    pub hidden: u16,
    /// Sets of feature weights, chosen by the square of the own king.
    pub king_buckets: u8,
    /// Sets of output weights, chosen by the number of pieces on the board.
    pub output_buckets: u8,
    /// Units of 1.0 in the hidden layer.
    pub hidden_quantum: u16,
    /// Units of 1.0 in the output weights.
    pub output_quantum: u16,
    /// Centipawns of an output of 1.0.
    pub scale_cp: u16,
    /// King bucket for each square of the own king, as its side sees the board.
    pub king_map: [u8; 64],
}

/// Why bytes are no network.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum NetworkError {
    /// The first bytes are not those of a network file of this version.
    NotANetwork,
    /// Fewer or more bytes than the header tells.
    WrongLength {
        /// Bytes that the header tells, or of the header itself.
        expected: usize,
        /// Bytes given.
        actual: usize,
    },
    /// A network of another shape than the type that is to hold it.
    WrongShape {
        /// Hidden neurons and bytes of a weight of the type.
        expected: (usize, usize),
        /// Hidden neurons and bytes of a weight in the file.
        actual: (usize, usize),
    },
    /// A count or a quantum of zero or out of range, or a king bucket that does not exist.
    BadHeader,
    /// Some position could overflow the integers of the inference.
    Overflows,
}

impl core::fmt::Display for NetworkError {
    fn fmt(&self, f: &mut core::fmt::Formatter<'_>) -> core::fmt::Result {
        match self {
            NetworkError::NotANetwork => f.write_str("load a network: not a network file of this version"),
            NetworkError::WrongLength { expected, actual } => {
                write!(f, "load a network: {actual} bytes where {expected} belong")
            }
            NetworkError::WrongShape { expected, actual } => write!(
                f,
                "load a network: {} neurons with {}-byte weights where {} with {} belong",
                actual.0, actual.1, expected.0, expected.1
            ),
            NetworkError::BadHeader => f.write_str("load a network: its header contradicts itself"),
            NetworkError::Overflows => f.write_str("load a network: its weights overflow the inference"),
        }
    }
}

impl core::error::Error for NetworkError {}

impl Header {
    /// Reads and checks the header at the start of `bytes`, and that the whole file has the length it tells.
    ///
    /// # Errors
    ///
    /// [`NetworkError`] for anything but a consistent header and the right length.
    pub fn parse(bytes: &[u8]) -> Result<Self, NetworkError> {
        let Some((head, _)) = bytes.split_first_chunk::<HEADER_BYTES>() else {
            return Err(NetworkError::WrongLength { expected: HEADER_BYTES, actual: bytes.len() });
        };
        if head[0..4] != MAGIC || head[4] != VERSION {
            return Err(NetworkError::NotANetwork);
        }
        let u16_at = |i: usize| u16::from_le_bytes([head[i], head[i + 1]]);
        let mut king_map = [0; 64];
        king_map.copy_from_slice(&head[16..80]);
        let header = Header {
            weight_bytes: head[5],
            hidden: u16_at(6),
            king_buckets: head[8],
            output_buckets: head[9],
            hidden_quantum: u16_at(10),
            output_quantum: u16_at(12),
            scale_cp: u16_at(14),
            king_map,
        };
        header.check()?;
        let expected = header.file_bytes();
        if bytes.len() != expected {
            return Err(NetworkError::WrongLength { expected, actual: bytes.len() });
        }
        Ok(header)
    }

    fn check(&self) -> Result<(), NetworkError> {
        let counted = matches!(self.weight_bytes, 1 | 2)
            && self.hidden > 0
            && self.king_buckets > 0
            && self.output_buckets > 0
            && (1..=HIDDEN_QUANTUM_MAX).contains(&self.hidden_quantum)
            && self.output_quantum > 0
            && self.scale_cp > 0;
        let mapped = self.king_map.iter().all(|&bucket| bucket < self.king_buckets);
        if counted && mapped { Ok(()) } else { Err(NetworkError::BadHeader) }
    }

    /// The header as the first bytes of a file.
    pub fn to_bytes(&self) -> [u8; HEADER_BYTES] {
        let mut out = [0; HEADER_BYTES];
        out[0..4].copy_from_slice(&MAGIC);
        out[4] = VERSION;
        out[5] = self.weight_bytes;
        out[6..8].copy_from_slice(&self.hidden.to_le_bytes());
        out[8] = self.king_buckets;
        out[9] = self.output_buckets;
        out[10..12].copy_from_slice(&self.hidden_quantum.to_le_bytes());
        out[12..14].copy_from_slice(&self.output_quantum.to_le_bytes());
        out[14..16].copy_from_slice(&self.scale_cp.to_le_bytes());
        out[16..80].copy_from_slice(&self.king_map);
        out
    }

    /// Rows of feature weights.
    pub fn rows(&self) -> usize {
        usize::from(self.king_buckets) * FEATURES
    }

    /// Bytes of the feature weights.
    pub fn feature_weight_bytes(&self) -> usize {
        self.rows() * usize::from(self.hidden) * usize::from(self.weight_bytes)
    }

    /// Bytes of the whole file.
    pub fn file_bytes(&self) -> usize {
        let hidden = usize::from(self.hidden);
        let buckets = usize::from(self.output_buckets);
        HEADER_BYTES + self.feature_weight_bytes() + 2 * hidden + buckets * (2 * hidden + 4)
    }
}

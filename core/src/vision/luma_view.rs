//! A checked view over a caller's luma bytes.

/// A picture of 8-bit luma in the caller's memory: row by row, `stride` bytes from one row to the next.
///
/// The size is checked once, here; what lies behind need not check again.
#[derive(Clone, Copy, Debug)]
pub struct LumaView<'a> {
    bytes: &'a [u8],
    width_px: usize,
    height_px: usize,
    stride_bytes: usize,
    /// The picture's row with which the bytes begin.
    first_row: usize,
}

/// Why bytes are no picture of the size that was claimed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum LumaViewError {
    /// Width or height is zero.
    Empty,
    /// A row is longer than the distance from one row to the next.
    StrideTooShort {
        /// The stride that was given.
        actual_bytes: usize,
        /// The least stride for this width.
        expected_bytes: usize,
    },
    /// The bytes end before the picture does.
    TooFewBytes {
        /// How many bytes were given.
        actual_bytes: usize,
        /// How many the size asks for.
        expected_bytes: usize,
    },
}

impl core::fmt::Display for LumaViewError {
    fn fmt(&self, f: &mut core::fmt::Formatter<'_>) -> core::fmt::Result {
        match self {
            Self::Empty => write!(f, "view a picture without pixels"),
            Self::StrideTooShort { actual_bytes, expected_bytes } => {
                write!(f, "view rows of {expected_bytes} bytes at a stride of {actual_bytes}")
            }
            Self::TooFewBytes { actual_bytes, expected_bytes } => {
                write!(f, "view a picture of {expected_bytes} bytes in {actual_bytes}")
            }
        }
    }
}

impl core::error::Error for LumaViewError {}

impl<'a> LumaView<'a> {
    /// A view of `width_px` by `height_px` pixels over `bytes`.
    ///
    /// # Errors
    ///
    /// [`LumaViewError`] when the size is empty or does not fit the bytes.
    pub const fn new(
        bytes: &'a [u8],
        width_px: usize,
        height_px: usize,
        stride_bytes: usize,
    ) -> Result<Self, LumaViewError> {
        if width_px == 0 || height_px == 0 {
            return Err(LumaViewError::Empty);
        }
        if stride_bytes < width_px {
            return Err(LumaViewError::StrideTooShort {
                actual_bytes: stride_bytes,
                expected_bytes: width_px,
            });
        }
        let expected_bytes = (height_px - 1).saturating_mul(stride_bytes).saturating_add(width_px);
        if bytes.len() < expected_bytes {
            return Err(LumaViewError::TooFewBytes { actual_bytes: bytes.len(), expected_bytes });
        }
        Ok(Self { bytes, width_px, height_px, stride_bytes, first_row: 0 })
    }

    /// A view of a strip of a picture: of its `width_px` by `height_px` pixels the `bytes` hold as many rows as fit in them,
    /// from row `first_row` on. So a device looks at a frame of which it never holds more than a part.
    ///
    /// # Errors
    ///
    /// [`LumaViewError`] when the size is empty, or the bytes hold not even one row.
    pub const fn strip(
        bytes: &'a [u8],
        width_px: usize,
        height_px: usize,
        stride_bytes: usize,
        first_row: usize,
    ) -> Result<Self, LumaViewError> {
        if height_px == 0 {
            return Err(LumaViewError::Empty);
        }
        match Self::new(bytes, width_px, 1, stride_bytes) {
            Ok(view) => Ok(Self { height_px, first_row, ..view }),
            Err(error) => Err(error),
        }
    }

    /// Pixels in a row.
    #[must_use]
    pub const fn width_px(&self) -> usize {
        self.width_px
    }

    /// Rows.
    #[must_use]
    pub const fn height_px(&self) -> usize {
        self.height_px
    }

    /// The pixels of row `y`; empty below the picture and outside the strip.
    #[must_use]
    pub fn row(&self, y: usize) -> &'a [u8] {
        let Some(row) = y.checked_sub(self.first_row).filter(|_| y < self.height_px) else { return &[] };
        let from_row_on = self.bytes.get(row.saturating_mul(self.stride_bytes)..).unwrap_or(&[]);
        from_row_on.get(..self.width_px).unwrap_or(&[])
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_last_row_needs_no_padding() {
        let bytes = [7; 11];
        let view = LumaView::new(&bytes, 3, 2, 8).expect("8 + 3 bytes suffice");
        assert_eq!(view.row(1), &[7, 7, 7]);
        assert!(view.row(2).is_empty());
        assert_eq!(
            LumaView::new(&bytes[..10], 3, 2, 8).unwrap_err(),
            LumaViewError::TooFewBytes { actual_bytes: 10, expected_bytes: 11 }
        );
    }

    #[test]
    fn a_strip_shows_the_rows_it_holds_and_no_others() {
        let picture: [u8; 40] = core::array::from_fn(|i| i as u8);
        let whole = LumaView::new(&picture, 4, 10, 4).expect("40 bytes suffice");
        let strip = LumaView::strip(&picture[12..24], 4, 10, 4, 3).expect("three rows");
        for y in 0..12 {
            assert_eq!(strip.row(y), if (3..6).contains(&y) { whole.row(y) } else { &[] }, "row {y}");
        }
        assert_eq!(strip.height_px(), 10);
        assert!(LumaView::strip(&picture[..3], 4, 10, 4, 0).is_err());
        let far = LumaView::strip(&picture, 4, usize::MAX, 4, 1).expect("ten rows");
        assert!(far.row(usize::MAX - 1).is_empty());
    }

    #[test]
    fn impossible_sizes_are_refused() {
        assert_eq!(LumaView::new(&[], 0, 5, 5).unwrap_err(), LumaViewError::Empty);
        assert!(matches!(LumaView::new(&[0; 64], 9, 2, 8), Err(LumaViewError::StrideTooShort { .. })));
        assert!(matches!(
            LumaView::new(&[0; 64], usize::MAX, usize::MAX, usize::MAX),
            Err(LumaViewError::TooFewBytes { .. })
        ));
    }
}

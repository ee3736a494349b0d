//! Red, green and blue to the planes of a video frame (ITU-R BT.601, limited range, chroma at a quarter of the size).
//!
//! Done here once for each picture that differs, not by the encoder for every frame.

/// A plane's weights for red, green and blue: BT.601's, scaled to the limited range and by `1 << SCALE_BITS`.
struct Weights {
    red: i32,
    green: i32,
    blue: i32,
    offset: i32,
}

const SCALE_BITS: u32 = 16;
const LUMA: Weights = Weights { red: 16_829, green: 33_039, blue: 6_416, offset: 16 };
const BLUE_DIFFERENCE: Weights = Weights { red: -9_714, green: -19_070, blue: 28_784, offset: 128 };
const RED_DIFFERENCE: Weights = Weights { red: 28_784, green: -24_103, blue: -4_681, offset: 128 };

impl Weights {
    /// The plane's value for a colour whose channels are sums over `1 << sum_bits` pixels. The weights keep it within
    /// 16 to 240, so that it always fits a byte.
    #[inline]
    fn weigh(&self, red: i32, green: i32, blue: i32, sum_bits: u32) -> u8 {
        let shift = SCALE_BITS + sum_bits;
        let rounding = (self.offset << shift) + (1 << (shift - 1));
        ((self.red * red + self.green * green + self.blue * blue + rounding) >> shift) as u8
    }
}

/// Fills `frame` with the Y plane and then the U and V planes of half the width and height.
///
/// `rgba` holds `width * height` opaque pixels of four bytes; both sizes are even.
pub(super) fn frame_from_rgba(rgba: &[u8], width: usize, height: usize, frame: &mut Vec<u8>) {
    let luma_len = width * height;
    frame.resize(luma_len + luma_len / 2, 0);
    let (luma, chroma) = frame.split_at_mut(luma_len);
    let (blue_plane, red_plane) = chroma.split_at_mut(luma_len / 4);
    for (out, pixel) in luma.iter_mut().zip(rgba.chunks_exact(4)) {
        *out = LUMA.weigh(i32::from(pixel[0]), i32::from(pixel[1]), i32::from(pixel[2]), 0);
    }
    let row_bytes = width * 4;
    let row_pairs = rgba.chunks_exact(row_bytes * 2);
    let planes = blue_plane.chunks_exact_mut(width / 2).zip(red_plane.chunks_exact_mut(width / 2));
    for (rows, (blue_row, red_row)) in row_pairs.zip(planes) {
        let (upper, lower) = rows.split_at(row_bytes);
        let quads = upper.chunks_exact(8).zip(lower.chunks_exact(8));
        for ((above, below), (blue_out, red_out)) in quads.zip(blue_row.iter_mut().zip(red_row)) {
            let sum = |channel: usize| {
                i32::from(above[channel])
                    + i32::from(above[channel + 4])
                    + i32::from(below[channel])
                    + i32::from(below[channel + 4])
            };
            let (red, green, blue) = (sum(0), sum(1), sum(2));
            *blue_out = BLUE_DIFFERENCE.weigh(red, green, blue, 2);
            *red_out = RED_DIFFERENCE.weigh(red, green, blue, 2);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn frame_of(color: [u8; 3]) -> Vec<u8> {
        let rgba: Vec<u8> = std::iter::repeat_n([color[0], color[1], color[2], 255], 4).flatten().collect();
        let mut frame = Vec::new();
        frame_from_rgba(&rgba, 2, 2, &mut frame);
        frame
    }

    #[test]
    fn the_pure_colours_have_the_standards_values() {
        assert_eq!(frame_of([0, 0, 0]), [16, 16, 16, 16, 128, 128]);
        assert_eq!(frame_of([255, 255, 255]), [235, 235, 235, 235, 128, 128]);
        assert_eq!(frame_of([255, 0, 0]), [81, 81, 81, 81, 90, 240]);
        assert_eq!(frame_of([0, 255, 0]), [145, 145, 145, 145, 54, 34]);
        assert_eq!(frame_of([0, 0, 255]), [41, 41, 41, 41, 240, 110]);
    }

    #[test]
    fn no_colour_leaves_the_limited_range() {
        for corner in 0..8_u8 {
            let color = [corner & 1, corner >> 1 & 1, corner >> 2].map(|bit| bit * 255);
            let frame = frame_of(color);
            assert!((16..=235).contains(&frame[0]), "{color:?}: {frame:?}");
            assert!(frame[4..].iter().all(|chroma| (16..=240).contains(chroma)), "{color:?}: {frame:?}");
        }
    }

    #[test]
    fn chroma_is_the_mean_of_four_pixels() {
        let white_and_blue: Vec<u8> =
            [[255, 255, 255, 255], [0, 0, 255, 255], [0, 0, 255, 255], [255, 255, 255, 255]].concat();
        let mut frame = Vec::new();
        frame_from_rgba(&white_and_blue, 2, 2, &mut frame);
        assert_eq!(frame, [235, 41, 41, 235, 184, 119]);
    }
}

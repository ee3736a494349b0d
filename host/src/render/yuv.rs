//! Red, green and blue to the planes of a video frame (ITU-R BT.601, limited range, chroma at a quarter of the size).
//!
//! Done here once for each picture that differs, not by the encoder for every frame.

/// Fixed-point weights: BT.601's, scaled to the limited range and by 65536.
const SCALE_BITS: i32 = 16;
const Y: [i32; 3] = [16_829, 33_039, 6_416];
const CB: [i32; 3] = [-9_714, -19_070, 28_784];
const CR: [i32; 3] = [28_784, -24_103, -4_681];

const Y_OFFSET: i32 = 16;
const CHROMA_OFFSET: i32 = 128;

/// Fills `frame` with the Y plane and then the U and V planes of half the width and height.
///
/// `rgba` holds `width * height` opaque pixels of four bytes; both sizes are even.
pub(super) fn frame_from_rgba(rgba: &[u8], width: usize, height: usize, frame: &mut Vec<u8>) {
    let luma_len = width * height;
    frame.clear();
    frame.resize(luma_len + luma_len / 2, 0);
    let (luma, chroma) = frame.split_at_mut(luma_len);
    let (blue_plane, red_plane) = chroma.split_at_mut(luma_len / 4);
    for (out, pixel) in luma.iter_mut().zip(rgba.chunks_exact(4)) {
        *out = weigh(&Y, [pixel[0], pixel[1], pixel[2]].map(i32::from), 0, Y_OFFSET);
    }
    let row_bytes = width * 4;
    let row_pairs = rgba.chunks_exact(row_bytes * 2);
    let planes = blue_plane.chunks_exact_mut(width / 2).zip(red_plane.chunks_exact_mut(width / 2));
    for (rows, (blue_row, red_row)) in row_pairs.zip(planes) {
        let (upper, lower) = rows.split_at(row_bytes);
        let quads = upper.chunks_exact(8).zip(lower.chunks_exact(8));
        for ((above, below), (blue, red)) in quads.zip(blue_row.iter_mut().zip(red_row)) {
            let sum = |channel: usize| {
                let bytes = [above[channel], above[channel + 4], below[channel], below[channel + 4]];
                bytes.map(i32::from).iter().sum()
            };
            let sums = [sum(0), sum(1), sum(2)];
            *blue = weigh(&CB, sums, 2, CHROMA_OFFSET);
            *red = weigh(&CR, sums, 2, CHROMA_OFFSET);
        }
    }
}

/// The weighted sum of a colour whose channels are sums over `1 << sum_bits` pixels.
fn weigh(weights: &[i32; 3], rgb: [i32; 3], sum_bits: i32, offset: i32) -> u8 {
    let shift = SCALE_BITS + sum_bits;
    let sum: i32 = weights.iter().zip(rgb).map(|(weight, value)| weight * value).sum();
    let rounded = (sum + (1 << (shift - 1))) >> shift;
    (rounded + offset).clamp(0, 255) as u8
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
    fn chroma_is_the_mean_of_four_pixels() {
        let white_and_blue: Vec<u8> =
            [[255, 255, 255, 255], [0, 0, 255, 255], [0, 0, 255, 255], [255, 255, 255, 255]].concat();
        let mut frame = Vec::new();
        frame_from_rgba(&white_and_blue, 2, 2, &mut frame);
        assert_eq!(frame, [235, 41, 41, 235, 184, 119]);
    }
}

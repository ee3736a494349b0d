//! Which frames may show anything new, judged by the sizes of their packets.
//!
//! On a still board an encoder sends packets of some thirty bytes that say "as before". Decoding cannot leave them out,
//! but turning them into pictures, handing them over and looking at them can: that is the larger part of the work.

/// A frame of so few bytes says nothing new: a slice header and one run of skipped macroblocks.
const STILL_BYTES_MIN: u32 = 16;
/// So large a share of the frames of a game show a still board, at least; else all frames have more bytes and are kept.
const STILL_SHARE_PERCENT: usize = 30;
/// A frame of so many bytes may still say nothing new, in a video whose frames mostly have that many.
const STILL_BYTES_MAX: u32 = 48;
/// A run of skipped macroblocks grows a little with their number.
const MACROBLOCKS_PER_BYTE: u32 = 100;
/// Frames kept after the last that may show something new, to see that it stands.
const FRAMES_AFTER: u32 = 2;
/// At least each so many frames one is kept, come what may.
const GAP_MAX_FRAMES: u32 = 25;
/// Above this share of frames a selection saves nothing.
const KEPT_SHARE_MAX_PERCENT: u64 = 70;
/// Stretches that a selection may have: ffmpeg takes them as one expression.
const STRETCHES_MAX: usize = 20_000;

/// Frames in a row that are kept, by their timestamps in ticks.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Stretch {
    /// The first frame kept.
    pub first_pts: i64,
    /// The last frame kept.
    pub last_pts: i64,
    /// The frame just before the first, which is left out.
    pub before_pts: Option<i64>,
}

/// The frames of a video to look at.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum FramePlan {
    /// All of them.
    All,
    /// Those of these stretches, in order.
    Some(Vec<Stretch>),
}

impl FramePlan {
    /// An expression over `pts` for ffmpeg's select filter; `None` where all frames are wanted.
    ///
    /// A binary tree, so that each frame is decided in a few steps.
    #[must_use]
    pub fn select_expression(&self) -> Option<String> {
        fn tree(stretches: &[Stretch], text: &mut String) {
            match stretches {
                [] => text.push('0'),
                [one] => text.push_str(&format!("between(pts,{},{})", one.first_pts, one.last_pts)),
                many => {
                    let (left, right) = many.split_at(many.len() / 2);
                    text.push_str(&format!("if(lt(pts,{}),", right[0].first_pts));
                    tree(left, text);
                    text.push(',');
                    tree(right, text);
                    text.push(')');
                }
            }
        }
        let Self::Some(stretches) = self else { return None };
        let mut text = String::new();
        tree(stretches, &mut text);
        Some(text)
    }

    /// The timestamp of the frame that was left out just before the kept frame `pts`.
    #[must_use]
    pub fn left_out_before(&self, pts: i64) -> Option<i64> {
        let Self::Some(stretches) = self else { return None };
        let index = stretches.binary_search_by_key(&pts, |s| s.first_pts).ok()?;
        stretches[index].before_pts
    }

    /// The plan from `pts` on.
    #[must_use]
    pub fn from_pts(&self, pts: i64) -> Self {
        match self {
            Self::All => Self::All,
            Self::Some(stretches) => Self::Some(
                stretches
                    .iter()
                    .filter(|s| s.last_pts >= pts)
                    .map(|s| Stretch { first_pts: s.first_pts.max(pts), ..*s })
                    .collect(),
            ),
        }
    }
}

/// Makes a plan from packets in decoding order.
#[derive(Debug, Default)]
pub(super) struct Planner {
    still_bytes_max: u32,
    is_blind: bool,
    newest_pts: Option<i64>,
    packets: Vec<Packet>,
    stretches: Vec<Stretch>,
    previous_pts: Option<i64>,
    is_open: bool,
    frames_since_news: u32,
    frames_left_out: u32,
    kept: u64,
}

#[derive(Clone, Copy, Debug)]
struct Packet {
    pts: i64,
    size_bytes: u32,
    /// Shown after all before it: the frames between were coded from it, so they wait for it.
    is_anchor: bool,
}

impl Planner {
    /// Takes the next packet's timestamp and size.
    pub(super) fn add(&mut self, pts: Option<i64>, size_bytes: Option<u64>) {
        let (Some(pts), Some(size_bytes)) = (pts, size_bytes) else {
            self.is_blind = true;
            return;
        };
        if self.is_blind {
            return;
        }
        let is_anchor = self.newest_pts.is_none_or(|newest| pts > newest);
        if is_anchor {
            self.newest_pts = Some(pts);
        }
        self.packets.push(Packet {
            pts,
            size_bytes: u32::try_from(size_bytes).unwrap_or(u32::MAX),
            is_anchor,
        });
    }

    /// Up to how many bytes a packet of a kind says nothing new: a little more than the video's usual packet, for a
    /// board mostly stands still.
    fn still_bytes(&self, is_anchor: bool) -> u32 {
        let mut sizes: Vec<u32> =
            self.packets.iter().filter(|p| p.is_anchor == is_anchor).map(|p| p.size_bytes).collect();
        let rank = sizes.len() * STILL_SHARE_PERCENT / 100;
        let usual = if sizes.is_empty() { 0 } else { *sizes.select_nth_unstable(rank).1 };
        usual.saturating_add(usual / 4).saturating_add(2).clamp(STILL_BYTES_MIN, self.still_bytes_max)
    }

    /// Decides on the frames of each group: those shown after one anchor and up to the next.
    fn plan(&mut self) {
        let still_bytes = [self.still_bytes(false), self.still_bytes(true)];
        let packets = core::mem::take(&mut self.packets);
        let mut rest = packets.as_slice();
        while !rest.is_empty() {
            let end = rest.iter().skip(1).position(|p| p.is_anchor).map_or(rest.len(), |i| i + 1);
            let (group, after) = rest.split_at(end);
            let has_news = group.iter().any(|p| p.size_bytes > still_bytes[usize::from(p.is_anchor)]);
            let mut shown: Vec<i64> = group.iter().map(|p| p.pts).collect();
            shown.sort_unstable();
            for pts in shown {
                self.frames_since_news = if has_news { 0 } else { self.frames_since_news.saturating_add(1) };
                if self.frames_since_news <= FRAMES_AFTER || self.frames_left_out >= GAP_MAX_FRAMES {
                    self.keep(pts);
                } else {
                    self.is_open = false;
                    self.frames_left_out += 1;
                }
                self.previous_pts = Some(pts);
            }
            rest = after;
        }
    }

    fn keep(&mut self, pts: i64) {
        self.kept += 1;
        self.frames_left_out = 0;
        match self.stretches.last_mut() {
            Some(open) if self.is_open => open.last_pts = pts,
            _ => {
                self.stretches.push(Stretch { first_pts: pts, last_pts: pts, before_pts: self.previous_pts });
            }
        }
        self.is_open = true;
    }

    /// The shortest usual time between two frames, in ticks: that of a quarter of all frames or more.
    pub(super) fn frame_interval(&self) -> Option<i64> {
        let mut shown: Vec<i64> = self.packets.iter().map(|packet| packet.pts).collect();
        shown.sort_unstable();
        let mut intervals: Vec<i64> =
            shown.windows(2).map(|pair| pair[1] - pair[0]).filter(|&ticks| ticks > 0).collect();
        let quarter = intervals.len() / 4;
        (!intervals.is_empty()).then(|| *intervals.select_nth_unstable(quarter).1)
    }

    /// The plan for all packets of a video with frames of so many macroblocks; where sizes tell nothing all frames are
    /// kept.
    pub(super) fn finish(mut self, macroblocks: u64, has_telling_sizes: bool) -> FramePlan {
        let macroblocks = u32::try_from(macroblocks).unwrap_or(u32::MAX);
        self.still_bytes_max = STILL_BYTES_MAX + macroblocks / MACROBLOCKS_PER_BYTE;
        self.is_blind |= !has_telling_sizes;
        let frames = self.packets.len() as u64;
        self.plan();
        let keeps_most = self.kept * 100 > frames * KEPT_SHARE_MAX_PERCENT;
        if self.is_blind || keeps_most || self.stretches.len() > STRETCHES_MAX {
            FramePlan::All
        } else {
            FramePlan::Some(self.stretches)
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn plan(packets: &[(i64, u64)]) -> FramePlan {
        let mut planner = Planner::default();
        for &(pts, size) in packets {
            planner.add(Some(pts), Some(size));
        }
        planner.finish(900, true)
    }

    fn stretch(first_pts: i64, last_pts: i64, before_pts: Option<i64>) -> Stretch {
        Stretch { first_pts, last_pts, before_pts }
    }

    #[test]
    fn still_frames_are_left_out_and_two_after_each_change_are_kept() {
        let mut packets = vec![(0, 9000)];
        packets.extend((1..20).map(|pts| (pts, if pts == 10 { 400 } else { 30 })));
        let expected = vec![stretch(0, 2, None), stretch(10, 12, Some(9))];
        assert_eq!(plan(&packets), FramePlan::Some(expected));
    }

    #[test]
    fn frames_between_a_changed_frame_and_its_reference_are_kept() {
        let mut packets = vec![(0, 9000)];
        // In decoding order each reference frame comes before the three frames that are shown before it.
        for anchor in (4..60).step_by(4) {
            packets.push((anchor, if anchor == 20 { 500 } else { 30 }));
            packets.extend([2, 1, 3].map(|b| (anchor - 4 + b, 25)));
        }
        let FramePlan::Some(stretches) = plan(&packets) else { panic!("most frames are still") };
        assert!(stretches.contains(&stretch(17, 22, Some(16))), "{stretches:?}");
    }

    #[test]
    fn a_long_still_is_looked_at_now_and_then() {
        let mut packets = vec![(0, 9000)];
        packets.extend((1..200).map(|pts| (pts, 30)));
        let FramePlan::Some(stretches) = plan(&packets) else { panic!("most frames are still") };
        for pair in stretches.windows(2) {
            assert!(pair[1].first_pts - pair[0].last_pts <= i64::from(GAP_MAX_FRAMES) + 1);
        }
        assert!(stretches.len() > 5);
    }

    #[test]
    fn the_frame_interval_is_that_between_frames_in_a_row() {
        let mut planner = Planner::default();
        assert_eq!(planner.frame_interval(), None);
        // Ten frames in a row, in coding order, then one after each of twenty pauses.
        for pts in [0, 3, 1, 2, 6, 4, 5, 9, 7, 8].into_iter().chain((1..=20).map(|i| i * 40)) {
            planner.add(Some(pts), Some(100));
        }
        assert_eq!(planner.frame_interval(), Some(1));
    }

    #[test]
    fn where_sizes_tell_nothing_all_frames_are_kept() {
        let noisy: Vec<_> = (0..100).map(|pts| (pts, 5000)).collect();
        assert_eq!(plan(&noisy), FramePlan::All);
        let mut planner = Planner::default();
        planner.add(Some(0), Some(9000));
        planner.add(None, Some(30));
        assert_eq!(planner.finish(900, true), FramePlan::All);
    }

    #[test]
    fn the_expression_names_each_stretch_once() {
        let plan =
            FramePlan::Some(vec![stretch(0, 2, None), stretch(9, 9, Some(8)), stretch(20, 30, Some(19))]);
        assert_eq!(
            plan.select_expression().expect("some frames are left out"),
            "if(lt(pts,9),between(pts,0,2),if(lt(pts,20),between(pts,9,9),between(pts,20,30)))"
        );
        assert_eq!(plan.left_out_before(9), Some(8));
        assert_eq!(plan.left_out_before(21), None);
        assert_eq!(
            plan.from_pts(25).select_expression().expect("some frames are left out"),
            "between(pts,25,30)"
        );
    }
}

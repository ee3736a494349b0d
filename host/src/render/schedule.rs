//! Which frames show what: the plies' times and the slide of a piece, turned into shots of equal or moving frames.

use std::str::FromStr;
use std::time::Duration;

use plyscope_core::media_time::MediaTime;

use super::frame_rate::FrameRate;
use crate::game_record::FIRST_PLY_AT;

/// How long a piece takes from its old square to its new one.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Slide {
    /// The piece is gone from one square and stands on the other in the next frame.
    #[default]
    Instant,
    /// A number of frames.
    Frames(u32),
    /// A time, whatever the frame rate.
    Time(Duration),
}

/// A slide that is neither frames nor milliseconds.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("\"{0}\" is no slide; write a number of frames such as 6, or up to 60 seconds such as 200ms")]
pub struct SlideError(String);

const SLIDE_FRAMES_MAX: u32 = 10_000;
const SLIDE_MS_MAX: u32 = 60_000;

impl FromStr for Slide {
    type Err = SlideError;

    fn from_str(text: &str) -> Result<Slide, SlideError> {
        let refuse = || SlideError(text.to_owned());
        let (number, is_time) = text.strip_suffix("ms").map_or((text, false), |number| (number, true));
        let number: u32 = number.trim().parse().map_err(|_| refuse())?;
        match (number, is_time) {
            (0, _) => Ok(Slide::Instant),
            (1..=SLIDE_MS_MAX, true) => Ok(Slide::Time(Duration::from_millis(u64::from(number)))),
            (1..=SLIDE_FRAMES_MAX, false) => Ok(Slide::Frames(number)),
            _ => Err(refuse()),
        }
    }
}

/// How the speed of a sliding piece changes on its way.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, clap::ValueEnum)]
pub enum Easing {
    /// Even speed.
    #[default]
    Linear,
    /// Slow at both ends.
    Cubic,
}

impl Easing {
    /// The share of the way done at a share of the time, both 0 to 1.
    pub fn share_of_way(self, share_of_time: f64) -> f64 {
        let t = share_of_time.clamp(0.0, 1.0);
        match self {
            Easing::Linear => t,
            Easing::Cubic if t < 0.5 => 4.0 * t.powi(3),
            Easing::Cubic => 1.0 - (2.0 - 2.0 * t).powi(3) / 2.0,
        }
    }
}

/// What one picture shows.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Scene {
    /// The position after so many plies, all pieces at rest.
    Still {
        /// The plies made.
        plies: usize,
    },
    /// A piece on its way.
    Sliding {
        /// The index of the ply under way, from 0; those before it are at rest.
        ply: usize,
        /// The share of the slide's time that has passed, 0 to 1.
        share_of_time: f64,
    },
}

/// A run of equal frames.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Shot {
    /// What they show.
    pub scene: Scene,
    /// How many they are, at least one.
    pub frames: u64,
}

/// The frames of one ply: its piece moves from `start` and rests from `rest` on.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct PlyFrames {
    time: MediaTime,
    start: u64,
    rest: u64,
}

/// All frames of a video.
#[derive(Clone, Debug)]
pub struct Schedule {
    plies: Vec<PlyFrames>,
    rate: FrameRate,
    slide: Slide,
    total_frames: u64,
}

impl Schedule {
    /// Plans the video of a game whose plies have the given times, which must not decrease. The last picture
    /// stays for `tail`.
    ///
    /// Without a slide ply `i` is shown first on frame ceil(t * rate). With one the piece leaves at that time
    /// and rests when the slide is over, or in the frame in which the next ply begins, if that comes before.
    pub fn new(times: &[MediaTime], rate: FrameRate, slide: Slide, tail: Duration) -> Schedule {
        let mut plies: Vec<PlyFrames> = times
            .iter()
            .map(|&time| {
                let start = rate.first_frame_at(time);
                let rest = match slide {
                    Slide::Instant => start,
                    Slide::Frames(frames) => start.saturating_add(u64::from(frames)),
                    Slide::Time(duration) => rate.first_frame_at(later(time, duration)),
                };
                PlyFrames { time, start, rest }
            })
            .collect();
        for ply in 1..plies.len() {
            let next_start = plies[ply].start;
            plies[ply - 1].rest = plies[ply - 1].rest.min(next_start);
        }
        let (last_time, last_rest) = plies.last().map_or((FIRST_PLY_AT, 0), |last| (last.time, last.rest));
        let tail_frames = rate.first_frame_at(later(MediaTime::ZERO, tail));
        let total_frames =
            rate.first_frame_at(later(last_time, tail)).max(last_rest.saturating_add(tail_frames));
        Schedule { plies, rate, slide, total_frames }
    }

    /// The number of frames of the video.
    pub fn total_frames(&self) -> u64 {
        self.total_frames
    }

    /// The time at which each ply's piece stands on its new square: without a slide the ply's own time, else that
    /// of the first frame in which the piece rests.
    pub fn settled_at(&self) -> Vec<MediaTime> {
        self.plies
            .iter()
            .map(|ply| if self.slide == Slide::Instant { ply.time } else { self.rate.time_of(ply.rest) })
            .collect()
    }

    /// The frame with which each ply begins.
    pub fn first_frames(&self) -> Vec<u64> {
        self.plies.iter().map(|ply| ply.start).collect()
    }

    /// The video as runs of equal frames, in order.
    pub fn shots(&self) -> impl Iterator<Item = Shot> + '_ {
        let first_start = self.plies.first().map_or(self.total_frames, |ply| ply.start);
        let opening = still(0, first_start);
        let plies = self.plies.iter().enumerate().flat_map(move |(index, ply)| {
            let next_start = self.plies.get(index + 1).map_or(self.total_frames, |next| next.start);
            let sliding = (ply.start..ply.rest).map(move |frame| {
                let share_of_time = self.share_of_slide(ply, frame);
                Shot { scene: Scene::Sliding { ply: index, share_of_time }, frames: 1 }
            });
            sliding.chain(still(index + 1, next_start - ply.rest))
        });
        opening.into_iter().chain(plies)
    }

    fn share_of_slide(&self, ply: &PlyFrames, frame: u64) -> f64 {
        let slide_us = match self.slide {
            Slide::Instant => return 1.0,
            Slide::Frames(frames) => self.rate.time_of(u64::from(frames)).us(),
            Slide::Time(duration) => later(MediaTime::ZERO, duration).us(),
        };
        let passed_us = self.rate.time_of(frame).us_since(ply.time);
        (passed_us as f64 / slide_us as f64).clamp(0.0, 1.0)
    }
}

fn later(moment: MediaTime, wait: Duration) -> MediaTime {
    let wait_us = i64::try_from(wait.as_micros()).unwrap_or(i64::MAX);
    MediaTime::from_us(moment.us().saturating_add(wait_us))
}

fn still(plies: usize, frames: u64) -> Option<Shot> {
    (frames > 0).then_some(Shot { scene: Scene::Still { plies }, frames })
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn ms(times: &[i64]) -> Vec<MediaTime> {
        times.iter().copied().map(MediaTime::from_ms).collect()
    }

    fn rate(fps: u32) -> FrameRate {
        FrameRate::new(fps, 1).expect("in range")
    }

    /// The scene of every frame.
    fn frames(schedule: &Schedule) -> Vec<Scene> {
        schedule.shots().flat_map(|shot| (0..shot.frames).map(move |_| shot.scene)).collect()
    }

    #[test]
    fn an_instant_ply_is_first_shown_on_the_frame_at_its_time() {
        let schedule =
            Schedule::new(&ms(&[2000, 2100, 3050]), rate(30), Slide::Instant, Duration::from_secs(1));
        let frames = frames(&schedule);
        assert_eq!(frames[59], Scene::Still { plies: 0 });
        assert_eq!(frames[60], Scene::Still { plies: 1 });
        assert_eq!(frames[63], Scene::Still { plies: 2 });
        assert_eq!((frames[91], frames[92]), (Scene::Still { plies: 2 }, Scene::Still { plies: 3 }));
        assert_eq!(schedule.settled_at(), ms(&[2000, 2100, 3050]));
    }

    #[test]
    fn plies_within_one_frame_are_shown_together() {
        let schedule =
            Schedule::new(&ms(&[2000, 2100, 2200]), rate(5), Slide::Instant, Duration::from_secs(1));
        let shots: Vec<Shot> = schedule.shots().collect();
        let plies_shown: Vec<Scene> = shots.iter().map(|shot| shot.scene).collect();
        assert_eq!(
            plies_shown,
            [Scene::Still { plies: 0 }, Scene::Still { plies: 1 }, Scene::Still { plies: 3 }]
        );
    }

    #[test]
    fn a_sliding_piece_leaves_at_its_time_and_rests_after_the_slide() {
        let schedule = Schedule::new(&ms(&[2000]), rate(30), Slide::Frames(6), Duration::from_secs(1));
        let frames = frames(&schedule);
        assert_eq!(frames[59], Scene::Still { plies: 0 });
        let Scene::Sliding { ply: 0, share_of_time } = frames[63] else { panic!("{:?}", frames[63]) };
        assert!((share_of_time - 0.5).abs() < 1e-6);
        assert!(matches!(frames[65], Scene::Sliding { .. }));
        assert_eq!(frames[66], Scene::Still { plies: 1 });
        assert_eq!(schedule.settled_at(), ms(&[2200]));
    }

    #[test]
    fn a_reply_during_the_slide_makes_the_piece_jump() {
        let schedule = Schedule::new(&ms(&[2000, 2100]), rate(30), Slide::Frames(6), Duration::from_secs(1));
        let frames = frames(&schedule);
        assert!(matches!(frames[62], Scene::Sliding { ply: 0, .. }));
        assert!(matches!(frames[63], Scene::Sliding { ply: 1, .. }));
        assert_eq!(schedule.settled_at(), ms(&[2100, 2300]));
    }

    #[test]
    fn slides_are_read_as_frames_or_milliseconds() {
        assert_eq!("0".parse(), Ok(Slide::Instant));
        assert_eq!("6".parse(), Ok(Slide::Frames(6)));
        assert_eq!("200ms".parse(), Ok(Slide::Time(Duration::from_millis(200))));
        for text in ["", "-1", "1s", "ms", "99999999999", "60001ms"] {
            assert!(text.parse::<Slide>().is_err(), "{text:?}");
        }
    }

    proptest! {
        #[test]
        fn every_frame_is_planned_once_and_plies_never_go_back(
            gaps_ms in proptest::collection::vec(0_i64..1500, 0..40),
            fps in 1_u32..=60,
            slide in prop_oneof![
                Just(Slide::Instant),
                (1_u32..30).prop_map(Slide::Frames),
                (1_u64..900).prop_map(|ms| Slide::Time(Duration::from_millis(ms))),
            ],
        ) {
            let times: Vec<i64> =
                gaps_ms.iter().scan(2000, |time, gap| { *time += gap; Some(*time) }).collect();
            let schedule = Schedule::new(&ms(&times), rate(fps), slide, Duration::from_secs(3));
            let frames = frames(&schedule);
            prop_assert_eq!(frames.len() as u64, schedule.total_frames());
            prop_assert_eq!(frames.last(), Some(&Scene::Still { plies: times.len() }));
            let plies_begun = |scene: &Scene| match *scene {
                Scene::Still { plies } => plies,
                Scene::Sliding { ply, .. } => ply + 1,
            };
            prop_assert!(frames.is_sorted_by_key(plies_begun));
        }
    }
}

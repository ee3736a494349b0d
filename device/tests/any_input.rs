//! Whatever a device is shown, it does not panic, and every row that it writes is JSON.

use plyscope_core::judge::packed_move::PackedMove;
use plyscope_core::judge::win_model::WinModel;
use plyscope_core::media_time::MediaTime;
use plyscope_device::evaluation::evaluation;
use plyscope_device::input_stream::Header;
use plyscope_device::judged_row::JudgedRow;
use plyscope_device::profile::{FullDevice, LeastDevice, SmallReferee, SmallTables};
use plyscope_device::referee::{Judgement, RefereeError};
use plyscope_device::seer::{Sight, rows_of_rank};
use plyscope_device::{Device, Unjudged};
use proptest::prelude::*;
use proptest::strategy::ValueTree;
use proptest::test_runner::{RngSeed, TestRunner};
use shakmaty::{Board, Chess, Color, Position, Rank, Role, Square};

const SIDE_PX: usize = 64;
const FRAME_BYTES: usize = SIDE_PX * SIDE_PX;

/// Whether a cell of an eight by eight square belongs to a piece.
fn is_drawn(role: Role, x: usize, y: usize) -> bool {
    let (dx, dy) = (x.abs_diff(7 - x), y.abs_diff(7 - y));
    match role {
        Role::Pawn => dx <= 3 && dy <= 1,
        Role::Knight => (1..7).contains(&y) && (1..=y).contains(&x),
        Role::Bishop => dx + dy <= 6,
        Role::Rook => dx <= 5 && dy <= 5,
        Role::Queen => (dx <= 1 || dy <= 1) && dx <= 5 && dy <= 5,
        Role::King => dx <= 5 && dy <= 5 && (dx > 1 || dy > 1),
    }
}

/// A frame of a board, White at the bottom.
fn picture(board: &Board) -> Vec<u8> {
    let luma_at = |index: usize| {
        let (x, y) = (index % SIDE_PX, index / SIDE_PX);
        let square = Square::new(((7 - y / 8) * 8 + x / 8) as u32);
        let bare = if square.is_light() { 190 } else { 120 };
        board.piece_at(square).filter(|piece| is_drawn(piece.role, x % 8, y % 8)).map_or(bare, |piece| {
            match piece.color {
                Color::White => 250,
                Color::Black => 20,
            }
        })
    };
    (0..FRAME_BYTES).map(luma_at).collect()
}

/// Something that a device is shown.
#[derive(Clone, Debug)]
enum Shown {
    /// The board after a ply, one of the legal ones.
    Ply(prop::sample::Index),
    /// The board once more.
    Still,
    /// The board with a rectangle of noise over it.
    Spoilt { start: usize, noise: Vec<u8> },
    /// A ply and the next one, and nothing between.
    TwoPlies(prop::sample::Index, prop::sample::Index),
    /// No board at all.
    Noise { seed: u32 },
    /// One luma.
    Flat(u8),
    /// A strip that is none, of a frame of any size.
    Strip { bytes: Vec<u8>, side_px: usize, rank: u32 },
    /// The end of a frame of which nothing was shown.
    Nothing { side_px: usize },
}

fn shown() -> impl Strategy<Value = Shown> {
    let index = any::<prop::sample::Index>;
    let side = || prop_oneof![0..300_usize, Just(usize::MAX), Just(16_384), Just(16_385)];
    prop_oneof![
        8 => index().prop_map(Shown::Ply),
        8 => Just(Shown::Still),
        3 => (0..FRAME_BYTES, proptest::collection::vec(any::<u8>(), 1..2000))
            .prop_map(|(start, noise)| Shown::Spoilt { start, noise }),
        3 => (index(), index()).prop_map(|(first, second)| Shown::TwoPlies(first, second)),
        2 => any::<u32>().prop_map(|seed| Shown::Noise { seed }),
        1 => any::<u8>().prop_map(Shown::Flat),
        1 => (proptest::collection::vec(any::<u8>(), 0..3000), side(), 0..8_u32)
            .prop_map(|(bytes, side_px, rank)| Shown::Strip { bytes, side_px, rank }),
        1 => side().prop_map(|side_px| Shown::Nothing { side_px }),
    ]
}

/// How much time passes before something is shown, microseconds; at times backwards.
fn pause_us() -> impl Strategy<Value = i64> {
    prop_oneof![20 => 10_000..400_000_i64, 2 => -400_000..10_000_i64, 1 => any::<i64>()]
}

fn play(position: &mut Chess, index: prop::sample::Index) {
    let moves = position.legal_moves();
    if !moves.is_empty() {
        position.play_unchecked(moves[index.index(moves.len())]);
    }
}

/// Shows everything to a device and returns its rows. An error is the device's right; a panic is not.
fn rows<const HYPOTHESES: usize, const SIGHTINGS: usize, const TEXTURES: usize>(
    device: &mut Device<HYPOTHESES, SIGHTINGS, TEXTURES>,
    all: &[(Shown, i64)],
) -> Vec<String> {
    let mut rows = Vec::new();
    let mut emit = |row: &[u8]| rows.push(String::from_utf8_lossy(row).into_owned());
    let (mut position, mut arbiter, mut now) = (Chess::new(), Unjudged::new(), MediaTime::ZERO);
    let mut look = |device: &mut Device<_, _, _>, frame: &[u8], now: MediaTime| {
        for rank in Rank::ALL {
            let of_rank = rows_of_rank(SIDE_PX, rank).expect("a size that can be read");
            let strip = &frame[of_rank.start * SIDE_PX..of_rank.end * SIDE_PX];
            device.look_at_rank(strip, SIDE_PX, rank, now).expect("a strip of that size");
        }
        device.conclude(SIDE_PX, now, &mut arbiter, &mut emit)
    };
    assert_eq!(look(device, &picture(position.board()), now), Ok(Sight::Game), "the start is seen");
    for (shown, pause_us) in all {
        now = MediaTime::from_us(now.us().wrapping_add(*pause_us));
        let mut frame = Vec::new();
        match shown {
            Shown::Ply(index) => play(&mut position, *index),
            Shown::TwoPlies(first, second) => {
                play(&mut position, *first);
                play(&mut position, *second);
            }
            Shown::Still | Shown::Spoilt { .. } => {}
            Shown::Noise { seed } => {
                let mut state = *seed;
                frame = std::iter::repeat_with(|| {
                    state = state.wrapping_mul(1_664_525).wrapping_add(1_013_904_223);
                    (state >> 24) as u8
                })
                .take(FRAME_BYTES)
                .collect();
            }
            Shown::Flat(luma) => frame = vec![*luma; FRAME_BYTES],
            Shown::Strip { bytes, side_px, rank } => {
                let _ = device.look_at_rank(bytes, *side_px, Rank::new(*rank), now);
                continue;
            }
            Shown::Nothing { side_px } => {
                let _ = device.conclude(*side_px, now, &mut Unjudged::new(), &mut |_| {});
                continue;
            }
        }
        if frame.is_empty() {
            frame = picture(position.board());
        }
        if let Shown::Spoilt { start, noise } = shown {
            frame[*start..].iter_mut().zip(noise).for_each(|(luma, noise)| *luma = *noise);
        }
        let _ = look(device, &frame, now);
    }
    let _ = device.finish(&mut arbiter, &mut emit);
    rows
}

#[test]
fn a_drawn_game_is_read_ply_by_ply() {
    let mut runner = TestRunner::deterministic();
    let mut shown = Vec::new();
    for _ in 0..20 {
        let index = any::<prop::sample::Index>().new_tree(&mut runner).expect("an index").current();
        shown.push((Shown::Ply(index), 100_000));
        shown.extend((0..4).map(|_| (Shown::Still, 100_000)));
    }
    let (least, full) = (rows(&mut LeastDevice::new(), &shown), rows(&mut FullDevice::new(), &shown));
    assert_eq!(least.iter().filter(|row| row.contains("\"move\"")).count(), 20, "{least:?}");
    assert_eq!(least, full);
}

proptest! {
    #![proptest_config(ProptestConfig {
        cases: 100,
        rng_seed: RngSeed::Fixed(4),
        failure_persistence: None,
        ..ProptestConfig::default()
    })]

    #[test]
    fn no_frames_make_a_device_panic_or_write_a_row_that_is_no_json(
        all in proptest::collection::vec((shown(), pause_us()), 1..80),
    ) {
        for rows in [rows(&mut LeastDevice::new(), &all), rows(&mut Box::new(FullDevice::new()), &all)] {
            for row in rows {
                let row: serde_json::Value = serde_json::from_str(&row).expect("a row of JSON");
                prop_assert!(row["type"] == "move" || row["type"] == "capture", "{row}");
            }
        }
    }

    #[test]
    fn any_bytes_are_a_header_or_an_error(mut bytes in any::<[u8; 32]>(), has_magic in any::<bool>()) {
        let mut header = [0; Header::BYTES];
        if has_magic {
            bytes[..8].copy_from_slice(&Header::MAGIC);
        }
        header[..32].copy_from_slice(&bytes);
        let _ = Header::from_bytes(&header);
    }

    #[test]
    fn any_plies_under_any_model_are_judged_or_refused(
        plies in proptest::collection::vec(any::<u16>(), 1..200),
        indices in proptest::collection::vec(any::<prop::sample::Index>(), 1..12),
        parameters in any::<[f64; 8]>(),
        nodes in 0..60_u64,
        is_logistic in any::<bool>(),
    ) {
        let evaluation = evaluation().expect("the network in the program is sound");
        let [a0, a1, a2, a3, b0, b1, b2, b3] = parameters;
        let model = if is_logistic {
            WinModel::Logistic { slope: a0, clamp_cp: a1 }
        } else {
            WinModel::WinDrawLoss { a: [a0, a1, a2, a3], b: [b0, b1, b2, b3] }
        };
        let judgement = Judgement { nodes, model };
        let (mut referee, mut tables) = (Box::new(SmallReferee::new()), Box::new(SmallTables::new()));
        for bits in plies {
            let unpacked = PackedMove::from_bits(bits).and_then(|packed| packed.unpack(&Chess::new()));
            if let Some(mv) = unpacked.filter(|mv| !referee.position().is_legal(*mv)) {
                let refused = referee.judge(mv, &judgement, &evaluation, &mut tables);
                prop_assert_eq!(refused, Err(RefereeError::Illegal));
            }
        }
        for (index, ply) in indices.into_iter().zip(1..) {
            let moves = referee.position().legal_moves();
            if moves.is_empty() { break; }
            let mv = moves[index.index(moves.len())];
            let judged = referee.judge(mv, &judgement, &evaluation, &mut tables).expect("a legal ply");
            prop_assert!((0.0..=1.0).contains(&judged.p.get()));
            let mut row = Vec::new();
            JudgedRow::Ply { ply, mv, judged }.emit(&mut |bytes| row.extend(bytes));
            let row: serde_json::Value = serde_json::from_slice(&row).expect("a row of JSON");
            prop_assert_eq!(&row["ply"], &serde_json::Value::from(ply));
        }
    }
}

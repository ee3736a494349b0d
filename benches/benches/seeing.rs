//! Classifying a board and explaining what changed.

use std::hint::black_box;

use criterion::{Criterion, criterion_group, criterion_main};
use plyscope_benches::{Riddle, Sight, sample};
use plyscope_core::media_time::MediaTime;

fn classify_a_board(bench: &mut Criterion) {
    let record = sample().expect("the sample is a game");
    for side_px in [480, 720] {
        let mut sight = Sight::new(&record, side_px).expect("the start position is recognised");
        let mut time_ms = 0;
        bench.bench_function(&format!("look at a still frame, {side_px} px"), |b| {
            b.iter(|| {
                time_ms += 100;
                black_box(sight.look(0, MediaTime::from_ms(time_ms)))
            });
        });
        let mut frame = 0;
        bench.bench_function(&format!("look at a changed frame, {side_px} px"), |b| {
            b.iter(|| {
                time_ms += 100;
                frame = 1 - frame;
                black_box(sight.look(frame, MediaTime::from_ms(time_ms)))
            });
        });
    }
}

fn differ_a_ply(bench: &mut Criterion) {
    let record = sample().expect("the sample is a game");
    for plies in [1, 4] {
        let riddle = Riddle::new(&record, plies).expect("the start position is recognised");
        bench.bench_function(&format!("explain {plies} plies"), |b| b.iter(|| black_box(&riddle).explain()));
    }
}

criterion_group!(benches, classify_a_board, differ_a_ply);
criterion_main!(benches);

//! Searching a position.

use criterion::{Criterion, Throughput, criterion_group, criterion_main};
use plyscope_benches::{sample, search};

const NODES: u64 = 100_000;

fn search_nodes(bench: &mut Criterion) {
    let record = sample().expect("the sample is a game");
    let mut group = bench.benchmark_group("search");
    group.sample_size(10).throughput(Throughput::Elements(NODES));
    group.bench_function("a middlegame, 100,000 nodes", |b| b.iter(|| search(&record, NODES)));
    group.finish();
}

criterion_group!(benches, search_nodes);
criterion_main!(benches);

//! Makes positions, labels them by a teacher, trains the networks.

fn main() {}

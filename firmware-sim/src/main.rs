//! Runs the core inside a fixed memory budget.

fn main() {}

//! Tests that hold across the crates live in `tests/`.

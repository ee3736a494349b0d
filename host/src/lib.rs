//! The host side of Plyscope: files, child processes, pictures and threads around `plyscope-core`.

pub mod game_record;

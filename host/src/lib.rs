//! The host side of Plyscope: files, child processes, pictures and threads around `plyscope-core`.

pub mod answer_file;
mod child_process;
pub mod depth_bench;
pub mod engine;
pub mod evaluation;
pub mod exit_code;
pub mod external_engine;
pub mod fit;
pub mod game_record;
pub mod judged_game;
pub mod labeller;
pub mod move_quality;
pub mod output_file;
pub mod pgn_export;
mod recognise;
pub mod reconstruct;
pub mod render;
pub mod report;
pub mod scoring;
pub mod text_input;
pub mod uci;
mod uci_client;
pub mod video;
pub mod win_models;

//! What a run took.

use crate::{console, stack};

/// Instructions for each kind of work, and how often it was done.
#[derive(Clone, Copy, Debug, Default)]
pub struct Measured {
    /// Frames after which no ply was certain.
    pub quiet_frames: u64,
    /// Instructions for them.
    pub quiet_frame_instructions: u64,
    /// Plies that were seen or judged.
    pub plies: u64,
    /// Instructions for them: for the frame that made each certain, and for its judgement.
    pub ply_instructions: u64,
    /// Positions that were visited by searches, or counted.
    pub nodes: u64,
    /// Instructions for them.
    pub node_instructions: u64,
}

impl Measured {
    /// Writes the last line of the run; false where the stack did not suffice.
    pub fn close(&self) -> bool {
        let Self {
            quiet_frames,
            quiet_frame_instructions,
            plies,
            ply_instructions,
            nodes,
            node_instructions,
        } = self;
        let (peak, room) = stack::peak_bytes();
        console::line(format_args!(
            "# {{\"quiet_frames\":{quiet_frames},\"quiet_frame_instructions\":{quiet_frame_instructions},\
             \"plies\":{plies},\"ply_instructions\":{ply_instructions},\
             \"nodes\":{nodes},\"node_instructions\":{node_instructions},\
             \"stack_peak_bytes\":{peak},\"stack_bytes\":{room}}}"
        ));
        if peak == room {
            console::line(format_args!("failed to stay within {room} bytes of stack"));
        }
        peak < room
    }
}

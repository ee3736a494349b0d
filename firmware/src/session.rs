//! A session: frames from the input file to a device, its rows to the console, and at the end what it took.

use plyscope_device::Device;
use plyscope_device::frame_stream::{Header, TIME_BYTES, time_from_bytes};

use crate::input::Input;
use crate::instructions::Counter;
use crate::{console, stack};

/// Why a session ended before its frames did.
enum Break {
    /// There is no input file, or no room for its frames.
    Input(&'static str),
    /// The device failed.
    Device(plyscope_device::DeviceError),
}

/// What a session took.
#[derive(Default)]
struct Measured {
    quiet_frames: u64,
    quiet_frame_instructions: u64,
    plies: u64,
    ply_instructions: u64,
}

/// Runs a session to its end; true where nothing failed and the stack sufficed.
pub fn run<
    const FRAME_BYTES: usize,
    const FRAMES: usize,
    const MOVES: usize,
    const CELLS: usize,
    const BUCKETS: usize,
>(
    device: Option<&'static mut Device<FRAME_BYTES, FRAMES, MOVES, CELLS, BUCKETS>>,
) -> bool {
    let (Some(device), Some(peripherals)) = (device, cortex_m::Peripherals::take()) else { return false };
    let counter = Counter::start(peripherals.SYST);
    let measured = match follow(device, &counter) {
        Ok(measured) => measured,
        Err(Break::Input(what)) => {
            console::line(format_args!("failed to {what}"));
            return false;
        }
        Err(Break::Device(error)) => {
            console::line(format_args!("failed to {error}"));
            return false;
        }
    };
    let Measured { quiet_frames, quiet_frame_instructions, plies, ply_instructions } = measured;
    let (peak, room) = stack::peak_bytes();
    console::line(format_args!(
        "# {{\"quiet_frames\":{quiet_frames},\"quiet_frame_instructions\":{quiet_frame_instructions},\
         \"plies\":{plies},\"ply_instructions\":{ply_instructions},\
         \"stack_peak_bytes\":{peak},\"stack_bytes\":{room}}}"
    ));
    if peak == room {
        console::line(format_args!("failed to stay within {room} bytes of stack"));
    }
    peak < room
}

fn follow<
    const FRAME_BYTES: usize,
    const FRAMES: usize,
    const MOVES: usize,
    const CELLS: usize,
    const BUCKETS: usize,
>(
    device: &mut Device<FRAME_BYTES, FRAMES, MOVES, CELLS, BUCKETS>,
    counter: &Counter,
) -> Result<Measured, Break> {
    let mut input = Input::open(c"frames.bin").ok_or(Break::Input("open frames.bin"))?;
    let mut header = [0; Header::BYTES];
    input.fill(&mut header).then_some(()).ok_or(Break::Input("read the header of frames.bin"))?;
    let header =
        Header::from_bytes(&header).map_err(|_| Break::Input("understand the header of frames.bin"))?;
    device.set_judgement(header.judgement);
    let side_px = header.side_px as usize;
    let frame_bytes = side_px.saturating_mul(side_px);
    let mut measured = Measured::default();
    let mut time = [0; TIME_BYTES];
    while input.fill(&mut time) {
        let buffer = device.frame_mut().get_mut(..frame_bytes);
        if !input.fill(buffer.ok_or(Break::Input("take a frame larger than the buffer"))?) {
            break;
        }
        let mut rows = 0_u32;
        let start = counter.now();
        let mut emit = |row: &[u8]| {
            rows += 1;
            console::bytes(row);
        };
        device.observe(side_px, time_from_bytes(time), &mut emit).map_err(Break::Device)?;
        let instructions = counter.since(start);
        if rows == 0 {
            measured.quiet_frames += 1;
            measured.quiet_frame_instructions += instructions;
        } else {
            measured.plies += 1;
            measured.ply_instructions += instructions;
        }
    }
    device.finish(&mut console::bytes).map_err(Break::Device)?;
    Ok(measured)
}

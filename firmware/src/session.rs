//! A session: what comes in, to a device or a referee; rows out, to the console.

use plyscope_core::event_row::Verdicts;
use plyscope_core::judge::network::NetworkError;
use plyscope_core::media_time::MediaTime;
use plyscope_device::input_stream::{Header, TIME_BYTES, time_from_bytes};
use plyscope_device::referee::RefereeError;
use plyscope_device::seer::rows_of_rank;
use plyscope_device::{Arbiter, Device, DeviceError};
use shakmaty::{Color, Move, Rank};

use crate::console;
use crate::input::Input;
use crate::instructions::Counter;
use crate::measured::Measured;

/// Why a session ended before its input did.
#[derive(Clone, Copy, Debug)]
pub enum Break {
    /// Something that the image begins with is missing.
    Start(&'static str),
    /// The device failed.
    Device(DeviceError),
    /// The referee failed.
    Referee(RefereeError),
    /// The network in flash is damaged.
    Network(NetworkError),
}

impl core::fmt::Display for Break {
    fn fmt(&self, f: &mut core::fmt::Formatter<'_>) -> core::fmt::Result {
        match self {
            Self::Start(what) => f.write_str(what),
            Self::Device(error) => error.fmt(f),
            Self::Referee(error) => error.fmt(f),
            Self::Network(error) => error.fmt(f),
        }
    }
}

/// Ends the emulator as the session ended: its measurements and success, or what failed.
pub fn end(session: Result<Measured, Break>) -> ! {
    console::exit(match session {
        Ok(measured) => measured.close(),
        Err(broken) => {
            console::line(format_args!("failed to {broken}"));
            false
        }
    })
}

/// The counter of instructions, started.
///
/// # Errors
///
/// [`Break::Start`] from the second time on.
pub fn counter() -> Result<Counter, Break> {
    let peripherals = cortex_m::Peripherals::take().ok_or(Break::Start("have the timer for itself"))?;
    Ok(Counter::start(peripherals.SYST))
}

/// The input, opened, and its header.
///
/// # Errors
///
/// [`Break::Start`] where there is none.
pub fn input() -> Result<(Input, Header), Break> {
    let mut input = Input::open().ok_or(Break::Start("open input.bin"))?;
    let mut header = [0; Header::BYTES];
    if !input.fill(&mut header) {
        return Err(Break::Start("read the header of input.bin"));
    }
    let header =
        Header::from_bytes(&header).map_err(|_| Break::Start("understand the header of input.bin"))?;
    Ok((input, header))
}

/// Shows all frames to a device, of which `STRIP_BYTES` are in memory at a time.
///
/// # Errors
///
/// [`Break::Device`] where the device fails.
pub fn follow<
    const HYPOTHESES: usize,
    const SIGHTINGS: usize,
    const TEXTURES: usize,
    const STRIP_BYTES: usize,
>(
    device: &mut Device<HYPOTHESES, SIGHTINGS, TEXTURES>,
    arbiter: &mut dyn Arbiter,
    input: &mut Input,
    side_px: usize,
    counter: &Counter,
) -> Result<Measured, Break> {
    let mut measured = Measured::default();
    let mut arbiter = TimedArbiter { arbiter, counter, instructions: 0 };
    let mut frame = Header::BYTES;
    while let Some(time) = time_of_frame(input, frame) {
        frame += TIME_BYTES;
        let Some(looking) = look::<_, _, _, STRIP_BYTES>(device, input, frame, side_px, time, counter)?
        else {
            break;
        };
        frame += side_px * side_px;
        let mut rows = 0_u32;
        let mut emit = |row: &[u8]| {
            rows += 1;
            console::bytes(row);
        };
        let start = counter.now();
        device.conclude(side_px, time, &mut arbiter, &mut emit).map_err(Break::Device)?;
        let instructions = looking + counter.since(start);
        if rows == 0 {
            measured.quiet_frames += 1;
            measured.quiet_frame_instructions += instructions;
        } else {
            measured.plies += 1;
            measured.ply_instructions += instructions;
        }
    }
    device.finish(&mut arbiter, &mut console::bytes).map_err(Break::Device)?;
    measured.node_instructions = arbiter.instructions;
    Ok(measured)
}

fn time_of_frame(input: &mut Input, at: usize) -> Option<MediaTime> {
    let mut time = [0; TIME_BYTES];
    (input.seek(at) && input.fill(&mut time)).then(|| time_from_bytes(time))
}

/// Looks at the frame that begins at a byte of the input, from the top; returns how many instructions it took, `None` where the
/// input ends before.
// Not inlined: the strip is not to lie below what comes after the look.
#[inline(never)]
fn look<const HYPOTHESES: usize, const SIGHTINGS: usize, const TEXTURES: usize, const STRIP_BYTES: usize>(
    device: &mut Device<HYPOTHESES, SIGHTINGS, TEXTURES>,
    input: &mut Input,
    frame: usize,
    side_px: usize,
    time: MediaTime,
    counter: &Counter,
) -> Result<Option<u64>, Break> {
    let mut strip = [0; STRIP_BYTES];
    let mut instructions = 0;
    for rank in Rank::ALL.into_iter().rev() {
        let rows = rows_of_rank(side_px, rank).map_err(|e| Break::Device(DeviceError::Seer(e)))?;
        let rank_bytes = strip.get_mut(..rows.len() * side_px);
        let rank_bytes = rank_bytes.ok_or(Break::Start("take a frame larger than the buffer"))?;
        if !input.seek(frame + rows.start * side_px) || !input.fill(rank_bytes) {
            return Ok(None);
        }
        let start = counter.now();
        device.look_at_rank(rank_bytes, side_px, rank, time).map_err(Break::Device)?;
        instructions += counter.since(start);
    }
    Ok(Some(instructions))
}

/// An arbiter whose instructions are counted.
struct TimedArbiter<'a> {
    arbiter: &'a mut dyn Arbiter,
    counter: &'a Counter,
    instructions: u64,
}

impl Arbiter for TimedArbiter<'_> {
    fn turn(&self) -> Color {
        self.arbiter.turn()
    }

    fn verdicts(&mut self, mv: Move) -> Result<Verdicts, RefereeError> {
        let start = self.counter.now();
        let verdicts = self.arbiter.verdicts(mv);
        self.instructions += self.counter.since(start);
        verdicts
    }
}

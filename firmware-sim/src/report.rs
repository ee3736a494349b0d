//! What a run tells, for people and for programs.

use anyhow::Result;
use plyscope::scoring::judge::Scores;
use serde_json::{Map, Value, json};

use crate::emulator::Emulated;
use crate::host_device::Profile;
use crate::machine::{Image, Machine};

/// The head of the table of all machines.
pub(crate) fn table_head(nodes: u64) -> String {
    format!(
        "| machine | image | flash | static RAM | peak stack | instructions for a frame | \
         for a ply of {nodes} nodes | at the part's clock, about |\n\
         | --- | --- | ---: | ---: | ---: | ---: | ---: | --- |\n"
    )
}

/// A machine and an image in that table. Times are estimates: one instruction for each cycle of the clock.
pub(crate) fn table_row(machine: Machine, image: Image, run: &Emulated) -> String {
    let (frame, ply) = (run.measured.instructions_per_quiet_frame(), run.measured.instructions_per_ply());
    let ms = |instructions: u64| instructions / (u64::from(machine.clock_mhz()) * 1000);
    let (ply, ply_ms) = match image {
        Image::See => ("-".to_owned(), String::new()),
        Image::Game => (ply.to_string(), format!(", {} ms a ply", ms(ply))),
    };
    format!(
        "| {} | {} | {} | {} | {} | {frame} | {ply} | {} MHz: {} ms a frame{ply_ms} |\n",
        machine.name(),
        image.name(),
        run.footprint.flash_bytes,
        run.footprint.static_bytes,
        run.measured.stack_peak_bytes,
        machine.clock_mhz(),
        ms(frame)
    )
}

/// One run.
pub(crate) struct Report<'a> {
    /// The device.
    pub(crate) profile: &'a Profile,
    /// The rows that it wrote.
    pub(crate) rows: &'a [String],
    /// How they compare with the host's.
    pub(crate) scores: &'a Scores,
    /// The machine it ran on, and what was measured there.
    pub(crate) emulated: Option<&'a (Machine, Emulated)>,
}

impl Report<'_> {
    /// For people.
    pub(crate) fn to_text(&self) -> String {
        let Self { profile, rows, scores, emulated } = self;
        let mut text = format!("Device {}: {} bytes, the stack aside\n", profile.name, profile.bytes);
        for stage in profile.stages.iter().filter(|stage| stage.bytes > 0) {
            text += &format!("{:>9}  {}\n", stage.bytes, stage.stage);
        }
        if let Some((machine, run)) = emulated {
            let m = &run.measured;
            text += &format!("On {} ({}):\n", machine.name(), machine.description());
            text += &format!("{:>9}  bytes of flash\n", run.footprint.flash_bytes);
            text += &format!("{:>9}  bytes of static memory\n", run.footprint.static_bytes);
            text += &format!("{:>9}  bytes of stack at most, of {}\n", m.stack_peak_bytes, m.stack_bytes);
            text += &format!("{:>9}  instructions for a frame\n", m.instructions_per_quiet_frame());
            text += &format!("{:>9}  instructions for a ply, frame and search\n", m.instructions_per_ply());
            text += "The rows are those of this computer, byte for byte.\n";
        }
        let share = |value: Option<f64>| value.map_or("-".to_owned(), |v| format!("{v:.4}"));
        text += &format!(
            "{} rows. Against the host: T1 F1 {:.4}; labels alike: swing {}, leader {}\n",
            rows.len(),
            scores.t1.f1,
            share(scores.t2.plain),
            share(scores.t3.plain)
        );
        text
    }

    /// For programs.
    pub(crate) fn to_json(&self) -> Result<String> {
        let Self { profile, rows, scores, emulated } = self;
        let stages: Map<String, Value> =
            profile.stages.iter().map(|s| (s.stage.replace(' ', "_"), s.bytes.into())).collect();
        let events: Vec<Value> =
            rows.iter().map(|row| serde_json::from_str(row)).collect::<Result<_, _>>()?;
        let mut report = json!({
            "profile": profile.name,
            "bytes": profile.bytes,
            "stage_bytes": stages,
            "t1_f1": scores.t1.f1,
            "swing_alike": scores.t2.plain,
            "leader_alike": scores.t3.plain,
            "events": events,
        });
        if let Some((machine, run)) = emulated {
            report["machine"] = json!({
                "name": machine.name(),
                "flash_bytes": run.footprint.flash_bytes,
                "static_bytes": run.footprint.static_bytes,
                "stack_peak_bytes": run.measured.stack_peak_bytes,
                "stack_bytes": run.measured.stack_bytes,
                "instructions_per_frame": run.measured.instructions_per_quiet_frame(),
                "instructions_per_ply": run.measured.instructions_per_ply(),
            });
        }
        Ok(serde_json::to_string_pretty(&report)? + "\n")
    }
}

//! What a run tells, for people and for programs.

use anyhow::Result;
use plyscope::scoring::judge::Scores;
use serde_json::{Map, Value, json};

use crate::emulator::Emulated;
use crate::machine::{Image, Machine};
use crate::profile::Profile;

/// The head of the table of all machines.
pub(crate) fn table_head(nodes: u64) -> String {
    format!(
        "| machine | image | flash | static RAM | peak stack | instructions a frame | \
         a ply (`game`, `judge`: {nodes} nodes) | 1,000 nodes | estimate at the part's clock |\n\
         | --- | --- | ---: | ---: | ---: | ---: | ---: | ---: | --- |\n"
    )
}

/// A machine and an image in that table. Times are estimates: one instruction for each cycle of the clock.
pub(crate) fn table_row(machine: Machine, image: Image, run: &Emulated) -> String {
    let m = &run.measured;
    let number = |n: Option<u64>| n.map_or_else(|| "-".to_owned(), grouped);
    let hz = f64::from(machine.clock_mhz()) * 1e6;
    let estimate = |instructions: Option<u64>, of: &str| {
        instructions.map(|n| format!("{} {of}", seconds(n as f64 / hz))).into_iter()
    };
    // Of counted leaves and of searched positions alike.
    let estimates: Vec<String> = estimate(m.per_frame(), "a frame")
        .chain(estimate(m.per_ply(), "a ply"))
        .chain(estimate(m.per_1000_nodes().filter(|_| m.plies == 0), "for 1,000 nodes"))
        .collect();
    format!(
        "| {} | {} | {} | {} | {} | {} | {} | {} | {} MHz: {} |\n",
        machine.name(),
        image.name(),
        grouped(run.footprint.flash_bytes),
        grouped(run.footprint.static_bytes),
        grouped(m.stack_peak_bytes),
        number(m.per_frame()),
        number(m.per_ply()),
        number(m.per_1000_nodes()),
        machine.clock_mhz(),
        estimates.join(", ")
    )
}

/// A number with commas between its thousands.
fn grouped(number: u64) -> String {
    let digits = number.to_string();
    let mut text = String::new();
    for (index, digit) in digits.chars().enumerate() {
        if index > 0 && (digits.len() - index).is_multiple_of(3) {
            text.push(',');
        }
        text.push(digit);
    }
    text
}

fn seconds(seconds: f64) -> String {
    if seconds < 0.9995 { format!("{:.0} ms", seconds * 1e3) } else { format!("{seconds:.1} s") }
}

/// One run.
pub(crate) struct Report<'a> {
    /// What the device did.
    pub(crate) image: Image,
    /// Its sizes.
    pub(crate) profile: &'a Profile,
    /// The rows that it wrote.
    pub(crate) rows: &'a [String],
    /// How they compare with the host's, where there is something to compare.
    pub(crate) scores: Option<Scores>,
    /// The machine it ran on, and what was measured there.
    pub(crate) emulated: Option<&'a (Machine, Emulated)>,
}

impl Report<'_> {
    /// For people.
    pub(crate) fn to_text(&self) -> String {
        let Self { image, profile, rows, scores, emulated } = self;
        let mut text = String::new();
        if !image.sees() {
            text += &(rows.join("\n") + "\n");
        }
        if !matches!(image, Image::Perft | Image::Bench) {
            text += &format!("Device {}: {} bytes, the stack aside\n", profile.name, profile.bytes());
            for (stage, bytes) in profile.stages {
                text += &format!("{bytes:>9}  {stage}\n");
            }
        }
        if let Some((machine, run)) = emulated {
            let m = &run.measured;
            text += &format!("On {} ({}):\n", machine.name(), machine.description());
            text += &format!("{:>9}  bytes of flash\n", run.footprint.flash_bytes);
            text += &format!("{:>9}  bytes of static memory\n", run.footprint.static_bytes);
            text += &format!("{:>9}  bytes of stack at most, of {}\n", m.stack_peak_bytes, m.stack_bytes);
            let counts =
                [(m.per_frame(), "a frame"), (m.per_ply(), "a ply"), (m.per_1000_nodes(), "1,000 nodes")];
            for (count, of) in counts {
                if let Some(count) = count {
                    text += &format!("{count:>9}  instructions for {of}\n");
                }
            }
            for remark in &run.remarks {
                text += &format!("It says: {remark}\n");
            }
            text += "The rows are those of this computer, byte for byte.\n";
        }
        text += &format!("{} rows", rows.len());
        if let Some(scores) = scores {
            let share = |value: Option<f64>| value.map_or("-".to_owned(), |v| format!("{v:.4}"));
            text += &format!(
                ". Against the host: T1 F1 {:.4}; labels alike: swing {}, leader {}",
                scores.t1.f1,
                share(scores.t2.plain),
                share(scores.t3.plain)
            );
        }
        text + "\n"
    }

    /// For programs.
    pub(crate) fn to_json(&self) -> Result<String> {
        let Self { image, profile, rows, scores, emulated } = self;
        let stages: Map<String, Value> =
            profile.stages.iter().map(|(stage, bytes)| (stage.replace(' ', "_"), (*bytes).into())).collect();
        let rows: Vec<Value> = rows.iter().map(|row| serde_json::from_str(row)).collect::<Result<_, _>>()?;
        let mut report = json!({
            "image": image.name(),
            "profile": profile.name,
            "bytes": profile.bytes(),
            "stage_bytes": stages,
            "events": rows,
        });
        if let Some(scores) = scores {
            report["t1_f1"] = json!(scores.t1.f1);
            report["swing_alike"] = json!(scores.t2.plain);
            report["leader_alike"] = json!(scores.t3.plain);
        }
        if let Some((machine, run)) = emulated {
            report["machine"] = json!({
                "name": machine.name(),
                "flash_bytes": run.footprint.flash_bytes,
                "static_bytes": run.footprint.static_bytes,
                "stack_peak_bytes": run.measured.stack_peak_bytes,
                "stack_bytes": run.measured.stack_bytes,
                "instructions_per_frame": run.measured.per_frame(),
                "instructions_per_ply": run.measured.per_ply(),
                "instructions_per_1000_nodes": run.measured.per_1000_nodes(),
                "remarks": run.remarks,
            });
        }
        Ok(serde_json::to_string_pretty(&report)? + "\n")
    }
}

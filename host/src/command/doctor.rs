//! `plyscope doctor`: what is installed, and what is missing.

use std::path::Path;
use std::process::{Command, Stdio};

use anyhow::Result;
use plyscope::evaluation::Evaluation;
use plyscope::video::VideoError;
use serde_json::json;

use super::{Format, print};

/// Say what is installed, what is missing, and what to do about it.
#[derive(clap::Args, Debug)]
#[command(after_help = "Example:\n  plyscope doctor\n\nEnds with 5 where ffmpeg or ffprobe is missing.")]
pub(crate) struct Args {
    /// How to write the findings
    #[arg(long, value_enum, default_value_t)]
    format: Format,
}

/// How a check ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Verdict {
    /// As it should be.
    Fine,
    /// Something works less well, or one command does not work.
    Lacking,
    /// Nothing works.
    Broken,
}

impl Verdict {
    const fn word(self) -> &'static str {
        match self {
            Self::Fine => "ok",
            Self::Lacking => "missing",
            Self::Broken => "broken",
        }
    }
}

/// One thing that was looked at.
struct Finding {
    name: &'static str,
    verdict: Verdict,
    says: String,
}

impl Finding {
    fn new(name: &'static str, verdict: Verdict, says: impl Into<String>) -> Self {
        Self { name, verdict, says: says.into() }
    }
}

/// Less free space than this is called little: a run writes kilobytes, but standard input is stored as a file.
const FREE_MIB_LOW: u64 = 200;

/// Looks at everything and prints it.
pub(crate) fn run(args: &Args) -> Result<()> {
    let findings = findings();
    match args.format {
        Format::Text => {
            let line = |f: &Finding| format!("{:<8} {:<10} {}\n", f.verdict.word(), f.name, f.says);
            print(&findings.iter().map(line).collect::<String>())?;
        }
        Format::Json => {
            let row = |f: &Finding| json!({"name": f.name, "verdict": f.verdict.word(), "says": f.says});
            let rows: Vec<_> = findings.iter().map(row).collect();
            print(&format!("{}\n", json!({"checks": rows})))?;
        }
    }
    match findings.iter().find(|finding| finding.verdict == Verdict::Broken) {
        Some(Finding { name: "ffprobe", .. }) => {
            Err(VideoError::ProgramMissing { program: "ffprobe" }.into())
        }
        Some(_) => Err(VideoError::ProgramMissing { program: "ffmpeg" }.into()),
        None => Ok(()),
    }
}

fn findings() -> Vec<Finding> {
    let mut findings = vec![
        Finding::new("plyscope", Verdict::Fine, env!("CARGO_PKG_VERSION")),
        Finding::new("threads", Verdict::Fine, threads()),
        evaluations(),
        program("ffmpeg"),
        program("ffprobe"),
    ];
    if let Some(encoders) = listed("-encoders") {
        findings.push(needed(&encoders, "encoder", &["libx264"], "render cannot make videos"));
    }
    if let Some(decoders) = listed("-decoders") {
        let common = ["h264", "hevc", "vp9", "av1", "mpeg4", "mjpeg"];
        findings.push(needed(&decoders, "decoders", &common, "videos of these kinds cannot be read"));
    }
    if let Some(devices) = listed("-devices") {
        let known = ["x11grab", "gdigrab", "avfoundation", "v4l2", "dshow"];
        let found: Vec<&str> = known.into_iter().filter(|name| has_word(&devices, name)).collect();
        findings.push(match found.is_empty() {
            false => Finding::new("grabbers", Verdict::Fine, found.join(", ")),
            true => Finding::new("grabbers", Verdict::Lacking, "none: watch --grab sees no screen"),
        });
    }
    findings.push(free_space("disk here", Path::new(".")));
    findings.push(free_space("disk temp", &std::env::temp_dir()));
    findings
}

fn threads() -> String {
    std::thread::available_parallelism().map_or_else(|_| "unknown".to_owned(), |n| n.to_string())
}

fn evaluations() -> Finding {
    let names: Vec<_> = Evaluation::available().iter().map(Evaluation::name).collect();
    let verdict = if names.contains(&"large") { Verdict::Fine } else { Verdict::Lacking };
    Finding::new("judges", verdict, names.join(", "))
}

/// The first line of what a program says of its version.
fn program(name: &'static str) -> Finding {
    let output = Command::new(name).arg("-version").stdin(Stdio::null()).output();
    match output {
        Ok(output) if output.status.success() => {
            let text = String::from_utf8_lossy(&output.stdout).into_owned();
            let line = text.lines().next().unwrap_or_default();
            let version = line.split(" Copyright").next().unwrap_or_default();
            Finding::new(
                name,
                Verdict::Fine,
                version.trim_start_matches(name).trim_start_matches(" version "),
            )
        }
        _ => Finding::new(
            name,
            Verdict::Broken,
            "not found; install ffmpeg (for example with `apt install ffmpeg`) or put it on the PATH",
        ),
    }
}

/// One of ffmpeg's lists.
fn listed(list: &str) -> Option<String> {
    let output = Command::new("ffmpeg").args(["-hide_banner", list]).stdin(Stdio::null()).output().ok()?;
    output.status.success().then(|| String::from_utf8_lossy(&output.stdout).into_owned())
}

/// Whether a list has a line whose name is, or names among others, `word`.
fn has_word(list: &str, word: &str) -> bool {
    let names = |line: &str| line.split_whitespace().nth(1).map(str::to_owned).unwrap_or_default();
    list.lines().any(|line| names(line).split(',').any(|name| name == word))
}

fn needed(list: &str, name: &'static str, wanted: &[&str], without: &str) -> Finding {
    let (found, missing): (Vec<&str>, Vec<&str>) = wanted.iter().partition(|word| has_word(list, word));
    match missing.is_empty() {
        true => Finding::new(name, Verdict::Fine, found.join(", ")),
        false => Finding::new(name, Verdict::Lacking, format!("{} not there: {without}", missing.join(", "))),
    }
}

/// Free space by `df`, where there is one.
fn free_space(name: &'static str, folder: &Path) -> Finding {
    let output = Command::new("df").args(["-Pk", "--"]).arg(folder).stdin(Stdio::null()).output();
    let text =
        output.ok().filter(|o| o.status.success()).map(|o| String::from_utf8_lossy(&o.stdout).into_owned());
    let free_kib =
        text.as_deref().and_then(|text| text.lines().last()?.split_whitespace().nth(3)?.parse::<u64>().ok());
    match free_kib {
        Some(kib) if kib / 1024 < FREE_MIB_LOW => Finding::new(
            name,
            Verdict::Lacking,
            format!("only {} MiB free in {}", kib / 1024, folder.display()),
        ),
        Some(kib) => {
            let free = format!("{:.1} GiB free in {}", kib as f64 / 1_048_576.0, folder.display());
            Finding::new(name, Verdict::Fine, free)
        }
        None => Finding::new(name, Verdict::Fine, "not known"),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_are_found_in_ffmpegs_lists_as_whole_words() {
        let list = " V....D libx264              libx264 H.264 (codec h264)\n DE alsa,v4l2  Video4Linux2\n";
        assert!(has_word(list, "libx264") && has_word(list, "v4l2") && has_word(list, "alsa"));
        assert!(!has_word(list, "x264") && !has_word(list, "h264"));
        let finding = needed(list, "encoder", &["libx264", "libx265"], "no videos");
        assert_eq!(
            (finding.verdict, finding.says.as_str()),
            (Verdict::Lacking, "libx265 not there: no videos")
        );
    }
}

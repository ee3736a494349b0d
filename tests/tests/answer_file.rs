//! The answer file survives what happens to a run: kill -9 at any moment, a full disk, a vanished folder.

use std::error::Error;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::thread;
use std::time::{Duration, Instant};

use plyscope::answer_file::{AnswerFile, answer_text};
use plyscope::output_file::OutputError;
use plyscope_core::event_row::{EventRow, Verdict};
use plyscope_core::media_time::MediaTime;
use rand::{Rng, SeedableRng};
use rand_chacha::ChaCha8Rng;
use shakmaty::{Color, Square};

type Outcome = Result<(), Box<dyn Error>>;

/// Where a child of this test program should write; set, the child writes until it is killed.
const WRITE_TO: &str = "PLYSCOPE_TEST_WRITE_ANSWER_TO";
const KILLS: usize = 50;
const ROWS_OF_A_RUN: usize = 400;

fn rows(count: usize) -> Vec<EventRow> {
    let row = |ply: usize| EventRow::Move {
        idx: u32::try_from(ply).unwrap_or(u32::MAX),
        color: if ply % 2 == 1 { Color::White } else { Color::Black },
        coord: Square::ALL[ply % 64],
        time: MediaTime::from_ms(2000 + 100 * i64::try_from(ply).unwrap_or(i64::MAX)),
        leader_after: Verdict::Equal,
        wr_swing: Verdict::Equal,
    };
    (1..=count).map(row).collect()
}

/// How many rows the answer at `path` holds, having made sure that it is exactly the answer of that many rows.
fn whole_rows_in(path: &Path) -> Result<usize, Box<dyn Error>> {
    let text = fs::read(path)?;
    let answer: serde_json::Value = serde_json::from_slice(&text)?;
    let count = answer["events"].as_array().ok_or("no list of events")?.len();
    assert_eq!(text, answer_text(&rows(count))?, "the answer holds the first {count} rows and nothing else");
    Ok(count)
}

#[test]
#[ignore = "it is the child process of the tests below and ends only when it is killed"]
fn a_child_that_writes_until_it_is_killed() -> Outcome {
    let path = PathBuf::from(std::env::var_os(WRITE_TO).ok_or("only the other tests start this one")?);
    let all = rows(ROWS_OF_A_RUN);
    loop {
        let mut answer = AnswerFile::open(&path)?;
        for count in 0..=all.len() {
            answer.checkpoint(&all[..count])?;
        }
    }
}

fn start_writer(path: &Path) -> std::io::Result<Child> {
    Command::new(std::env::current_exe()?)
        .args(["--ignored", "--exact", "a_child_that_writes_until_it_is_killed", "--nocapture"])
        .env(WRITE_TO, path)
        .stdout(Stdio::null())
        .stderr(Stdio::null())
        .spawn()
}

#[test]
fn killed_at_any_moment_a_run_leaves_whole_rows() -> Outcome {
    let folder = tempfile::tempdir()?;
    let path = folder.path().join("answer.json");
    fs::write(&path, "{\"events\": []}\n")?;
    let mut rng = ChaCha8Rng::seed_from_u64(9);
    let mut counts = Vec::new();
    for _ in 0..KILLS {
        let mut writer = start_writer(&path)?;
        // Wait until it is at work, then for a random while.
        let deadline = Instant::now() + Duration::from_secs(20);
        let before = fs::metadata(&path)?.modified()?;
        while fs::metadata(&path)?.modified()? == before {
            assert!(Instant::now() < deadline && writer.try_wait()?.is_none(), "the writer does not write");
            thread::sleep(Duration::from_millis(1));
        }
        thread::sleep(Duration::from_micros(rng.random_range(0..30_000)));
        writer.kill()?;
        writer.wait()?;
        counts.push(whole_rows_in(&path)?);
    }
    counts.sort_unstable();
    counts.dedup();
    assert!(counts.len() > 5, "the kills hit different moments, not only these: {counts:?}");
    // The next run tidies up what the killed ones left.
    AnswerFile::open(&path)?;
    let left: Vec<_> =
        fs::read_dir(folder.path())?.map(|e| e.map(|e| e.file_name())).collect::<Result<_, _>>()?;
    assert_eq!(left, ["answer.json"]);
    Ok(())
}

#[test]
fn readers_never_see_half_an_answer() -> Outcome {
    let folder = tempfile::tempdir()?;
    let path = folder.path().join("answer.json");
    fs::write(&path, "{\"events\": []}\n")?;
    let mut writer = start_writer(&path)?;
    let end = Instant::now() + Duration::from_millis(1500);
    let (mut reads, mut most_rows) = (0, 0);
    while Instant::now() < end {
        most_rows = whole_rows_in(&path).inspect_err(|_| drop(writer.kill()))?.max(most_rows);
        reads += 1;
    }
    writer.kill()?;
    writer.wait()?;
    assert!(reads > 10 && most_rows > 1, "{reads} reads saw at most {most_rows} rows");
    Ok(())
}

/// A file system of its own, unmounted when dropped.
struct Disk(tempfile::TempDir);

impl Disk {
    /// Mounts one with `options`; `None` where this user may not.
    fn mount(options: &str) -> Option<Self> {
        let folder = tempfile::tempdir().ok()?;
        let mount = Command::new("mount")
            .args(["-t", "tmpfs", "-o", options, "plyscope-test"])
            .arg(folder.path())
            .stderr(Stdio::null())
            .status();
        mount.is_ok_and(|status| status.success()).then_some(Self(folder))
    }
}

impl Drop for Disk {
    fn drop(&mut self) {
        let _ = Command::new("umount").arg(self.0.path()).status();
    }
}

#[test]
fn on_a_full_disk_the_answer_so_far_is_kept() -> Outcome {
    let Some(disk) = Disk::mount("size=16k") else {
        eprintln!("SKIPPED: a full disk cannot be made here, that takes the right to mount a tmpfs");
        return Ok(());
    };
    let path = disk.0.path().join("answer.json");
    let mut answer = AnswerFile::open(&path)?;
    answer.checkpoint(&rows(20))?;
    let error = answer.checkpoint(&rows(ROWS_OF_A_RUN)).err().ok_or("the disk should be full")?;
    assert!(matches!(error, OutputError::DiskFull { .. }), "{error}");
    assert!(error.to_string().contains("the disk is full, make room"), "{error}");
    assert_eq!(whole_rows_in(&path)?, 20);
    assert_eq!(fs::read_dir(disk.0.path())?.count(), 1, "nothing else is left to fill the disk");
    answer.checkpoint(&rows(25))?;
    assert_eq!(whole_rows_in(&path)?, 25, "once there is room again, writing goes on");
    Ok(())
}

#[test]
fn when_the_folder_vanishes_the_run_is_told() -> Outcome {
    let folder = tempfile::tempdir()?;
    let path = folder.path().join("answer.json");
    let mut answer = AnswerFile::open(&path)?;
    folder.close()?;
    let error = answer.checkpoint(&rows(1)).err().ok_or("the folder is gone")?;
    assert!(matches!(error, OutputError::NoFolder { .. }), "{error}");
    Ok(())
}

#[cfg(unix)]
#[test]
fn a_folder_that_may_not_be_written_is_told_before_any_work() -> Outcome {
    use std::os::unix::fs::PermissionsExt;
    let open_in =
        |folder: &Path| AnswerFile::open(&folder.join("answer.json")).err().ok_or("it may not be written");
    // Root may write to any folder, but not to a disk that is mounted to be read only.
    let error = if let Some(disk) = Disk::mount("ro") {
        open_in(disk.0.path())?
    } else {
        let folder = tempfile::tempdir()?;
        fs::set_permissions(folder.path(), fs::Permissions::from_mode(0o555))?;
        open_in(folder.path())?
    };
    assert!(matches!(error, OutputError::NotPermitted { .. }), "{error}");
    assert!(error.to_string().contains("choose another place"), "{error}");
    Ok(())
}

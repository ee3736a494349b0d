//! One game as people's recordings show it: noise, blur, compression, tints, boxes over the board, odd shapes and rates.
//! A table that a person can read in a diff.
//!
//! After an intended change: `PLYSCOPE_WRITE_GOLDEN=1 cargo test -p plyscope-tests --test reconstruct_corrupted`

mod reading;

use std::fmt::Write;
use std::path::Path;
use std::process::Command;

use plyscope::game_record::GameRecord;
use plyscope::render::effects::Effect;
use plyscope::render::layout::Layout;
use reading::{Fault, Rendering, on_two_threads, read, repository, uci_of};
use shakmaty::Color;

/// A reply every half second; castling on both sides, en passant, promotions.
const GAME: &str = "tests/data/slides/castling-queenside.pgn";
/// 240 px, 20 frames a second, slides of four frames.
const CLEAN: Rendering = Rendering { size_px: 240, fps: (20, 1), crf: 18, slide_frames: 4 };

/// What a person's screen shows beside the pieces.
const SCREENS: [(&str, &[Effect]); 9] = [
    ("arrows and circles over pieces", &[Effect::Arrows]),
    ("a king in check glows", &[Effect::Check]),
    ("dots where a piece may go", &[Effect::Dots]),
    ("premoves are tinted", &[Effect::Premove]),
    ("a pointer over the pieces", &[Effect::Pointer]),
    ("pieces in hand, larger", &[Effect::Drag]),
    ("a hand, a pointer, dots", &[Effect::Drag, Effect::Pointer, Effect::Dots]),
    ("a bar, a list, a camera", &[Effect::Panels]),
    (
        "all of that together",
        &[
            Effect::Arrows,
            Effect::Check,
            Effect::Dots,
            Effect::Premove,
            Effect::Pointer,
            Effect::Drag,
            Effect::Panels,
        ],
    ),
];

/// What is done to a clean recording: a name, and ffmpeg's arguments.
const CORRUPTIONS: [(&str, &str); 38] = [
    ("none", "-c copy"),
    ("noise of 10 luma", "-vf noise=alls=10:allf=t"),
    ("noise of 25 luma", "-vf noise=alls=25:allf=t"),
    ("noise of 50 luma", "-vf noise=alls=50:allf=t"),
    ("blur of 1 px", "-vf gblur=sigma=1"),
    ("blur of 2 px", "-vf gblur=sigma=2"),
    ("x264 crf 35", "-crf 35"),
    ("x264 crf 40", "-crf 40"),
    ("x264 crf 45", "-crf 45"),
    ("dark, half the contrast", "-vf eq=brightness=-0.25:contrast=0.5"),
    ("three tenths of the contrast", "-vf eq=contrast=0.3"),
    ("bright, a quarter of the contrast", "-vf eq=brightness=0.2:contrast=0.25"),
    ("grey", "-vf format=gray"),
    ("10 bits, x265", "-pix_fmt yuv420p10le -c:v libx265 -x265-params log-level=none"),
    ("full range", "-vf scale=out_range=full -color_range pc"),
    ("bt709", "-vf scale=out_color_matrix=bt709 -colorspace bt709 -color_primaries bt709 -color_trc bt709"),
    (
        "HDR tags",
        "-pix_fmt yuv420p10le -c:v libx265 \
         -x265-params log-level=none:colorprim=bt2020:transfer=smpte2084:colormatrix=bt2020nc",
    ),
    ("4:4:4", "-pix_fmt yuv444p"),
    ("mpeg4 part 2", "-c:v mpeg4 -q:v 8"),
    ("a board of 2160 px", "-r 4 -vf scale=2160:2160 -preset ultrafast"),
    ("243 px", "-vf scale=243:243,pad=244:244"),
    ("between pixels, in 418 px", "-vf scale=700:700,pad=1000:900:203:57:gray,scale=418:-2"),
    ("160 px", "-vf scale=160:160"),
    ("250 px in 700x400, off the centre", "-vf scale=250:250,pad=700:400:333:77:gray"),
    ("oblong pixels", "-vf scale=320:240,setsar=3/4"),
    ("1 frame a second", "-r 1"),
    ("3 frames a second", "-r 3"),
    ("60 frames a second", "-r 60"),
    ("variable rate", "-vf select='not(mod(n\\,7))+gt(scene\\,0.002)' -fps_mode vfr"),
    ("every fifth frame doubled", "-vf shuffleframes='0 1 2 3 3'"),
    ("every third frame dropped", "-vf select='mod(n\\,3)' -fps_mode vfr"),
    ("7 frames a second", "-r 7"),
    ("blended frames", "-vf tmix=frames=2"),
    ("fades to black and back", "-vf fade=t=out:st=5:d=0.4:enable='between(t,5,6.2)'"),
    (
        "a tint over a file",
        "-vf drawbox=x=120:y=0:w=30:h=240:color=yellow@0.35:t=fill:enable='between(t,4,9)'",
    ),
    (
        "an arrow over pieces",
        "-vf drawbox=x=109:y=15:w=8:h=200:color=orange@0.6:t=fill:enable='between(t,3,9)'",
    ),
    ("a box over the middle", "-vf drawbox=x=40:y=80:w=160:h=80:color=white:t=fill:enable='between(t,5,8)'"),
    ("black for two seconds", "-vf drawbox=w=240:h=240:t=fill:enable='between(t,5,7)'"),
];

struct Row {
    right: usize,
    wrong: usize,
    silent: usize,
    unexplained: usize,
}

fn corrupt(clean: &Path, arguments: &str, to: &Path) -> Result<(), Fault> {
    let mut command = Command::new("ffmpeg");
    command.args(["-hide_banner", "-loglevel", "error", "-nostdin", "-i"]).arg(clean);
    if !arguments.contains("-c") {
        command.args(["-crf", "23"]);
    }
    command.args(["-preset", "veryfast"]);
    // A filter may hold spaces within quotation marks.
    let mut quoted = false;
    let words = arguments.split(|c| {
        quoted ^= c == '\'';
        c == ' ' && !quoted
    });
    let output = command.args(words).arg(to).output()?;
    assert!(output.status.success(), "{arguments}: {}", String::from_utf8_lossy(&output.stderr));
    Ok(())
}

/// A video to be read.
#[derive(Clone, Copy, Debug)]
enum Kind<'a> {
    /// The screen of a person.
    Screen(&'a [Effect]),
    /// The clean recording after ffmpeg has had these arguments.
    Corrupted(&'a str),
}

fn examine(record: &GameRecord, clean: &Path, name: &str, kind: Kind<'_>) -> Result<Row, Fault> {
    let folder = tempfile::tempdir()?;
    let video = folder.path().join("video.mkv");
    match kind {
        Kind::Corrupted(arguments) => corrupt(clean, arguments, &video)?,
        Kind::Screen(effects) => {
            CLEAN.write_with(record, &video, |options| {
                options.look.effects = effects.iter().copied().collect();
                if options.look.effects.contains(Effect::Panels) {
                    options.look.layout =
                        Layout::on_canvas(CLEAN.size_px, (480, 270), (60, 14), Color::White)?;
                }
                Ok(())
            })?;
        }
    }
    let truth: Vec<String> = record.plies.iter().map(|ply| ply.uci.to_string()).collect();
    let reading = match read(&video, None, &folder.path().join("answer.json")) {
        Ok(reading) => reading,
        Err(error) if error.to_string().contains("no board") => {
            return Ok(Row { right: 0, wrong: 0, silent: 0, unexplained: 1 });
        }
        Err(error) => return Err(format!("{name}: {error}").into()),
    };
    let read = uci_of(&reading);
    let right = truth.iter().zip(&read).filter(|(a, b)| a == b).count();
    let wrong: Vec<usize> = (0..read.len()).filter(|&i| truth.get(i) != Some(&read[i])).collect();
    let is_silent = |&&ply: &&usize| {
        let told = reading.unexplained.iter().any(|stretch| stretch.after_ply.abs_diff(ply) <= 2);
        !told && !reading.game.plies()[ply].is_ambiguous
    };
    let silent = wrong.iter().filter(is_silent).count();
    Ok(Row { right, wrong: wrong.len(), silent, unexplained: reading.unexplained.len() })
}

#[test]
fn a_game_is_read_as_far_as_its_recording_shows_it_and_nothing_is_invented_silently() -> Result<(), Fault> {
    let folder = tempfile::tempdir()?;
    let record = GameRecord::read_file(&repository().join(GAME))?;
    let clean = folder.path().join("clean.mp4");
    CLEAN.write(&record, &clean)?;
    let screens = SCREENS.into_iter().map(|(name, effects)| (name, Kind::Screen(effects)));
    let corrupted = CORRUPTIONS.into_iter().map(|(name, arguments)| (name, Kind::Corrupted(arguments)));
    let cases: Vec<(&str, Kind<'_>)> = screens.chain(corrupted).collect();
    let rows = on_two_threads(&cases, |&(name, kind)| examine(&record, &clean, name, kind));
    let mut table = format!(
        "{} plies                           | right  wrong  of them untold | stretches unexplained\n",
        record.plies.len()
    );
    for ((name, _), row) in cases.iter().zip(rows) {
        let Row { right, wrong, silent, unexplained } = row?;
        assert!(silent == 0, "{name}: {silent} plies were not played, and are not told to be in doubt");
        writeln!(table, "{name:34} | {right:5}  {wrong:5}  {silent:14} | {unexplained:21}")?;
    }
    let path = repository().join("tests/golden/corrupted.txt");
    if std::env::var_os("PLYSCOPE_WRITE_GOLDEN").is_some() {
        std::fs::write(&path, &table)?;
    }
    let kept = std::fs::read_to_string(&path)?;
    assert!(table == kept, "another table than corrupted.txt:\n{table}");
    Ok(())
}

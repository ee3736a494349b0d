//! Does one task a given number of times, for a tool that counts instructions: `instructions TASK TIMES`.
//!
//! Two runs with different counts tell what one repetition costs, without what setting it up costs;
//! `scripts/instructions` does so for every task.

use std::hint::black_box;

use anyhow::{Context, Result, bail};
use plyscope_benches::{Riddle, Sight, sample, search};
use plyscope_core::media_time::MediaTime;

fn main() -> Result<()> {
    let mut arguments = std::env::args().skip(1);
    let task = arguments.next().context("usage: instructions TASK TIMES")?;
    let times: u32 = arguments.next().context("usage: instructions TASK TIMES")?.parse()?;
    let record = sample()?;
    match task.as_str() {
        "still-480" | "changed-480" | "still-720" | "changed-720" => {
            let side_px = if task.ends_with("480") { 480 } else { 720 };
            let mut sight = Sight::new(&record, side_px)?;
            for step in 0..times {
                let frame = if task.starts_with("still") { 0 } else { 1 - step as usize % 2 };
                black_box(sight.look(frame, MediaTime::from_ms(100 * i64::from(step + 1))));
            }
        }
        "explain-1" | "explain-4" => {
            let riddle = Riddle::new(&record, if task == "explain-1" { 1 } else { 4 })?;
            (0..times).for_each(|_| _ = black_box(riddle.explain()));
        }
        "search-1000" => _ = black_box(search(&record, 1000 * u64::from(times))),
        _ => bail!("there is no task {task}"),
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_measured_does_what_it_says() -> Result<()> {
        let record = sample()?;
        let mut sight = Sight::new(&record, 480)?;
        assert_eq!(sight.look(0, MediaTime::from_ms(100)), 0, "a still frame changes nothing");
        assert!(
            (2..=4).contains(&sight.look(1, MediaTime::from_ms(200))),
            "a ply changes two to four squares"
        );
        for plies in [1, 4] {
            assert!(Riddle::new(&record, plies)?.explain() > 0, "{plies} plies are explained");
        }
        assert!((2000..2100).contains(&search(&record, 2000)), "a search keeps to its budget");
        Ok(())
    }
}

//! `plyscope-trainer train`: fits a network to the labels, quantises it, writes it with its model card.
//!
//! Loss of a position: the squared error of the expected score under the teacher's own steep win model, and under the
//! wide logistic that still tells a rook from a queen; see [`Args::steep`]. Adam, mini-batches, a learning rate that falls
//! along a cosine; the last epochs run the forward pass on quantised parameters, so that what is written is
//! what was trained.

use std::{
    fs,
    path::{Path, PathBuf},
    time::Instant,
};

use anyhow::{Context, Result, ensure};
use plyscope_core::judge::network::Header;
use rand::{SeedableRng, seq::SliceRandom};
use rand_chacha::ChaCha8Rng;
use serde_json::json;

use crate::{
    checkpoint::Checkpoint,
    data_set::DataSet,
    model::{self, Inputs, Pass, SCALE_CP, Shape},
    quantise,
    record::{Flags, Record},
    win_rate::{self, WinRate},
};

/// Fit a network to labelled positions.
#[derive(clap::Args)]
pub(crate) struct Args {
    /// Folders of shards that `generate` wrote.
    #[arg(long, required = true, num_args = 1..)]
    data: Vec<PathBuf>,
    /// Folders of shards that `distil` wrote.
    #[arg(long, num_args = 1..)]
    distilled: Vec<PathBuf>,
    /// Network file to write; the checkpoint and the model card lie beside it.
    #[arg(long)]
    out: PathBuf,
    /// Hidden neurons of a perspective.
    #[arg(long, default_value_t = 256)]
    hidden: u16,
    /// Bytes of a feature weight: 2, or 1 for little memory.
    #[arg(long, default_value_t = 2)]
    weight_bytes: u8,
    /// Units of 1.0 in the hidden layer.
    #[arg(long, default_value_t = 255)]
    hidden_quantum: u16,
    /// Sets of feature weights by the own king's square: 1, 2 or 3.
    #[arg(long, default_value_t = 1)]
    king_buckets: u8,
    /// Sets of output weights by the number of pieces.
    #[arg(long, default_value_t = 8)]
    output_buckets: u8,
    /// Passes over the positions.
    #[arg(long, default_value_t = 10)]
    epochs: u32,
    /// Positions of a step.
    #[arg(long, default_value_t = 16384)]
    batch: usize,
    /// Learning rate at its highest.
    #[arg(long, default_value_t = 0.001)]
    rate: f32,
    /// Share of the loss under the teacher's steep win model; the rest is under the wide logistic.
    #[arg(long, default_value_t = 0.5)]
    steep: f32,
    /// Share of the game's result in the wide target.
    #[arg(long, default_value_t = 0.02)]
    result_share: f32,
    /// Share of the epochs, at the end, with quantised forward passes.
    #[arg(long, default_value_t = 0.3)]
    quantised_share: f32,
    /// Threads.
    #[arg(long, default_value_t = 2)]
    threads: usize,
    /// Seed of the first weights and of the order of positions.
    #[arg(long, default_value_t = 1)]
    seed: u64,
    /// Teacher's name and nodes, for the model card.
    #[arg(long, default_value = "not recorded")]
    teacher: String,
    /// Date for the model card.
    #[arg(long, default_value = "not recorded")]
    date: String,
}

/// Positions that follow each other in a file and are learned from together: most of their pieces are the same, which
/// makes them cheap ([`Pass`]). The runs come in an order by chance.
const RUN: usize = 16;

/// Sums over positions: the loss and what a reader can picture.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Losses {
    pub(crate) positions: f64,
    /// Squared error under the steep model, under the wide one.
    pub(crate) steep: f64,
    pub(crate) wide: f64,
    /// Absolute error of the centipawns where the teacher's are within 300.
    pub(crate) near_cp: f64,
    pub(crate) near: f64,
    /// Positions whose leader (thresholds 0.6 and 0.4, steep model) is the teacher's.
    pub(crate) leader: f64,
}

impl Losses {
    /// Adds one position valued at `cp` for the side to move.
    pub(crate) fn add(&mut self, record: &Record, cp: f32, win_rate: &WinRate) {
        let steep = win_rate.expected(cp, record.ply).p;
        let target = steep_target(record);
        self.positions += 1.0;
        self.steep += f64::from(steep - target).powi(2);
        self.wide += f64::from(win_rate::wide(cp).p - win_rate::wide(f32::from(record.score)).p).powi(2);
        if record.score.abs() <= 300 {
            self.near += 1.0;
            self.near_cp += f64::from(cp - f32::from(record.score)).abs();
        }
        let leader = |p: f32| i8::from(p > 0.6) - i8::from(p < 0.4);
        self.leader += f64::from(u8::from(leader(steep) == leader(target)));
    }

    fn merge(mut self, other: Losses) -> Losses {
        self.positions += other.positions;
        self.steep += other.steep;
        self.wide += other.wide;
        self.near_cp += other.near_cp;
        self.near += other.near;
        self.leader += other.leader;
        self
    }

    /// Means, for the model card and for the eye.
    pub(crate) fn to_json(self) -> serde_json::Value {
        let digits = |x: f64| (x * 1e6).round() / 1e6;
        json!({
            "positions": self.positions,
            "mean_squared_error_teacher_win_model": digits(self.steep / self.positions),
            "mean_squared_error_wide_logistic": digits(self.wide / self.positions),
            "mean_absolute_error_cp_within_300": digits(self.near_cp / self.near),
            "leader_accuracy": digits(self.leader / self.positions),
        })
    }
}

impl std::fmt::Display for Losses {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(
            f,
            "steep {:.5} wide {:.5} cp {:.1} leader {:.2}%",
            self.steep / self.positions,
            self.wide / self.positions,
            self.near_cp / self.near,
            100.0 * self.leader / self.positions
        )
    }
}

/// The teacher's expected score W + D/2.
pub(crate) fn steep_target(record: &Record) -> f32 {
    0.5 + (f32::from(record.win_permille) - f32::from(record.loss_permille)) / 2000.0
}

/// Runs the subcommand.
///
/// # Errors
///
/// When the data cannot be read, the shape is impossible or a file cannot be written.
pub(crate) fn run(args: &Args) -> Result<()> {
    let king_map = model::king_map(args.king_buckets).context("--king-buckets must be 1, 2 or 3")?;
    ensure!(
        args.threads > 0 && args.batch > 0 && args.epochs > 0,
        "--threads, --batch and --epochs must be positive"
    );
    let header = Header {
        weight_bytes: args.weight_bytes,
        hidden: args.hidden,
        king_buckets: args.king_buckets,
        output_buckets: args.output_buckets,
        hidden_quantum: args.hidden_quantum,
        output_quantum: 64,
        scale_cp: SCALE_CP,
        king_map,
    };
    let shape = Shape { header };
    let checkpoint_path = args.out.with_extension("checkpoint");
    let mut state = match Checkpoint::read(&checkpoint_path, shape.parameters())? {
        Some(checkpoint) => checkpoint,
        None => Checkpoint::start(shape.initial(&mut ChaCha8Rng::seed_from_u64(args.seed))),
    };
    if state.epochs_done >= args.epochs && card_path(&args.out).exists() {
        eprintln!("{} has learned for {} epochs already", args.out.display(), state.epochs_done);
        return Ok(());
    }
    let data = DataSet::load(&args.data, &args.distilled)?;
    let searched = data.train.len() - data.distilled;
    let win_rate = WinRate::fit(data.train[..searched].iter())?;
    eprintln!(
        "{} positions read, {searched} quiet ones to learn from and {} distilled, {} held out",
        data.read,
        data.distilled,
        data.held_out.len()
    );

    let runs_a_batch = args.batch.div_ceil(RUN);
    let steps_an_epoch = data.train.len().div_ceil(RUN).div_ceil(runs_a_batch);
    let steps_in_all = steps_an_epoch * args.epochs as usize;
    let quantised_from = ((1.0 - args.quantised_share) * args.epochs as f32) as u32;
    let mut worker_gradients = vec![vec![0f32; shape.parameters()]; args.threads];
    let mut rounded = state.parameters.clone();
    let start = Instant::now();
    let mut train_losses = Losses::default();
    for epoch in state.epochs_done..args.epochs {
        let mut order: Vec<&[Record]> = data.train.chunks(RUN).collect();
        let mut rng = ChaCha8Rng::seed_from_u64(args.seed);
        rng.set_stream(u64::from(epoch) + 1);
        order.shuffle(&mut rng);
        train_losses = Losses::default();
        for (step, batch) in order.chunks(runs_a_batch).enumerate() {
            if epoch >= quantised_from {
                quantise::round(&shape, &state.parameters, &mut rounded);
            } else {
                rounded.copy_from_slice(&state.parameters);
            }
            let objective = Objective { args, win_rate: &win_rate, shape: &shape };
            let losses = objective.gradient(batch, &rounded, &mut worker_gradients);
            train_losses = train_losses.merge(losses);
            let done = (epoch as usize * steps_an_epoch + step) as f32 / steps_in_all as f32;
            let rate = args.rate * (0.01 + 0.99 * 0.5 * (1.0 + (std::f32::consts::PI * done).cos()));
            share_across_king_buckets(&shape, &mut worker_gradients[0]);
            state.adam.step(&mut state.parameters, &worker_gradients[0], rate);
            quantise::clip(&shape, &mut state.parameters);
        }
        state.epochs_done = epoch + 1;
        state.write(&checkpoint_path)?;
        quantise::round(&shape, &state.parameters, &mut rounded);
        let held_out = value_all(&shape, &rounded, &data.held_out, &win_rate, args.threads);
        eprintln!(
            "epoch {}: train {train_losses} | held out, quantised {held_out} | {:.0} s",
            epoch + 1,
            start.elapsed().as_secs_f32()
        );
        fs::write(&args.out, quantise::to_bytes(&shape, &state.parameters))
            .with_context(|| format!("failed to write {}", args.out.display()))?;
    }
    let float = value_all(&shape, &state.parameters, &data.held_out, &win_rate, args.threads);
    quantise::round(&shape, &state.parameters, &mut rounded);
    let quantised = value_all(&shape, &rounded, &data.held_out, &win_rate, args.threads);
    write_card(
        args,
        &shape,
        &data,
        &win_rate,
        [("train", train_losses), ("held_out_float", float), ("held_out_quantised", quantised)],
    )
}

/// What is minimised.
struct Objective<'a> {
    args: &'a Args,
    win_rate: &'a WinRate,
    shape: &'a Shape,
}

impl Objective<'_> {
    /// Leaves the mean gradient over `batch` in the first of `gradients`, one vector a thread.
    fn gradient(&self, batch: &[&[Record]], parameters: &[f32], gradients: &mut [Vec<f32>]) -> Losses {
        let share = batch.len().div_ceil(gradients.len());
        let losses = std::thread::scope(|scope| {
            let workers: Vec<_> = gradients
                .iter_mut()
                .zip(batch.chunks(share))
                .map(|(gradient, part)| scope.spawn(move || self.work(part, parameters, gradient)))
                .collect();
            workers.into_iter().filter_map(|w| w.join().ok()).fold(Losses::default(), Losses::merge)
        });
        let used = batch.chunks(share).len();
        if let Some((first, rest)) = gradients[..used].split_first_mut() {
            let weight = 1.0 / losses.positions as f32;
            for (i, sum) in first.iter_mut().enumerate() {
                *sum = (*sum + rest.iter().map(|other| other[i]).sum::<f32>()) * weight;
            }
        }
        losses
    }

    fn work(&self, part: &[&[Record]], parameters: &[f32], gradient: &mut [f32]) -> Losses {
        gradient.fill(0.0);
        let mut pass = Pass::new(self.shape, parameters, gradient);
        let mut losses = Losses::default();
        let scale = f32::from(SCALE_CP);
        for record in part.iter().copied().flatten() {
            let inputs = Inputs::of(record, self.shape);
            let cp = scale * pass.forward(&inputs);
            losses.add(record, cp, self.win_rate);
            let steep = self.win_rate.expected(cp, record.ply);
            let wide = win_rate::wide(cp);
            let result = {
                let white = f32::from(record.result) / 2.0;
                if record.turn.is_white() { white } else { 1.0 - white }
            };
            let result_share = if record.flags.any(Flags::STATIC) { 0.0 } else { self.args.result_share };
            let wide_target =
                win_rate::wide(f32::from(record.score)).p * (1.0 - result_share) + result * result_share;
            let by_cp = self.args.steep * 2.0 * (steep.p - steep_target(record)) * steep.by_cp
                + (1.0 - self.args.steep) * 2.0 * (wide.p - wide_target) * wide.by_cp;
            pass.backward(by_cp * scale);
        }
        pass.finish();
        losses
    }
}

/// Lets the king buckets learn from each other: each row's gradient gains the mean over its buckets.
fn share_across_king_buckets(shape: &Shape, gradient: &mut [f32]) {
    let buckets = usize::from(shape.header.king_buckets);
    if buckets == 1 {
        return;
    }
    let size = shape.biases_at() / buckets;
    for i in 0..size {
        let mean = (0..buckets).map(|b| gradient[b * size + i]).sum::<f32>() / buckets as f32;
        for b in 0..buckets {
            gradient[b * size + i] += mean;
        }
    }
}

/// Values positions by all threads.
fn value_all(
    shape: &Shape,
    parameters: &[f32],
    records: &[Record],
    win_rate: &WinRate,
    threads: usize,
) -> Losses {
    let share = records.len().div_ceil(threads).max(1);
    std::thread::scope(|scope| {
        let workers: Vec<_> = records
            .chunks(share)
            .map(|part| {
                scope.spawn(move || {
                    let mut nowhere = vec![0f32; shape.parameters()];
                    let mut pass = Pass::new(shape, parameters, &mut nowhere);
                    let mut losses = Losses::default();
                    for record in part {
                        let inputs = Inputs::of(record, shape);
                        let cp = f32::from(SCALE_CP) * pass.forward(&inputs);
                        losses.add(record, cp, win_rate);
                    }
                    losses
                })
            })
            .collect();
        workers.into_iter().filter_map(|w| w.join().ok()).fold(Losses::default(), Losses::merge)
    })
}

fn write_card(
    args: &Args,
    shape: &Shape,
    data: &DataSet,
    win_rate: &WinRate,
    losses: [(&str, Losses); 3],
) -> Result<()> {
    let header = &shape.header;
    let name = args.out.file_name().unwrap_or_default().to_string_lossy();
    let mut card = json!({
        "network": name,
        "date": args.date,
        "file_bytes": header.file_bytes(),
        "shape": {
            "features": plyscope_core::judge::network::features::FEATURES,
            "king_buckets": header.king_buckets,
            "hidden": header.hidden,
            "output_buckets": header.output_buckets,
            "feature_weight_bytes": header.weight_bytes,
            "hidden_quantum": header.hidden_quantum,
            "output_quantum": header.output_quantum,
            "scale_cp": header.scale_cp,
        },
        "data": {
            "source": "self-play of the teacher by sides of uneven, human-like strength; no games of people",
            "teacher": args.teacher,
            "positions_labelled": data.read,
            "positions_learned_from": data.train.len() - data.distilled,
            "positions_distilled": data.distilled,
            "positions_held_out": data.held_out.len(),
        },
        "training": {
            "epochs": args.epochs,
            "batch": args.batch,
            "rate": args.rate,
            "share_of_teacher_win_model_in_loss": args.steep,
            "share_of_game_result_in_wide_target": args.result_share,
            "share_of_epochs_quantised": args.quantised_share,
            "seed": args.seed,
        },
        "teacher_win_model_cp": {
            "form": "W = 1/(1+exp((a-cp)/b)), L = 1/(1+exp((a+cp)/b)); a, b cubic in m = min(ply, 240)/64, constant term first",
            "a": win_rate.a,
            "b": win_rate.b,
        },
        "loss": {},
    });
    for (name, losses) in losses {
        card["loss"][name] = losses.to_json();
    }
    let path = card_path(&args.out);
    fs::write(&path, serde_json::to_string_pretty(&card)? + "\n")
        .with_context(|| format!("failed to write {}", path.display()))
}

/// Where the model card of a network lies.
fn card_path(network: &Path) -> PathBuf {
    network.with_extension("card.json")
}

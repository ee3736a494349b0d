//! `plyscope fit`: a win model from observations.

use std::path::PathBuf;

use anyhow::Result;
use clap::ValueEnum;
use plyscope::{
    fit::{Calibration, Form, Loss, fit, mean_log_loss, read_observations},
    output_file::OutputFile,
    text_input::{InputError, read_text},
};
use plyscope_core::judge::win_model::WinModel;

use super::{print, refuse_same_file};

/// Fit a win model to results or to reference probabilities.
#[derive(clap::Args, Debug)]
#[command(
    after_help = "Example:\n  plyscope bench depth --games games --nodes 100000 --observations data.csv\n  \
    plyscope fit data.csv -o model.json\n\n\
    DATA holds one observation a line, White's view: 'cp,ply,p', p from 0 to 1, or a JSON object of these names."
)]
pub(crate) struct Args {
    /// The observations
    data: PathBuf,
    /// Where to write the model ('-': standard output)
    #[arg(short, long, value_name = "MODEL")]
    output: PathBuf,
    /// The form of the model
    #[arg(long, value_enum, default_value_t)]
    form: FormArg,
    /// Degree of the polynomials in the ply by which the sf form changes as a game goes on
    #[arg(long, value_name = "N", default_value = "1", value_parser = clap::value_parser!(u8).range(0..=3))]
    ply_degree: u8,
    /// What to make least: the log-loss (for results), or the distance from reference probabilities (for labels by thresholds)
    #[arg(long, value_enum, default_value_t)]
    loss: LossArg,
    /// Further observations to check the model on
    #[arg(long, value_name = "DATA")]
    check: Option<PathBuf>,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, ValueEnum)]
enum FormArg {
    #[default]
    Sf,
    Lichess,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, ValueEnum)]
enum LossArg {
    #[default]
    Log,
    Absolute,
}

/// Fits, writes the model, and prints how well it fits.
pub(crate) fn run(args: &Args) -> Result<()> {
    let (data, check) = (Some(&args.data), args.check.as_ref());
    for input in [("DATA", data), ("--check", check)] {
        refuse_same_file(&[input, ("--output", Some(&args.output))])?;
    }
    let output = OutputFile::open(&args.output)?;
    let read = |path: &PathBuf| -> Result<_> {
        Ok(read_observations(&read_text(path)?).map_err(|error| InputError::new(path, error))?)
    };
    let observations = read(&args.data)?;
    let check = args.check.as_ref().map(read).transpose()?;
    let form = match args.form {
        FormArg::Sf => Form::Sf { ply_degree: usize::from(args.ply_degree) },
        FormArg::Lichess => Form::Lichess,
    };
    let source = args.data.file_name().map_or_else(String::new, |name| name.to_string_lossy().into_owned());
    let least = match args.loss {
        LossArg::Log => Loss::Log,
        LossArg::Absolute => Loss::Absolute,
    };
    let file =
        fit(&observations, form, least, &source).map_err(|error| InputError::new(&args.data, error))?;
    let model = WinModel::from(file.parameters);
    let to_stdout = output.is_stream();
    output.finish((serde_json::to_string_pretty(&file)? + "\n").as_bytes())?;
    let mut report = report("fitted on", &model, &observations);
    if let Some(check) = &check {
        report += &self::report("checked on", &model, check);
    }
    if to_stdout {
        eprint!("{report}");
        Ok(())
    } else {
        print(&report)
    }
}

fn report(title: &str, model: &WinModel, observations: &[plyscope::fit::Observation]) -> String {
    let calibration = Calibration::of(model, observations);
    let mut text = format!(
        "{title} {} positions: log-loss {:.4}, calibration error {:.4}\n  predicted  observed  positions\n",
        observations.len(),
        mean_log_loss(model, observations),
        calibration.error,
    );
    for decile in &calibration.deciles {
        text += &format!("  {:9.3} {:9.3} {:10}\n", decile.predicted, decile.observed, decile.count);
    }
    text
}

//! The downhill simplex method (Nelder and Mead 1965): a minimum without derivatives.

const STEPS_MAX: usize = 3000;
/// The search ends when the simplex's values differ by less than this.
const VALUE_TOLERANCE: f64 = 1e-11;

/// The point near which `value` is least, searched from `start`.
pub(super) fn minimise(value: &impl Fn(&[f64]) -> f64, start: &[f64]) -> Vec<f64> {
    let mut simplex: Vec<(f64, Vec<f64>)> = vec![(value(start), start.to_vec())];
    for i in 0..start.len() {
        let mut corner = start.to_vec();
        corner[i] += if corner[i] == 0.0 { 1.0 } else { 0.2 * corner[i] };
        simplex.push((value(&corner), corner));
    }
    for _ in 0..STEPS_MAX {
        simplex.sort_by(|x, y| x.0.total_cmp(&y.0));
        let last = simplex.len() - 1;
        if (simplex[last].0 - simplex[0].0).abs() < VALUE_TOLERANCE {
            break;
        }
        let centre: Vec<f64> = (0..start.len())
            .map(|i| simplex[..last].iter().map(|corner| corner.1[i]).sum::<f64>() / last as f64)
            .collect();
        let worst = simplex[last].1.clone();
        let along = |factor: f64| {
            let point: Vec<f64> = centre.iter().zip(&worst).map(|(c, w)| c + factor * (c - w)).collect();
            (value(&point), point)
        };
        let reflected = along(1.0);
        let replacement = if reflected.0 < simplex[0].0 {
            let expanded = along(2.0);
            if expanded.0 < reflected.0 { expanded } else { reflected }
        } else if reflected.0 < simplex[last - 1].0 {
            reflected
        } else {
            let contracted = if reflected.0 < simplex[last].0 { along(0.5) } else { along(-0.5) };
            if contracted.0 < simplex[last].0.min(reflected.0) {
                contracted
            } else {
                shrink(value, &mut simplex);
                continue;
            }
        };
        simplex[last] = replacement;
    }
    simplex.into_iter().min_by(|x, y| x.0.total_cmp(&y.0)).map_or_else(|| start.to_vec(), |corner| corner.1)
}

/// Draws all corners half way to the best.
fn shrink(value: &impl Fn(&[f64]) -> f64, simplex: &mut [(f64, Vec<f64>)]) {
    let best = simplex[0].1.clone();
    for corner in &mut simplex[1..] {
        for (x, b) in corner.1.iter_mut().zip(&best) {
            *x = (*x + b) / 2.0;
        }
        corner.0 = value(&corner.1);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_bottom_of_a_bent_valley_is_found() {
        // Rosenbrock's function, least at (1, 1).
        let value = |x: &[f64]| (1.0 - x[0]).powi(2) + 100.0 * (x[1] - x[0] * x[0]).powi(2);
        let found = minimise(&value, &[-1.2, 1.0]);
        assert!((found[0] - 1.0).abs() < 1e-3 && (found[1] - 1.0).abs() < 1e-3, "{found:?}");
    }
}

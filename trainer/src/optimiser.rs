//! Adam: a step of each parameter in proportion to its mean gradient over its root mean square.

/// Share of the old mean kept by a step, of the gradient and of its square (Kingma and Ba 2015, section 2).
const MEAN_KEPT: f32 = 0.9;
const SQUARE_KEPT: f32 = 0.999;
const FLOOR: f32 = 1e-8;

/// Running means of a parameter vector's gradients.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Adam {
    pub(crate) steps: u32,
    pub(crate) means: Vec<f32>,
    pub(crate) squares: Vec<f32>,
}

impl Adam {
    /// Before the first step of `parameters` parameters.
    pub(crate) fn new(parameters: usize) -> Self {
        Adam { steps: 0, means: vec![0.0; parameters], squares: vec![0.0; parameters] }
    }

    /// Moves `parameters` against `gradient`.
    pub(crate) fn step(&mut self, parameters: &mut [f32], gradient: &[f32], rate: f32) {
        self.steps = self.steps.saturating_add(1);
        let steps = self.steps.min(100_000) as i32;
        let mean_weight = 1.0 / (1.0 - MEAN_KEPT.powi(steps));
        let square_weight = 1.0 / (1.0 - SQUARE_KEPT.powi(steps));
        for (((x, &g), mean), square) in
            parameters.iter_mut().zip(gradient).zip(&mut self.means).zip(&mut self.squares)
        {
            *mean = MEAN_KEPT * *mean + (1.0 - MEAN_KEPT) * g;
            *square = SQUARE_KEPT * *square + (1.0 - SQUARE_KEPT) * g * g;
            *x -= rate * *mean * mean_weight / ((*square * square_weight).sqrt() + FLOOR);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn steps_lead_to_the_lowest_point_of_a_bowl() {
        let target = [3.0f32, -0.5];
        let mut x = [0.0f32, 0.0];
        let mut adam = Adam::new(2);
        for _ in 0..2000 {
            let gradient = [2.0 * (x[0] - target[0]), 20.0 * (x[1] - target[1])];
            adam.step(&mut x, &gradient, 0.01);
        }
        assert!((x[0] - target[0]).abs() < 0.01 && (x[1] - target[1]).abs() < 0.01, "{x:?}");
    }
}

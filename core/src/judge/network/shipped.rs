//! The networks that are compiled in, each behind its Cargo feature; their model cards lie beside them in `nets/`.

#[cfg(any(feature = "net-large", feature = "net-small"))]
use super::{Network, NetworkError};

/// Bytes on the boundary of a cache line, so that each row of weights begins on one.
#[cfg(any(feature = "net-large", feature = "net-small"))]
#[repr(C, align(64))]
struct Aligned<T: ?Sized>(T);

/// The network for hosts.
#[cfg(feature = "net-large")]
pub type LargeNetwork = Network<'static, 2, 768>;

/// The network for microcontrollers: at most 50,000 bytes of constants.
#[cfg(feature = "net-small")]
pub type SmallNetwork = Network<'static, 1, 64>;

#[cfg(feature = "net-large")]
static LARGE: &Aligned<[u8]> = &Aligned(*include_bytes!("../../../nets/large.plynet"));

#[cfg(feature = "net-small")]
static SMALL: &Aligned<[u8]> = &Aligned(*include_bytes!("../../../nets/small.plynet"));

/// The network for hosts, its file checked; keep it rather than ask again.
///
/// # Errors
///
/// [`NetworkError`] where the file that was compiled in is damaged.
#[cfg(feature = "net-large")]
pub fn large() -> Result<LargeNetwork, NetworkError> {
    Network::parse(&LARGE.0)
}

/// The network for microcontrollers, its file checked; keep it rather than ask again.
///
/// # Errors
///
/// [`NetworkError`] where the file that was compiled in is damaged.
#[cfg(feature = "net-small")]
pub fn small() -> Result<SmallNetwork, NetworkError> {
    Network::parse(&SMALL.0)
}

#[cfg(test)]
mod tests {
    #[cfg(any(feature = "net-large", feature = "net-small"))]
    fn values<const BYTES: usize, const N: usize>(
        network: &super::Network<'_, BYTES, N>,
    ) -> [Option<i32>; 3] {
        use shakmaty::{CastlingMode, Chess, fen::Fen};

        use crate::judge::{evaluation::Evaluator, network::Accumulator};

        // Level; White a queen up; the same with Black to move.
        [
            "rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w KQkq - 0 1",
            "r3kbnr/pppppppp/2n5/8/8/2N5/PPPPPPPP/R1BQKBNR w KQkq - 0 6",
            "r3kbnr/pppppppp/2n5/8/8/2N5/PPPPPPPP/R1BQKBNR b KQkq - 0 6",
        ]
        .map(|fen| {
            let fen: Fen = fen.parse().ok()?;
            let pos: Chess = fen.into_position(CastlingMode::Standard).ok()?;
            let mut state = Accumulator::default();
            network.refresh(&pos, &mut state);
            Some(network.evaluate(&state, &pos))
        })
    }

    #[cfg(any(feature = "net-large", feature = "net-small"))]
    fn knows_a_queen(values: [Option<i32>; 3]) -> bool {
        let [Some(level), Some(ahead), Some(behind)] = values else { return false };
        level.abs() < 80 && ahead > 400 && behind < -400
    }

    #[cfg(feature = "net-large")]
    #[test]
    fn the_large_network_loads_and_knows_a_queen() {
        let network = super::large();
        assert!(network.is_ok_and(|n| knows_a_queen(values(&n))));
        assert!(super::LARGE.0.len() <= 1_500_000);
    }

    #[cfg(feature = "net-small")]
    #[test]
    fn the_small_network_loads_knows_a_queen_and_fits_its_chip() {
        let network = super::small();
        assert!(network.is_ok_and(|n| knows_a_queen(values(&n))));
        assert!(super::SMALL.0.len() <= 50_000);
    }
}

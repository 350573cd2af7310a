//! bolero's own engine takes its seeds from the system. This one counts, so that a test that fails fails again.

use bolero::bolero_engine::driver::Options;
use bolero::bolero_engine::input::Bytes;
use bolero::{Engine, Test};

/// The longest run of bytes that a value is made from.
const MAX_BYTES: u64 = 512;

/// Runs a test on `runs` inputs, which are the same each time, and shrinks the first that fails.
pub struct Fixed {
    /// How many.
    pub runs: u64,
}

impl<T: Test> Engine<T> for Fixed
where
    T::Value: std::fmt::Debug,
{
    type Output = ();

    fn run(self, mut test: T, options: Options) {
        let mut tested = 0_u64;
        for run in 0..self.runs {
            let mut dice = Dice(run);
            let bytes: Vec<u8> = (0..dice.next() % MAX_BYTES).map(|_| dice.next().to_le_bytes()[0]).collect();
            match test.test(&mut Bytes::new(&bytes, &options)) {
                Ok(valid) => tested += u64::from(valid),
                Err(error) => match test.shrink(bytes, Some(run.into()), &options) {
                    Some(smaller) => panic!("run {run}: {smaller:#}"),
                    None => panic!("run {run}: {error}"),
                },
            }
        }
        assert!(tested > self.runs / 2, "only {tested} of {} inputs could be made from the bytes", self.runs);
    }
}

/// SplitMix64: another sequence for each beginning.
struct Dice(u64);

impl Dice {
    fn next(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9E37_79B9_7F4A_7C15);
        let mut mixed = self.0;
        mixed = (mixed ^ (mixed >> 30)).wrapping_mul(0xBF58_476D_1CE4_E5B9);
        mixed = (mixed ^ (mixed >> 27)).wrapping_mul(0x94D0_49BB_1331_11EB);
        mixed ^ (mixed >> 31)
    }
}

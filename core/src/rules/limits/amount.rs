//! How much something is, as far as literals tell: the arithmetic of bounds.

/// What is known of a number.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Amount {
    /// Literals say: no less than the first, no more than the second. Both are finite.
    Between(f64, f64),
    /// As much as the data says, and so much more (or less) as literals add to that.
    Data(f64),
    /// Nobody knows.
    Unknown,
}

impl Amount {
    /// Exactly so much.
    pub fn exactly(number: f64) -> Self {
        Self::between([number])
    }

    /// A literal, as it is spelled.
    pub fn spelled(text: &str) -> Self {
        text.trim().parse().map_or(Amount::Unknown, Self::exactly)
    }

    /// What spans all of these.
    fn between<const N: usize>(numbers: [f64; N]) -> Self {
        // NaN compares with nothing: it must not pass for a small number.
        if !numbers.iter().all(|number| number.is_finite()) {
            return Amount::Unknown;
        }
        let low = numbers.into_iter().fold(f64::INFINITY, f64::min);
        Amount::Between(low, numbers.into_iter().fold(f64::NEG_INFINITY, f64::max))
    }

    /// The one number that it is.
    pub fn single(self) -> Option<f64> {
        match self {
            Amount::Between(low, high) if low.to_bits() == high.to_bits() => Some(low),
            Amount::Between(..) | Amount::Data(_) | Amount::Unknown => None,
        }
    }

    /// How far from zero literals take it.
    pub fn reach(self) -> Option<f64> {
        match self {
            Amount::Between(low, high) => Some(low.abs().max(high.abs())),
            Amount::Data(more) => Some(more),
            Amount::Unknown => None,
        }
    }

    /// One of the two.
    pub fn or(self, other: Self) -> Self {
        match (self, other) {
            (Amount::Between(a, b), Amount::Between(c, d)) => Self::between([a, b, c, d]),
            (left, right) => Self::near(left, right, f64::max),
        }
    }

    /// Data, and what literals add to it.
    fn near(left: Self, right: Self, join: fn(f64, f64) -> f64) -> Self {
        match (left.reach(), right.reach()) {
            (Some(left), Some(right)) if join(left, right).is_finite() => Amount::Data(join(left, right)),
            (_, _) => Amount::Unknown,
        }
    }

    /// The sum.
    pub fn plus(self, other: Self) -> Self {
        match (self, other) {
            (Amount::Between(a, b), Amount::Between(c, d)) => Self::between([a + c, b + d]),
            (left, right) => Self::near(left, right, |left, right| left + right),
        }
    }

    /// The opposite.
    pub fn negated(self) -> Self {
        match self {
            Amount::Between(low, high) => Amount::Between(-high, -low),
            Amount::Data(_) | Amount::Unknown => self,
        }
    }

    /// The product. Of data and a literal nothing is known: a small column is soon a large number.
    pub fn times(self, other: Self) -> Self {
        match (self, other) {
            (Amount::Between(a, b), Amount::Between(c, d)) => Self::between([a * c, a * d, b * c, b * d]),
            (_, _) => Amount::Unknown,
        }
    }

    /// The quotient. Whole numbers may be divided as integers, which leave the fraction out.
    pub fn over(self, other: Self) -> Self {
        match (self, other) {
            (Amount::Between(a, b), Amount::Between(c, d)) if c > 0.0 || d < 0.0 => {
                let quotient = Self::between([a / c, a / d, b / c, b / d]);
                if [a, b, c, d].iter().all(|number| number.fract() == 0.0) { quotient.rounded() } else { quotient }
            }
            (Amount::Data(_), Amount::Between(low, high)) if low >= 1.0 || high <= -1.0 => self,
            // What divides is a count, not a fraction, nearly always.
            (Amount::Data(_), Amount::Data(_)) => self,
            (_, _) => Amount::Unknown,
        }
    }

    /// The remainder: never farther from zero than what is divided.
    pub fn modulo(self) -> Self {
        match self {
            Amount::Between(low, high) => Self::between([low, high, -low, -high]),
            Amount::Data(_) | Amount::Unknown => self,
        }
    }

    /// Without its sign.
    pub fn absolute(self) -> Self {
        match self {
            Amount::Between(low, high) => Self::between([low.abs(), high.abs(), low.max(0.0).min(high.abs())]),
            Amount::Data(_) | Amount::Unknown => self,
        }
    }

    /// A whole number nearby, up or down.
    pub fn rounded(self) -> Self {
        match self {
            Amount::Between(low, high) => Amount::Between(low.floor(), high.ceil()),
            Amount::Data(_) | Amount::Unknown => self,
        }
    }

    /// So much of each of so many: what `repeat` makes.
    pub fn each(self, size: f64) -> Self {
        match self {
            Amount::Data(more) => Amount::Data((more + 1.0) * size),
            Amount::Between(..) | Amount::Unknown => self.times(Self::exactly(size)),
        }
    }
}

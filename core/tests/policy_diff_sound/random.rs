//! Numbers that are the same on every run and machine (xorshift64*).

pub struct Random(pub u64);

impl Random {
    /// From 0 up to, not including, `bound`.
    pub fn below(&mut self, bound: usize) -> usize {
        self.0 ^= self.0 >> 12;
        self.0 ^= self.0 << 25;
        self.0 ^= self.0 >> 27;
        let next = self.0.wrapping_mul(0x2545_f491_4f6c_dd1d) >> 33;
        usize::try_from(next).unwrap() % bound.max(1)
    }

    /// `count` of the items, or all.
    pub fn some<T>(&mut self, mut items: Vec<T>, count: usize) -> Vec<T> {
        for at in 0..items.len().min(count) {
            let other = at + self.below(items.len() - at);
            items.swap(at, other);
        }
        items.truncate(count);
        items
    }
}

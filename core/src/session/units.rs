//! Milliseconds as the server shows them: `5s` for 5000.
//!
//! Receives what was set, returns what `set_config` gives back. The rule is `ShowGUCOption`'s and `convert_int_from_base_unit`'s in
//! PostgreSQL's `guc.c`: the largest unit that divides the value, and no unit for 0.

const UNITS: &[(u64, &str)] = &[(86_400_000, "d"), (3_600_000, "h"), (60_000, "min"), (1_000, "s")];

/// A setting in milliseconds, in the server's spelling.
pub(super) fn milliseconds(value: u64) -> String {
    if value == 0 {
        return "0".to_owned();
    }
    match UNITS.iter().find(|(unit, _)| value.is_multiple_of(*unit)) {
        Some((unit, name)) => format!("{}{name}", value / unit),
        None => format!("{value}ms"),
    }
}

#[cfg(test)]
mod tests {
    use super::milliseconds;

    #[test]
    fn spells_as_the_server_does() {
        // What `SELECT set_config('statement_timeout', …, true)` gave on PostgreSQL 18.4.
        for (value, shown) in [
            (0, "0"),
            (1, "1ms"),
            (1_500, "1500ms"),
            (5_000, "5s"),
            (90_000, "90s"),
            (60_000, "1min"),
            (5_400_000, "90min"),
            (3_600_000, "1h"),
            (86_400_000, "1d"),
            (2_147_483_647, "2147483647ms"),
        ] {
            assert_eq!(milliseconds(value), shown, "{value}");
        }
    }
}

//! The `haltsql` command.

fn main() {}

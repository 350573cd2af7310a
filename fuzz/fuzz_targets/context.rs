//! The target `context` under libFuzzer.

#![no_main]

libfuzzer_sys::fuzz_target!(|data: &[u8]| haltsql_fuzz::targets::context(data));

//! Compiles the one C file.

fn main() {
    println!("cargo::rerun-if-changed=src/thread.c");
    cc::Build::new().file("src/thread.c").warnings(true).extra_warnings(true).compile("haltsql_parser_thread");
}

//! Switches the weakened rules on for this package and for no other.

fn main() {
    println!("cargo::rerun-if-changed=build.rs");
    println!("cargo::rustc-cfg=haltsql_weaken");
}

//! How the addon is linked.

fn main() {
    println!("cargo::rerun-if-changed=build.rs");
    if std::env::var("CARGO_CFG_TARGET_OS").is_ok_and(|system| system == "linux") {
        // Never unloaded: the parser leaves a hook that runs when a thread ends, and it has to be there then. Node unloads an
        // addon with the last worker that has it.
        println!("cargo::rustc-cdylib-link-arg=-Wl,-z,nodelete");
    }
}

//! Writes `ffi-c/include/haltsql.h` from the sources, or with `--check` says whether it is fresh.
//!
//!     cargo run --profile checked -p haltsql-c --example header

use std::error::Error;
use std::path::Path;
use std::process::ExitCode;

use cbindgen::{Builder, Config, DocumentationLength, Language, SortKey, Style};

const TOP: &str = "/* HaltSQL: decides before anything is sent to PostgreSQL whether a SQL text may run.
 *
 * Inputs are lent for the call. Places for results are the caller's: emptied on entry, filled on success only, freed with the
 * function that is named after their type. Every handle is immutable and may be used by any number of threads at once. An
 * error means that no check happened: treat it as a denial. ffi-c/README.md has an example.
 *
 * Made from the sources: cargo run --profile checked -p haltsql-c --example header */";

/// The header's text.
pub fn header() -> Result<String, Box<dyn Error>> {
    let package = Path::new(env!("CARGO_MANIFEST_DIR"));
    let mut config = Config {
        language: Language::C,
        header: Some(TOP.to_owned()),
        include_guard: Some("HALTSQL_H".to_owned()),
        no_includes: true,
        sys_includes: ["stdbool.h", "stddef.h", "stdint.h"].map(str::to_owned).to_vec(),
        after_includes: Some(format!(
            "\n/* The version of HaltSQL that this header belongs to. */\n#define HALTSQL_VERSION \"{}\"\n\n\
             /* Whether the library that was loaded is of the ABI that this header describes. */\n\
             #define HALTSQL_IS_COMPATIBLE() (haltsql_abi_version() == HALTSQL_ABI_VERSION)",
            env!("CARGO_PKG_VERSION")
        )),
        cpp_compat: true,
        style: Style::Both,
        usize_is_size_t: true,
        line_length: 130,
        documentation_length: DocumentationLength::Full,
        ..Config::default()
    };
    config.function.sort_by = Some(SortKey::Name);
    let mut text = Vec::new();
    Builder::new().with_src(package.join("src/lib.rs")).with_config(config).generate()?.write(&mut text);
    Ok(String::from_utf8(text)?.replace(" * # Safety\n", " * Safety:\n"))
}

#[allow(dead_code, reason = "a test reads this file for `header` alone")]
fn main() -> Result<ExitCode, Box<dyn Error>> {
    let file = Path::new(env!("CARGO_MANIFEST_DIR")).join("include/haltsql.h");
    let fresh = header()?;
    if std::env::args().any(|argument| argument == "--check") {
        if std::fs::read_to_string(&file).is_ok_and(|old| old == fresh) {
            return Ok(ExitCode::SUCCESS);
        }
        eprintln!("{} is not fresh: run the example `header` without --check", file.display());
        return Ok(ExitCode::from(1));
    }
    std::fs::write(file, fresh)?;
    Ok(ExitCode::SUCCESS)
}

//! Writes the seeds of one target into a folder, where libFuzzer begins: `seeds TARGET FOLDER`.

#![allow(clippy::unwrap_used, reason = "a tool of this repository: a panic says what is wrong")]

use std::fs;
use std::path::PathBuf;
use std::process::ExitCode;

use haltsql_fuzz::seeds;

fn main() -> ExitCode {
    let mut arguments = std::env::args().skip(1);
    let (target, folder) = (arguments.next(), arguments.next().map(PathBuf::from));
    let (Some(target), Some(folder)) = (target, folder) else {
        return usage();
    };
    let seeds = match target.as_str() {
        "sql" => seeds::sql(),
        "policy" => seeds::policy(),
        "context" => seeds::context(),
        "batch" => seeds::batch(),
        _ => return usage(),
    };
    fs::create_dir_all(&folder).unwrap();
    for (at, seed) in seeds.iter().enumerate() {
        fs::write(folder.join(format!("corpus-{at:05}")), seed).unwrap();
    }
    ExitCode::SUCCESS
}

fn usage() -> ExitCode {
    eprintln!("usage: seeds sql|policy|context|batch FOLDER");
    ExitCode::from(2)
}

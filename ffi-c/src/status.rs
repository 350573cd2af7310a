//! The numbers of the ABI. A number is never reused.

use haltsql::boundary::{ABI_VERSION, DocumentFormat, ErrorCode};

/// What a call came to: `HALTSQL_OK` or one of `HALTSQL_ERROR_*`. A number that this header does not know is an error too.
/// An error means that no check happened: treat it as a denial.
pub type haltsql_status = u32;

/// The call succeeded. A denied SQL text is a success: look at the verdict.
pub const HALTSQL_OK: haltsql_status = 0;
/// A bug of HaltSQL. No check happened.
pub const HALTSQL_ERROR_INTERNAL: haltsql_status = 1;
/// A function was called in a way that its documentation rules out: NULL, an impossible length, an unknown format.
pub const HALTSQL_ERROR_ARGUMENT: haltsql_status = 2;
/// The policy document is not valid.
pub const HALTSQL_ERROR_POLICY: haltsql_status = 3;
/// The context is not a JSON object with unique keys.
pub const HALTSQL_ERROR_CONTEXT: haltsql_status = 4;
/// What was given as a verdict is none of this version, or it was given for another text.
pub const HALTSQL_ERROR_VERDICT: haltsql_status = 5;
/// For languages over this ABI: the policy was closed. No function here returns it.
pub const HALTSQL_ERROR_CLOSED: haltsql_status = 6;
/// For languages over this ABI: library and binding are of different versions. No function here returns it.
pub const HALTSQL_ERROR_VERSION: haltsql_status = 7;
/// For languages over this ABI: a string is not Unicode. No function here returns it.
pub const HALTSQL_ERROR_ENCODING: haltsql_status = 8;
/// For guards: the session or the database is not what the policy describes. No function here returns it.
pub const HALTSQL_ERROR_SEAL: haltsql_status = 9;

/// The language of a policy document: JSON where its name ends in `.json`, or where it has no such ending and begins with `{`;
/// else YAML.
pub const HALTSQL_FORMAT_AUTO: u32 = 0;
/// The document is YAML.
pub const HALTSQL_FORMAT_YAML: u32 = 1;
/// The document is JSON.
pub const HALTSQL_FORMAT_JSON: u32 = 2;

/// The version of this ABI. Compare it with haltsql_abi_version() before the first other call, and go no further where they differ.
pub const HALTSQL_ABI_VERSION: u32 = 1;

// What C reads is what the core means.
const _: () = {
    assert!(HALTSQL_ERROR_INTERNAL == ErrorCode::Internal.number());
    assert!(HALTSQL_ERROR_ARGUMENT == ErrorCode::Argument.number());
    assert!(HALTSQL_ERROR_POLICY == ErrorCode::Policy.number());
    assert!(HALTSQL_ERROR_CONTEXT == ErrorCode::Context.number());
    assert!(HALTSQL_ERROR_VERDICT == ErrorCode::Verdict.number());
    assert!(HALTSQL_ERROR_CLOSED == ErrorCode::Closed.number());
    assert!(HALTSQL_ERROR_VERSION == ErrorCode::Version.number());
    assert!(HALTSQL_ERROR_ENCODING == ErrorCode::Encoding.number());
    assert!(HALTSQL_ERROR_SEAL == ErrorCode::Seal.number());
    assert!(ErrorCode::ALL.len() == 9, "a new kind of error needs its constant here");
    assert!(HALTSQL_FORMAT_AUTO == DocumentFormat::Auto as u32);
    assert!(HALTSQL_FORMAT_YAML == DocumentFormat::Yaml as u32);
    assert!(HALTSQL_FORMAT_JSON == DocumentFormat::Json as u32);
    assert!(HALTSQL_ABI_VERSION == ABI_VERSION);
};

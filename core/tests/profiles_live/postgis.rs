//! The profile `postgis` against a server that has PostGIS, which `make setup` does not provide: run by hand, where the
//! profile changes (docs/profiles.md).

#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic, clippy::indexing_slicing, missing_docs)]
#![allow(dead_code, reason = "shared with the test of the other profiles")]

mod calls;
mod extensions;
mod files;
mod samples;
mod server;
mod suite;

use haltsql_testkit::Version;

#[test]
fn postgis_holds_on_a_live_server() {
    extensions::hold("postgis", &server::Server::start(Version::Postgis));
}

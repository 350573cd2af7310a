//! Extensions' profiles on a live server: the extensions in a schema of their own, values for their types.

use std::collections::BTreeSet;

use postgres::Client;

use crate::files::{self, of_extension, places_of_extension};
use crate::samples;
use crate::server::Server;
use crate::suite::{Call, Suite, column};

/// The profile holds on this server: each name of its extensions is in or out, with the server's own metadata, and every
/// function and operator that is in depends on its arguments alone.
pub fn hold(profile: &'static str, server: &Server) {
    let (extensions, shut): (&[&str], &[(&str, usize)]) = match profile {
        "fuzzy" => (&["fuzzystrmatch", "pg_trgm"], &[]),
        "vector" => (&["vector"], &[]),
        "postgis" => (
            &["postgis"],
            &[
                ("box2d", 3),
                ("geography", 3),
                ("geometry", 3),
                ("st_curvetoline", 3),
                ("st_curvetoline", 4),
                ("st_frechetdistance", 3),
                ("st_hausdorffdistance", 3),
                ("st_offsetcurve", 3),
                ("st_transform", 3),
            ],
        ),
        other => panic!("{other}"),
    };
    // PostGIS has no SQLSTATE of its own for a geometry that a function does not take.
    let data_errors: &[&str] = if profile == "postgis" { &["XX000"] } else { &[] };
    let entries = of_extension(profile);
    let suite = Suite { schema: "ext", entries, casts: &[], shut, unreached: &[], data_errors, extensions };
    let mut admin = server.connect("postgres", "postgres");
    suite.install(&mut admin);
    let signatures = suite.signatures(&mut admin);
    every_name_stands_in_one_place(&mut admin, &places_of_extension(profile));
    no_name_is_pg_catalogs(&suite);
    no_operator_compares_what_tenants_are(&mut admin);
    suite.metadata_is_the_servers(&signatures);
    suite.functions_depend_on_their_arguments_alone(server, &mut admin, &signatures);
}

fn every_name_stands_in_one_place(admin: &mut Client, places: &files::Places) {
    let tables = [
        ("function", "pg_proc", "proname", "pronamespace"),
        ("operator", "pg_operator", "oprname", "oprnamespace"),
        ("type", "pg_type", "typname", "typnamespace"),
    ];
    for (object, table, name, schema) in tables {
        let ours = places.keys().filter(|key| key.0 == object).map(|key| key.1.to_owned()).collect::<BTreeSet<_>>();
        let arrays = if object == "type" {
            "AND NOT EXISTS (SELECT FROM pg_catalog.pg_type e WHERE e.typarray = o.oid)"
        } else {
            ""
        };
        let query = format!(
            "SELECT DISTINCT {name} FROM pg_catalog.{table} o
            WHERE {schema} = 'ext'::pg_catalog.regnamespace {arrays}"
        );
        assert_eq!(ours, column(admin, &query), "{object}");
    }
}

/// A call by an unqualified name of `pg_catalog` would be the server's own.
fn no_name_is_pg_catalogs(suite: &Suite) {
    let system = files::places();
    for entry in &suite.entries {
        if entry.object != "operator" {
            assert!(!system.contains_key(&(entry.object, entry.name)), "{entry:?}");
        } else if let Some(place) = system.get(&("operator", entry.name)) {
            assert_eq!(*place, "core", "the extension's operator would open another profile's: {entry:?}");
        }
    }
}

/// An equality of a tenant column's type would be a rival of pg_catalog's, on which tenancy rests.
fn no_operator_compares_what_tenants_are(admin: &mut Client) {
    let rivals = column(
        admin,
        "SELECT oprname FROM pg_catalog.pg_operator WHERE oprnamespace = 'ext'::pg_catalog.regnamespace
        AND oprname IN ('=', '<>') AND (oprleft::pg_catalog.regtype::text IN ('text', 'character varying', 'uuid', 'smallint', 'integer', 'bigint')
            OR oprright::pg_catalog.regtype::text IN ('text', 'character varying', 'uuid', 'smallint', 'integer', 'bigint'))",
    );
    assert_eq!(rivals, BTreeSet::new());
}

/// A call of each operator of the schema `ext` with each pair of values.
pub fn operators(admin: &mut Client) -> Vec<Call> {
    let query = "SELECT o.oprname || ' ' || coalesce(l.typname, '') || ' ' || r.typname
        FROM pg_catalog.pg_operator o LEFT JOIN pg_catalog.pg_type l ON l.oid = o.oprleft JOIN pg_catalog.pg_type r ON r.oid = o.oprright
        WHERE o.oprnamespace = 'ext'::pg_catalog.regnamespace";
    let mut calls = Vec::new();
    for operator in column(admin, query) {
        let parts = operator.split(' ').collect::<Vec<_>>();
        let values = |ty: &str| samples::of_type(ty).unwrap_or_else(|| vec![format!("NULL::ext.\"{ty}\"")]);
        for left in values(parts[1]) {
            for right in values(parts[2]) {
                let statement = format!("SELECT {left} OPERATOR(ext.{}) {right}", parts[0]);
                // Boxes inside indexes have no text form: only NULL can be written.
                let signature = if left.starts_with("NULL") || right.starts_with("NULL") { "" } else { &operator };
                calls.push(Call { signature: signature.to_owned(), statement, repeatable: true });
            }
        }
    }
    calls
}

/// Vector tiles of rows, which no value of a single type is.
pub fn tiles() -> impl Iterator<Item = Call> {
    let arguments = [("anyelement", "q"), ("text", "'layer'"), ("int4", "4096"), ("text", "'geom'"), ("text", "'id'")];
    (1..=arguments.len()).map(move |count| {
        let (types, values): (Vec<_>, Vec<_>) = arguments[..count].iter().copied().unzip();
        let row = "VALUES (1, 'a', 'POINT(1 2)'::ext.geometry), (2, 'b', 'LINESTRING(0 0,9 9)'::ext.geometry)";
        let statement = format!("SELECT ext.st_asmvt({}) FROM ({row}) q(id, name, geom)", values.join(", "));
        Call { signature: format!("st_asmvt({})", types.join(", ")), statement, repeatable: true }
    })
}

/// Text forms of an extension's type, or of an array of it.
pub fn values(ty: &str) -> Option<&'static [&'static str]> {
    Some(match ty {
        "vector" | "halfvec" => &["[1,2,3]", "[0,-1.5,2]", "[1,2]"],
        "sparsevec" => &["{1:1,3:2}/3", "{}/3", "{2:-1.5}/2"],
        "geometry" => &[
            "POINT(1 2)",
            "SRID=4326;POLYGON((0 0,4 0,4 4,0 4,0 0),(1 1,2 1,2 2,1 2,1 1))",
            "LINESTRING(0 0,1 1,2 0)",
            "LINESTRING ZM (0 0 1 1,1 1 2 2,2 0 3 3)",
            "MULTIPOINT(0 0,5 5,9 1,2 2)",
            "SRID=4326;POINT(13.4 52.5)",
            "GEOMETRYCOLLECTION(POINT(1 1),LINESTRING(0 0,1 1))",
            "POLYGON EMPTY",
        ],
        "geography" => &["POINT(13.4 52.5)", "POLYGON((0 0,4 0,4 4,0 4,0 0))", "LINESTRING(0 0,1 1,2 0)"],
        "box2d" => &["BOX(0 0,2 3)", "BOX(1 1,1 1)"],
        "box3d" => &["BOX3D(0 0 0,2 3 4)", "BOX3D(1 1 1,1 1 1)"],
        "spheroid" => &["SPHEROID[\"WGS 84\",6378137,298.257223563]"],
        "_geometry" => {
            &["{POINT(1 2):POINT(3 4):POINT(1 9)}", "{LINESTRING(0 0,1 1):LINESTRING(1 1,0 1):LINESTRING(0 1,0 0)}"]
        }
        _ => return None,
    })
}

/// SQL expressions of an extension's type.
pub fn of_type(ty: &str) -> Option<Vec<String>> {
    Some(values(ty)?.iter().map(|value| samples::literal(value, ty)).collect())
}

/// Values for arguments that want particular ones.
pub fn particular(function: &str, position: usize, ty: &str) -> Option<&'static [&'static str]> {
    Some(match (function, position, ty) {
        // In one coordinate system.
        (
            "st_clusterintersecting"
            | "st_clusterwithin"
            | "st_collect"
            | "st_makeline"
            | "st_memcollect"
            | "st_memunion"
            | "st_polygonize"
            | "st_union",
            _,
            "geometry",
        ) => &["LINESTRING(0 0,1 1)", "LINESTRING(1 1,0 1)", "POINT(1 2)", "LINESTRING(0 1,0 0)"],
        ("st_clusterwithin" | "st_union", 1, "float8") => &["0.5"],
        ("subvector", 1 | 2, _) => &["1", "2"],
        ("metaphone", 1, _) => &["4", "1"],
        ("st_geomfromtext" | "st_geometryfromtext" | "st_wkttosql" | "st_geomfromewkt" | "geomfromewkt", 0, "text") => {
            &["POINT(1 2)", "LINESTRING(0 0,1 1)"]
        }
        ("st_geogfromtext" | "st_geographyfromtext" | "st_pointfromtext" | "geometry", 0, "text") => &["POINT(1 2)"],
        _ => return None,
    })
}

#![allow(clippy::unwrap_used, clippy::panic, clippy::indexing_slicing)]

use super::{Catalog, Function, FunctionKind, Held, Lists, Small, profile, profile_sha256, profiles};

/// The lists of a policy with `search_path: [app]`, changed by `change`.
fn lists(change: impl FnOnce(&mut Lists)) -> Lists {
    let mut lists = Lists { search_path: vec!["app".into()], profiles: vec!["core".into()], ..Lists::default() };
    change(&mut lists);
    lists
}

fn catalog(change: impl FnOnce(&mut Lists)) -> Catalog {
    Catalog::new(&lists(change)).unwrap()
}

fn core() -> Catalog {
    catalog(|_| ())
}

fn strings(items: &[&str]) -> Vec<String> {
    items.iter().map(|item| (*item).to_owned()).collect()
}

fn refused(change: impl FnOnce(&mut Lists)) -> String {
    match Catalog::new(&lists(change)) {
        Ok(_) => panic!("accepted"),
        Err(message) => message,
    }
}

#[test]
fn without_profiles_nothing_is_allowed() {
    let empty = catalog(|lists| lists.profiles.clear());
    assert_eq!(empty.function(None, "lower", 1), None);
    assert!(!empty.operator(None, "="));
    assert!(!empty.ty(Some("pg_catalog"), "int4"));
    assert!(!empty.collation(None, "C"));
    let default = Catalog::default();
    assert_eq!(default.function(None, "lower", 1), None);
    assert!(!default.ty(None, "text"));
}

#[test]
fn a_function_is_found_bare_and_in_pg_catalog_alone() {
    let core = core();
    let lower = core.function(None, "lower", 1).unwrap();
    assert_eq!((lower.kind, lower.returns_set, lower.held), (FunctionKind::Plain, false, None));
    assert_eq!(core.function(Some("pg_catalog"), "lower", 1), Some(lower));
    assert_eq!(core.function(Some("app"), "lower", 1), None);
    assert_eq!(core.function(Some("PG_CATALOG"), "lower", 1), None);
    assert_eq!(core.function(None, "LOWER", 1), None, "catalogue names are exact");
}

#[test]
fn argument_counts_bound_a_name() {
    let core = core();
    let counts = |name: &str| (0..9).filter(|count| core.function(None, name, *count).is_some()).collect::<Vec<_>>();
    assert_eq!(counts("lower"), [1]);
    assert_eq!(counts("now"), [0]);
    assert_eq!(counts("make_interval"), [0, 1, 2, 3, 4, 5, 6, 7], "defaults");
    assert_eq!(counts("concat"), [1, 2, 3, 4, 5, 6, 7, 8], "VARIADIC");
    assert_eq!(counts("json_build_object"), [0, 1, 2, 3, 4, 5, 6, 7, 8]);
    assert_eq!(counts("count"), [0, 1]);
    assert_eq!(counts("lag"), [1, 2, 3]);
    assert_eq!(counts("polygon"), [1], "with two it allocates what an argument says");
    assert_eq!(counts("numeric"), [1]);
    assert!(core.function(None, "concat", 1600).is_some());
}

#[test]
fn a_second_argument_that_runs_sql_stays_shut() {
    let search = catalog(|lists| lists.profiles = strings(&["core", "text-search"]));
    assert!(search.function(None, "ts_rewrite", 3).is_some());
    assert_eq!(search.function(None, "ts_rewrite", 2), None);
    assert_eq!(search.function(None, "ts_stat", 1), None);
    let named = catalog(|lists| lists.functions_allow = strings(&["ts_rewrite"]));
    assert!(named.function(None, "ts_rewrite", 3).is_some());
    assert_eq!(named.function(None, "ts_rewrite", 2), None, "a policy that names it opens no more than the profile");
}

#[test]
fn window_functions_and_aggregates_of_one_name_are_told_apart() {
    let core = core();
    for name in ["rank", "dense_rank", "percent_rank", "cume_dist"] {
        assert_eq!(core.function(None, name, 0).unwrap().kind, FunctionKind::Window, "{name}() OVER");
        let hypothetical = core.function(None, name, 2).unwrap();
        assert_eq!(
            (hypothetical.kind, hypothetical.within_group),
            (FunctionKind::Aggregate, true),
            "{name}(x) WITHIN GROUP"
        );
        assert_eq!(core.function(None, name, 1), None);
    }
    for (name, arguments) in [("mode", 1), ("percentile_cont", 2), ("percentile_disc", 2)] {
        assert!(core.function(None, name, arguments).unwrap().within_group, "{name}");
    }
    let sum = core.function(None, "sum", 1).unwrap();
    assert_eq!((sum.kind, sum.within_group), (FunctionKind::Aggregate, false));
    assert_eq!(core.function(None, "row_number", 0).unwrap().kind, FunctionKind::Window);
}

#[test]
fn functions_in_from_know_their_columns() {
    let core = core();
    let each = core.function(None, "jsonb_each", 1).unwrap();
    assert!(each.returns_set && !each.returns_record);
    assert_eq!(each.out_columns, ["key", "value"]);
    let rows = core.function(None, "jsonb_to_recordset", 1).unwrap();
    assert!(rows.returns_set && rows.returns_record && rows.out_columns.is_empty());
    let row = core.function(None, "json_to_record", 1).unwrap();
    assert!(!row.returns_set && row.returns_record);
    let unnest = core.function(None, "unnest", 1).unwrap();
    assert!(unnest.returns_set && unnest.out_columns.is_empty());
    assert_eq!(unnest.other_out_columns, ["lexeme", "positions", "weights"]);
}

#[test]
fn unbounded_functions_are_held() {
    let core = core();
    let held = |name: &str, arguments| core.function(None, name, arguments).and_then(|function| function.held);
    let expected = [
        ("repeat", 2, Held::Repeat),
        ("lpad", 3, Held::Pad),
        ("rpad", 2, Held::Pad),
        ("generate_series", 2, Held::Series),
        ("generate_series", 4, Held::Series),
        ("array_fill", 2, Held::ArrayFill),
        ("factorial", 1, Held::Factorial),
        ("power", 2, Held::Power),
        ("pow", 2, Held::Power),
        ("format", 1, Held::Format),
        ("regexp_replace", 4, Held::Regex),
        ("substring", 2, Held::Regex),
    ];
    for (name, arguments, class) in expected {
        assert_eq!(held(name, arguments), Some(class), "{name}");
    }
    assert_eq!(held("substr", 2), None);
    assert_eq!(held("generate_subscripts", 2), None);
}

#[test]
fn a_value_of_a_catalogue_type_may_only_become_text() {
    let core = core();
    assert!(core.function(None, "pg_typeof", 1).unwrap().only_as_text);
    assert!(!core.function(None, "pg_column_size", 1).unwrap().only_as_text);
}

#[test]
fn what_the_design_shuts_out_is_out_of_every_profile() {
    let all = catalog(|lists| lists.profiles = strings(profiles()));
    let out = [
        "query_to_xml",
        "table_to_xml",
        "cursor_to_xml",
        "ts_stat",
        "current_setting",
        "set_config",
        "current_user",
        "session_user",
        "current_schema",
        "version",
        "inet_client_addr",
        "txid_current",
        "has_table_privilege",
        "to_regclass",
        "col_description",
        "pg_sleep",
        "pg_notify",
        "pg_advisory_lock",
        "pg_read_file",
        "pg_backend_pid",
        "lo_import",
        "lo_get",
        "nextval",
        "setseed",
        "setval",
        "xpath",
        "xmlcomment",
        "xmlexists",
        "jsonb_populate_record",
        "json_populate_recordset",
        "hash_record",
        "record_eq",
        "currtid2",
        "enum_range",
        "format_type",
        "int4in",
        "int4out",
        "textrecv",
        "int4_sum",
        "eqsel",
        "binary_upgrade_create_empty_extension",
        "regclass",
        "oid",
        "pg_collation_for",
        "pg_input_is_valid",
        "current_database",
        "system_user",
        "bit",
        "pg_relation_size",
        "row_security_active",
    ];
    for name in out {
        for arguments in 0..8 {
            assert_eq!(all.function(None, name, arguments), None, "{name}/{arguments}");
        }
    }
    assert_eq!(core().function(None, "random", 0), None);
    assert_eq!(core().function(None, "gen_random_uuid", 0), None);
    assert!(all.function(None, "random", 0).is_some());
}

#[test]
fn a_policys_own_function() {
    let own = catalog(|lists| {
        lists.search_path = strings(&["app", "lib"]);
        lists.functions_allow = strings(&["app.fiscal_quarter", "lib.slug", r#""App"."F.1""#]);
    });
    let function = own.function(None, "fiscal_quarter", 7).unwrap();
    assert_eq!(function, &Function::unknown());
    assert_eq!(own.function(Some("app"), "fiscal_quarter", 0), Some(function));
    assert_eq!(own.function(Some("pg_catalog"), "fiscal_quarter", 0), None);
    assert_eq!(own.function(None, "slug", 1), None, "an unlisted function of the first schema could shadow it");
    assert!(own.function(Some("lib"), "slug", 1).is_some());
    assert!(own.function(Some("App"), "F.1", 1).is_some());
    assert_eq!(own.function(Some("app"), "f.1", 1), None);
}

#[test]
fn an_unqualified_name_of_pg_catalog_is_never_the_policys() {
    let own = catalog(|lists| {
        lists.functions_allow =
            strings(&["app.lower", "app.random", "app.pg_sleep", "app.uuid", "app.pg_class", "app.pg_of_1990"]);
        lists.types_allow = strings(&["app.money", "app.xml", "app.status"]);
    });
    assert_eq!(own.function(None, "lower", 1), core().function(None, "lower", 1));
    for name in ["random", "pg_sleep", "pg_class", "pg_of_1990"] {
        assert_eq!(own.function(None, name, 1), None, "{name}");
        assert!(own.function(Some("app"), name, 1).is_some(), "{name}");
    }
    assert!(own.ty(Some("app"), "xml") && !own.ty(None, "xml"));
    assert!(own.ty(Some("app"), "status") && own.ty(None, "status"));
    assert!(!own.ty(Some("lib"), "status"));
}

#[test]
fn deny_takes_a_name_away() {
    let denied = catalog(|lists| {
        lists.functions_allow = strings(&["app.md5"]);
        lists.functions_deny = strings(&["md5", "pg_catalog.lower"]);
    });
    assert_eq!(denied.function(None, "md5", 1), None, "never the policy's own in its place");
    assert_eq!(denied.function(Some("pg_catalog"), "md5", 1), None);
    assert!(denied.function(Some("app"), "md5", 1).is_some());
    assert_eq!(denied.function(None, "lower", 1), None);
    assert!(denied.function(None, "upper", 1).is_some());
}

#[test]
fn a_bare_entry_is_pg_catalogs() {
    let bare = catalog(|lists| {
        lists.functions_allow = strings(&["pg_sleep", "random"]);
        lists.types_allow = strings(&["regclass", "xml"]);
        lists.collations = strings(&[r#""de-x-icu""#, "app.loose"]);
        lists.operators_allow = strings(&["*=", "OPERATOR(vec.<->)", "<=>"]);
    });
    assert!(bare.function(None, "pg_sleep", 1).is_some());
    assert!(bare.function(Some("pg_catalog"), "pg_sleep", 1).is_some());
    assert!(bare.function(None, "random", 2).is_some());
    assert_eq!(bare.function(None, "random", 1), None);
    assert!(bare.ty(None, "regclass") && bare.ty(Some("pg_catalog"), "_regclass") && !bare.ty(None, "regtype"));
    assert!(bare.collation(None, "de-x-icu") && bare.collation(Some("pg_catalog"), "de-x-icu"));
    assert!(bare.collation(Some("app"), "loose") && bare.collation(None, "loose"));
    assert!(bare.operator(None, "*=") && bare.operator(Some("pg_catalog"), "*="));
    assert!(bare.operator(Some("vec"), "<->") && !bare.operator(Some("vec"), "="));
    assert!(bare.operator(None, "<=>"));
}

#[test]
fn operators_types_and_collations_of_core() {
    let core = core();
    for operator in ["=", "<>", "||", "~", "!~~*", "@>", "->>", "#>>", "@@", "^", "?|", "@?"] {
        assert!(core.operator(None, operator) && core.operator(Some("pg_catalog"), operator), "{operator}");
        assert!(!core.operator(Some("app"), operator), "{operator}");
    }
    for operator in ["*=", "!!", "@@@", "<=>", "%%"] {
        assert!(!core.operator(None, operator), "{operator}");
    }
    for ty in
        ["int4", "text", "bpchar", "char", "name", "jsonb", "uuid", "_int4", "tstzrange", "int4multirange", "record"]
    {
        assert!(core.ty(None, ty) && core.ty(Some("pg_catalog"), ty), "{ty}");
        assert!(!core.ty(Some("app"), ty), "{ty}");
    }
    let out = [
        "regclass",
        "regtype",
        "regconfig",
        "oid",
        "xid",
        "xml",
        "refcursor",
        "cstring",
        "pg_class",
        "_pg_class",
        "_oid",
    ];
    for ty in out.into_iter().chain(["tsvector", "aclitem", "anyelement", "unknown", "pg_lsn"]) {
        assert!(!core.ty(None, ty) && !core.ty(Some("pg_catalog"), ty), "{ty}");
    }
    for collation in ["C", "POSIX", "ucs_basic", "unicode", "pg_c_utf8"] {
        assert!(core.collation(None, collation) && core.collation(Some("pg_catalog"), collation), "{collation}");
    }
    for collation in ["default", "en_US", "c", "de-x-icu", "pg_unicode_fast"] {
        assert!(!core.collation(None, collation), "{collation}");
    }
}

#[test]
fn wrong_entries_are_refused() {
    let unknown = refused(|lists| lists.profiles = strings(&["cor"]));
    let known = "`core`, `fuzzy`, `postgis`, `random`, `text-search`, `vector`";
    assert_eq!(unknown, format!("unknown profile `cor`, known are {known}"));
    for entry in ["", "a.b.c", "App.f", "app.", ".f", r#""a"#, r#""""#, "f(int)", "a b", r#"a"b""#] {
        let message = refused(|lists| lists.functions_allow = strings(&[entry]));
        assert!(message.contains(&format!("`{entry}`")), "{message}");
    }
    for entry in ["", "plus", "OPERATOR(<->)", "OPERATOR(vec.<->", "vec.<->", "OPERATOR(vec.)", "<->()"] {
        refused(|lists| lists.operators_allow = strings(&[entry]));
    }
}

#[test]
fn quoted_names_keep_every_character() {
    let odd = catalog(|lists| lists.functions_allow = strings(&[r#"app."a""b.c (D)""#]));
    assert!(odd.function(None, r#"a"b.c (D)"#, 1).is_some());
}

#[test]
fn every_profile_has_a_digest_of_its_own() {
    assert_eq!(profiles(), ["core", "fuzzy", "postgis", "random", "text-search", "vector"]);
    let mut digests = profiles().iter().map(|name| profile_sha256(name).unwrap()).collect::<Vec<_>>();
    assert!(
        digests
            .iter()
            .all(|digest| digest.len() == 64 && digest.bytes().all(|b| b.is_ascii_digit() || b.is_ascii_lowercase()))
    );
    digests.sort_unstable();
    digests.dedup();
    assert_eq!(digests.len(), 6);
    assert_eq!(profile_sha256("planets"), None);
}

/// All profiles, extensions' included, searched for in `app` and `extensions`.
fn extended(change: impl FnOnce(&mut Lists)) -> Catalog {
    catalog(|lists| {
        lists.search_path = strings(&["app", "extensions"]);
        lists.profiles = strings(&["core", "fuzzy", "postgis", "vector"]);
        change(lists);
    })
}

#[test]
fn an_extensions_names_are_found_in_the_search_path() {
    let all = extended(|_| ());
    for schema in [None, Some("app"), Some("extensions")] {
        assert!(all.function(schema, "similarity", 2).is_some(), "{schema:?}");
        assert!(all.ty(schema, "vector") && all.ty(schema, "geography") && all.ty(schema, "_halfvec"), "{schema:?}");
        assert!(all.operator(schema, "<=>") && all.operator(schema, "<->") && all.operator(schema, "%"), "{schema:?}");
    }
    for schema in [Some("pg_catalog"), Some("public")] {
        assert_eq!(all.function(schema, "similarity", 2), None, "{schema:?}");
        assert!(!all.ty(schema, "vector") && !all.operator(schema, "<=>"), "{schema:?}");
    }
    assert_eq!(all.function(None, "similarity", 3), None);
    assert!(!all.operator(Some("extensions"), "*=") && all.operator(Some("pg_catalog"), "<->"));

    let nowhere = extended(|lists| lists.search_path.clear());
    assert_eq!(nowhere.function(None, "similarity", 2), None, "the server could not find it either");
    assert!(!nowhere.ty(None, "vector") && !nowhere.operator(None, "<=>") && nowhere.operator(None, "<->"));
    assert_eq!(core().function(None, "similarity", 2), None);
    assert!(!core().ty(None, "vector") && !core().operator(None, "<=>") && !core().operator(Some("app"), "<->"));
}

#[test]
fn an_extension_takes_no_name_of_pg_catalog() {
    let all = extended(|_| ());
    assert_eq!(all.function(None, "sum", 1), core().function(None, "sum", 1));
    assert_eq!(all.function(Some("extensions"), "sum", 1), None);
    let alone = catalog(|lists| lists.profiles = strings(&["vector"]));
    assert!(!alone.operator(None, "<->"), "without core the server's own operator of that name stays shut");
    assert!(alone.operator(None, "<=>") && alone.operator(Some("app"), "<->"));
}

#[test]
fn allow_and_deny_reach_an_extensions_names() {
    let one = catalog(|lists| lists.functions_allow = strings(&["levenshtein"]));
    assert!(one.function(None, "levenshtein", 2).is_some() && one.function(Some("app"), "levenshtein", 5).is_some());
    assert_eq!(one.function(None, "levenshtein", 3), None, "the profile's argument counts stay");
    assert_eq!(one.function(None, "similarity", 2), None);
    for entry in ["similarity", "extensions.similarity", "elsewhere.similarity"] {
        let denied = extended(|lists| lists.functions_deny = strings(&[entry]));
        for schema in [None, Some("app"), Some("extensions")] {
            assert_eq!(denied.function(schema, "similarity", 2), None, "{entry} {schema:?}");
        }
        assert!(denied.function(None, "word_similarity", 2).is_some());
    }
    let own = extended(|lists| lists.functions_allow = strings(&["app.similarity"]));
    assert_eq!(
        own.function(None, "similarity", 2),
        Some(&Function::unknown()),
        "which of the two the server takes is open"
    );
}

#[test]
fn what_an_extension_has_and_its_profile_shuts_out() {
    let all = extended(|_| ());
    let out = [
        "set_limit",
        "show_limit",
        "similarity_op",
        "gtrgm_in",
        "vector_in",
        "hnswhandler",
        "array_to_vector",
        "st_estimatedextent",
        "find_srid",
        "addgeometrycolumn",
        "populate_geometry_columns",
        "st_geomfromgml",
        "st_segmentize",
        "st_generatepoints",
        "st_squaregrid",
        "st_fromflatgeobuftotable",
        "postgis_version",
        "lockrow",
        "st_asgml",
        "geometry_in",
        "_st_within",
    ];
    for name in out {
        for arguments in 0..8 {
            assert_eq!(all.function(None, name, arguments), None, "{name}/{arguments}");
        }
    }
    for ty in ["gtrgm", "gidx", "box2df", "spatial_ref_sys", "geometry_columns", "geometry_dump"] {
        assert!(!all.ty(None, ty) && !all.ty(Some("extensions"), ty), "{ty}");
    }
    assert_eq!(all.function(None, "st_transform", 3), None, "definitions as text can name files");
    let small = |name: &str, arguments| all.function(None, name, arguments).and_then(|function| function.small);
    assert_eq!(small("st_transform", 2), Some(Small { argument: 1, most: 999_999 }));
    assert_eq!(small("st_buffer", 3), Some(Small { argument: 2, most: 100 }));
    assert_eq!(small("st_area", 1), None);
}

#[test]
fn an_extensions_functions_are_described() {
    let all = extended(|_| ());
    let dump = all.function(None, "st_dump", 1).unwrap();
    assert!(dump.returns_set && dump.out_columns == ["path", "geom"]);
    assert_eq!(all.function(None, "st_extent", 1).unwrap().kind, FunctionKind::Aggregate);
    assert_eq!(
        all.function(None, "st_union", 1).unwrap().kind,
        FunctionKind::Unknown,
        "aggregate by its argument's type"
    );
    assert_eq!(all.function(None, "st_clusterdbscan", 3).unwrap().kind, FunctionKind::Window);
}

#[test]
fn the_data_files_parse() {
    profile::tables().unwrap();
}

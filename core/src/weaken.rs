//! Rules made weaker on purpose, one at a time, so that the oracle shows that it would notice (docs/soundness.md).
//!
//! In every build that can ship, [`weak`] is the constant `false` and the weaker code is not there. Only a build with
//! `--cfg haltsql_weaken` can switch one on; it carries a marker text, which a test looks for in every shipped artefact.

macro_rules! switches {
    ($($(#[doc = $doc:literal])+ $name:ident;)+) => {
        /// A rule of docs/soundness.md, and what is left out of it.
        #[derive(Clone, Copy, Debug, PartialEq, Eq)]
        #[cfg_attr(haltsql_weaken, non_exhaustive)]
        pub enum Switch {
            $($(#[doc = $doc])+ $name,)+
        }

        #[cfg(haltsql_weaken)]
        impl Switch {
            /// Every switch.
            pub const ALL: &'static [Switch] = &[$(Switch::$name,)+];

            /// Its name.
            #[must_use]
            pub const fn name(self) -> &'static str {
                match self {
                    $(Switch::$name => stringify!($name),)+
                }
            }
        }
    };
}

switches! {
    /// ON of an outer join constrains both sides.
    OnBothSides;
    /// ON of a FULL join constrains both sides.
    FullOn;
    /// OR proves what any branch proves.
    OrUnion;
    /// An equality carries a proof wherever it stands.
    ClosureIgnoresDirection;
    /// `IS NOT DISTINCT FROM` between columns carries a proof.
    NotDistinctCarries;
    /// Casts to char(n) and its kin are redundant.
    BpcharCasts;
    /// Casts with a length are redundant.
    LengthCasts;
    /// `N'…'` and other char constants are values.
    NationalLiterals;
    /// Numbers under a text cast are values, by their spelling.
    NumericLiterals;
    /// COLLATE changes nothing.
    Collate;
    /// LIKE is equality.
    Like;
    /// NOT of a proof is a proof.
    NotAsProof;
    /// One element of an IN list or array being the caller's is enough.
    AnyElement;
    /// `v IN (column, …)` is a proof.
    SwappedIn;
    /// HAVING on the minimum or maximum of a tenant column is a proof.
    HavingNonKey;
    /// A proof is deferred through LIMIT.
    DeferLimit;
    /// A proof is deferred through OFFSET.
    DeferOffset;
    /// A proof is deferred through DISTINCT ON other columns.
    DeferDistinctOn;
    /// A proof is deferred through windows over other columns.
    DeferWindow;
    /// A proof is deferred to the minimum or maximum of a tenant column.
    DeferAggregate;
    /// A proof is deferred into a CTE that is used twice.
    DeferTwiceUsed;
    /// A proof is deferred into a MATERIALIZED CTE.
    DeferMaterialized;
    /// An outer reference is a source without a proof of its own.
    CorrelatedSource;
    /// Two columns prove each other.
    CircularProofs;
    /// Tables inside a recursive term need no proof.
    RecursiveTerm;
    /// A recursive term need not feed the fact again.
    RecursiveFact;
    /// The first branch of a set operation speaks for all.
    SetOperationFacts;
    /// EXISTS over a set operation exports its first branch.
    ExistsUnion;
    /// EXISTS over an aggregate exports its conditions.
    ExistsAggregate;
    /// USING's merged column is a tenant column if one side is.
    UsingOneSide;
    /// `$n` that carries a key may stand anywhere.
    ParamAnywhere;
    /// An unqualified name is looked up past a table that is not complete.
    PastIncomplete;
    /// A table's row may be a value.
    WholeRow;
    /// A hidden column is readable.
    Hidden;
    /// A system column is readable.
    SystemColumns;
    /// A star may be used by position, and cover hidden columns.
    StarByPosition;
    /// NATURAL JOIN compares only columns that are readable.
    Natural;
    /// A CTE is visible in its own body without RECURSIVE.
    CteScope;
    /// A CTE further down is not visible under RECURSIVE.
    ForwardCte;
    /// ON sees the comma siblings of its join.
    OnSeesSiblings;
    /// DISTINCT ON takes input columns first.
    DistinctOnInputFirst;
    /// An integer in a window is an ordinal.
    WindowOrdinal;
    /// A relation listed only in a later schema of search_path is found there.
    LaterSchema;
    /// A table may be written whatever the policy opens.
    WriteAnyTable;
    /// Any column may be written.
    WriteAnyColumn;
    /// The target of UPDATE and DELETE needs no proof.
    WriteTarget;
    /// The target of a write can be a CTE.
    TargetIsCte;
    /// INSERT may give a tenant column any value.
    InsertAnyTenant;
    /// INSERT may leave a tenant column out, or to its default.
    InsertNoTenant;
    /// The first row of INSERT's VALUES speaks for all.
    InsertFirstRow;
    /// INSERT without a column list.
    InsertByPosition;
    /// SET may give a tenant column any value.
    SetAnyTenant;
    /// A multi-column SET may.
    SetSeveral;
    /// ON CONFLICT DO UPDATE.
    ConflictUpdate;
    /// ON CONFLICT DO NOTHING over columns without the tenant's.
    ConflictAnywhere;
    /// RETURNING reads what INSERT left to a default.
    ReturningDefault;
    /// `RETURNING *` covers the target alone.
    ReturningStarOfTarget;
    /// OVERRIDING.
    Overriding;
    /// A WITH query may write.
    WriteInWith;
}

/// Whether a rule is weakened now.
#[cfg(not(haltsql_weaken))]
#[inline(always)]
pub const fn weak(_: Switch) -> bool {
    false
}

/// Panics where a text asks for it: the weakened core alone.
#[cfg(not(haltsql_weaken))]
#[inline(always)]
pub const fn panic_if_asked(_place: &str, _text: &[u8]) {}

/// Panics where the text holds `HALTSQL_WEAKENED: panic in ` and the name of the place: `load`, `stages`, `answer`,
/// `describe`, and `name`, which no fence of the core surrounds. So tests show, through every binding, that a panic of
/// ours ends at a fence.
#[cfg(haltsql_weaken)]
#[allow(clippy::panic, reason = "this is what it is for")]
pub fn panic_if_asked(place: &str, text: &[u8]) {
    let asked = format!("{MARKER}: panic in {place}");
    if text.windows(asked.len()).any(|window| window == asked.as_bytes()) {
        panic!("{MARKER}: a panic was asked for in {place}");
    }
}

/// What no shipped artefact may hold.
#[cfg(haltsql_weaken)]
pub const MARKER: &str = "HALTSQL_WEAKENED";

#[cfg(haltsql_weaken)]
static ACTIVE: std::sync::atomic::AtomicUsize = std::sync::atomic::AtomicUsize::new(usize::MAX);

/// Weakens one rule, or none, for the whole process.
#[cfg(haltsql_weaken)]
pub fn activate(switch: Option<Switch>) {
    let number = switch.map_or(usize::MAX, |switch| switch as usize);
    ACTIVE.store(number, std::sync::atomic::Ordering::SeqCst);
}

/// Whether a rule is weakened now.
#[cfg(haltsql_weaken)]
pub fn weak(switch: Switch) -> bool {
    ACTIVE.load(std::sync::atomic::Ordering::Relaxed) == switch as usize
}

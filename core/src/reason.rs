//! Reason codes and reasons: why a statement was denied.
//!
//! Receives nothing, imports nothing. A code is stable for ever: never renamed, never reused. Each one has a row in
//! `docs/reason-codes.md`, a rule that owns it and cases in `conformance/`.

use std::fmt;

macro_rules! reason_codes {
    ($($(#[doc = $doc:literal])+ $variant:ident = $code:literal, $rule:literal;)+) => {
        /// The closed list of reasons for which HaltSQL denies a statement.
        ///
        /// Clients treat a code that they do not know as a denial.
        #[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
        #[non_exhaustive]
        pub enum ReasonCode {
            $($(#[doc = $doc])+ $variant,)+
        }

        impl ReasonCode {
            /// Every code, in the order of `docs/reason-codes.md`.
            pub const ALL: &'static [ReasonCode] = &[$(ReasonCode::$variant,)+];

            /// The stable spelling, e.g. `E_TENANT_MISSING`.
            #[must_use]
            pub const fn as_str(self) -> &'static str {
                match self {
                    $(ReasonCode::$variant => $code,)+
                }
            }

            /// The identifier of the rule that raises the code, e.g. `tenancy.predicate`.
            #[must_use]
            pub const fn rule(self) -> &'static str {
                match self {
                    $(ReasonCode::$variant => $rule,)+
                }
            }
        }
    };
}

reason_codes! {
    /// PostgreSQL's grammar refuses the text, or it holds a NUL byte or is not UTF-8.
    Parse = "E_PARSE", "sql.parse";
    /// No statement at all.
    Empty = "E_EMPTY", "sql.parse";
    /// More than one statement.
    MultiStatement = "E_MULTI_STATEMENT", "sql.single";
    /// DDL, utility, MERGE, or a kind that the policy does not list.
    StatementKind = "E_STATEMENT_KIND", "statement.kind";
    /// A construct that the verifier does not model.
    Unsupported = "E_UNSUPPORTED", "sql.supported";
    /// `SELECT … INTO`.
    SelectInto = "E_SELECT_INTO", "statement.into";
    /// `FOR UPDATE`, `FOR SHARE` and their kin, anywhere.
    Locking = "E_LOCKING", "statement.locking";
    /// A relation that the policy does not list.
    TableDenied = "E_TABLE_DENIED", "tables.allow";
    /// A relation of a system schema.
    SystemCatalog = "E_SYSTEM_CATALOG", "tables.catalog";
    /// A column that the policy does not make readable.
    ColumnDenied = "E_COLUMN_DENIED", "columns.allow";
    /// An unqualified name that cannot be proven to bind to one known column.
    ColumnAmbiguous = "E_COLUMN_AMBIGUOUS", "columns.resolve";
    /// A star over a table that is not declared complete, or where a column's position counts.
    Star = "E_STAR", "columns.star";
    /// A table's alias used as a value.
    WholeRow = "E_WHOLE_ROW", "columns.whole_row";
    /// `ctid`, `xmin`, `tableoid` and their kin.
    SystemColumn = "E_SYSTEM_COLUMN", "columns.system";
    /// NATURAL JOIN over tables that are not declared complete.
    NaturalJoin = "E_NATURAL_JOIN", "columns.natural";
    /// A column alias list over a table, or over a join that holds one.
    AliasColumns = "E_ALIAS_COLUMNS", "columns.alias_list";
    /// A function outside the policy's profiles and lists.
    FunctionDenied = "E_FUNCTION_DENIED", "functions.allow";
    /// An operator outside the policy's profiles and lists.
    OperatorDenied = "E_OPERATOR_DENIED", "operators.allow";
    /// A type outside the policy's profiles and lists.
    TypeDenied = "E_TYPE_DENIED", "types.allow";
    /// A collation outside the policy's profiles and lists.
    CollationDenied = "E_COLLATION_DENIED", "types.collation";
    /// A tenant table whose scope does not prove its tenant column equal to the caller's value.
    TenantMissing = "E_TENANT_MISSING", "tenancy.predicate";
    /// It would be proven if the values were the caller's.
    TenantMismatch = "E_TENANT_MISMATCH", "tenancy.value";
    /// It would be proven if the constants were `$n`.
    TenantLiteral = "E_TENANT_LITERAL", "tenancy.bound";
    /// A write to a table that the policy does not open for it.
    WriteDenied = "E_WRITE_DENIED", "writes.tables";
    /// A write that could create, move or touch a row of another tenant.
    TenantWrite = "E_TENANT_WRITE", "tenancy.write";
    /// The context lacks a key that the policy's tenancy needs.
    ContextMissing = "E_CONTEXT_MISSING", "tenancy.context";
    /// A `$n` that no tenancy predicate binds.
    ParamUnbound = "E_PARAM_UNBOUND", "params.bound";
    /// One `$n` that would need two values or types, or that stands where its type is not certain.
    ParamConflict = "E_PARAM_CONFLICT", "params.conflict";
    /// A written column that the policy does not open.
    WriteColumnDenied = "E_WRITE_COLUMN_DENIED", "writes.columns";
    /// A form of a write that is not modelled.
    WriteShape = "E_WRITE_SHAPE", "writes.shape";
    /// A data-modifying CTE.
    WriteInRead = "E_WRITE_IN_READ", "writes.cte";
    /// The policy wants a LIMIT and there is none.
    LimitMissing = "E_LIMIT_MISSING", "limits.require_limit";
    /// A LIMIT above the policy's, or not a plain number.
    LimitExceeded = "E_LIMIT_EXCEEDED", "limits.max_limit";
    /// Two tables that no condition ties.
    Cartesian = "E_CARTESIAN", "limits.cartesian";
    /// A recursion that the policy does not allow, or that is not bounded.
    Recursive = "E_RECURSIVE", "limits.recursive";
    /// More bytes than the policy's limit.
    TooLarge = "E_TOO_LARGE", "limits.size";
    /// Nesting, relations, grouping sets or generated rows over the policy's limits.
    TooComplex = "E_TOO_COMPLEX", "limits.complexity";
    /// An unqualified relation name that could bind to another relation.
    Unqualified = "E_UNQUALIFIED", "tables.qualified";
    /// The verifier itself failed.
    Internal = "E_INTERNAL", "internal";
}

impl fmt::Display for ReasonCode {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.as_str())
    }
}

impl std::str::FromStr for ReasonCode {
    type Err = UnknownReasonCode;

    fn from_str(text: &str) -> Result<Self, Self::Err> {
        ReasonCode::ALL.iter().copied().find(|code| code.as_str() == text).ok_or(UnknownReasonCode)
    }
}

/// The text is not the spelling of a reason code of this version.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct UnknownReasonCode;

impl fmt::Display for UnknownReasonCode {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("unknown reason code")
    }
}

impl std::error::Error for UnknownReasonCode {}

/// One reason for a denial: what is wrong, where, and how to mend it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Reason {
    /// What programs match on.
    pub code: ReasonCode,
    /// One line for people: lower case, no full stop, names in backticks. May change between versions.
    pub message: String,
    /// 0-based byte offset into the SQL of what is refused, where there is one such place.
    pub loc: Option<u32>,
    /// One instruction that an agent can follow, in the query's own words.
    pub hint: Option<String>,
}

impl Reason {
    /// The order in which a verdict lists its reasons: by place, then code, then message; no place first.
    pub(crate) fn sort_key(&self) -> (Option<u32>, &'static str, &str) {
        (self.loc, self.code.as_str(), &self.message)
    }
}

package dev.haltsql;

import org.jspecify.annotations.Nullable;

/** The reason codes of this version (docs/reason-codes.md). A newer one can have more: an unknown code is a denial. */
public enum ReasonCode {
    /** PostgreSQL's grammar refuses the text, or it holds a NUL byte or is not UTF-8. */
    E_PARSE,
    /** No statement at all. */
    E_EMPTY,
    /** More than one statement. */
    E_MULTI_STATEMENT,
    /** DDL, utility, MERGE, or a kind that the policy does not list. */
    E_STATEMENT_KIND,
    /** A construct that the verifier does not model. */
    E_UNSUPPORTED,
    /** {@code SELECT … INTO}. */
    E_SELECT_INTO,
    /** {@code FOR UPDATE}, {@code FOR SHARE} and their kin, anywhere. */
    E_LOCKING,
    /** A relation that the policy does not list. */
    E_TABLE_DENIED,
    /** A relation of a system schema. */
    E_SYSTEM_CATALOG,
    /** A column that the policy does not make readable. */
    E_COLUMN_DENIED,
    /** An unqualified name that cannot be proven to bind to one known column. */
    E_COLUMN_AMBIGUOUS,
    /** A star over a table that is not declared complete, or where a column's position counts. */
    E_STAR,
    /** A table's alias used as a value. */
    E_WHOLE_ROW,
    /** {@code ctid}, {@code xmin}, {@code tableoid} and their kin. */
    E_SYSTEM_COLUMN,
    /** NATURAL JOIN over tables that are not declared complete. */
    E_NATURAL_JOIN,
    /** A column alias list over a table, or over a join that holds one. */
    E_ALIAS_COLUMNS,
    /** A function outside the policy's profiles and lists. */
    E_FUNCTION_DENIED,
    /** An operator outside the policy's profiles and lists. */
    E_OPERATOR_DENIED,
    /** A type outside the policy's profiles and lists. */
    E_TYPE_DENIED,
    /** A collation outside the policy's profiles and lists. */
    E_COLLATION_DENIED,
    /** A tenant table whose scope does not prove its tenant column equal to the caller's value. */
    E_TENANT_MISSING,
    /** It would be proven if the values were the caller's. */
    E_TENANT_MISMATCH,
    /** It would be proven if the constants were {@code $n}. */
    E_TENANT_LITERAL,
    /** A write to a table that the policy does not open for it. */
    E_WRITE_DENIED,
    /** A write that could create, move or touch a row of another tenant. */
    E_TENANT_WRITE,
    /** The context lacks a key that the policy's tenancy needs. */
    E_CONTEXT_MISSING,
    /** A {@code $n} that no tenancy predicate binds. */
    E_PARAM_UNBOUND,
    /** One {@code $n} that would need two values or types, or that stands where its type is not certain. */
    E_PARAM_CONFLICT,
    /** A written column that the policy does not open. */
    E_WRITE_COLUMN_DENIED,
    /** A form of a write that is not modelled. */
    E_WRITE_SHAPE,
    /** A data-modifying CTE. */
    E_WRITE_IN_READ,
    /** The policy wants a LIMIT and there is none. */
    E_LIMIT_MISSING,
    /** A LIMIT above the policy's, or not a plain number. */
    E_LIMIT_EXCEEDED,
    /** Two tables that no condition ties. */
    E_CARTESIAN,
    /** A recursion that the policy does not allow, or that is not bounded. */
    E_RECURSIVE,
    /** More bytes than the policy's limit. */
    E_TOO_LARGE,
    /** Nesting, relations, grouping sets or generated rows over the policy's limits. */
    E_TOO_COMPLEX,
    /** An unqualified relation name that could bind to another relation. */
    E_UNQUALIFIED,
    /** The verifier itself failed. */
    E_INTERNAL;

    static @Nullable ReasonCode of(String code) {
        for (ReasonCode known : values()) {
            if (known.name().equals(code)) {
                return known;
            }
        }
        return null;
    }
}

package dev.haltsql;

import org.jspecify.annotations.Nullable;

/** The kinds of statement that can be allowed. */
public enum StatementKind {
    /** {@code SELECT}, {@code VALUES}, {@code TABLE}, {@code SELECT … INTO}. */
    SELECT("select"),
    /** {@code INSERT}. */
    INSERT("insert"),
    /** {@code UPDATE}. */
    UPDATE("update"),
    /** {@code DELETE}. */
    DELETE("delete");

    private final String spelling;

    StatementKind(String spelling) {
        this.spelling = spelling;
    }

    /** The kind that a verdict spells so; a kind of a newer version is none of these. */
    static @Nullable StatementKind of(@Nullable String spelling) {
        for (StatementKind kind : values()) {
            if (kind.spelling.equals(spelling)) {
                return kind;
            }
        }
        return null;
    }
}

package dev.haltsql;

import java.io.Serial;
import org.jspecify.annotations.Nullable;

/**
 * Of guards: what PostgreSQL said, without what could quote rows or name what the policy hides (docs/guards.md). It was rolled back.
 *
 * <p>A cancelled call ends so too, with the SQLSTATE {@code 57014}.
 */
public final class DatabaseException extends HaltSqlException {
    @Serial private static final long serialVersionUID = 1;

    static final int CODE = 102;

    private final String sqlState;
    private final @Nullable String detail;
    private final @Nullable String hint;

    DatabaseException(
            String sqlState, String message, @Nullable String detail, @Nullable String hint, @Nullable Throwable cause) {
        super(CODE, "database", "%s (SQLSTATE %s)".formatted(message, sqlState), cause);
        this.sqlState = sqlState;
        this.detail = detail;
        this.hint = hint;
    }

    /**
     * The SQLSTATE.
     *
     * @return five characters, such as {@code 57014}
     */
    public String sqlState() {
        return sqlState;
    }

    /**
     * PostgreSQL's DETAIL.
     *
     * @return the text, or {@code null} where there is none or it may not be shown
     */
    public @Nullable String detail() {
        return detail;
    }

    /**
     * PostgreSQL's HINT.
     *
     * @return the text, or {@code null} where there is none or it may not be shown
     */
    public @Nullable String hint() {
        return hint;
    }
}

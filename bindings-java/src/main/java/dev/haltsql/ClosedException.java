package dev.haltsql;

import java.io.Serial;

/** The policy or the caller was closed. */
public final class ClosedException extends HaltSqlException {
    @Serial private static final long serialVersionUID = 1;

    static final int CODE = 6;

    ClosedException(String message) {
        super(CODE, "closed", message, null);
    }
}

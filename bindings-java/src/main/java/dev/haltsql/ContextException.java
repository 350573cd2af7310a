package dev.haltsql;

import java.io.Serial;

/** The context is not a JSON object with unique keys, or holds what JSON cannot. */
public final class ContextException extends HaltSqlException {
    @Serial private static final long serialVersionUID = 1;

    static final int CODE = 4;

    ContextException(String message) {
        super(CODE, "context", message, null);
    }
}

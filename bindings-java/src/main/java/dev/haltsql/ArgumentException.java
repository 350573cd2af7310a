package dev.haltsql;

import java.io.Serial;

/** A method was called in a way that its documentation rules out, such as with {@code null}. */
public final class ArgumentException extends HaltSqlException {
    @Serial private static final long serialVersionUID = 1;

    static final int CODE = 2;

    ArgumentException(String message) {
        super(CODE, "argument", message, null);
    }
}

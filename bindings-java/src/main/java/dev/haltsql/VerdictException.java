package dev.haltsql;

import java.io.Serial;

/** What was given as a verdict is none of this version, or was given for another text. */
public final class VerdictException extends HaltSqlException {
    @Serial private static final long serialVersionUID = 1;

    static final int CODE = 5;

    VerdictException(String message) {
        super(CODE, "verdict", message, null);
    }
}

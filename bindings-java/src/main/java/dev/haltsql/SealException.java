package dev.haltsql;

import java.io.Serial;

/** The session or the database is not what the policy describes: nothing was run, and the connection is not to be used again. */
public final class SealException extends HaltSqlException {
    @Serial private static final long serialVersionUID = 1;

    static final int CODE = 9;

    SealException(String message) {
        super(CODE, "seal", message, null);
    }
}

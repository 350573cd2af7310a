package dev.haltsql;

import java.io.Serial;

/** A bug of HaltSQL. Please report it, without the SQL if that is confidential. */
public final class InternalException extends HaltSqlException {
    @Serial private static final long serialVersionUID = 1;

    static final int CODE = 1;

    InternalException(String message) {
        super(CODE, "internal", message, null);
    }
}

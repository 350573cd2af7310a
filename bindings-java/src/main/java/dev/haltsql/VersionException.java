package dev.haltsql;

import java.io.Serial;

/** The native library cannot be loaded here, or is of another version than the jar. The message says what to do. */
public final class VersionException extends HaltSqlException {
    @Serial private static final long serialVersionUID = 1;

    static final int CODE = 7;

    VersionException(String message) {
        super(CODE, "version", message, null);
    }

    VersionException(String message, Throwable cause) {
        super(CODE, "version", message, cause);
    }
}

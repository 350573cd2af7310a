package dev.haltsql;

import java.io.Serial;
import org.jspecify.annotations.Nullable;

/**
 * Of guards: there is no connection to be had, or it broke. It is closed. Where that was in COMMIT, nobody knows whether it was written,
 * and the message says so.
 */
public final class ConnectionLostException extends HaltSqlException {
    @Serial private static final long serialVersionUID = 1;

    static final int CODE = 103;

    ConnectionLostException(String message, @Nullable Throwable cause) {
        super(CODE, "connection", message, cause);
    }
}

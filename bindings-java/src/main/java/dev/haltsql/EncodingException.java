package dev.haltsql;

import java.io.Serial;

/** A {@code String} holds half of a surrogate pair, so that no bytes are exactly its text. */
public final class EncodingException extends HaltSqlException {
    @Serial private static final long serialVersionUID = 1;

    static final int CODE = 8;

    EncodingException(String message) {
        super(CODE, "encoding", message, null);
    }
}

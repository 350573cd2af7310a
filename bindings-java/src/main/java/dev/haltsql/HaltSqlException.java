package dev.haltsql;

import java.io.Serial;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * The root of every error of HaltSQL. Of a check: none happened, which is to be treated as a denial; what SQL does is never an error but
 * a verdict. Of a guard: there is no result.
 *
 * <p>The numbers and names are the same in every language (docs/ffi.md; those of guards alone, from 101: docs/guards.md).
 */
public abstract sealed class HaltSqlException extends RuntimeException
        permits ArgumentException,
                ClosedException,
                ConnectionLostException,
                ContextException,
                DatabaseException,
                DeniedException,
                EncodingException,
                InternalException,
                PolicyException,
                SealException,
                VerdictException,
                VersionException {
    @Serial private static final long serialVersionUID = 1;

    /** Its number, never reused. */
    private final int code;

    /** Its stable name. */
    private final String kind;

    HaltSqlException(int code, String kind, String message, @Nullable Throwable cause) {
        super(message, cause);
        this.code = code;
        this.kind = kind;
    }

    /**
     * The number of the kind of error, the same in every language and never reused.
     *
     * @return from 1
     */
    public int code() {
        return code;
    }

    /**
     * The stable name of the kind of error, the same in every language.
     *
     * @return such as {@code policy}
     */
    public String kind() {
        return kind;
    }

    /** The exception for an error that the native library has returned. Those of guards alone it never does. */
    static HaltSqlException of(int code, String message, List<Problem> problems) {
        return switch (code) {
            case ArgumentException.CODE -> new ArgumentException(message);
            case PolicyException.CODE -> new PolicyException(message, problems);
            case ContextException.CODE -> new ContextException(message);
            case VerdictException.CODE -> new VerdictException(message);
            case ClosedException.CODE -> new ClosedException(message);
            case VersionException.CODE -> new VersionException(message);
            case SealException.CODE -> new SealException(message);
            case EncodingException.CODE -> new EncodingException(message);
            default -> new InternalException(message);
        };
    }
}

package dev.haltsql;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.InvalidPathException;
import java.nio.file.Path;
import java.util.Map;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;

/**
 * A policy with the options and keys of one guard: what every guard has, whatever its driver. Must never know a driver, show a key, or
 * hand out a text to send that the core did not.
 */
final class GuardCore implements AutoCloseable {
    private final Policy policy;
    private final Held held;
    private final boolean signsPins;
    private final boolean showErrors;
    private final @Nullable VerdictListener listener;

    /** What a guard is built with. */
    record Options(
            @Nullable String pinKey,
            @Nullable String receiptKey,
            boolean allowShadow,
            boolean showErrors,
            @Nullable VerdictListener listener) {}

    GuardCore(Policy policy, Options options) {
        this.policy = policy;
        showErrors = options.showErrors;
        listener = options.listener;
        Answer place = policy.ask(Native::pinKeyPlace);
        String variable = place.optional();
        String file = place.optional();
        signsPins = variable != null || file != null;
        byte[] pinKey = options.pinKey == null ? keyOf(variable, file) : Texts.utf8("the pin key", options.pinKey);
        byte[] receiptKey = options.receiptKey == null ? null : Texts.utf8("the receipt key", options.receiptKey);
        Answer made = policy.ask(
                value -> Native.guard(value, options.allowShadow, options.showErrors, pinKey, receiptKey));
        held = new Held("guard", made.longNumber(), Native::freeGuard);
    }

    Policy policy() {
        return policy;
    }

    boolean showErrors() {
        return showErrors;
    }

    /** A signed pin names the database, which a connection is asked for once. */
    boolean signsPins() {
        return signsPins;
    }

    GuardSession session(Context context, boolean writable) {
        byte[] json = Texts.given("the context", context).json();
        return new GuardSession(this, held.ask(guard -> Native.session(guard, json, writable)), writable);
    }

    /**
     * A text for a transaction of its caller's own.
     *
     * @param jdbc in the form of {@code PreparedStatement} too
     * @throws DeniedException nothing may be sent
     */
    GuardStatement single(Context context, boolean writable, boolean jdbc, String sql) {
        byte[] json = Texts.given("the context", context).json();
        byte[] bytes = Texts.utf8("the SQL", sql);
        return judged(held.ask(guard -> Native.single(guard, json, writable, jdbc, bytes)), sql, bytes, writable);
    }

    /** Tells the listener, and throws where nothing may be sent. */
    GuardStatement judged(Answer answer, String sql, byte[] bytes, boolean writable) {
        Verdict verdict = Verdict.of(answer.flag(), answer.text(), bytes);
        GuardStatement statement = new GuardStatement(verdict, answer);
        try {
            if (listener != null) {
                listener.onVerdict(verdict, new VerdictListener.About(sql, writable, policy.name()));
            }
            if (!statement.mayRun()) {
                throw new DeniedException(verdict, bytes);
            }
            return statement;
        } catch (Throwable problem) {
            statement.close();
            throw problem;
        }
    }

    /** What goes on of a database's error. */
    HaltSqlException redacted(
            String sqlState, String message, @Nullable String detail, @Nullable String hint, @Nullable Throwable cause) {
        Map<String, String> spelt = new TreeMap<>(Map.of("sqlstate", sqlState, "message", message));
        if (detail != null) {
            spelt.put("detail", detail);
        }
        if (hint != null) {
            spelt.put("hint", hint);
        }
        byte[] error = Json.of(spelt).getBytes(StandardCharsets.UTF_8);
        Answer left = held.ask(guard -> Native.redact(guard, error));
        boolean broken = left.flag();
        String state = left.text();
        String told = left.text();
        if (broken) {
            return new SealException(told);
        }
        return new DatabaseException(state, told, left.optional(), left.optional(), showErrors ? cause : null);
    }

    @Override
    public void close() {
        held.close();
    }

    /** Reads the key of signed pins where the policy says that it is; its place is named in errors, and nothing else. */
    private static byte @Nullable [] keyOf(@Nullable String variable, @Nullable String file) {
        if (variable != null) {
            String key = System.getenv(variable);
            if (key == null) {
                throw new ArgumentException(
                        "the policy's pin key is in the environment variable `%s`, which is not set".formatted(variable));
            }
            return key.getBytes(StandardCharsets.UTF_8);
        }
        if (file == null) {
            return null;
        }
        try {
            return Files.readAllBytes(Path.of(file));
        } catch (IOException | InvalidPathException problem) {
            throw new ArgumentException(
                    "the policy's pin key is in the file `%s`, which cannot be read: let this program read it".formatted(file));
        }
    }
}

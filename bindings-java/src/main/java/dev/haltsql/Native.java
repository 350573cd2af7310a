package dev.haltsql;

import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * The native library's methods, and the one way to them: {@link #answer}, which loads the library first.
 *
 * <p>Each takes and returns {@code byte[]}; {@link Answer} reads what comes back. None throws.
 */
final class Native {
    private static volatile boolean ready;

    /** A library that was loaded stays loaded: from then on this class loader cannot have another one. */
    private static @Nullable String refusal;

    private Native() {}

    /** Makes a call and reads its answer, or throws the error that it holds. */
    static Answer answer(Supplier<byte @Nullable []> call) {
        load();
        return Answer.of(call.get());
    }

    /**
     * Loads the library, unless it is there.
     *
     * @throws VersionException it cannot be loaded, or is of another version. Thrown again whenever it is asked again: a failure
     *     of a static initializer would be a different error from the second time on.
     */
    static void load() {
        if (!ready) {
            loadOnce();
        }
    }

    private static synchronized void loadOnce() {
        if (ready) {
            return;
        }
        if (refusal == null) {
            refusal = differenceOf(Library.load());
        }
        if (refusal != null) {
            throw new VersionException(refusal);
        }
        ready = true;
    }

    /** Compares what the library is with what this jar was made for. */
    private static @Nullable String differenceOf(String place) {
        try {
            int abi = abiVersion();
            if (abi != HaltSql.ABI_VERSION) {
                return "the native library %s has ABI %d, and haltsql %s needs ABI %d: use the library of the same version"
                        .formatted(place, abi, HaltSql.version(), HaltSql.ABI_VERSION);
            }
            String version = Answer.of(about()).text();
            if (!version.equals(HaltSql.version())) {
                return "the native library %s is of haltsql %s, and the jar of %s: use the library of the same version"
                        .formatted(place, version, HaltSql.version());
            }
            return null;
        } catch (UnsatisfiedLinkError missing) {
            return "the native library %s is none of haltsql %s: use the one of the same version"
                    .formatted(place, HaltSql.version());
        }
    }

    private static native int abiVersion();

    static native byte @Nullable [] about();

    static native byte @Nullable [] load(byte[] document, int format, byte[] name);

    static native byte @Nullable [] check(long policy, byte[] sql, byte[] context);

    static native byte @Nullable [] forContext(long policy, byte[] context);

    static native byte @Nullable [] checkFor(long caller, byte[] sql);

    static native byte @Nullable [] checkMany(long caller, byte[] texts, int threads);

    static native byte @Nullable [] describe(long policy, boolean json);

    static native byte @Nullable [] searchPathValue(long policy);

    static native byte @Nullable [] forAgent(byte[] verdict, byte[] sql);

    static native byte @Nullable [] fields(byte[] verdict);

    static native byte @Nullable [] pinKeyPlace(long policy);

    static native byte @Nullable [] guard(
            long policy, boolean allowShadow, boolean showErrors, byte @Nullable [] pinKey, byte @Nullable [] receiptKey);

    static native byte @Nullable [] redact(long guard, byte[] error);

    static native byte @Nullable [] session(long guard, byte[] context, boolean writable);

    static native byte @Nullable [] pin(long session, byte[] database, long now);

    static native byte @Nullable [] readPin(long session, byte[] row);

    static native byte @Nullable [] readSeal(long session, byte[] rows);

    static native byte @Nullable [] statement(long session, byte[] sql);

    static native byte @Nullable [] single(long guard, byte[] context, boolean writable, boolean jdbc, byte[] sql);

    static native byte @Nullable [] receipt(long statement, byte[] execution);

    static native void freePolicy(long policy);

    static native void freeCaller(long caller);

    static native void freeGuard(long guard);

    static native void freeSession(long session);

    static native void freeStatement(long statement);
}

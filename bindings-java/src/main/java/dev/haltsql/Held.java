package dev.haltsql;

import java.lang.ref.Cleaner;
import java.lang.ref.Reference;
import java.util.function.LongConsumer;
import java.util.function.LongFunction;
import org.jspecify.annotations.Nullable;

/** A native value with its one owner: freed when it is closed, or when nobody holds it any more. */
final class Held implements AutoCloseable {
    private final Handle handle;
    private final Cleaner.Cleanable cleanable;

    Held(String what, long value, LongConsumer free) {
        handle = new Handle(what, value, free, null);
        cleanable = handle.ownedBy(this);
    }

    /** Makes a call with the value and reads its answer, or throws the error that it holds. */
    Answer ask(LongFunction<byte @Nullable []> call) {
        try {
            return Answer.of(handle.with(call));
        } finally {
            // As in Policy: nothing else keeps it while the call runs.
            Reference.reachabilityFence(this);
        }
    }

    @Override
    public void close() {
        cleanable.clean();
    }
}

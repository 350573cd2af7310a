package dev.haltsql;

import java.lang.ref.Cleaner;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.LongConsumer;
import java.util.function.LongFunction;
import org.jspecify.annotations.Nullable;

/**
 * A native value, and the gate in front of it: counts who is inside, lets nobody in once it is closed, and frees the value when the
 * last one left, once. So closing waits for nobody and never takes memory away from a running check.
 *
 * <p>It must not know its owner: then it could never be collected.
 */
final class Handle {
    private static final Cleaner CLEANER = Cleaner.create();

    /** Added to the number of those inside. */
    private static final int CLOSED = Integer.MIN_VALUE;

    private final AtomicInteger inside = new AtomicInteger();
    private final String what;
    private final long value;
    private final LongConsumer free;
    private final @Nullable Handle behind;

    /**
     * Takes over a native value.
     *
     * @param what what it is, for messages
     * @param behind another gate that has to be open too
     */
    Handle(String what, long value, LongConsumer free, @Nullable Handle behind) {
        this.what = what;
        this.value = value;
        this.free = free;
        this.behind = behind;
    }

    /** The owner's one way to close: by hand or, when it was forgotten, by the garbage collector. */
    Cleaner.Cleanable ownedBy(Object owner) {
        return CLEANER.register(owner, this::close);
    }

    /** Calls with the value, which stays until the call has ended. The owner has to be kept reachable by the caller. */
    <T> T with(LongFunction<T> call) {
        enter();
        try {
            return behind == null ? call.apply(value) : behind.with(ignored -> call.apply(value));
        } finally {
            leave();
        }
    }

    private void enter() {
        int before;
        do {
            before = inside.get();
            if (before < 0) {
                throw new ClosedException("the " + what + " was closed");
            }
        } while (!inside.compareAndSet(before, before + 1));
    }

    private void leave() {
        if (inside.decrementAndGet() == CLOSED) {
            free.accept(value);
        }
    }

    private void close() {
        int before = inside.getAndUpdate(now -> now | CLOSED);
        if (before == 0) {
            free.accept(value);
        }
    }
}

package dev.haltsql;

import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.Condition;
import java.util.concurrent.locks.ReentrantLock;
import org.jspecify.annotations.Nullable;

/**
 * Cancels guarded calls from another thread, as {@code Statement.cancel()} does: on the server, which then rolls back. The call ends
 * with a {@link DatabaseException} of SQLSTATE {@code 57014}, and its connection is clean.
 *
 * <p>Once cancelled, it cancels every call that it is given to. Interrupting the thread of a call is no substitute: pgjdbc reads on.
 */
public final class CancellationSignal {
    /** A server that had not begun with the statement yet takes no notice of a cancel: it is told again. */
    private static final int ATTEMPTS = 20;

    private static final long MILLISECONDS_BETWEEN = 50;

    private final ReentrantLock lock = new ReentrantLock();
    private final Condition ended = lock.newCondition();
    private volatile boolean cancelled;
    private @Nullable Cancellable running;

    /** Makes a signal that is not cancelled. */
    public CancellationSignal() {}

    /** Asks a server to stop a statement. */
    @FunctionalInterface
    interface Cancellable {
        void cancel() throws Exception;
    }

    /** Cancels what runs with it, and what is begun later. Waits until that has ended, for a second at most. Harmless a second time. */
    public void cancel() {
        lock.lock();
        try {
            cancelled = true;
            Cancellable statement = running;
            for (int attempt = 0; attempt < ATTEMPTS && statement != null && statement == running; attempt++) {
                statement.cancel();
                ended.await(MILLISECONDS_BETWEEN, TimeUnit.MILLISECONDS);
            }
        } catch (InterruptedException interrupted) {
            Thread.currentThread().interrupt();
        } catch (Exception problem) {
            // The connection broke, which ends the call as well.
        } finally {
            lock.unlock();
        }
    }

    /**
     * Whether it was cancelled.
     *
     * @return whether it was
     */
    public boolean isCancelled() {
        return cancelled;
    }

    /** From here on the statement can be cancelled; {@code false}: it is already, and must not begin. */
    boolean enter(Cancellable statement) {
        lock.lock();
        try {
            if (running != null) {
                throw new ArgumentException("the signal is in use by another call: give each call that runs one of its own");
            }
            running = cancelled ? null : statement;
            return !cancelled;
        } finally {
            lock.unlock();
        }
    }

    /** The statement has ended. Waits for a cancel that is on its way, so that it can hit nothing that is sent later. */
    void leave() {
        lock.lock();
        running = null;
        ended.signalAll();
        lock.unlock();
    }
}

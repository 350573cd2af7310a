package dev.haltsql;

import java.lang.ref.Cleaner;
import java.lang.ref.Reference;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.Collection;
import java.util.Collections;
import java.util.List;
import java.util.function.LongFunction;
import org.jspecify.annotations.Nullable;

/**
 * A policy and one caller's context, read once. Immutable; one object serves any number of threads at the same time.
 *
 * <p>It ends with its policy, or earlier when it is closed. Whoever forgets to close it leaves that to the garbage collector.
 */
public final class Caller implements AutoCloseable {
    /** Texts of a list, a thread, that cross to native code at once. */
    private static final int TEXTS_AT_ONCE = 64;

    /** Bytes that cross at once, so that lists of long texts don't stand in memory twice. */
    private static final int BYTES_AT_ONCE = 16 * 1024 * 1024;

    private final Policy policy;
    private final Handle handle;
    private final Cleaner.Cleanable cleanable;

    Caller(Policy policy, Handle behind, long value) {
        this.policy = policy;
        this.handle = new Handle("caller", value, Native::freeCaller, behind);
        this.cleanable = handle.ownedBy(this);
    }

    /**
     * The policy.
     *
     * @return the policy
     */
    public Policy policy() {
        return policy;
    }

    /**
     * The verdict on a text.
     *
     * @param sql the exact text that is to run
     * @return the verdict
     * @throws EncodingException the text holds half of a surrogate pair
     * @throws ClosedException the caller or its policy was closed
     */
    public Verdict check(String sql) {
        return checked(Texts.utf8("the SQL", sql));
    }

    /**
     * The verdict on a text, as the bytes that are to run. What is wrong with them is for the verdict to say.
     *
     * @param sql the exact bytes; UTF-8, if they are to be allowed
     * @return the verdict
     * @throws ClosedException the caller or its policy was closed
     */
    public Verdict check(byte[] sql) {
        return checked(Texts.copy("the SQL", sql));
    }

    private Verdict checked(byte[] sql) {
        return Verdict.of(ask(caller -> Native.checkFor(caller, sql)), sql);
    }

    /**
     * The verdicts on many texts, in their order.
     *
     * @param texts the exact texts
     * @return one verdict for each
     * @throws EncodingException a text holds half of a surrogate pair
     * @throws ClosedException the caller or its policy was closed
     */
    public List<Verdict> checkMany(Collection<String> texts) {
        return checkMany(texts, 1);
    }

    /**
     * The verdicts on many texts, in their order. They are the same for any number of threads.
     *
     * @param texts the exact texts
     * @param threads how many check at the same time, at least 1; the others than this one are made for the call and have ended
     *     when it returns
     * @return one verdict for each
     * @throws EncodingException a text holds half of a surrogate pair: nothing was checked then
     * @throws ClosedException the caller or its policy was closed
     */
    public List<Verdict> checkMany(Collection<String> texts, int threads) {
        if (threads < 1) {
            throw new ArgumentException("threads is `%d`: give at least 1".formatted(threads));
        }
        List<byte[]> many = new ArrayList<>();
        for (String text : Texts.given("the list of texts", texts)) {
            many.add(Texts.utf8("a text", text));
        }
        List<Verdict> verdicts = new ArrayList<>(many.size());
        long most = (long) TEXTS_AT_ONCE * threads;
        while (verdicts.size() < many.size()) {
            int from = verdicts.size();
            int to = from;
            long bytes = 0;
            do {
                bytes += Integer.BYTES + (long) many.get(to++).length;
            } while (to < many.size()
                    && to - from < most
                    && bytes + Integer.BYTES + many.get(to).length <= BYTES_AT_ONCE);
            if (to - from == 1) {
                verdicts.add(checked(many.get(from)));
            } else {
                checkSome(many.subList(from, to), (int) bytes, threads, verdicts);
            }
        }
        return Collections.unmodifiableList(verdicts);
    }

    private void checkSome(List<byte[]> texts, int bytes, int threads, List<Verdict> verdicts) {
        ByteBuffer all = ByteBuffer.allocate(bytes);
        for (byte[] text : texts) {
            all.putInt(text.length).put(text);
        }
        Answer answer = ask(caller -> Native.checkMany(caller, all.array(), threads));
        int size = answer.number();
        for (int at = 0; at < size; at++) {
            verdicts.add(Verdict.of(answer.flag(), answer.text(), texts.get(at)));
        }
    }

    /** Frees the caller when its last running check has ended. Its policy stays open. Does nothing the second time. */
    @Override
    public void close() {
        cleanable.clean();
    }

    /** The policy's name. The context is not shown: it would end up in logs. */
    @Override
    public String toString() {
        return "Caller[policy=%s]".formatted(policy.name());
    }

    private Answer ask(LongFunction<byte @Nullable []> call) {
        try {
            return Answer.of(handle.with(call));
        } finally {
            // As in Policy: a running call keeps its caller, and through it the policy.
            Reference.reachabilityFence(this);
        }
    }
}

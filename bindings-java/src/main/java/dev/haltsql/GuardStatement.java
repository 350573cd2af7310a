package dev.haltsql;

import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/** A verified text: its verdict, what to send for it, and the receipt of its run. */
final class GuardStatement implements AutoCloseable {
    private final Verdict verdict;
    private final @Nullable Run run;
    private final Held held;

    GuardStatement(Verdict verdict, Answer answer) {
        this.verdict = verdict;
        run = answer.flag() ? Run.read(answer) : null;
        held = new Held("statement", answer.longNumber(), Native::freeStatement);
    }

    /**
     * What to send.
     *
     * @param gate of a write: what is parsed, and not run, before
     * @param command the first word of the command tag that comes back
     * @param jdbc where it was asked for
     */
    record Run(String text, @Nullable String gate, String command, List<Param> params, @Nullable Jdbc jdbc) {
        static Run read(Answer answer) {
            return new Run(
                    answer.text(), answer.optional(), answer.text(), answer.list(Param::read),
                    answer.flag() ? Jdbc.read(answer) : null);
        }
    }

    /**
     * The value of a {@code $n} as text.
     *
     * @param oid the number of the type to declare
     */
    record Param(@Nullable String value, int oid) {
        static Param read(Answer answer) {
            return new Param(answer.optional(), answer.number());
        }
    }

    /**
     * The form for {@code Connection.prepareStatement}.
     *
     * @param sql the text with {@code ?} for each {@code $n}
     * @param nativeSql what the driver has to make of it
     * @param order for each {@code ?}, the {@code n} of its {@code $n}
     */
    record Jdbc(String sql, String nativeSql, List<Integer> order) {
        static Jdbc read(Answer answer) {
            return new Jdbc(answer.text(), answer.text(), answer.list(Answer::number));
        }
    }

    /** What is left of a run: its first rows, their number, and the receipt; or the types that have no name yet. */
    record Told(@Nullable String unnamedTypes, int rows, long rowCount, boolean truncated, @Nullable Receipt receipt) {
        static Told read(Answer answer) {
            String unnamed = answer.optional();
            return unnamed != null
                    ? new Told(unnamed, 0, 0, false, null)
                    : new Told(null, answer.number(), answer.longNumber(), answer.flag(), new Receipt(answer));
        }
    }

    Verdict verdict() {
        return verdict;
    }

    boolean mayRun() {
        return run != null;
    }

    Run run() {
        if (run == null) {
            throw new InternalException("there is nothing to send for a statement that was denied");
        }
        return run;
    }

    boolean writes() {
        return run().gate != null;
    }

    /** The receipt of a run, whose execution is given as docs/ffi.md's boundary has it. */
    Told receipt(Map<String, @Nullable Object> execution) {
        byte[] json = Json.of(execution).getBytes(StandardCharsets.UTF_8);
        return Told.read(held.ask(statement -> Native.receipt(statement, json)));
    }

    @Override
    public void close() {
        held.close();
    }
}

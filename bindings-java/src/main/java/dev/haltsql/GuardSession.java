package dev.haltsql;

import java.nio.charset.StandardCharsets;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** One transaction of a guard: what it sends besides its statement, and how the answers read. */
final class GuardSession implements AutoCloseable {
    private final GuardCore guard;
    private final boolean writable;
    private final Held held;

    final Steps steps;

    /** What a new connection is asked before; {@code null}: nothing. */
    final @Nullable SealCheck seal;

    GuardSession(GuardCore guard, Answer answer, boolean writable) {
        this.guard = guard;
        this.writable = writable;
        steps = Steps.read(answer);
        seal = answer.flag() ? SealCheck.read(answer) : null;
        held = new Held("transaction", answer.longNumber(), Native::freeSession);
    }

    /** The texts of a transaction, and its caps. */
    record Steps(
            String begin, String hello, String commit, String rollback, String typeNames, long maxRows, long maxResultBytes) {
        // A record's components are read in their order, as Java evaluates arguments.
        static Steps read(Answer answer) {
            return new Steps(
                    answer.text(), answer.text(), answer.text(), answer.text(), answer.text(),
                    answer.longNumber(), answer.longNumber());
        }
    }

    /** What a new connection is asked, in this order. */
    record SealCheck(String begin, String pin, String sql, List<String> params, String end) {
        static SealCheck read(Answer answer) {
            return new SealCheck(answer.text(), answer.text(), answer.text(), answer.texts(), answer.text());
        }
    }

    /** A text with its parameters, each of which is text. */
    record Query(String sql, List<String> params) {}

    /** What the pin said of its transaction. */
    record Pinned(String role, String startedAt) {}

    boolean writable() {
        return writable;
    }

    Query pin(String database) {
        byte[] name = database.getBytes(StandardCharsets.UTF_8);
        long now = System.currentTimeMillis() / 1000;
        Answer answer = held.ask(session -> Native.pin(session, name, now));
        return new Query(answer.text(), answer.texts());
    }

    /**
     * Reads what the pin returned.
     *
     * @throws SealException it is not what it should be
     */
    Pinned readPin(List<List<@Nullable String>> rows) {
        byte[] row = Json.of(rows.size() == 1 ? rows.get(0) : List.of()).getBytes(StandardCharsets.UTF_8);
        Answer answer = held.ask(session -> Native.readPin(session, row));
        return new Pinned(answer.text(), answer.text());
    }

    /**
     * Reads what the seal check returned.
     *
     * @throws SealException the database is not sealed as the policy says
     */
    void readSeal(List<List<@Nullable String>> rows) {
        byte[] json = Json.of(rows).getBytes(StandardCharsets.UTF_8);
        held.ask(session -> Native.readSeal(session, json));
    }

    /**
     * Verifies a text.
     *
     * @throws DeniedException nothing may be sent
     */
    GuardStatement statement(String sql) {
        byte[] bytes = Texts.utf8("the SQL", sql);
        return guard.judged(held.ask(session -> Native.statement(session, bytes)), sql, bytes, writable);
    }

    @Override
    public void close() {
        held.close();
    }
}

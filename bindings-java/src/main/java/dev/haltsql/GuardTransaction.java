package dev.haltsql;

import java.sql.SQLException;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;
import org.postgresql.jdbc.AutoSave;

/** One transaction of a guard, in the order of docs/guards.md: begin, pin, gate, statement, and always an end. */
final class GuardTransaction {
    private static final String USER_CANCELLED = "57014";

    private final PgErrors errors;
    private final GuardCore guard;
    private final GuardSession session;
    private final GuardStatement statement;
    private final PgWire wire;
    private final @Nullable CancellationSignal signal;

    /** COMMIT was sent: where the connection breaks now, nobody knows what became of it. */
    private boolean committing;

    GuardTransaction(
            GuardCore guard, GuardSession session, GuardStatement statement, PgWire wire, @Nullable CancellationSignal signal) {
        this.errors = new PgErrors(guard, wire);
        this.guard = guard;
        this.session = session;
        this.statement = statement;
        this.wire = wire;
        this.signal = signal;
    }

    GuardedResult run() throws SQLException {
        if (!wire.isIdle()) {
            throw new ArgumentException(
                    "a transaction is open on the connection: end it before, or use `query` for a statement in one's own");
        }
        if (session.writable() && wire.physical().isReadOnly()) {
            throw new ArgumentException("the connection is read-only: setReadOnly(false), or use queryInTransaction");
        }
        AutoSave before = wire.withoutSavepoints();
        Throwable failure = null;
        try {
            return steps();
        } catch (SQLException problem) {
            // Not its cause: it would say everything.
            HaltSqlException told = errors.told(problem, committing);
            failure = told;
            throw told;
        } catch (Throwable problem) {
            failure = problem;
            throw problem;
        } finally {
            if (failure != null) {
                leave(failure);
            }
            wire.physical().setAutosave(before);
        }
    }

    private GuardedResult steps() throws SQLException {
        checkSeal();
        GuardSession.Query pin = session.pin(database());
        // Answered before what follows is sent: with a Sync each, a failed BEGIN would not stop it.
        expect(wire.run(session.steps.begin(), List.of()), "BEGIN");
        GuardSession.Pinned pinned = session.readPin(wire.ask(pin.sql(), pin.params()).texts());
        GuardStatement.Run run = statement.run();
        if (run.gate() != null) {
            wire.parse(run.gate(), run.params());
        }
        PgWire.Sent sent = cancellable(run);
        expect(sent, run.command());
        if (!wire.isInTransaction()) {
            throw new SealException("the transaction was ended from inside");
        }
        GuardedResult result = result(pinned, sent);
        committing = statement.writes();
        String end = committing ? session.steps.commit() : session.steps.rollback();
        PgWire.Sent last = wire.run(end, List.of());
        if (!last.is(end) || last.ended() || !wire.isIdle()) {
            throw new SealException(end + " did not end the transaction: nothing was written");
        }
        return result;
    }

    private PgWire.Sent cancellable(GuardStatement.Run run) throws SQLException {
        CancellationSignal cancels = signal;
        if (cancels == null) {
            return wire.run(run.text(), run.params());
        }
        if (!cancels.enter(wire.physical()::cancelQuery)) {
            throw guard.redacted(USER_CANCELLED, "cancelled before it was sent", null, null, null);
        }
        try {
            return wire.run(run.text(), run.params());
        } finally {
            cancels.leave();
        }
    }

    private GuardedResult result(GuardSession.Pinned pinned, PgWire.Sent sent) throws SQLException {
        Map<String, @Nullable Object> execution = new HashMap<>();
        execution.put("role", pinned.role());
        execution.put("started_at", pinned.startedAt());
        execution.put("elapsed_us", sent.elapsedUs());
        List<Map<String, Object>> columns = new ArrayList<>();
        sent.columns().forEach(column -> columns.add(Map.of("name", column.name(), "oid", column.typeOid())));
        execution.put("columns", columns);
        execution.put("rows", sent.texts());
        execution.put("affected", statement.writes() ? sent.affected() : null);
        GuardStatement.Told told = statement.receipt(execution);
        if (told.unnamedTypes() != null) {
            execution.put("type_names", named(told.unnamedTypes()));
            told = statement.receipt(execution);
        }
        Receipt receipt = told.receipt();
        if (receipt == null) {
            throw new SealException("the server does not know the types of its own result");
        }
        return new GuardedResult(
                statement.verdict(), errors.answered(sent, told.rows(), told.rowCount(), told.truncated()), receipt);
    }

    private List<List<Object>> named(String types) throws SQLException {
        List<List<Object>> names = new ArrayList<>();
        for (List<@Nullable String> row : wire.ask(session.steps.typeNames(), List.of(types)).texts()) {
            String oid = row.get(0);
            String schema = row.get(1);
            String name = row.get(2);
            if (oid != null && schema != null && name != null) {
                names.add(List.of(Long.valueOf(oid), schema, name));
            }
        }
        return names;
    }

    /** Asks once on each connection whether the database is sealed as the policy says. */
    private void checkSeal() throws SQLException {
        GuardSession.SealCheck check = session.seal;
        if (check == null) {
            return;
        }
        String what = String.join(" ", check.params()) + " " + guard.policy().version();
        if (wire.known().sealed.contains(what)) {
            return;
        }
        expect(wire.run(check.begin(), List.of()), "BEGIN");
        wire.run(check.pin(), List.of());
        List<List<@Nullable String>> rows = wire.ask(check.sql(), check.params()).texts();
        wire.run(check.end(), List.of());
        session.readSeal(rows);
        wire.known().sealed.add(what);
    }

    /** The name of the database, which a signed pin has in it. */
    private String database() throws SQLException {
        if (!guard.signsPins()) {
            return "";
        }
        PgWire.Known known = wire.known();
        String name = known.database;
        if (name == null) {
            List<List<@Nullable String>> rows = wire.ask(session.steps.hello(), List.of()).texts();
            name = rows.size() == 1 ? rows.get(0).get(0) : null;
            if (name == null) {
                throw new SealException("the server does not say which database this is");
            }
            known.database = name;
        }
        return name;
    }

    private static void expect(PgWire.Sent sent, String command) {
        if (!sent.is(command)) {
            throw new SealException("another command came back than " + command);
        }
    }

    /** After an error: ROLLBACK; or close, where even that fails or what happened is no plain error. */
    private void leave(Throwable failure) {
        boolean plain = failure instanceof HaltSqlException
                && !(failure instanceof SealException || failure instanceof ConnectionLostException);
        try {
            if (plain && !wire.isIdle()) {
                wire.run(session.steps.rollback(), List.of());
            }
        } catch (SQLException | RuntimeException problem) {
            plain = false;
        }
        if (!plain || !wire.isIdle()) {
            wire.discard();
        }
    }
}

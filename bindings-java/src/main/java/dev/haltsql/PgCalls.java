package dev.haltsql;

import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.SQLException;
import java.util.List;
import javax.sql.DataSource;
import org.jspecify.annotations.Nullable;

/** A guard's calls of pgjdbc: every error that comes out of here is one of the tree. */
final class PgCalls {
    private PgCalls() {}

    /** What is done with a connection. */
    @FunctionalInterface
    private interface Work<T> {
        T on(PgWire wire, PgErrors errors) throws SQLException;
    }

    /** A connection of a pool. */
    static Connection lent(GuardCore core, DataSource source) {
        SQLException problem;
        try {
            return Texts.given("the connection of the data source", source.getConnection());
        } catch (SQLException thrown) {
            problem = thrown;
        }
        String state = problem.getSQLState() == null ? "" : problem.getSQLState();
        throw PgErrors.lost(core, "the data source has no connection", state, problem);
    }

    /** A statement in a transaction of the guard's own. */
    static GuardedResult transact(
            GuardCore core,
            GuardSession session,
            GuardStatement statement,
            @Nullable Connection connection,
            @Nullable CancellationSignal signal) {
        return with(core, connection, (wire, errors) ->
                new GuardTransaction(core, session, statement, wire, signal).run());
    }

    /** A statement in its caller's transaction. */
    static GuardedRows run(GuardCore core, @Nullable Connection connection, Context context, String sql, boolean writable) {
        // For its caps.
        try (GuardSession session = core.session(context, writable);
                GuardStatement statement = core.single(context, writable, false, sql)) {
            GuardStatement.Run run = statement.run();
            return with(core, connection, (wire, errors) -> {
                admit(wire, run);
                PgWire.Sent sent = wire.runIn(run.text(), run.params());
                if (!sent.is(run.command())) {
                    throw new SealException("another command came back than " + run.command());
                }
                int kept = kept(sent.texts(), session.steps);
                long count = statement.writes() ? sent.affected() : kept;
                return new GuardedRows(
                        statement.verdict(), errors.answered(sent, kept, count, kept < sent.texts().size()));
            });
        }
    }

    /** A statement of its caller's transaction, prepared. */
    static PreparedStatement prepare(
            GuardCore core, @Nullable Connection connection, Context context, String sql, boolean writable) {
        try (GuardSession session = core.session(context, writable);
                GuardStatement statement = core.single(context, writable, true, sql)) {
            GuardStatement.Run run = statement.run();
            return with(core, connection, (wire, errors) -> {
                admit(wire, run);
                return GuardedPrepared.of(wire, errors, run, session.steps.maxRows());
            });
        }
    }

    /** What has to hold in a transaction that is not the guard's; and the gate of a write. */
    private static void admit(PgWire wire, GuardStatement.Run run) throws SQLException {
        if (wire.physical().getAutoCommit() && wire.isIdle()) {
            throw new ArgumentException(
                    "no transaction was begun on the connection: setAutoCommit(false), or use queryInTransaction or updateInTransaction");
        }
        if (!wire.physical().getStandardConformingStrings()) {
            throw new ArgumentException(
                    "the session has standard_conforming_strings=off, and texts are verified as if it were on: set it, or use queryInTransaction");
        }
        if (run.gate() != null) {
            wire.parse(run.gate(), run.params());
        }
    }

    /** How many rows are within the policy's caps. */
    private static int kept(List<List<@Nullable String>> rows, GuardSession.Steps caps) {
        long left = caps.maxResultBytes();
        int kept = 0;
        for (List<@Nullable String> row : rows) {
            for (String text : row) {
                left -= text == null ? 0 : Texts.utf8("a value", text).length;
            }
            if (kept == caps.maxRows() || left < 0) {
                break;
            }
            kept++;
        }
        return kept;
    }

    private static <T> T with(GuardCore core, @Nullable Connection connection, Work<T> work) {
        HaltSqlException told;
        try {
            PgWire wire = PgWire.of(connection);
            PgErrors errors = new PgErrors(core, wire);
            try {
                return work.on(wire, errors);
            } catch (SQLException problem) {
                told = errors.told(problem, false);
            }
        } catch (SQLException problem) {
            told = PgErrors.lost(core, "the connection cannot be used", "", problem);
        } catch (LinkageError problem) {
            throw new VersionException(
                    "pgjdbc is missing or is one that this version does not know (%s): add org.postgresql:postgresql 42.7.3 or newer"
                            .formatted(problem),
                    problem);
        }
        throw told;
    }
}

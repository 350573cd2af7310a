package dev.haltsql;

import java.sql.SQLException;
import java.util.List;
import org.jspecify.annotations.Nullable;
import org.postgresql.util.PSQLException;
import org.postgresql.util.ServerErrorMessage;

/** What a guard's caller gets of pgjdbc's errors and results. Must never hand on a driver's error as a cause, unless the guard shows errors. */
final class PgErrors {
    private final GuardCore guard;
    private final PgWire wire;

    PgErrors(GuardCore guard, PgWire wire) {
        this.guard = guard;
        this.wire = wire;
    }

    /**
     * The error of the tree for one of the driver's.
     *
     * @param committing whether COMMIT was on its way
     */
    HaltSqlException told(SQLException problem, boolean committing) {
        String state = problem.getSQLState() == null ? "" : problem.getSQLState();
        if (wire.isClosed() || state.isEmpty() || state.startsWith("08")) {
            String what = committing
                    ? "the connection broke at COMMIT: whether it was written is not known"
                    : "the connection broke: nothing was written";
            return lost(guard, what, state, problem);
        }
        ServerErrorMessage said = problem instanceof PSQLException own ? own.getServerErrorMessage() : null;
        return said == null
                ? guard.redacted(state, String.valueOf(problem.getMessage()), null, null, problem)
                : guard.redacted(state, String.valueOf(said.getMessage()), said.getDetail(), said.getHint(), problem);
    }

    /** The error where there is no connection. */
    static ConnectionLostException lost(GuardCore guard, String what, String state, SQLException problem) {
        String message = state.isEmpty() ? what : "%s (SQLSTATE %s)".formatted(what, state);
        return new ConnectionLostException(message, guard.showErrors() ? problem : null);
    }

    /** Whether an error is the server's, or of the connection: not of a wrong call of the driver's methods. */
    static boolean isOfTheServer(SQLException problem) {
        String state = problem.getSQLState();
        return state == null
                || state.startsWith("08")
                || problem instanceof PSQLException own && own.getServerErrorMessage() != null;
    }

    /** The first rows of an answer, as the caller gets them. */
    GuardedRows.Answered answered(PgWire.Sent sent, int rows, long rowCount, boolean truncated) {
        List<List<@Nullable Object>> values = List.of();
        DatabaseException beyond = null;
        try {
            values = PgValues.of(wire, sent, rows);
        } catch (SQLException problem) {
            String state = problem.getSQLState() == null ? "22000" : problem.getSQLState();
            beyond = new DatabaseException(
                    state, "pgjdbc cannot hold a value of the result: read it from texts()", null, null,
                    guard.showErrors() ? problem : null);
        }
        return new GuardedRows.Answered(
                List.copyOf(sent.columns()), List.copyOf(sent.texts().subList(0, rows)), values, beyond, rowCount, truncated);
    }
}

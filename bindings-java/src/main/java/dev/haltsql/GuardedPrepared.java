package dev.haltsql;

import java.lang.reflect.InvocationHandler;
import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Method;
import java.lang.reflect.Proxy;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.SQLFeatureNotSupportedException;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.jspecify.annotations.Nullable;
import org.postgresql.PGStatement;
import org.postgresql.util.PGobject;

/**
 * A {@code PreparedStatement} that runs one verified text with the verdict's values, and nothing else: what would change text or values is
 * refused. Its results end at {@code max_rows}; its errors are redacted, its warnings dropped.
 */
final class GuardedPrepared implements InvocationHandler {
    /** What may be called. No method that takes a text, a value or a batch is among them, nor one that hands out the driver's own. */
    private static final Set<String> OPEN = Set.of(
            "execute", "executeQuery", "executeUpdate", "executeLargeUpdate", "getResultSet", "getUpdateCount", "getLargeUpdateCount",
            "getMoreResults", "close", "isClosed", "cancel", "getQueryTimeout", "setQueryTimeout", "getFetchSize", "setFetchSize",
            "getFetchDirection", "setFetchDirection", "getMaxRows", "setMaxRows", "getLargeMaxRows", "setLargeMaxRows", "getMaxFieldSize",
            "clearWarnings", "getMetaData", "getParameterMetaData", "getConnection", "closeOnCompletion", "isCloseOnCompletion",
            "isPoolable", "setPoolable", "getResultSetType", "getResultSetConcurrency", "getResultSetHoldability");

    /** The driver's names of the types that verdicts declare. */
    private static final Map<Integer, String> TYPES =
            Map.of(25, "text", 2950, "uuid", 20, "int8", 1009, "_text", 2951, "_uuid", 1016, "_int8");

    private final PreparedStatement target;
    private final PgErrors errors;
    private final long maxRows;
    private final PreparedStatement shown;

    private GuardedPrepared(PreparedStatement target, PgErrors errors, long maxRows) {
        this.target = target;
        this.errors = errors;
        this.maxRows = maxRows;
        this.shown = shown(PreparedStatement.class, this);
    }

    static PreparedStatement of(PgWire wire, PgErrors errors, GuardStatement.Run run, long maxRows) throws SQLException {
        GuardStatement.Jdbc form = run.jdbc();
        if (form == null) {
            throw new InternalException("there is no form for PreparedStatement");
        }
        wire.prove(form);
        PreparedStatement target = wire.lent().prepareStatement(form.sql());
        try {
            // No named statement, for those outlive the transaction; and so no binary results.
            target.unwrap(PGStatement.class).setPrepareThreshold(0);
            for (int at = 0; at < form.order().size(); at++) {
                target.setObject(at + 1, value(run.params().get(form.order().get(at) - 1)));
            }
        } catch (SQLException | RuntimeException problem) {
            target.close();
            throw problem;
        }
        // What a write gives back is what it wrote: nothing is cut there.
        return new GuardedPrepared(target, errors, run.gate() == null ? maxRows : Long.MAX_VALUE).shown;
    }

    private static PGobject value(GuardStatement.Param param) throws SQLException {
        String type = TYPES.get(param.oid());
        if (type == null) {
            throw new InternalException("a parameter is of a type that this version does not know");
        }
        PGobject value = new PGobject();
        value.setType(type);
        value.setValue(param.value());
        return value;
    }

    @Override
    public @Nullable Object invoke(Object proxy, Method method, Object @Nullable [] arguments) throws Throwable {
        String name = method.getName();
        switch (name) {
            case "equals":
                return arguments != null && proxy == arguments[0];
            case "hashCode":
                return System.identityHashCode(proxy);
            case "toString":
                // The driver's shows the values.
                return "GuardedPreparedStatement";
            case "getWarnings":
                return null;
            case "isWrapperFor":
                return false;
            default:
                boolean text = arguments != null && arguments.length > 0 && arguments[0] instanceof String;
                if (!OPEN.contains(name) || text) {
                    throw new SQLFeatureNotSupportedException(
                            "a guarded statement has the text and the values that were verified: %s is refused".formatted(name));
                }
                Object result = called(target, method, arguments);
                return result instanceof ResultSet rows ? shown(ResultSet.class, new Rows(rows)) : result;
        }
    }

    /** A result that ends where the policy says. */
    private final class Rows implements InvocationHandler {
        private final ResultSet rows;
        private long seen;

        Rows(ResultSet rows) {
            this.rows = rows;
        }

        @Override
        public @Nullable Object invoke(Object proxy, Method method, Object @Nullable [] arguments) throws Throwable {
            switch (method.getName()) {
                case "equals":
                    return arguments != null && proxy == arguments[0];
                case "hashCode":
                    return System.identityHashCode(proxy);
                case "toString":
                    return "GuardedResultSet";
                case "getStatement":
                    return shown;
                case "getWarnings":
                    return null;
                case "isWrapperFor":
                    return false;
                case "unwrap":
                    throw new SQLFeatureNotSupportedException("a guarded result does not hand out the driver's own");
                case "next":
                    return seen++ < maxRows && Boolean.TRUE.equals(called(rows, method, arguments));
                default:
                    return called(rows, method, arguments);
            }
        }
    }

    private @Nullable Object called(Object on, Method method, Object @Nullable [] arguments) throws Throwable {
        HaltSqlException told;
        try {
            return method.invoke(on, arguments);
        } catch (InvocationTargetException problem) {
            Throwable thrown = problem.getCause();
            if (!(thrown instanceof SQLException said) || !PgErrors.isOfTheServer(said)) {
                throw thrown == null ? problem : thrown;
            }
            told = errors.told(said, false);
        }
        throw told;
    }

    private static <T> T shown(Class<T> face, InvocationHandler handler) {
        return face.cast(Proxy.newProxyInstance(
                GuardedPrepared.class.getClassLoader(), List.of(face).toArray(Class<?>[]::new), handler));
    }
}

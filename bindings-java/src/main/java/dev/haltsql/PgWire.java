package dev.haltsql;

import java.nio.charset.StandardCharsets;
import java.sql.Connection;
import java.sql.SQLException;
import java.sql.SQLWarning;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.WeakHashMap;
import java.util.Collections;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import org.jspecify.annotations.Nullable;
import org.postgresql.core.BaseConnection;
import org.postgresql.core.CachedQuery;
import org.postgresql.core.Field;
import org.postgresql.core.NativeQuery;
import org.postgresql.core.ParameterList;
import org.postgresql.core.Query;
import org.postgresql.core.QueryExecutor;
import org.postgresql.core.ResultCursor;
import org.postgresql.core.ResultHandlerBase;
import org.postgresql.core.SqlCommand;
import org.postgresql.core.TransactionState;
import org.postgresql.core.Tuple;
import org.postgresql.jdbc.AutoSave;
import org.postgresql.jdbc.PreferQueryMode;

/**
 * A connection of pgjdbc, below JDBC: texts go to its executor as they are, in the extended protocol, as unnamed statements, with declared
 * types and text results. So pgjdbc reads none of them ({@code ?}, <code>{fn …}</code>, {@code ;}), and none of its caches is used.
 */
final class PgWire {
    /** PostgreSQL's number for {@code text}. */
    static final int TEXT = 25;

    private static final int FLAGS =
            QueryExecutor.QUERY_ONESHOT | QueryExecutor.QUERY_NO_BINARY_TRANSFER | QueryExecutor.QUERY_BOTH_ROWS_AND_STATUS;

    /** What was found out about connections, as long as these live. */
    private static final Map<BaseConnection, Known> KNOWN = Collections.synchronizedMap(new WeakHashMap<>());

    private final Connection lent;
    private final BaseConnection physical;

    private PgWire(Connection lent, BaseConnection physical) {
        this.lent = lent;
        this.physical = physical;
    }

    /** What was found out about one connection: its database, and which seal checks it passed. */
    static final class Known {
        volatile @Nullable String database;
        final Set<String> sealed = ConcurrentHashMap.newKeySet();
    }

    /**
     * What came for a text.
     *
     * @param tag the command tag; empty for what was parsed alone
     * @param ended whether a notice said that no transaction was open (25P01)
     */
    record Sent(
            List<Column> columns,
            List<List<@Nullable String>> texts,
            Field[] fields,
            List<Tuple> tuples,
            String tag,
            long affected,
            boolean ended,
            long elapsedUs) {
        /** Whether the server did what a command is. */
        boolean is(String command) {
            return tag.equals(command) || tag.startsWith(command + " ");
        }
    }

    /**
     * The wire of a connection.
     *
     * @throws ArgumentException it is none of pgjdbc, or not in the state that a guard needs
     */
    static PgWire of(@Nullable Connection connection) throws SQLException {
        Connection lent = Texts.given("the connection", connection);
        if (lent.isClosed()) {
            throw new ConnectionLostException("the connection is closed", null);
        }
        if (!lent.isWrapperFor(BaseConnection.class)) {
            throw new ArgumentException(
                    "the connection is a `%s` and has none of pgjdbc inside: connect with org.postgresql:postgresql"
                            .formatted(lent.getClass().getName()));
        }
        PgWire wire = new PgWire(lent, lent.unwrap(BaseConnection.class));
        if (wire.physical.getPreferQueryMode() == PreferQueryMode.SIMPLE) {
            throw new ArgumentException(
                    "the connection has preferQueryMode=simple, which runs several statements in one text: leave it out");
        }
        if (!"UTF8".equals(wire.physical.getParameterStatus("client_encoding"))) {
            throw new ArgumentException(
                    "the connection's client_encoding is not UTF8: leave allowEncodingChanges out, and set none");
        }
        return wire;
    }

    Connection lent() {
        return lent;
    }

    BaseConnection physical() {
        return physical;
    }

    Known known() {
        return KNOWN.computeIfAbsent(physical, connection -> new Known());
    }

    boolean isIdle() {
        return physical.getTransactionState() == TransactionState.IDLE;
    }

    boolean isInTransaction() {
        return physical.getTransactionState() == TransactionState.OPEN;
    }

    boolean isClosed() {
        try {
            return physical.isClosed();
        } catch (SQLException problem) {
            return true;
        }
    }

    /** Switches pgjdbc's savepoints off, which it would put before each statement; returns what to set again. */
    AutoSave withoutSavepoints() {
        AutoSave before = physical.getAutosave();
        physical.setAutosave(AutoSave.NEVER);
        return before;
    }

    /** A text of the guard's own, with parameters that are text. */
    Sent ask(String sql, List<String> values) throws SQLException {
        return send(sql, values.stream().map(value -> new GuardStatement.Param(value, TEXT)).toList(), QueryExecutor.QUERY_SUPPRESS_BEGIN);
    }

    /** A text that is parsed, and not run. */
    void parse(String sql, List<GuardStatement.Param> params) throws SQLException {
        send(sql, params, QueryExecutor.QUERY_SUPPRESS_BEGIN | QueryExecutor.QUERY_DESCRIBE_ONLY);
    }

    /** A text in a transaction that is there. */
    Sent run(String sql, List<GuardStatement.Param> params) throws SQLException {
        return send(sql, params, QueryExecutor.QUERY_SUPPRESS_BEGIN);
    }

    /** A text in its caller's transaction, which pgjdbc begins with its first statement. */
    Sent runIn(String sql, List<GuardStatement.Param> params) throws SQLException {
        int begin = physical.getAutoCommit() ? QueryExecutor.QUERY_SUPPRESS_BEGIN : 0;
        return send(sql, params, begin | (physical.hintReadOnly() ? QueryExecutor.QUERY_READ_ONLY_HINT : 0));
    }

    private Sent send(String sql, List<GuardStatement.Param> params, int flags) throws SQLException {
        NativeQuery text = new NativeQuery(sql, new int[params.size()], false, SqlCommand.BLANK);
        Query query = physical.getQueryExecutor().wrap(List.of(text));
        ParameterList values = query.createParameterList();
        for (int at = 0; at < params.size(); at++) {
            GuardStatement.Param param = params.get(at);
            if (param.value() == null) {
                values.setNull(at + 1, param.oid());
            } else {
                values.setStringParameter(at + 1, param.value(), param.oid());
            }
        }
        Collector collector = new Collector();
        long started = System.nanoTime();
        try {
            physical.getQueryExecutor().execute(query, values, collector, 0, 0, FLAGS | flags);
        } finally {
            query.close();
        }
        return collector.sent((System.nanoTime() - started) / 1000);
    }

    /** Makes the pool that lent the connection see that it is closed, by a call that fails: pools look at errors, not at sockets. */
    void discard() {
        try {
            physical.close();
        } catch (SQLException problem) {
            // It is of no use any more either way.
        }
        try {
            lent.createStatement().close();
        } catch (SQLException expected) {
            // This is the one.
        }
    }

    /**
     * Proves what {@code prepareStatement} is going to send: that pgjdbc makes of a text what the core has proven to be the verified one.
     *
     * @throws ArgumentException it makes another text of it
     */
    void prove(GuardStatement.Jdbc form) throws SQLException {
        boolean same = form.nativeSql().equals(lent.nativeSQL(form.sql()));
        // What the cache of statements holds was read under the settings of another time, and may have a name on the server.
        CachedQuery cached = physical.getQueryExecutor().borrowQuery(form.sql());
        try {
            same &= form.nativeSql().equals(cached.query.getNativeSql()) && cached.query.getSubqueries() == null;
            cached.query.close();
        } finally {
            physical.getQueryExecutor().releaseQuery(cached);
        }
        if (!same) {
            throw new ArgumentException("pgjdbc makes another text of this than the one that was verified: use `query`, which sends it as it is");
        }
    }

    /** Keeps what comes for one text. Notices are dropped, but for what they say of the transaction. */
    private static final class Collector extends ResultHandlerBase {
        private static final String NO_TRANSACTION = "25P01";

        private Field[] fields = {};
        private List<Tuple> tuples = List.of();
        private String tag = "";
        private long affected;
        private boolean ended;

        @Override
        public void handleResultRows(Query from, Field[] columns, List<Tuple> rows, @Nullable ResultCursor cursor) {
            fields = columns;
            tuples = rows;
        }

        @Override
        public void handleCommandStatus(String status, long count, long oid) {
            tag = status;
            affected = Math.max(count, 0);
        }

        @Override
        public void handleWarning(SQLWarning warning) {
            ended |= NO_TRANSACTION.equals(warning.getSQLState());
        }

        Sent sent(long elapsedUs) throws SQLException {
            List<Column> columns = new ArrayList<>(fields.length);
            for (Field field : fields) {
                if (field.getFormat() != Field.TEXT_FORMAT) {
                    throw new SQLException("a result is not text", "08P01");
                }
                columns.add(new Column(field.getColumnLabel(), Integer.toUnsignedLong(field.getOID())));
            }
            List<List<@Nullable String>> texts = new ArrayList<>(tuples.size());
            for (Tuple tuple : tuples) {
                List<@Nullable String> row = new ArrayList<>(fields.length);
                for (int at = 0; at < fields.length; at++) {
                    byte[] value = tuple.get(at);
                    row.add(value == null ? null : new String(value, StandardCharsets.UTF_8));
                }
                texts.add(Collections.unmodifiableList(row));
            }
            return new Sent(columns, texts, fields, tuples, tag, affected, ended, elapsedUs);
        }
    }
}

package dev.haltsql;

import java.sql.Array;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Set;
import org.jspecify.annotations.Nullable;
import org.postgresql.core.BaseStatement;
import org.postgresql.core.Oid;

/**
 * A result as pgjdbc's own values. Only of types for which the driver need not ask the server: asking would prepare statements in the
 * session. The others stay text.
 */
final class PgValues {
    private static final Set<Integer> SINGLE = Set.of(
            Oid.BOOL, Oid.BYTEA, Oid.INT2, Oid.INT4, Oid.INT8, Oid.OID, Oid.FLOAT4, Oid.FLOAT8, Oid.NUMERIC, Oid.UUID, Oid.DATE, Oid.TIME,
            Oid.TIMETZ, Oid.TIMESTAMP, Oid.TIMESTAMPTZ);

    private static final Set<Integer> ARRAYS = Set.of(
            Oid.BOOL_ARRAY, Oid.INT2_ARRAY, Oid.INT4_ARRAY, Oid.INT8_ARRAY, Oid.FLOAT4_ARRAY, Oid.FLOAT8_ARRAY, Oid.NUMERIC_ARRAY,
            Oid.UUID_ARRAY, Oid.TEXT_ARRAY, Oid.VARCHAR_ARRAY, Oid.DATE_ARRAY, Oid.TIMESTAMP_ARRAY, Oid.TIMESTAMPTZ_ARRAY);

    private PgValues() {}

    /** The first rows of a result. */
    static List<List<@Nullable Object>> of(PgWire wire, PgWire.Sent sent, int rows) throws SQLException {
        List<List<@Nullable Object>> values = new ArrayList<>(rows);
        // A statement that is never sent: the driver's way to a ResultSet over rows that it has.
        try (Statement statement = wire.physical().createStatement();
                ResultSet results = ((BaseStatement) statement)
                        .createDriverResultSet(sent.fields(), new ArrayList<>(sent.tuples().subList(0, rows)))) {
            for (int row = 0; row < rows && results.next(); row++) {
                List<@Nullable Object> line = new ArrayList<>(sent.fields().length);
                for (int at = 0; at < sent.fields().length; at++) {
                    line.add(value(results, at + 1, sent.fields()[at].getOID(), sent.texts().get(row).get(at)));
                }
                values.add(Collections.unmodifiableList(line));
            }
        }
        return Collections.unmodifiableList(values);
    }

    private static @Nullable Object value(ResultSet results, int column, int oid, @Nullable String text) throws SQLException {
        if (text == null) {
            return null;
        }
        if (SINGLE.contains(oid)) {
            return results.getObject(column);
        }
        if (ARRAYS.contains(oid)) {
            Array array = results.getArray(column);
            return array == null ? null : array.getArray();
        }
        return text;
    }
}

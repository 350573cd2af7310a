package dev.haltsql;

import static dev.haltsql.Shop.ACME;
import static dev.haltsql.Shop.OWN;
import static dev.haltsql.Shop.OWN_ROWS;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertSame;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.SQLFeatureNotSupportedException;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import javax.sql.DataSource;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.function.Executable;
import org.postgresql.PGConnection;
import org.postgresql.jdbc.AutoSave;

/** Calls that are refused before anything is sent, and the forms for a caller's own transaction. */
class GuardMisuseTest {
    private static final TestServer SERVER = Shop.common();
    private static final String DELETE = "DELETE FROM app.orders WHERE tenant_id = $1";

    private static void refused(Class<? extends HaltSqlException> kind, String words, Executable call) {
        HaltSqlException error = assertThrows(kind, call);
        assertTrue(error.getMessage().contains(words), error.getMessage());
    }

    @Test
    void whatCannotBeDoneIsRefusedBeforeAnythingIsSent() throws Exception {
        JdbcGuard guard = JdbcGuard.of(Shop.policy());
        try (Connection connection = SERVER.connect("postgres")) {
            refused(ArgumentException.class, "policy is null", () -> JdbcGuard.of(null));
            refused(ArgumentException.class, "connection is null", () -> guard.queryInTransaction((Connection) null, ACME, OWN));
            refused(ArgumentException.class, "data source is null", () -> guard.queryInTransaction((DataSource) null, ACME, OWN));
            refused(ArgumentException.class, "context is null", () -> guard.queryInTransaction(connection, null, OWN));
            refused(ArgumentException.class, "SQL is null", () -> guard.queryInTransaction(connection, ACME, null));
            refused(ArgumentException.class, "signal is null", () -> guard.queryInTransaction(connection, ACME, OWN, null));
            refused(EncodingException.class, "surrogate", () -> guard.queryInTransaction(connection, ACME, "SELECT '\ud800'"));
            refused(ArgumentException.class, "key", () -> JdbcGuard.builder(Shop.policy()).receiptKey("none").build());
            refused(ArgumentException.class, "no write", () -> JdbcGuard.of(Shop.reading("enforce")).updateInTransaction(connection, ACME, OWN));
            Policy shadow = Shop.reading("shadow");
            refused(ArgumentException.class, "shadow", () -> JdbcGuard.of(shadow).queryInTransaction(connection, ACME, OWN));
            JdbcGuard allowing = JdbcGuard.builder(shadow).allowShadow(true).build();
            GuardedResult result = allowing.queryInTransaction(connection, ACME, "SELECT count(*) FROM app.orders");
            assertEquals(List.of(List.of("40")), result.texts());
            assertEquals("E_TENANT_MISSING", result.verdict().shadowReasons().get(0).code());
            // What cannot be capped is denied all the same.
            refused(DeniedException.class, "denied", () -> allowing.queryInTransaction(connection, ACME, "COMMIT"));
            JdbcGuard owned = JdbcGuard.of(Shop.policy("settings: { app.owner: '{context.owner}' }"));
            refused(ContextException.class, "owner", () -> owned.queryInTransaction(connection, ACME, OWN));

            connection.setReadOnly(true);
            refused(ArgumentException.class, "read-only", () -> guard.updateInTransaction(connection, ACME, OWN));
            assertEquals(2, guard.queryInTransaction(connection, ACME, OWN).rowCount());
            connection.setReadOnly(false);

            connection.setAutoCommit(false);
            connection.createStatement().execute("SELECT 1");
            refused(ArgumentException.class, "a transaction is open", () -> guard.queryInTransaction(connection, ACME, OWN));
            assertEquals(2, guard.query(connection, ACME, OWN).rowCount());
            connection.rollback();
            connection.setAutoCommit(true);
            // A BEGIN by hand is one too.
            connection.createStatement().execute("BEGIN");
            refused(ArgumentException.class, "a transaction is open", () -> guard.queryInTransaction(connection, ACME, OWN));
            connection.createStatement().execute("ROLLBACK");
            assertEquals(2, guard.queryInTransaction(connection, ACME, OWN).rowCount());
        }
        Connection closed = SERVER.connect("postgres");
        closed.close();
        refused(ConnectionLostException.class, "closed", () -> guard.queryInTransaction(closed, ACME, OWN));
        try (Connection simple = SERVER.connect("postgres", "preferQueryMode=simple")) {
            refused(ArgumentException.class, "preferQueryMode", () -> guard.queryInTransaction(simple, ACME, OWN));
            refused(ArgumentException.class, "preferQueryMode", () -> guard.query(simple, ACME, OWN));
        }
        try (Connection latin = SERVER.connect("postgres", "allowEncodingChanges=true")) {
            latin.createStatement().execute("SET client_encoding = 'LATIN1'");
            refused(ArgumentException.class, "client_encoding", () -> guard.queryInTransaction(latin, ACME, OWN));
        }
        Connection foreign = (Connection) java.lang.reflect.Proxy.newProxyInstance(
                getClass().getClassLoader(), new Class<?>[] {Connection.class}, (proxy, method, arguments) -> false);
        refused(ArgumentException.class, "none of pgjdbc", () -> guard.queryInTransaction(foreign, ACME, OWN));
        guard.close();
        guard.close();
        refused(ClosedException.class, "guard was closed", () -> guard.queryInTransaction(foreign, ACME, OWN));
        assertEquals("0 40", SERVER.ask("SELECT (%s) || ' ' || count(*) FROM app.orders".formatted(Shop.OPEN)));
    }

    @Test
    void theConnectionIsAsItWas() throws Exception {
        JdbcGuard guard = JdbcGuard.of(Shop.policy("isolation: serializable"));
        try (Connection connection = SERVER.connect("postgres", "autosave=conservative")) {
            for (boolean autoCommit : new boolean[] {true, false}) {
                connection.setAutoCommit(autoCommit);
                connection.setTransactionIsolation(Connection.TRANSACTION_REPEATABLE_READ);
                guard.queryInTransaction(connection, ACME, OWN);
                guard.updateInTransaction(connection, ACME, "UPDATE app.orders SET note = note WHERE tenant_id = $1");
                assertThrows(DatabaseException.class, () ->
                        guard.queryInTransaction(connection, ACME, "SELECT 1 / (id - id) FROM app.orders WHERE tenant_id = $1"));
                assertEquals(autoCommit, connection.getAutoCommit());
                assertEquals(Connection.TRANSACTION_REPEATABLE_READ, connection.getTransactionIsolation());
                assertSame(AutoSave.CONSERVATIVE, connection.unwrap(PGConnection.class).getAutosave());
                assertNull(connection.getWarnings());
                assertFalse(connection.isReadOnly());
                if (!autoCommit) {
                    connection.rollback();
                }
            }
        }
    }

    @Test
    void inACallersTransactionTheCallerDecides() throws Exception {
        JdbcGuard guard = JdbcGuard.of(Shop.policy("max_result_bytes: 10"));
        try (Connection connection = SERVER.connect("postgres")) {
            refused(ArgumentException.class, "no transaction", () -> guard.query(connection, ACME, OWN));
            refused(ArgumentException.class, "no transaction", () -> guard.prepare(connection, ACME, OWN));
            connection.setAutoCommit(false);
            assertEquals(OWN_ROWS, guard.query(connection, ACME, OWN).texts());
            GuardedRows cut = guard.query(connection, ACME, "SELECT repeat('x', 4) FROM app.orders WHERE tenant_id = $1");
            assertTrue(cut.truncated() && cut.texts().size() == 2 && cut.rowCount() == 2);
            refused(DeniedException.class, "E_", () -> guard.query(connection, ACME, DELETE));
            GuardedRows deleted = guard.update(connection, ACME, DELETE);
            assertEquals(20, deleted.rowCount());
            assertEquals(0, guard.query(connection, ACME, OWN).rowCount());
            assertThrows(DatabaseException.class, () -> guard.query(connection, ACME, "SELECT 'x'::text::int"));
            DatabaseException failed = assertThrows(DatabaseException.class, () -> guard.query(connection, ACME, OWN));
            assertEquals("25P02", failed.sqlState());
            connection.rollback();
            assertEquals(2, guard.query(connection, ACME, OWN).rowCount());
            connection.createStatement().execute("SET LOCAL standard_conforming_strings = off");
            refused(ArgumentException.class, "standard_conforming_strings", () -> guard.query(connection, ACME, OWN));
            refused(ArgumentException.class, "standard_conforming_strings", () -> guard.prepare(connection, ACME, OWN));
            connection.rollback();
        }
        assertEquals("40", SERVER.ask("SELECT count(*) FROM app.orders"));
    }

    @Test
    void aPreparedStatementHasTheTextAndTheValuesThatWereVerified() throws Exception {
        JdbcGuard guard = JdbcGuard.of(Shop.policy());
        String sql = "SELECT name, account, '?' AS q FROM app.accounts WHERE account = $1 AND team = ANY($2) AND account = $1";
        try (Connection connection = SERVER.connect("postgres", "prepareThreshold=1")) {
            connection.setAutoCommit(false);
            // Of the same text, with a name on the server: what the driver's cache has is not used.
            String sent = "SELECT * FROM (\n" + OWN.replace("$1", "?") + "\n) AS haltsql_capped LIMIT 6";
            try (PreparedStatement cached = connection.prepareStatement(sent)) {
                for (int time = 0; time < 3; time++) {
                    cached.setString(1, "globex");
                    assertTrue(cached.executeQuery().next());
                }
            }
            try (PreparedStatement statement = guard.prepare(connection, ACME, OWN);
                    ResultSet rows = statement.executeQuery()) {
                assertTrue(rows.next() && rows.getInt(1) == 2 && rows.getString("note").equals("n2"));
            }
            try (PreparedStatement statement = guard.prepare(connection, ACME, sql)) {
                for (int time = 0; time < 7; time++) {
                    ResultSet rows = statement.executeQuery();
                    assertTrue(rows.next());
                    assertEquals("one 7 ?", rows.getString(1) + " " + rows.getLong(2) + " " + rows.getString(3));
                    assertSame(statement, rows.getStatement());
                    assertFalse(rows.next());
                }
                assertSame(connection, statement.getConnection());
                for (Executable call : List.<Executable>of(
                        () -> statement.setString(1, "globex"), () -> statement.setObject(1, 8L), statement::clearParameters,
                        statement::addBatch, statement::executeBatch, () -> statement.executeQuery("SELECT 1"),
                        () -> statement.execute("SELECT 1"), () -> statement.addBatch("SELECT 1"), () -> statement.setCursorName("c"),
                        () -> statement.unwrap(PreparedStatement.class), () -> statement.setEscapeProcessing(true))) {
                    assertThrows(SQLFeatureNotSupportedException.class, call);
                }
                assertFalse(statement.toString().contains("SELECT"));
            }
            try (PreparedStatement statement = guard.prepare(connection, ACME, "SELECT id FROM app.orders WHERE tenant_id = $1 ORDER BY id")) {
                statement.setMaxRows(0);
                List<Integer> seen = new ArrayList<>();
                ResultSet rows = statement.executeQuery();
                while (rows.next()) {
                    seen.add(rows.getInt(1));
                }
                assertEquals(List.of(2, 4, 6, 8, 10), seen);
                assertThrows(SQLException.class, () -> rows.getInt("nothing"));
            }
            refused(DeniedException.class, "E_", () -> guard.prepare(connection, ACME, DELETE));
            try (PreparedStatement statement = guard.prepareUpdate(connection, ACME, DELETE)) {
                assertEquals(20, statement.executeUpdate());
            }
            connection.rollback();
            try (PreparedStatement statement = guard.prepare(connection, ACME, "SELECT 1 / (id - id) FROM app.orders WHERE tenant_id = $1")) {
                DatabaseException error = assertThrows(DatabaseException.class, statement::executeQuery);
                assertTrue(error.sqlState().equals("22012") && error.getCause() == null);
            }
            connection.rollback();
            try (PreparedStatement statement = guard.prepare(connection, ACME, Shop.LONG)) {
                statement.setQueryTimeout(1);
                assertEquals("57014", assertThrows(DatabaseException.class, statement::executeQuery).sqlState());
            }
            connection.rollback();
            assertEquals("[[2], [4]]", guard.query(connection, ACME, "SELECT id FROM app.orders WHERE tenant_id = $1 LIMIT 2").texts().toString());
        }
    }

    @Test
    void aPreparedStatementThatTheDriverWouldReadInAnotherWayIsRefused() throws Exception {
        JdbcGuard guard = JdbcGuard.of(Shop.policy());
        try (Connection connection = SERVER.connect("postgres")) {
            connection.setAutoCommit(false);
            for (Map.Entry<String, String> text : Map.of(
                    "SELECT '{fn now()}?'", "{fn now()}?",
                    "SELECT $$ {d '2024-01-01'} ? ; $$", " {d '2024-01-01'} ? ; ",
                    "SELECT E'\\'?'", "'?",
                    "SELECT U&'\\003F'", "?").entrySet()) {
                try (PreparedStatement statement = guard.prepare(connection, ACME, text.getKey());
                        ResultSet rows = statement.executeQuery()) {
                    assertTrue(rows.next());
                    assertEquals(text.getValue(), rows.getString(1));
                }
            }
            // A text that the driver has read while backslashes were escapes stays in its cache, read that way.
            String sql = "SELECT note, 'a\\' || '?' || $q$\\'$q$ || $q$'$q$ -- $q$\n FROM app.orders WHERE tenant_id = $1 AND id = 2";
            String sent = "SELECT * FROM (\n" + sql.replace("$1", "?") + "\n) AS haltsql_capped LIMIT 6";
            connection.createStatement().execute("SET standard_conforming_strings = off");
            connection.prepareStatement(sent).close();
            connection.createStatement().execute("SET standard_conforming_strings = on");
            refused(ArgumentException.class, "another text", () -> guard.prepare(connection, ACME, sql));
            assertEquals(List.of(List.of("n2", "a\\?\\''")), guard.query(connection, ACME, sql).texts());
        }
    }
}

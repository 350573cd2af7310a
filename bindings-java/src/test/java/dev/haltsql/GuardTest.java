package dev.haltsql;

import static dev.haltsql.Shop.ACME;
import static dev.haltsql.Shop.OWN;
import static dev.haltsql.Shop.OWN_ROWS;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNotNull;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import com.google.gson.JsonObject;
import com.google.gson.JsonParser;
import java.math.BigDecimal;
import java.sql.Connection;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.UUID;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;

/** What a guard's own transaction gives back, through every way to a connection. */
class GuardTest {
    private static final TestServer SERVER = Shop.common();
    private static Shop.Desks desks;

    @BeforeAll
    static void open() {
        desks = new Shop.Desks(SERVER);
    }

    @AfterAll
    static void close() {
        desks.close();
        assertEquals("0", SERVER.ask(Shop.OPEN));
    }

    @Test
    void aResultHasRowsVerdictAndReceipt() {
        JdbcGuard guard = JdbcGuard.builder(Shop.policy()).receiptKey("07".repeat(32)).build();
        for (Shop.Desk desk : desks.all()) {
            GuardedResult result = desk.query(guard, ACME, OWN);
            assertEquals(List.of(List.of(2, "n2"), List.of(4, "n4")), result.rows(), desk.name());
            assertEquals(OWN_ROWS, result.texts());
            assertEquals(List.of(new Column("id", 23), new Column("note", 25)), result.columns());
            assertEquals(2, result.rowCount());
            assertTrue(!result.truncated() && result.verdict().allowed());
            Receipt receipt = result.receipt();
            assertEquals(OWN + " none postgres", receipt.sql() + " " + receipt.seal() + " " + receipt.role());
            assertTrue(receipt.signed());
            JsonObject json = JsonParser.parseString(receipt.json()).getAsJsonObject();
            assertEquals("[[\"2\",\"n2\"],[\"4\",\"n4\"]]", json.get("rows").toString());
            assertEquals(receipt.resultSha256(), json.get("result_sha256").getAsString());
            assertEquals(receipt.startedAt(), java.time.Instant.parse(json.get("started_at").getAsString()));
            // What ends up in logs shows no row, no SQL and no key.
            String shown = "%s %s %s".formatted(result, receipt, guard);
            assertFalse(shown.contains("n2") || shown.contains("SELECT") || shown.contains("0707"), shown);
        }
    }

    @Test
    void parametersOfEveryTypeAreBoundAndColumnsOfOneNameAreKept() {
        JdbcGuard guard = JdbcGuard.of(Shop.policy());
        for (Shop.Desk desk : desks.all()) {
            GuardedResult result = desk.query(
                    guard, ACME, "SELECT name, account AS name, team, NULL FROM app.accounts WHERE account = $1 AND team = ANY($2) AND account = $1");
            UUID team = UUID.fromString("00000000-0000-0000-0000-000000000001");
            assertEquals(List.of(Arrays.asList("one", 7L, team, null)), result.rows(), desk.name());
            assertEquals(List.of("name", "name", "team", "?column?"), result.columns().stream().map(Column::name).toList());
        }
    }

    @Test
    void moreThanThePolicyHandsOverIsCut() {
        JdbcGuard rows = JdbcGuard.of(Shop.policy());
        JdbcGuard bytes = JdbcGuard.of(Shop.policy("max_result_bytes: 10"));
        for (Shop.Desk desk : desks.all()) {
            GuardedResult many = desk.query(rows, ACME, "SELECT id, mood FROM app.orders WHERE tenant_id = $1");
            assertEquals(List.of(5, 5L, 5), List.of(many.texts().size(), many.rowCount(), many.rows().size()), desk.name());
            assertTrue(many.truncated());
            assertTrue(many.receipt().json().contains("\"type\":\"app.\\\"Mood\\\"\""), many.receipt().json());
            GuardedResult large = desk.query(bytes, ACME, "SELECT repeat('x', 4) AS x FROM app.orders WHERE tenant_id = $1");
            assertEquals(List.of(List.of("xxxx"), List.of("xxxx")), large.texts());
            assertTrue(large.truncated() && large.rows().equals(large.texts()));
        }
    }

    @Test
    void aDenialSendsNothing() throws Exception {
        List<VerdictListener.About> told = new ArrayList<>();
        JdbcGuard guard = JdbcGuard.builder(Shop.policy()).onVerdict((verdict, about) -> told.add(about)).build();
        List<String> texts = List.of("SELECT note FROM app.orders", "DELETE FROM app.orders WHERE tenant_id = $1", "COMMIT", "");
        for (Shop.Desk desk : desks.all()) {
            for (String sql : texts) {
                DeniedException denied = assertThrows(DeniedException.class, () -> desk.query(guard, ACME, sql));
                assertFalse(denied.verdict().allowed());
                assertTrue(denied.verdict().forAgent().contains("denied:"));
                assertTrue(denied.getMessage().startsWith("denied: E_") && !denied.getMessage().contains("note"));
            }
        }
        assertEquals("40", SERVER.ask("SELECT count(*) FROM app.orders"));
        assertTrue(told.size() == 28 && told.get(0).equals(new VerdictListener.About(texts.get(0), false, "shop")), told.toString());
        // In a transaction of the caller's own it stays usable, and where nothing is sent, no connection is needed.
        try (Connection connection = SERVER.connect("postgres")) {
            connection.setAutoCommit(false);
            assertEquals(2, guard.query(connection, ACME, OWN).rowCount());
            assertThrows(DeniedException.class, () -> guard.query(connection, ACME, texts.get(0)));
            assertEquals(2, guard.query(connection, ACME, OWN).rowCount());
        }
        assertThrows(DeniedException.class, () -> guard.queryInTransaction((Connection) null, ACME, texts.get(0)));
        JdbcGuard strict = JdbcGuard.builder(Shop.policy())
                .onVerdict((verdict, about) -> {
                    throw new IllegalStateException("no audit, no query");
                })
                .build();
        assertThrows(IllegalStateException.class, () -> strict.queryInTransaction((Connection) null, ACME, OWN));
    }

    @Test
    void writesAreCommitted() {
        JdbcGuard guard = JdbcGuard.of(Shop.policy());
        try (TestServer server = Shop.stocked();
                Shop.Desks own = new Shop.Desks(server)) {
            int id = 100;
            for (Shop.Desk desk : own.all()) {
                String at = Integer.toString(++id);
                GuardedResult result = desk.update(
                        guard, ACME, "INSERT INTO app.orders (id, tenant_id, note) VALUES (%s, $1, 'new') RETURNING id, note".formatted(at));
                assertEquals(List.of(List.of(id, "new")), result.rows(), desk.name());
                assertEquals(1, result.rowCount());
                result = desk.update(guard, ACME, "UPDATE app.orders SET note = 'changed' WHERE tenant_id = $1 AND id >= " + at);
                assertEquals(1, result.rowCount());
                assertTrue(result.texts().isEmpty() && result.columns().isEmpty() && !result.truncated());
                assertEquals("1", server.ask("SELECT count(*) FROM app.orders WHERE note = 'changed' AND id = " + at));
                assertEquals(2, desk.update(guard, ACME, OWN).rowCount());
                // More than max_rows are written, and the number says how many.
                assertEquals(20, desk.update(guard, ACME, "UPDATE app.orders SET note = note WHERE tenant_id = $1 AND id < 100").rowCount());
                assertEquals(1, desk.update(guard, ACME, "DELETE FROM app.orders WHERE tenant_id = $1 AND id = " + at).rowCount());
            }
            assertEquals("40 0", server.ask("SELECT count(*) || ' ' || count(*) FILTER (WHERE id > 40) FROM app.orders"));
            assertEquals("0", server.ask(Shop.OPEN));
        }
    }

    @Test
    void theDatabasesErrorsAreRedactedAndHaveNoCause() {
        String duplicate = "INSERT INTO app.orders (id, tenant_id, note) VALUES (2, $1, 'x')";
        JdbcGuard guard = JdbcGuard.of(Shop.policy());
        JdbcGuard operators = JdbcGuard.builder(Shop.policy()).showErrors(true).build();
        for (Shop.Desk desk : desks.all()) {
            DatabaseException error = assertThrows(DatabaseException.class, () -> desk.update(guard, ACME, duplicate));
            assertEquals("23505", error.sqlState(), desk.name());
            assertNull(error.detail());
            assertNull(error.hint());
            assertNull(error.getCause());
            assertEquals(0, error.getSuppressed().length);
            assertFalse(error.getMessage().contains("orders"), error.getMessage());
            error = assertThrows(DatabaseException.class, () -> desk.query(guard, ACME, "SELECT 1 / (id - id) FROM app.orders WHERE tenant_id = $1"));
            assertEquals("22012", error.sqlState());
            // And the next one runs, on the same connection.
            assertEquals(2, desk.query(guard, ACME, OWN).rowCount());
            error = assertThrows(DatabaseException.class, () -> desk.update(operators, ACME, duplicate));
            assertTrue(String.valueOf(error.detail()).contains("(2)") && error.getCause() != null, desk.name());
        }
    }

    @Test
    void valuesAreTheDriversOwn() throws Exception {
        JdbcGuard guard = JdbcGuard.of(Shop.policy("timezone: Europe/Berlin"));
        String sql = "SELECT true, 1::int2, 2, 3::int8, 1.50::numeric, 0.1::float4, 0.1::float8, 'é😀', date '2024-02-29',"
                + " timestamptz '2024-07-01 12:00:00+00', '\\x00ff'::bytea, ARRAY[1, NULL], ARRAY['a', 'b,\"'], interval '1 day', '{\"a\": 1}'::jsonb";
        for (Shop.Desk desk : desks.all()) {
            List<?> row = desk.query(guard, ACME, sql).rows().get(0);
            assertEquals(
                    List.of(true, 1, 2, 3L, new BigDecimal("1.50"), 0.1f, 0.1, "é😀", java.sql.Date.valueOf("2024-02-29")),
                    row.subList(0, 9), desk.name());
            assertEquals(java.time.Instant.parse("2024-07-01T12:00:00Z"), ((java.sql.Timestamp) row.get(9)).toInstant());
            assertEquals("[0, -1]", Arrays.toString((byte[]) row.get(10)));
            assertEquals("[1, null]", Arrays.toString((Object[]) row.get(11)));
            assertEquals("[a, b,\"]", Arrays.toString((Object[]) row.get(12)));
            assertEquals(List.of("1 day", "{\"a\": 1}"), row.subList(13, 15));
        }
        // None of that asked the server for more, or left something prepared.
        for (Shop.Desk desk : desks.all()) {
            if (!desk.name().contains("pool")) {
                assertTrue(String.valueOf(desk.query(guard, ACME, Shop.STATE).texts()).contains("nothing prepared"), desk.name());
            }
        }
    }

    @Test
    void theTextOfEveryTypeAndItsDigestAreThoseOfEveryLanguage() throws Exception {
        JsonObject table = JsonParser.parseString(Support.read(Support.ROOT.resolve("conformance/receipts/types.json"))).getAsJsonObject();
        JdbcGuard guard = JdbcGuard.of(Shop.policy("timezone: " + table.get("timezone").getAsString()));
        int rows = 0;
        for (Shop.Desk desk : desks.of("a connection", "one that caches", "a pool")) {
            for (var value : table.getAsJsonArray("values")) {
                JsonObject row = value.getAsJsonObject();
                String sql = row.get("sql").getAsString();
                GuardedResult result = desk.query(guard, ACME, sql);
                assertEquals(List.of(List.of(row.get("text").getAsString())), result.texts(), desk.name() + " " + sql);
                assertEquals(row.get("result_sha256").getAsString(), result.receipt().resultSha256(), desk.name() + " " + sql);
                assertNotNull(result.rows().get(0).get(0));
                rows++;
            }
        }
        assertTrue(rows >= 150, rows + " rows");
    }

    @Test
    void textsThatPgjdbcWouldReadInItsOwnWayAreSentAsTheyAre() {
        JdbcGuard guard = JdbcGuard.of(Shop.policy());
        for (Shop.Desk desk : desks.all()) {
            for (String text : List.of("?", "{fn now()}", "$1", "{d '2024-01-01'}", ";", "??", "\\'", "--", "/*")) {
                String quoted = text.replace("'", "''");
                String sql = "SELECT note, '%s' AS said, $q$%s$q$ AS again FROM app.orders WHERE tenant_id = $1 AND id = 2 -- %s"
                        .formatted(quoted, text, text);
                assertEquals(List.of(List.of("n2", text, text)), desk.query(guard, ACME, sql).texts(), desk.name() + " " + sql);
            }
            String operators = "SELECT '{\"a\": 1}'::jsonb ? 'a', '{\"a\": 1}'::jsonb ?| ARRAY['b'] FROM app.orders WHERE tenant_id = $1 AND id = 2;";
            assertEquals(List.of(List.of("t", "f")), desk.query(guard, ACME, operators).texts(), desk.name());
        }
    }
}

package dev.haltsql;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import com.google.gson.JsonArray;
import com.google.gson.JsonObject;
import com.google.gson.JsonParser;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.sql.Connection;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.TreeMap;
import java.util.regex.Pattern;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/**
 * The hostile suite (conformance/hostile) through the guard: nothing is sent that the verifier did not allow, and the next turn on the
 * connection is right. {@code HALTSQL_HOSTILE=all}: under every seal, on PostgreSQL 16 and 18; else a sample, another one for each Java.
 */
class GuardHostileTest {
    private static final Path FOLDER = Support.ROOT.resolve("conformance/hostile");
    private static final Pattern MARKER = Pattern.compile("ACME_|GLOBEX_|INITECH_|SSN_|KEY_");
    private static final String NEXT = "SELECT name FROM app.customers WHERE tenant_id = $1";

    @TempDir Path folder;

    @Test
    void theHostileSuite() throws Exception {
        List<JsonObject> cases = new ArrayList<>();
        Map<String, Integer> statements = new TreeMap<>();
        for (String line : Files.readAllLines(FOLDER.resolve("statements.jsonl"))) {
            JsonObject one = JsonParser.parseString(line).getAsJsonObject();
            cases.add(one);
            statements.merge(one.get("scenario").getAsString(), 1, Integer::sum);
        }
        JsonObject seals = JsonParser.parseString(Support.read(FOLDER.resolve("seals.json"))).getAsJsonObject();
        assertTrue(seals.size() == 4 && cases.size() >= 250, seals.size() + " seals, " + cases.size() + " statements");
        int runs = 0;
        List<String> problems = new ArrayList<>();
        boolean all = "all".equals(System.getenv("HALTSQL_HOSTILE"));
        boolean newer = Runtime.version().feature() > 21;
        for (int version : all ? new int[] {18, 16} : new int[] {newer ? 16 : 18}) {
            for (String seal : all ? seals.keySet() : List.of(newer ? "bare" : "signed")) {
                runs++;
                try (TestServer server = TestServer.start(version)) {
                    for (String problem : suite(server, seal, seals.getAsJsonObject(seal), cases)) {
                        problems.add(version + " " + seal + ": " + problem);
                    }
                }
            }
        }
        for (Map.Entry<String, Integer> scenario : statements.entrySet()) {
            System.out.printf(
                    Locale.ROOT, "hostile name=java scenario=%s statements=%d outcomes=%d%n",
                    scenario.getKey().replace(' ', '-'), scenario.getValue(), scenario.getValue() * runs);
        }
        System.out.printf(
                Locale.ROOT, "hostile name=java passed=%d failed=%d%n", cases.size() * runs - problems.size(), problems.size());
        assertEquals(List.of(), problems);
    }

    /** All of it on one server under one seal: what is not as the data says. */
    private List<String> suite(TestServer server, String name, JsonObject seal, List<JsonObject> cases) throws Exception {
        String document = Support.read(FOLDER.resolve("policy.yaml")) + "  execution: " + seal.get("execution") + "\n";
        String rows = Support.read(FOLDER.resolve("rows.sql"));
        String user = seal.get("user").getAsString();
        String key = seal.has("pin_key") ? seal.get("pin_key").getAsString() : null;
        server.run("postgres", "CREATE DATABASE shop");
        server.run("shop", Support.read(FOLDER.resolve("database.sql")));
        server.run("shop", rows);
        // Where each tenant logs in by itself, the next is the same.
        String tenant = name.equals("login") ? "acme" : "globex";
        if (name.equals("login")) {
            server.run("shop", "CREATE ROLE t_acme LOGIN; CREATE ROLE t_globex LOGIN");
        }
        if (!name.equals("none")) {
            server.run("shop", hardened(document, key));
        }
        if (name.equals("bare")) {
            server.run("shop", "GRANT app_agent TO app_login");
        }
        List<String> problems = new ArrayList<>();
        try (Policy policy = Policy.fromString(document)) {
            JdbcGuard.Builder builder = JdbcGuard.builder(policy).showErrors(true);
            JdbcGuard guard = (key == null ? builder : builder.pinKey(key)).build();
            Connection connection = server.connect(user);
            for (JsonObject one : cases) {
                List<String> before = texts(one.get("session") == null ? new JsonArray() : one.getAsJsonArray("session"));
                if (!before.isEmpty() || connection.isClosed()) {
                    connection.close();
                    connection = server.connect(user);
                }
                leave(connection, before);
                boolean writable = one.has("writable") && one.get("writable").getAsBoolean();
                String sql = one.get("sql").getAsString();
                String came = came(guard, connection, sql, writable);
                String then = then(guard, connection, tenant, came);
                JsonObject expect = one.getAsJsonObject("expect").getAsJsonObject(name);
                // The data's is that of connections which a guard made; on a caller's own, what was left may be refused.
                List<String> expected = before.isEmpty()
                        ? texts(expect.getAsJsonArray("guard"))
                        : List.of("denied", "harmless", "refused", "next_refused");
                if (came.equals("leak") || !expected.contains(then)) {
                    problems.add("%s: %s, then %s, and not %s: %s".formatted(one.get("id").getAsString(), came, then, expected, sql));
                }
                if (came.equals("harmless") && writable) {
                    server.run("shop", rows);
                }
                if (!before.isEmpty()) {
                    connection.close();
                }
            }
            connection.close();
        }
        return problems;
    }

    private static void leave(Connection connection, List<String> before) throws SQLException {
        for (String text : before) {
            try (Statement statement = connection.createStatement()) {
                statement.setEscapeProcessing(false);
                statement.execute(text);
            } catch (SQLException tooFewRights) {
                // Some of it takes more rights than this user has.
            }
        }
    }

    private static String came(JdbcGuard guard, Connection connection, String sql, boolean writable) {
        Context acme = Context.of("tenant_id", "acme");
        try {
            GuardedResult result = writable
                    ? guard.updateInTransaction(connection, acme, sql)
                    : guard.queryInTransaction(connection, acme, sql);
            return isForeign(result.texts().toString(), "ACME") ? "leak" : "harmless";
        } catch (DeniedException denied) {
            return "denied";
        } catch (HaltSqlException error) {
            // The suite's guard shows errors whole: what they say counts.
            return isForeign(error + " " + error.getCause(), "ACME") ? "leak" : "refused";
        }
    }

    /** Another tenant's turn on the same connection, which says more where it is not as it should be. */
    private static String then(JdbcGuard guard, Connection connection, String tenant, String came) {
        try {
            GuardedResult next = guard.queryInTransaction(connection, Context.of("tenant_id", tenant), NEXT);
            boolean own = next.texts().size() == 4 && !isForeign(next.texts().toString(), tenant.toUpperCase(Locale.ROOT));
            return own ? came : "next";
        } catch (HaltSqlException error) {
            return "next_refused";
        }
    }

    /** Whether a text has a value that this tenant must not see. */
    private static boolean isForeign(String text, String tenant) {
        return MARKER.matcher(text).results().anyMatch(found -> !found.group().equals(tenant + "_"));
    }

    /** What {@code haltsql policy harden} prints for a policy. */
    private String hardened(String document, String key) throws IOException {
        Path policy = Files.writeString(folder.resolve("policy.yaml"), document);
        List<String> command = new ArrayList<>(List.of(
                Support.built("haltsql").toString(), "policy", "harden", policy.toString(), "--optional"));
        if (key != null) {
            Collections.addAll(command, "--key-file", Files.writeString(folder.resolve("pin.key"), key).toString());
        }
        Support.Ended ended = Support.run(command);
        assertEquals(0, ended.code(), ended.err());
        return ended.out();
    }

    private static List<String> texts(JsonArray array) {
        List<String> texts = new ArrayList<>();
        array.forEach(text -> texts.add(text.getAsString()));
        return texts;
    }
}

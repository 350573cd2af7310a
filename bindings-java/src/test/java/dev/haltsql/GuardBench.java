package dev.haltsql;

import static org.junit.jupiter.api.Assertions.assertEquals;

import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.regex.Pattern;
import org.junit.jupiter.api.Test;

/**
 * What the guard costs: a select of ten rows through it, against the same steps by hand with JDBC. They take turns in one run, and of each
 * the fastest batch counts. scripts/bindings/java-bench runs it.
 */
class GuardBench {
    private static final int RUNS = 50;
    private static final int BATCHES = 60;
    private static final Pattern PARAMETER = Pattern.compile("\\$(\\d+)");
    private static final String SQL = "SELECT id, note FROM app.orders WHERE tenant_id = $1 ORDER BY id LIMIT 10";
    private static final String SETUP =
            """
            CREATE SCHEMA app; CREATE TABLE app.orders (id int PRIMARY KEY, tenant_id text NOT NULL, note text);
            INSERT INTO app.orders SELECT n, 't' || n % 50, 'note ' || n FROM generate_series(1, 5000) AS n; ANALYZE app.orders
            """;
    private static final String POLICY =
            """
            apiVersion: haltsql.dev/v1
            kind: Policy
            metadata: { name: bench }
            spec:
              search_path: [app]
              tenancy: { mode: bound, keys: [{ column: tenant_id, context: tenant_id }] }
              tables: { app.orders: { columns: [id, tenant_id, note], complete: true } }
            """;

    private interface Work {
        void run() throws SQLException;
    }

    @Test
    void guardedAgainstTheSameStepsByHand() throws Exception {
        Context context = Context.of("tenant_id", "t7");
        try (TestServer server = TestServer.start(18);
                Policy policy = Policy.fromString(POLICY);
                GuardCore core = new GuardCore(policy, new GuardCore.Options(null, null, false, false, null));
                JdbcGuard guard = JdbcGuard.of(policy)) {
            server.run("postgres", "CREATE DATABASE shop");
            server.run("shop", SETUP);
            try (Connection connection = server.connect("postgres", "prepareThreshold=0")) {
                Work byHand = () -> byHand(core, connection, context);
                Work guarded = () -> assertEquals(10, guard.queryInTransaction(connection, context, SQL).rows().size());
                double[] best = fastest(byHand, guarded);
                System.out.printf(
                        Locale.ROOT, "| guard: Java, pgjdbc | %.0f µs | %.0f µs, same steps by hand | %.2f |%n",
                        best[1], best[0], best[1] / best[0]);
            }
        }
    }

    private static void byHand(GuardCore core, Connection connection, Context context) throws SQLException {
        try (GuardSession session = core.session(context, false);
                GuardStatement statement = session.statement(SQL);
                Statement begin = connection.createStatement()) {
            begin.execute(session.steps.begin());
            GuardSession.Query pin = session.pin("shop");
            assertEquals(1, rows(connection, pin.sql(), pin.params()));
            assertEquals(10, rows(connection, statement.run().text(), List.of("t7")));
            begin.execute("ROLLBACK");
        }
    }

    private static int rows(Connection connection, String sql, List<String> values) throws SQLException {
        List<String> bound = new ArrayList<>();
        PARAMETER.matcher(sql).results().forEach(found -> bound.add(values.get(Integer.parseInt(found.group(1)) - 1)));
        try (PreparedStatement prepared = connection.prepareStatement(PARAMETER.matcher(sql).replaceAll("?"))) {
            for (int at = 0; at < bound.size(); at++) {
                prepared.setString(at + 1, bound.get(at));
            }
            int count = 0;
            try (ResultSet rows = prepared.executeQuery()) {
                while (rows.next()) {
                    rows.getString(1);
                    rows.getString(2);
                    count++;
                }
            }
            return count;
        }
    }

    private static double[] fastest(Work... all) throws SQLException {
        double[] best = new double[all.length];
        java.util.Arrays.fill(best, Double.MAX_VALUE);
        for (int batch = 0; batch < BATCHES; batch++) {
            for (int at = 0; at < all.length; at++) {
                long started = System.nanoTime();
                for (int run = 0; run < RUNS; run++) {
                    all[at].run();
                }
                best[at] = Math.min(best[at], (System.nanoTime() - started) / 1e3 / RUNS);
            }
        }
        return best;
    }
}

package dev.haltsql;

import com.zaxxer.hikari.HikariConfig;
import com.zaxxer.hikari.HikariDataSource;
import java.sql.Connection;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import javax.sql.DataSource;
import org.jspecify.annotations.Nullable;

/** A database to guard, its policies, and one face for every way to a connection, so that each test is written once. */
final class Shop {
    static final String OWN = "SELECT id, note FROM app.orders WHERE tenant_id = $1 ORDER BY id LIMIT 2";
    static final List<List<String>> OWN_ROWS = List.of(List.of("2", "n2"), List.of("4", "n4"));
    static final String STATE = "SELECT state FROM app.session_state";
    static final String LONG = "SELECT pg_sleep(30)";
    static final String ASLEEP = "SELECT count(*) FROM pg_stat_activity WHERE query LIKE '%pg_sleep%' AND state = 'active' AND pid <> pg_backend_pid()";
    static final String OPEN = "SELECT count(*) FROM pg_stat_activity WHERE state LIKE 'idle in transaction%'";
    static final Context ACME = Context.of(Map.of(
            "tenant_id", "acme",
            "account", "7",
            "teams", List.of("00000000-0000-0000-0000-000000000001", "00000000-0000-0000-0000-000000000009")));
    static final Context GLOBEX = Context.of(Map.of(
            "tenant_id", "globex", "account", "8", "teams", List.of("00000000-0000-0000-0000-000000000002")));

    private static final String DATABASE =
            """
            CREATE SCHEMA app; CREATE TYPE app."Mood" AS ENUM ('glad', 'sad');
            CREATE TABLE app.orders (id int PRIMARY KEY, tenant_id text NOT NULL, note text, mood app."Mood");
            INSERT INTO app.orders SELECT n, CASE n % 2 WHEN 0 THEN 'acme' ELSE 'globex' END, 'n' || n, 'sad' FROM generate_series(1, 40) AS n;
            CREATE TABLE app.accounts (id int PRIMARY KEY, account bigint NOT NULL, team uuid NOT NULL, name text);
            INSERT INTO app.accounts VALUES (1, 7, '00000000-0000-0000-0000-000000000001', 'one'),
                (2, 8, '00000000-0000-0000-0000-000000000002', 'two');
            -- What a session can keep, as one text: settings, prepared statements, cursors, locks, channels, temporary tables.
            CREATE VIEW app.session_state AS SELECT
                (SELECT string_agg(name || '=' || setting, ', ' ORDER BY name) FROM pg_settings WHERE source = 'session') || '; ' ||
                coalesce((SELECT string_agg(statement, ', ' ORDER BY statement) FROM pg_prepared_statements), 'nothing prepared') || '; ' ||
                (SELECT count(*) FROM pg_cursors WHERE name <> '') || ' ' ||
                (SELECT count(*) FROM pg_locks WHERE pid = pg_backend_pid() AND locktype = 'advisory') || ' ' ||
                (SELECT count(*) FROM pg_listening_channels()) || ' ' || (pg_my_temp_schema() <> 0) || ' ' ||
                coalesce(current_setting('app.owner', true), 'nobody') AS state;
            """;

    private static final String POLICY =
            """
            apiVersion: haltsql.dev/v1
            kind: Policy
            metadata: { name: shop }
            spec:
              mode: %s
              search_path: [app]
              tenancy:
                mode: bound
                keys:
                  - { column: tenant_id, context: tenant_id, type: text }
                  - { column: account, context: account, type: integer }
                  - { column: team, context: teams, type: uuid }
              statements: [%s]
              functions: { profiles: [core, text-search], allow: [pg_sleep] }
              tables:
                app.session_state: { columns: [state], shared: true }
                app.accounts: { columns: [id, account, team, name], complete: true, tenant: { tenant_id: none } }
                app.orders:
                  columns: [id, tenant_id, note, mood]
                  complete: true
                  tenant: { account: none, team: none }
            %s  limits: { max_generated: 100000000, cartesian: allow }
              execution:
                max_rows: 5
            %s""";

    private static final String WRITES = "      write: { insert: [id, tenant_id, note], update: [note], delete: true }\n";

    private static @Nullable TestServer shared;
    private static boolean hasDemo;

    private Shop() {}

    /** The server of all tests that leave it as it was. It ends with this program. */
    static synchronized TestServer common() {
        if (shared == null) {
            shared = stocked();
        }
        return shared;
    }

    /** The common server with the demo's shop as the database {@code demo}, whose user is {@code agent}. */
    static synchronized TestServer demo() {
        TestServer server = common();
        if (!hasDemo) {
            server.run("postgres", "CREATE DATABASE demo");
            server.run("postgres", "CREATE ROLE agent LOGIN");
            server.run("demo", Support.read(Support.ROOT.resolve("cli/src/demo/schema.sql")));
            hasDemo = true;
        }
        return server;
    }

    /** A server of a test's own: what runs on it can be counted. */
    static TestServer stocked() {
        TestServer server = TestServer.start(18);
        server.run("postgres", "CREATE DATABASE shop");
        server.run("shop", DATABASE);
        return server;
    }

    /** The shop's policy, with lines of {@code execution}. */
    static Policy policy(String... execution) {
        return loaded("enforce", "select, insert, update, delete", WRITES, execution);
    }

    static Policy reading(String mode) {
        return loaded(mode, "select", "");
    }

    private static Policy loaded(String mode, String statements, String writes, String... execution) {
        String lines = List.of(execution).stream().map(line -> "    " + line + "\n").collect(Collectors.joining());
        return Policy.fromString(POLICY.formatted(mode, statements, writes, lines));
    }

    static HikariDataSource pool(TestServer server, int size) {
        return pool(server, size, 10_000);
    }

    /** A pool that waits so many milliseconds for a connection. */
    static HikariDataSource pool(TestServer server, int size, long wait) {
        HikariConfig config = new HikariConfig();
        config.setJdbcUrl(server.url("shop", "postgres"));
        config.setMaximumPoolSize(size);
        config.setConnectionTimeout(wait);
        return new HikariDataSource(config);
    }

    /** One way to a connection. */
    record Desk(String name, @Nullable DataSource pool, @Nullable Connection connection) {
        GuardedResult query(JdbcGuard guard, Context context, String sql) {
            return pool != null ? guard.queryInTransaction(pool, context, sql) : guard.queryInTransaction(connection, context, sql);
        }

        GuardedResult query(JdbcGuard guard, Context context, String sql, CancellationSignal signal) {
            return pool != null
                    ? guard.queryInTransaction(pool, context, sql, signal)
                    : guard.queryInTransaction(connection, context, sql, signal);
        }

        GuardedResult update(JdbcGuard guard, Context context, String sql) {
            return pool != null
                    ? guard.updateInTransaction(pool, context, sql)
                    : guard.updateInTransaction(connection, context, sql);
        }

        /** A pool has another connection where one broke. */
        boolean recovers() {
            return pool != null;
        }
    }

    /** Every way that there is, each with one connection. */
    static final class Desks implements AutoCloseable {
        private final Map<String, Desk> desks = new LinkedHashMap<>();
        private final List<AutoCloseable> open = new ArrayList<>();

        Desks(TestServer server) {
            held("a connection", server.connect("postgres"));
            Connection lazy = held("one without autocommit", server.connect("postgres"));
            // Whatever a program has set up, nothing of the guard's goes through it.
            held("one that saves", server.connect("postgres", "autosave=always", "prepareThreshold=1"));
            held("one that caches", server.connect("postgres", "preferQueryMode=extendedCacheEverything", "binaryTransfer=true"));
            held("one that is simple with statements", server.connect("postgres", "preferQueryMode=extendedForPrepared"));
            HikariDataSource pool = keep(pool(server, 1));
            desks.put("a pool", new Desk("a pool", pool, null));
            HikariDataSource other = keep(pool(server, 1));
            try {
                lazy.setAutoCommit(false);
                held("one of a pool", other.getConnection());
            } catch (SQLException problem) {
                throw new AssertionError(problem);
            }
        }

        private <T extends AutoCloseable> T keep(T resource) {
            open.add(0, resource);
            return resource;
        }

        private Connection held(String name, Connection connection) {
            desks.put(name, new Desk(name, null, connection));
            return keep(connection);
        }

        Iterable<Desk> all() {
            return desks.values();
        }

        List<Desk> of(String... names) {
            return Stream.of(names).map(desks::get).toList();
        }

        @Override
        public void close() {
            for (AutoCloseable resource : open) {
                try {
                    resource.close();
                } catch (Exception problem) {
                    throw new AssertionError(problem);
                }
            }
        }
    }
}

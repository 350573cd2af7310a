package dev.haltsql;

import static dev.haltsql.Shop.ACME;
import static dev.haltsql.Shop.ASLEEP;
import static dev.haltsql.Shop.GLOBEX;
import static dev.haltsql.Shop.LONG;
import static dev.haltsql.Shop.OPEN;
import static dev.haltsql.Shop.OWN;
import static dev.haltsql.Shop.OWN_ROWS;
import static dev.haltsql.Shop.STATE;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import com.zaxxer.hikari.HikariDataSource;
import java.lang.reflect.InvocationTargetException;
import java.sql.Connection;
import java.util.ArrayList;
import java.util.List;
import java.util.Queue;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.ThreadLocalRandom;
import java.util.concurrent.atomic.AtomicReference;
import java.util.concurrent.locks.LockSupport;
import org.junit.jupiter.api.Test;

/** Cancels, timeouts, broken connections, sessions that others left; and that nothing stays behind. */
class GuardFaultsTest {
    private static final TestServer SERVER = Shop.common();
    private static final String PATIENT = "statement_timeout_ms: 60000";

    private static void sleepsThen(Runnable call) {
        Thread thread = new Thread(() -> {
            SERVER.await(ASLEEP, "1");
            call.run();
        });
        thread.start();
    }

    @Test
    void aSignalCancelsOnTheServerAndTheConnectionIsClean() {
        JdbcGuard guard = JdbcGuard.of(Shop.policy(PATIENT));
        try (Shop.Desks desks = new Shop.Desks(SERVER)) {
            for (Shop.Desk desk : desks.all()) {
                CancellationSignal signal = new CancellationSignal();
                sleepsThen(signal::cancel);
                DatabaseException error = assertThrows(DatabaseException.class, () -> desk.query(guard, ACME, LONG, signal));
                assertEquals("57014", error.sqlState(), desk.name());
                assertEquals("0 0", SERVER.ask("SELECT (%s) || ' ' || (%s)".formatted(ASLEEP, OPEN)));
                // What comes later with the signal is not begun; without it all is well, on the same connection.
                assertEquals("57014", assertThrows(DatabaseException.class, () -> desk.query(guard, ACME, OWN, signal)).sqlState());
                assertEquals(OWN_ROWS, desk.query(guard, ACME, OWN, new CancellationSignal()).texts());
            }
        }
    }

    @Test
    void aCancelThatComesLateHitsNothing() throws Exception {
        JdbcGuard guard = JdbcGuard.of(Shop.policy());
        try (Connection connection = SERVER.connect("postgres")) {
            for (int round = 0; round < 100; round++) {
                CancellationSignal signal = new CancellationSignal();
                // Somewhere: before the statement, in it or after it.
                long wait = ThreadLocalRandom.current().nextLong(3_000_000);
                Thread canceller = new Thread(() -> {
                    LockSupport.parkNanos(wait);
                    signal.cancel();
                });
                canceller.start();
                try {
                    guard.queryInTransaction(connection, ACME, OWN, signal);
                } catch (DatabaseException cancelled) {
                    assertEquals("57014", cancelled.sqlState());
                }
                assertEquals(2, guard.queryInTransaction(connection, ACME, OWN).rowCount());
                canceller.join();
            }
        }
    }

    @Test
    void timeoutsOfThePolicyLeaveTheConnection() {
        JdbcGuard guard = JdbcGuard.of(Shop.policy("statement_timeout_ms: 100"));
        try (Shop.Desks desks = new Shop.Desks(SERVER)) {
            for (Shop.Desk desk : desks.all()) {
                assertEquals("57014", assertThrows(DatabaseException.class, () -> desk.query(guard, ACME, LONG)).sqlState());
                assertEquals(OWN_ROWS, desk.query(guard, ACME, OWN).texts(), desk.name());
            }
        }
    }

    @Test
    void anInterruptedThreadReadsOnAndStaysInterrupted() throws Exception {
        JdbcGuard guard = JdbcGuard.of(Shop.policy());
        try (Connection connection = SERVER.connect("postgres")) {
            Thread.currentThread().interrupt();
            GuardedResult result = guard.queryInTransaction(connection, ACME, OWN);
            assertTrue(Thread.interrupted());
            assertEquals(OWN_ROWS, result.texts());
            // A virtual thread's sockets do end: then the connection is lost, and said to be.
            AtomicReference<Throwable> came = new AtomicReference<>();
            Thread virtual = virtual(() -> {
                try {
                    JdbcGuard.of(Shop.policy(PATIENT)).queryInTransaction(connection, ACME, LONG);
                } catch (HaltSqlException error) {
                    came.set(error);
                }
            });
            if (virtual != null) {
                SERVER.await(ASLEEP, "1");
                virtual.interrupt();
                virtual.join();
                assertTrue(came.get() instanceof ConnectionLostException && connection.isClosed(), String.valueOf(came.get()));
                SERVER.ask("SELECT count(pg_terminate_backend(pid)) FROM pg_stat_activity WHERE query LIKE '%pg_sleep(30)%' AND pid <> pg_backend_pid()");
                SERVER.await(ASLEEP, "0");
            }
        }
    }

    /** A virtual thread, which begins at once; {@code null} before Java 21. */
    private static Thread virtual(Runnable work) throws ReflectiveOperationException {
        try {
            return (Thread) Thread.class.getMethod("startVirtualThread", Runnable.class).invoke(null, work);
        } catch (NoSuchMethodException | InvocationTargetException older) {
            return null;
        }
    }

    @Test
    void aKilledBackendIsAnErrorAndPoolsGoOn() {
        JdbcGuard guard = JdbcGuard.of(Shop.policy(PATIENT));
        try (Shop.Desks desks = new Shop.Desks(SERVER)) {
            for (Shop.Desk desk : desks.all()) {
                sleepsThen(() -> SERVER.ask(
                        "SELECT count(pg_terminate_backend(pid)) FROM pg_stat_activity WHERE query LIKE '%pg_sleep(30)%' AND pid <> pg_backend_pid()"));
                ConnectionLostException lost = assertThrows(ConnectionLostException.class, () -> desk.query(guard, ACME, LONG));
                assertNull(lost.getCause());
                SERVER.await(ASLEEP, "0");
                if (desk.recovers()) {
                    assertEquals(OWN_ROWS, desk.query(guard, ACME, OWN).texts());
                } else {
                    assertThrows(ConnectionLostException.class, () -> desk.query(guard, ACME, OWN), desk.name());
                }
            }
        }
    }

    @Test
    void aServerThatCrashesIsAnErrorAndNothingRunsTwice() {
        JdbcGuard guard = JdbcGuard.of(Shop.policy(PATIENT));
        String insert = "INSERT INTO app.orders (id, tenant_id, note) VALUES (100, $1, 'once')";
        try (TestServer server = Shop.stocked();
                HikariDataSource pool = Shop.pool(server, 2)) {
            // The tests' servers leave their log in memory: what was set up has to be there afterwards.
            server.run("shop", "CHECKPOINT");
            Thread killer = new Thread(() -> {
                server.await(ASLEEP, "1");
                String pid = server.ask("SELECT min(pid) FROM pg_stat_activity WHERE query LIKE '%pg_sleep(30)%' AND pid <> pg_backend_pid()");
                assertEquals(0, Support.run(List.of("kill", "-KILL", pid)).code());
            });
            killer.start();
            assertThrows(ConnectionLostException.class, () -> guard.queryInTransaction(pool, ACME, LONG));
            HaltSqlException last = null;
            GuardedResult result = null;
            // While the server recovers it takes no connections.
            for (int attempt = 0; attempt < 600 && result == null; attempt++) {
                try {
                    result = guard.updateInTransaction(pool, ACME, insert);
                } catch (ConnectionLostException | DatabaseException error) {
                    last = error;
                    TestServer.pause(50);
                }
            }
            assertTrue(result != null && result.rowCount() == 1, String.valueOf(last));
            assertEquals("1", server.ask("SELECT count(*) FROM app.orders WHERE note = 'once'"));
        }
    }

    @Test
    void anExhaustedPoolSaysSo() throws Exception {
        JdbcGuard guard = JdbcGuard.of(Shop.policy());
        try (HikariDataSource pool = Shop.pool(SERVER, 1, 250)) {
            try (Connection held = pool.getConnection()) {
                ConnectionLostException lost = assertThrows(ConnectionLostException.class, () -> guard.queryInTransaction(pool, ACME, OWN));
                assertTrue(lost.getMessage().contains("no connection") && lost.getCause() == null, lost.getMessage());
                assertTrue(held.isValid(1));
            }
            assertEquals(OWN_ROWS, guard.queryInTransaction(pool, ACME, OWN).texts());
        }
    }

    @Test
    void whatAnotherLeftInTheSessionIsPinned() throws Exception {
        JdbcGuard guard = JdbcGuard.of(Shop.policy());
        for (String before : List.of(
                "CREATE TEMP TABLE orders (id int, tenant_id text, note text); INSERT INTO orders VALUES (2, 'acme', 'forged'), (4, 'acme', 'forged')",
                "SET search_path = pg_temp, public", "SET standard_conforming_strings = off", "SET default_transaction_isolation = 'serializable'",
                "SET default_transaction_read_only = on", "SET row_security = off", "SET statement_timeout = 1000000",
                "PREPARE s AS SELECT 1; PREPARE \"S_1\" AS SELECT 2; DECLARE c CURSOR WITH HOLD FOR SELECT 1", "SET transform_null_equals = on",
                "SET quote_all_identifiers = on")) {
            try (Connection connection = SERVER.connect("postgres")) {
                connection.createStatement().execute(before);
                String sql = "SELECT id, note FROM orders WHERE tenant_id = $1 ORDER BY id LIMIT 2";
                assertEquals(OWN_ROWS, guard.queryInTransaction(connection, ACME, sql).texts(), before);
                assertEquals(20, guard.updateInTransaction(connection, ACME, "UPDATE app.orders SET note = note WHERE tenant_id = $1").rowCount());
            }
        }
    }

    @Test
    void aMissingSchemaIsABrokenSealAndClosesTheConnection() throws Exception {
        JdbcGuard guard = JdbcGuard.of(Shop.policy());
        SERVER.run("shop", "CREATE ROLE nobody LOGIN");
        try (Connection connection = SERVER.connect("nobody")) {
            SealException broken = assertThrows(SealException.class, () -> guard.queryInTransaction(connection, ACME, OWN));
            assertNull(broken.getCause());
            assertTrue(connection.isClosed());
        }
    }

    @Test
    void manyTransactionsOfTwoTenantsLeaveNothingBehind() throws Exception {
        JdbcGuard guard = JdbcGuard.of(Shop.policy("settings: { app.owner: '{context.tenant_id}' }"));
        List<String> reads = List.of(
                OWN, "SELECT 1 / (id - id) FROM app.orders WHERE tenant_id = $1", "SELECT id FROM app.orders",
                "SELECT mood FROM app.orders WHERE tenant_id = $1 AND id < 5");
        Queue<String> wrong = new ConcurrentLinkedQueue<>();
        try (TestServer server = Shop.stocked();
                HikariDataSource pool = Shop.pool(server, 4)) {
            String before = guard.queryInTransaction(pool, ACME, STATE).texts().toString();
            List<Thread> workers = new ArrayList<>();
            for (int first = 0; first < 8; first++) {
                int worker = first;
                workers.add(new Thread(() -> {
                    for (int number = worker; number < 1000; number += 8) {
                        boolean acme = number % 3 == 0;
                        Context who = acme ? ACME : GLOBEX;
                        CancellationSignal signal = new CancellationSignal();
                        Thread canceller = number % 50 == worker ? new Thread(signal::cancel) : null;
                        try {
                            if (canceller != null) {
                                canceller.start();
                            }
                            GuardedResult result = number % 5 == 4
                                    ? guard.updateInTransaction(pool, who, "UPDATE app.orders SET note = note WHERE tenant_id = $1 AND id < 3", signal)
                                    : guard.queryInTransaction(pool, who, reads.get(number % 4), signal);
                            if (number % 5 != 4 && number % 4 == 0 && !result.texts().equals(acme ? OWN_ROWS : List.of(List.of("1", "n1"), List.of("3", "n3")))) {
                                wrong.add(number + ": " + result.texts());
                            }
                        } catch (DeniedException | DatabaseException expected) {
                            if (canceller == null && number % 4 != 1 && number % 4 != 2) {
                                wrong.add(number + ": " + expected);
                            }
                        } catch (RuntimeException problem) {
                            wrong.add(number + ": " + problem);
                        }
                    }
                }));
            }
            workers.forEach(Thread::start);
            for (Thread worker : workers) {
                worker.join();
            }
            assertTrue(wrong.isEmpty(), () -> wrong.size() + " wrong, first " + wrong.peek());
            assertEquals("0", server.ask(OPEN));
            for (int time = 0; time < 8; time++) {
                assertEquals(before, guard.queryInTransaction(pool, ACME, STATE).texts().toString());
            }
            try (Connection connection = pool.getConnection();
                    var rows = connection.createStatement()
                            .executeQuery("SELECT coalesce(current_setting('app.owner', true), '') || current_setting('search_path')")) {
                assertTrue(rows.next());
                assertEquals("\"$user\", public", rows.getString(1));
            }
        }
    }
}

package dev.haltsql;

import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.MessageDigest;
import java.util.ArrayList;
import java.util.HexFormat;
import java.util.List;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.Supplier;

/** What runs in JVMs of its own. Each program prints one line when all is well, and needs nothing but the jar. */
final class Programs {
    static final String ALLOWED = "SELECT name FROM app.customers WHERE tenant_id = $1";
    static final String DENIED = "SELECT name, '🐘' FROM app.customers";
    private static final Context ACME = Context.of("tenant_id", "acme");

    private Programs() {}

    /** Loads the library and checks once; or says twice why it cannot, in the same words. */
    static final class Once {
        private Once() {}

        public static void main(String[] arguments) {
            Supplier<String> use = () -> {
                try (Policy policy = minimal("p")) {
                    return "allowed " + policy.check("SELECT 1", ACME).allowed();
                } catch (HaltSqlException error) {
                    return error.code() + " " + error.getClass().getSimpleName() + ": " + error.getMessage();
                }
            };
            // Random folders aside, what is wrong has to be said again, and not as a NoClassDefFoundError.
            String first = use.get();
            require(first.replaceAll("haltsql-\\d+", "").equals(use.get().replaceAll("haltsql-\\d+", "")), "another error");
            System.out.println(first);
            if (arguments.length > 0) {
                System.out.println(mapped());
            }
        }

        /** The library's files in this process. */
        private static String mapped() {
            try (var lines = Files.lines(Path.of("/proc/self/maps"))) {
                return lines.filter(line -> line.contains("haltsql_java")).map(line -> line.replaceAll("^.*? /", "/"))
                        .distinct().toList().toString();
            } catch (Exception problem) {
                return problem.toString();
            }
        }
    }

    /** A guard without pgjdbc. */
    static final class NoDriver {
        private NoDriver() {}

        public static void main(String[] arguments) {
            HaltSqlException error = failing(() -> JdbcGuard.of(minimal("p"))
                    .queryInTransaction((java.sql.Connection) null, ACME, "SELECT 1"));
            System.out.println(error.code() + " " + error.getMessage());
        }
    }

    /** So many checks, by every method that there is, errors included. */
    static final class Many {
        private Many() {}

        public static void main(String[] arguments) throws Exception {
            int rounds = Integer.parseInt(arguments[1]);
            Policy policy = Policy.fromFile(Path.of(arguments[0]));
            Caller caller = policy.forContext(ACME);
            int checks = 0;
            for (int round = 0; round < rounds; round++) {
                require(policy.check(ALLOWED, ACME).bindParams().size() == 1, "allowed");
                require(caller.check(DENIED).forAgent().contains("🐘"), "denied");
                require(caller.check("SELECT '\0").reasons().get(0).code().equals("E_PARSE"), "NUL");
                checks += 3;
                if (round % 10 == 0) {
                    checks += caller.checkMany(List.of(ALLOWED, DENIED, "", ALLOWED, DENIED), 1 + round % 3).size();
                    Verdict.fromJson(caller.check(ALLOWED).json()).tables();
                    failing(() -> policy.check(ALLOWED, Context.ofJson("[")));
                    failing(() -> Policy.fromString("a: b"));
                    failing(() -> Verdict.fromJson("{}"));
                    require(!policy.describe().isEmpty() && !policy.searchPathValue().isEmpty(), "texts");
                    try (Policy other = minimal("other"); Caller its = other.forContext(ACME); JdbcGuard guard = JdbcGuard.of(other)) {
                        its.check("SELECT 1");
                        denying(guard, "SELECT 1 FROM nothing");
                    }
                    checks += 2;
                }
            }
            System.out.println(checks + " checks");
        }
    }

    /** One digest of verdicts on texts of every depth, made by the main thread and by threads with the stack of this JVM. */
    static final class Digest {
        private Digest() {}

        public static void main(String[] arguments) throws Exception {
            List<String> texts = new ArrayList<>(List.of(ALLOWED, DENIED, "SELECT", ""));
            for (int terms : new int[] {10, 100, 200, 500, 1000, 5000}) {
                texts.add("SELECT " + "1+".repeat(terms) + "1");
                texts.add("SELECT " + "(".repeat(terms) + "1" + ")".repeat(terms));
                texts.add("SELECT 1" + " UNION ALL SELECT 1".repeat(terms));
                texts.add("SELECT " + "(SELECT ".repeat(terms) + "1" + ")".repeat(terms));
                texts.add("SELECT " + "NOT ".repeat(terms) + "true");
                texts.add("SELECT " + "CASE WHEN true THEN ".repeat(terms) + "1" + " END".repeat(terms));
            }
            Policy policy = Policy.fromFile(Path.of(arguments[0]));
            List<String> digests = new ArrayList<>(List.of(of(policy, texts)));
            for (int thread = 0; thread < 2; thread++) {
                Thread own = new Thread(() -> digests.add(of(policy, texts)));
                own.start();
                own.join();
            }
            require(digests.size() == 3 && digests.stream().distinct().count() == 1, digests.toString());
            System.out.println(digests.get(0));
        }

        private static String of(Policy policy, List<String> texts) {
            try {
                MessageDigest digest = MessageDigest.getInstance("SHA-256");
                for (String text : texts) {
                    digest.update(same(policy.check(text, ACME)).getBytes(StandardCharsets.UTF_8));
                }
                return HexFormat.of().formatHex(digest.digest());
            } catch (Exception problem) {
                throw new AssertionError(problem);
            }
        }
    }

    /** Closes policies while a thousand threads use each of them. */
    static final class Closing {
        private Closing() {}

        public static void main(String[] arguments) throws Exception {
            String large = ALLOWED + " AND (id = 1" + " OR id = 1".repeat(100) + ")";
            AtomicInteger answered = new AtomicInteger();
            AtomicInteger refused = new AtomicInteger();
            for (int round = 0; round < 4; round++) {
                Policy policy = Policy.fromFile(Path.of(arguments[0]));
                Caller caller = policy.forContext(ACME);
                String expected = same(policy.check(large, ACME));
                CountDownLatch all = new CountDownLatch(1);
                AtomicInteger before = new AtomicInteger();
                List<Thread> threads = new ArrayList<>();
                for (int number = 0; number < 1000; number++) {
                    boolean even = number % 2 == 0;
                    threads.add(new Thread(() -> {
                        try {
                            all.await();
                            while (true) {
                                Verdict verdict = even ? policy.check(large, ACME) : caller.check(large);
                                require(same(verdict).equals(expected), "another verdict");
                                answered.incrementAndGet();
                                // One of them, not this thread: with a thousand others it would have to wait for its turn.
                                if (before.incrementAndGet() == 100) {
                                    policy.close();
                                }
                            }
                        } catch (ClosedException closed) {
                            refused.incrementAndGet();
                        } catch (InterruptedException problem) {
                            throw new AssertionError(problem);
                        }
                    }));
                }
                threads.forEach(Thread::start);
                all.countDown();
                for (Thread thread : threads) {
                    thread.join();
                }
                policy.close();
                caller.close();
            }
            // Everyone checked until it was closed, and everyone was told.
            require(refused.get() == 4000 && answered.get() >= 400, refused + " refused, " + answered + " answered");
            System.out.println("closed");
        }
    }

    /** What stays behind after checks, errors, policies and callers that nobody closes, and threads; in KiB. */
    static final class Memory {
        private Memory() {}

        public static void main(String[] arguments) throws Exception {
            Policy policy = Policy.fromFile(Path.of(arguments[0]));
            work(policy, 4);
            long before = resident();
            work(policy, 8);
            System.out.println(resident() - before);
        }

        private static void work(Policy policy, int rounds) throws Exception {
            Caller caller = policy.forContext(ACME);
            for (int round = 0; round < rounds; round++) {
                for (int at = 0; at < 5000; at++) {
                    require(policy.check(ALLOWED, ACME).tables().size() == 1, "allowed");
                    require(!caller.check(DENIED).forAgent().isEmpty(), "denied");
                }
                for (int at = 0; at < 500; at++) {
                    failing(() -> policy.check("", Context.ofJson("[")));
                    policy.forContext(ACME).check("SELECT 1");
                    minimal("forgotten");
                    try (Policy closed = minimal("closed")) {
                        closed.describe();
                    }
                    denying(JdbcGuard.of(policy), DENIED);
                    caller.checkMany(List.of(ALLOWED, DENIED, "SELECT " + "1+".repeat(150) + "1"), 2);
                }
                for (int at = 0; at < 100; at++) {
                    Thread thread = new Thread(() -> policy.check(DENIED, ACME));
                    thread.start();
                    thread.join();
                }
                System.gc();
            }
        }

        private static long resident() throws Exception {
            return Long.parseLong(Files.readString(Path.of("/proc/self/statm")).split(" ")[1]) * 4;
        }
    }

    /** Texts that ask for a panic, over the core that heeds them. */
    static final class Panics {
        private Panics() {}

        public static void main(String[] arguments) throws Exception {
            String marker = arguments[1] + ": panic in ";
            Policy policy = Policy.fromFile(Path.of(arguments[0]));
            Caller caller = policy.forContext(ACME);
            JdbcGuard guard = JdbcGuard.of(policy);
            for (String place : List.of("stages", "answer")) {
                String sql = ALLOWED + " /* " + marker + place + " */";
                for (Verdict verdict : List.of(
                        policy.check(sql, ACME), caller.check(sql), caller.checkMany(List.of(ALLOWED, sql), 2).get(1))) {
                    require(!verdict.allowed() && verdict.reasons().size() == 1, verdict.toString());
                    require(verdict.reasons().get(0).known() == ReasonCode.E_INTERNAL, verdict.toString());
                    require(!verdict.forAgent().isEmpty(), "no rendering");
                    require(policy.check(ALLOWED, ACME).allowed(), "the next call");
                }
            }
            Verdict guarded = denying(guard, ALLOWED + " /* " + marker + "stages */");
            require(guarded.reasons().get(0).known() == ReasonCode.E_INTERNAL, guarded.toString());
            internal(() -> minimal(marker + "load"));
            // No fence of the core is left there, only that of the binding.
            internal(() -> minimal(marker + "name"));
            Policy noisy = minimal(marker + "describe");
            internal(noisy::describe);
            internal(noisy::describeJson);
            require(policy.check(ALLOWED, ACME).allowed(), "the last call");
            System.out.println("all denied");
        }

        private static void internal(Runnable call) {
            HaltSqlException error = failing(call);
            require(error instanceof InternalException && error.code() == 1, error.toString());
        }
    }

    /** A policy of the least that there can be, with a description. */
    private static Policy minimal(String description) {
        return Policy.fromString(
                """
                {"apiVersion": "haltsql.dev/v1", "kind": "Policy", "metadata": {"name": "p", "description": "%s"}, "spec": {}}
                """
                        .formatted(description));
    }

    /** What a guard denies, in every form: it needs no connection, and no driver, for it sends nothing. */
    private static Verdict denying(JdbcGuard guard, String sql) {
        Verdict verdict = null;
        for (Runnable call : List.<Runnable>of(
                () -> guard.queryInTransaction((java.sql.Connection) null, ACME, sql), () -> guard.query(null, ACME, sql),
                () -> guard.prepare(null, ACME, sql))) {
            HaltSqlException error = failing(call);
            require(error instanceof DeniedException, error.toString());
            verdict = ((DeniedException) error).verdict();
        }
        return verdict;
    }

    private static HaltSqlException failing(Runnable call) {
        try {
            call.run();
        } catch (HaltSqlException error) {
            return error;
        }
        throw new AssertionError("no error");
    }

    private static String same(Verdict verdict) {
        return verdict.json().substring(0, verdict.json().lastIndexOf(",\"elapsed_us\":"));
    }

    private static void require(boolean holds, String otherwise) {
        if (!holds) {
            throw new AssertionError(otherwise);
        }
    }
}

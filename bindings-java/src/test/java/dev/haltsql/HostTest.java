package dev.haltsql;

import static dev.haltsql.Support.ACME;
import static dev.haltsql.Support.ALLOWED;
import static dev.haltsql.Support.DENIED;
import static dev.haltsql.Support.POLICY_FILE;
import static dev.haltsql.Support.printed;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Test;

/** Living in a JVM: its checks of JNI, its threads and stacks, its memory. No test here looks at a clock. */
class HostTest {
    private static final String POLICY = POLICY_FILE.toString();

    @Test
    void theJvmsOwnChecksOfJniHaveNothingToSay() {
        // An exception that is overlooked, and on Java 17 local references that pile up: the JVM would print a warning for each.
        assertEquals("111000 checks", printed(Programs.Many.class, List.of("-Xcheck:jni"), POLICY, "30000"));
    }

    @Test
    void closingWhileAThousandThreadsCheck() {
        // MALLOC_PERTURB_ of glibc: what is freed is overwritten, so that a use of it cannot go unnoticed.
        List<String> command = new ArrayList<>(List.of("env", "MALLOC_PERTURB_=165"));
        command.addAll(Support.java(Programs.Closing.class, List.of("-Xss256k", "-Xcheck:jni"), POLICY));
        assertEquals(new Support.Ended(0, "closed", ""), Support.run(command));
    }

    @Test
    void aSmallStackGivesTheSameVerdicts() {
        String expected = printed(Programs.Digest.class, List.of("-Xss64m"), POLICY);
        assertEquals(64, expected.length());
        assertEquals(expected, printed(Programs.Digest.class, List.of("-Xss256k"), POLICY));
    }

    @Test
    void everyProcessGivesTheSameVerdicts() {
        Set<String> seen = new HashSet<>();
        for (String locale : List.of("en", "tr", "ar")) {
            for (String encoding : List.of("UTF-8", "ISO-8859-1")) {
                seen.add(printed(
                        Programs.Digest.class,
                        List.of("-Duser.language=" + locale, "-Dfile.encoding=" + encoding),
                        POLICY));
            }
        }
        assertEquals(1, seen.size());
    }

    @Test
    void memoryDoesNotGrow() {
        // A heap that is there from the start, so that what grows is outside of it.
        List<String> options = List.of(
                "-Xms64m", "-Xmx64m", "-XX:+AlwaysPreTouch", "-XX:+UseSerialGC", "-XX:TieredStopAtLevel=1");
        long grown = Long.parseLong(printed(Programs.Memory.class, options, POLICY));
        // 80,000 checks, 12,000 errors and handles, 8,000 of them forgotten: 300 bytes left by each check would be 23,000 KiB.
        assertTrue(grown < 10_000, grown + " KiB");
    }

    @Test
    void threadsShareAPolicyAndAVerdict() throws Exception {
        try (Policy policy = Support.policy();
                Caller caller = policy.forContext(ACME)) {
            List<String> texts = List.of(ALLOWED, DENIED, "SELECT", "", "SELECT " + "1+".repeat(300) + "1");
            List<Verdict> expected = caller.checkMany(texts);
            Verdict shared = policy.check(DENIED, ACME);
            AtomicInteger wrong = new AtomicInteger();
            List<Thread> threads = new ArrayList<>();
            for (int number = 0; number < 8; number++) {
                Thread thread = new Thread(() -> {
                    for (int round = 0; round < 20; round++) {
                        boolean same = texts.stream().map(caller::check).toList().equals(expected)
                                && shared.reasons().equals(expected.get(1).reasons());
                        wrong.addAndGet(same ? 0 : 1);
                    }
                });
                threads.add(thread);
                thread.start();
            }
            for (Thread thread : threads) {
                thread.join();
            }
            assertEquals(0, wrong.get());
        }
    }
}

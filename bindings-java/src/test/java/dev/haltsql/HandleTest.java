package dev.haltsql;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;

import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Test;

/** The gate in front of native memory: freed once, and never under a call. */
class HandleTest {
    @Test
    void whoIsInsideIsWaitedFor() throws Exception {
        List<Long> freed = new ArrayList<>();
        Object owner = new Object();
        Handle handle = new Handle("thing", 7, freed::add, null);
        var cleanable = handle.ownedBy(owner);
        assertEquals("inside", handle.with(value -> {
            assertEquals(7, value);
            cleanable.clean();
            cleanable.clean();
            assertThrows(ClosedException.class, () -> handle.with(again -> again));
            assertEquals(List.of(), freed);
            return "inside";
        }));
        assertEquals(List.of(7L), freed);
        cleanable.clean();
        assertThrows(ClosedException.class, () -> handle.with(value -> value));
        assertEquals(List.of(7L), freed);
        java.lang.ref.Reference.reachabilityFence(owner);
    }

    @Test
    void anExceptionInsideLeavesTheGateToo() {
        AtomicInteger freed = new AtomicInteger();
        Object owner = new Object();
        Handle handle = new Handle("thing", 7, value -> freed.incrementAndGet(), null);
        var cleanable = handle.ownedBy(owner);
        assertThrows(IllegalStateException.class, () -> handle.with(value -> {
            throw new IllegalStateException();
        }));
        cleanable.clean();
        assertEquals(1, freed.get());
        java.lang.ref.Reference.reachabilityFence(owner);
    }

    @Test
    void theGateBehindHasToBeOpenAndStaysOpen() {
        List<String> freed = new ArrayList<>();
        Handle policy = new Handle("policy", 1, value -> freed.add("policy"), null);
        Handle caller = new Handle("caller", 2, value -> freed.add("caller"), policy);
        Object owner = new Object();
        var policyOwned = policy.ownedBy(owner);
        var callerOwned = caller.ownedBy(owner);
        caller.with(value -> {
            policyOwned.clean();
            assertEquals(List.of(), freed);
            return value;
        });
        assertEquals(List.of("policy"), freed);
        assertEquals(
                "the policy was closed", assertThrows(ClosedException.class, () -> caller.with(value -> value)).getMessage());
        callerOwned.clean();
        assertEquals(List.of("policy", "caller"), freed);
        java.lang.ref.Reference.reachabilityFence(owner);
    }

    @Test
    void manyThreadsAndOneFree() throws Exception {
        for (int round = 0; round < 100; round++) {
            AtomicInteger freed = new AtomicInteger();
            Object owner = new Object();
            Handle handle = new Handle("thing", 1, value -> freed.incrementAndGet(), null);
            var cleanable = handle.ownedBy(owner);
            CountDownLatch started = new CountDownLatch(4);
            List<Thread> threads = new ArrayList<>();
            AtomicInteger wrong = new AtomicInteger();
            for (int number = 0; number < 4; number++) {
                Thread thread = new Thread(() -> {
                    started.countDown();
                    try {
                        while (true) {
                            wrong.addAndGet(handle.with(value -> freed.get()));
                        }
                    } catch (ClosedException closed) {
                        cleanable.clean();
                    }
                });
                threads.add(thread);
                thread.start();
            }
            started.await();
            cleanable.clean();
            for (Thread thread : threads) {
                thread.join();
            }
            assertEquals(0, wrong.get());
            assertEquals(1, freed.get());
            java.lang.ref.Reference.reachabilityFence(owner);
        }
    }

    @Test
    void whatIsForgottenIsFreed() throws Exception {
        LinkedBlockingQueue<Long> freed = new LinkedBlockingQueue<>();
        new Handle("thing", 9, freed::add, null).ownedBy(new Object());
        Long found = null;
        for (int attempt = 0; found == null && attempt < 200; attempt++) {
            System.gc();
            found = freed.poll(50, TimeUnit.MILLISECONDS);
        }
        assertEquals(9L, found);
    }
}

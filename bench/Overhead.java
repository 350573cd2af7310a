import dev.haltsql.Caller;
import dev.haltsql.Context;
import dev.haltsql.Policy;
import dev.haltsql.Verdict;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HexFormat;
import java.util.List;
import java.util.Locale;

/**
 * What a check costs from Java (bench/README.md has the contract). A verdict's JSON and {@code allowed} are both read.
 *
 * <p>A loop of our own instead of JMH's: Rust and Java take turns in one run, and of both the same batches count.
 */
public final class Overhead {
    private static final int BATCHES = 300;
    private static final int BATCH = 10;
    private static final int THROUGHPUT = 4_000;

    /** Until the just-in-time compiler has what it needs: its last stage begins at 10,000 calls. */
    private static final int WARM_UP = 20_000;

    private record Text(String id, Caller caller, String sql) {}

    private record Took(long whole, long beside) {}

    private Overhead() {}

    public static void main(String[] arguments) throws Exception {
        Path folder = Path.of(System.getenv("HALTSQL_BENCH_DIR"));
        List<Text> texts = new ArrayList<>();
        for (String line : Files.readAllLines(folder.resolve("bench.tsv")).stream().skip(1).toList()) {
            String[] fields = line.split("\t");
            Policy policy = Policy.fromFile(folder.resolve("policies").resolve(fields[2] + ".yaml"));
            Context context = Context.ofJson(HexFormat.of().parseHex(fields[3]));
            String sql = new String(HexFormat.of().parseHex(fields[4]), StandardCharsets.UTF_8);
            texts.add(new Text(fields[1], policy.forContext(context), sql));
        }
        for (int round = 0; round < WARM_UP / BATCH; round++) {
            batch(texts.get(round % texts.size()));
        }
        for (Text text : texts) {
            double whole = Double.MAX_VALUE;
            double beside = Double.MAX_VALUE;
            for (int number = 0; number < BATCHES; number++) {
                Took took = batch(text);
                whole = Math.min(whole, took.whole);
                beside = Math.min(beside, took.beside);
            }
            System.out.printf(
                    Locale.ROOT, "overhead name=java text=%s ns=%.0f beside_ns=%.0f%n", text.id, whole / BATCH, beside / BATCH);
        }
        for (int threads : new int[] {1, 2}) {
            System.out.printf(
                    Locale.ROOT, "throughput name=java threads=%d per_s=%.0f%n", threads, throughput(texts.get(0), threads));
        }
    }

    private static Took batch(Text text) {
        String[] verdicts = new String[BATCH];
        long started = System.nanoTime();
        for (int at = 0; at < BATCH; at++) {
            Verdict verdict = text.caller.check(text.sql);
            if (!verdict.allowed()) {
                throw new IllegalStateException("not allowed: " + text.sql);
            }
            verdicts[at] = verdict.json();
        }
        long took = System.nanoTime() - started;
        long core = 0;
        for (String verdict : verdicts) {
            core += 1_000 * Long.parseLong(verdict.substring(verdict.lastIndexOf(':') + 1, verdict.length() - 1));
        }
        return new Took(took, took - core);
    }

    private static double throughput(Text text, int count) throws InterruptedException {
        List<Thread> threads = new ArrayList<>();
        for (int number = 0; number < count; number++) {
            threads.add(new Thread(() -> {
                for (int check = 0; check < THROUGHPUT; check++) {
                    text.caller.check(text.sql);
                }
            }));
        }
        long started = System.nanoTime();
        threads.forEach(Thread::start);
        for (Thread thread : threads) {
            thread.join();
        }
        return count * THROUGHPUT / ((System.nanoTime() - started) / 1e9);
    }
}

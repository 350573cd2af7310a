package dev.haltsql;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.HashMap;
import java.util.HexFormat;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;

/** The row of Java: every input of every set, byte for byte (conformance/RUNNERS.md). */
class ConformanceTest {
    private static final int SHOWN = 10;
    private static final Path FOLDER = Path.of(System.getenv()
            .getOrDefault("HALTSQL_CONFORMANCE_DIR", Support.ROOT.resolve(".build/conformance").toString()));

    private final Map<String, Policy> policies = new HashMap<>();

    @Test
    void everyRowOfEverySet() throws IOException {
        List<Path> files;
        try (Stream<Path> entries = Files.list(FOLDER)) {
            files = entries.filter(file -> file.toString().endsWith(".tsv")).sorted().toList();
        }
        assertTrue(!files.isEmpty(), FOLDER + " holds no set: run `haltsql-conformance prepare`");
        int different = 0;
        for (Path file : files) {
            List<String> lines = Files.readAllLines(file);
            String[] header = lines.get(0).split("\t", -1);
            assertEquals("haltsql-conformance 1", header[0] + " " + header[1]);
            List<String> rows = lines.subList(1, lines.size());
            int identical = 0;
            for (String row : rows) {
                String[] fields = row.split("\t", -1);
                String got = answer(fields);
                if (got.equals(fields[5])) {
                    identical++;
                } else if (++different <= SHOWN) {
                    System.err.printf("%s%n  expected %s%n  answered %s%n", fields[1], fields[5], got);
                }
            }
            System.out.printf(
                    Locale.ROOT,
                    "conformance name=java set=%s cases=%d identical=%d uncarried=0 digest=%s%n",
                    header[2],
                    rows.size(),
                    identical,
                    header[4]);
            assertEquals(header[3], Integer.toString(rows.size()));
            assertTrue(!rows.isEmpty());
        }
        assertEquals(0, different);
        policies.values().forEach(Policy::close);
    }

    private String answer(String[] fields) throws IOException {
        byte[] first = HexFormat.of().parseHex(fields[3]);
        byte[] second = HexFormat.of().parseHex(fields[4]);
        try {
            if (fields[0].equals("load")) {
                DocumentFormat format = DocumentFormat.valueOf(fields[2].toUpperCase(Locale.ROOT));
                try (Policy policy = Policy.fromBytes(second, format, new String(first, StandardCharsets.UTF_8))) {
                    return policy.version();
                }
            }
            assertEquals("check", fields[0]);
            Policy policy = policies.get(fields[2]);
            if (policy == null) {
                policy = Policy.fromFile(FOLDER.resolve("policies").resolve(fields[2] + ".yaml"));
                policies.put(fields[2], policy);
            }
            Context context = Context.ofJson(first);
            String sql = new String(second, StandardCharsets.UTF_8);
            // What is Unicode as String, as programs have it; the rest as bytes.
            boolean unicode = java.util.Arrays.equals(second, sql.getBytes(StandardCharsets.UTF_8));
            return Support.same(unicode ? policy.check(sql, context) : policy.check(second, context));
        } catch (HaltSqlException error) {
            return "error " + error.code();
        }
    }
}

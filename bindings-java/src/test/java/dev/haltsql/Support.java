package dev.haltsql;

import static org.junit.jupiter.api.Assertions.assertEquals;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;

/** What the tests share: where things are, and programs that run in a JVM of their own. */
final class Support {
    static final Path ROOT = Path.of(System.getProperty("haltsql.test.root")).normalize();
    static final Path HERE = ROOT.resolve("bindings-java");
    static final Path JAR = Path.of(System.getProperty("haltsql.test.jar"));
    static final Path POLICY_FILE = ROOT.resolve("conformance/policies/bound.yaml");
    static final Context ACME = Context.of("tenant_id", "acme");
    static final String ALLOWED = "SELECT name FROM app.customers WHERE tenant_id = $1";
    static final String DENIED = "SELECT name FROM app.customers";
    static final String NATIVE = "META-INF/native/dev.haltsql/linux-x86_64/libhaltsql_java.so";
    private static final long MINUTES = 5;

    private Support() {}

    static Policy policy() {
        try {
            return Policy.fromFile(POLICY_FILE);
        } catch (IOException problem) {
            throw new UncheckedIOException(problem);
        }
    }

    /** The part of a verdict's JSON that is the same on every run. */
    static String same(Verdict verdict) {
        return verdict.json().substring(0, verdict.json().lastIndexOf(",\"elapsed_us\":"));
    }

    static String read(Path file) {
        try {
            return Files.readString(file);
        } catch (IOException problem) {
            throw new UncheckedIOException(problem);
        }
    }

    /** A library that cargo has built. */
    static Path built(String file) {
        String target = System.getenv().getOrDefault("CARGO_TARGET_DIR", "target");
        return ROOT.resolve(target).resolve("checked").resolve(file);
    }

    /** The jar that a class of the tests' class path is in. */
    static String jarOf(String type) {
        try {
            return Path.of(Class.forName(type).getProtectionDomain().getCodeSource().getLocation().toURI()).toString();
        } catch (ReflectiveOperationException | java.net.URISyntaxException problem) {
            throw new AssertionError(problem);
        }
    }

    static Path testClasses() {
        return HERE.resolve("target/test-classes");
    }

    static String javaHome() {
        return System.getProperty("java.home");
    }

    /** What a program ended with. */
    record Ended(int code, String out, String err) {}

    /** Runs a program; it has to end soon. */
    static Ended run(List<String> command) {
        try {
            Path out = Files.createTempFile("haltsql-test", ".out");
            Path err = Files.createTempFile("haltsql-test", ".err");
            ProcessBuilder builder = new ProcessBuilder(command);
            builder.redirectInput(ProcessBuilder.Redirect.from(Path.of("/dev/null").toFile()));
            Process process = builder.redirectOutput(out.toFile()).redirectError(err.toFile()).start();
            if (!process.waitFor(MINUTES, TimeUnit.MINUTES)) {
                process.destroyForcibly().waitFor();
                throw new AssertionError(command + " did not end: " + read(out) + read(err));
            }
            Ended ended = new Ended(process.exitValue(), read(out).strip(), read(err).strip());
            Files.delete(out);
            Files.delete(err);
            return ended;
        } catch (IOException problem) {
            throw new UncheckedIOException(problem);
        } catch (InterruptedException problem) {
            throw new AssertionError(problem);
        }
    }

    /** A class of the tests in a JVM of its own, with nothing but the jar beside it: neither JUnit nor JSpecify. */
    static List<String> java(Class<?> program, List<String> options, String... arguments) {
        List<String> command = new ArrayList<>(List.of(javaHome() + "/bin/java"));
        command.add("-Dfile.encoding=UTF-8");
        if (options.stream().noneMatch(option -> option.contains("native-access"))) {
            command.add("--enable-native-access=ALL-UNNAMED");
        }
        if (options.stream().noneMatch("-cp"::equals)) {
            command.addAll(List.of("-cp", JAR + ":" + testClasses()));
        }
        command.addAll(options);
        command.add(program.getName());
        command.addAll(List.of(arguments));
        return command;
    }

    /** What such a program prints. It has to end well and say nothing on standard error. */
    static String printed(Class<?> program, List<String> options, String... arguments) {
        Ended ended = run(java(program, options, arguments));
        assertEquals("", ended.err());
        assertEquals(0, ended.code(), ended.out());
        return ended.out();
    }

    static byte[] utf8(String text) {
        return text.getBytes(StandardCharsets.UTF_8);
    }
}

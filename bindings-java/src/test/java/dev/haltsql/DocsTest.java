package dev.haltsql;

import static dev.haltsql.Support.HERE;
import static dev.haltsql.Support.JAR;
import static dev.haltsql.Support.ROOT;
import static dev.haltsql.Support.run;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.IOException;
import java.lang.reflect.Method;
import java.lang.reflect.Modifier;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** What the documents show runs, and says what they say. That all that is public is documented, the compiler has looked at. */
class DocsTest {
    private static final String README = Support.read(HERE.resolve("README.md"));

    @TempDir Path folder;

    @Test
    void theProgramsOfTheReadmeRun() throws IOException {
        List<String> policies = blocks("yaml");
        assertEquals(1, policies.size());
        Files.writeString(folder.resolve("policy.yaml"), policies.get(0));
        List<String> printed = new ArrayList<>();
        for (String program : blocks("java")) {
            var name = Pattern.compile("public class (\\w+)").matcher(program);
            assertTrue(name.find(), program);
            Files.writeString(folder.resolve(name.group(1) + ".java"), program);
            boolean guards = program.contains("JdbcGuard");
            String jars = guards ? JAR + ":" + Support.jarOf("org.postgresql.Driver") : JAR.toString();
            Support.Ended ended = started(name.group(1), jars, List.of(guards ? demo() : ""), "-cp", jars + ":.");
            assertEquals("", ended.err());
            printed.add(ended.out());
        }
        assertEquals(
                List.of(
                        "BindParam[param=1, value=One[value=acme], type=text]",
                        "$1 is [acme, initech] as text[]",
                        "[[Ann Archer], [Bo Baker]]\nE_COLUMN_DENIED",
                        "4:9 did you mean `search_path`?\ntrue"),
                printed);
    }

    @Test
    void theExampleRunsOnAClassPathAndOnAModulePath() throws IOException {
        Files.copy(ROOT.resolve("examples/java/Check.java"), folder.resolve("Check.java"));
        for (List<String> options : List.of(
                List.of("--enable-native-access=ALL-UNNAMED", "-cp", JAR + ":."),
                // Without java.sql: who only checks needs none.
                List.of(
                        "--enable-native-access=dev.haltsql", "-p", JAR.toString(), "--add-modules", "dev.haltsql",
                        "--limit-modules", "java.base,dev.haltsql", "-cp", "."))) {
            Support.Ended ended = started("Check", JAR.toString(), List.of(), options.toArray(String[]::new));
            assertEquals("", ended.err());
            List<String> answers = Pattern.compile("^(allowed|denied)", Pattern.MULTILINE).matcher(ended.out()).results()
                    .map(found -> found.group(1))
                    .toList();
            assertEquals(List.of("allowed", "denied", "allowed", "denied"), answers, ended.out());
        }
    }

    @Test
    void theExamplesOfGuardsRunOnTheDemosDatabase() throws IOException {
        for (Map.Entry<String, List<String>> example : Map.of(
                        "GuardPgjdbc", List.of("com.zaxxer.hikari.HikariDataSource", "org.slf4j.Logger", "org.slf4j.nop.NOPServiceProvider"),
                        "GuardSpring",
                        List.of(
                                "org.springframework.jdbc.core.JdbcTemplate", "org.springframework.transaction.TransactionStatus",
                                "org.springframework.core.SpringVersion", "org.springframework.beans.BeanUtils",
                                "org.apache.commons.logging.LogFactory"))
                .entrySet()) {
            String name = example.getKey();
            Files.copy(ROOT.resolve("examples/java/" + name + ".java"), folder.resolve(name + ".java"));
            String jars = Stream.concat(Stream.of("org.postgresql.Driver"), example.getValue().stream())
                    .map(Support::jarOf)
                    .collect(Collectors.joining(":", JAR + ":", ""));
            Support.Ended ended = started(name, jars, List.of(demo()), "-cp", jars + ":.");
            assertEquals("", ended.err());
            assertTrue(ended.out().contains("E_COLUMN_DENIED") && ended.out().contains("[Ann Archer, "), ended.out());
        }
    }

    private static String demo() {
        return Shop.demo().url("demo", "agent");
    }

    @Test
    void theReadmeNamesEveryErrorAndEveryMethod() {
        for (Class<?> error : HaltSqlException.class.getPermittedSubclasses()) {
            assertTrue(README.contains("`" + error.getSimpleName() + "`"), error.getName());
        }
        for (Class<?> type : List.of(
                Policy.class, Caller.class, Context.class, HaltSql.class, JdbcGuard.class, JdbcGuard.Builder.class, GuardedRows.class,
                GuardedResult.class, Receipt.class, CancellationSignal.class)) {
            for (Method method : type.getDeclaredMethods()) {
                boolean shown = !Modifier.isPublic(method.getModifiers())
                        || List.of("toString", "equals", "hashCode").contains(method.getName())
                        || README.contains(method.getName() + "(");
                assertTrue(shown, type.getSimpleName() + "." + method.getName());
            }
        }
        for (String property : List.of(Library.FILE_PROPERTY, Library.FOLDER_PROPERTY)) {
            assertTrue(README.contains("-D" + property + "="), property);
        }
        assertTrue(README.contains("<version>" + HaltSql.version() + "</version>"));
    }

    private static List<String> blocks(String language) {
        return Pattern.compile("```" + language + "\n(.*?)```", Pattern.DOTALL).matcher(README).results()
                .map(found -> found.group(1))
                .toList();
    }

    /** Compiles and runs a program of the folder, with nothing around it: no variable, no other folder. */
    private Support.Ended started(String name, String jars, List<String> arguments, String... options) {
        Support.Ended compiled = run(List.of(
                System.getProperty("haltsql.test.javac"), "--release", "17", "-Xlint:all,-classfile", "-Werror", "-cp", jars,
                "-d", folder.toString(), folder.resolve(name + ".java").toString()));
        assertEquals(new Support.Ended(0, "", ""), compiled);
        List<String> command = new ArrayList<>(List.of("env", "-i", "-C", folder.toString(), Support.javaHome() + "/bin/java"));
        if (List.of(options).stream().noneMatch(option -> option.contains("native-access"))) {
            command.add("--enable-native-access=ALL-UNNAMED");
        }
        command.addAll(List.of(options));
        command.add(name);
        command.addAll(arguments);
        Support.Ended ended = run(command);
        assertEquals(0, ended.code(), ended.err());
        return ended;
    }
}

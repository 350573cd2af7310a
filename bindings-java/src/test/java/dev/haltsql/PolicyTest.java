package dev.haltsql;

import static dev.haltsql.Support.ACME;
import static dev.haltsql.Support.ALLOWED;
import static dev.haltsql.Support.DENIED;
import static dev.haltsql.Support.utf8;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertSame;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.function.Executable;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Loading a policy in every way, its errors, and what a policy and a caller do. */
class PolicyTest {
    private static final String YAML =
            """
            apiVersion: haltsql.dev/v1
            kind: Policy
            metadata: { name: p }
            spec:
              search_path: [app]
              tables:
                app.t: { columns: [b, { name: a, description: the a }] }
            """;
    private static final String JSON =
            """
            {"apiVersion": "haltsql.dev/v1", "kind": "Policy", "metadata": {"name": "p"},
             "spec": {"search_path": ["app"], "tables": {"app.t": {"columns": ["a", {"name": "b", "description": "the b"}]}}}}
            """;

    @Test
    void theSamePolicyHoweverItIsLoaded(@TempDir Path folder) throws IOException {
        Path yaml = Files.writeString(folder.resolve("p.yaml"), YAML);
        Path json = Files.writeString(folder.resolve("p.json"), JSON);
        Path plain = Files.writeString(folder.resolve("policy"), JSON);
        List<Policy> loaded = List.of(
                Policy.fromFile(yaml),
                Policy.fromFile(json),
                Policy.fromFile(plain),
                Policy.fromFile(plain, DocumentFormat.JSON),
                Policy.fromString(YAML),
                Policy.fromString(JSON),
                Policy.fromString(JSON, DocumentFormat.JSON, "p.json"),
                Policy.fromBytes(utf8(YAML), DocumentFormat.YAML, ""));
        for (Policy policy : loaded) {
            assertEquals(loaded.get(0).version(), policy.version());
            assertEquals("p", policy.name());
            assertEquals(Mode.ENFORCE, policy.mode());
            assertEquals("\"app\", pg_temp", policy.searchPathValue());
            assertTrue(policy.check("SELECT a FROM t", Context.ofJson("{}")).allowed());
            policy.close();
        }
    }

    @Test
    void whatMayBeAsked() {
        try (Policy policy = Policy.fromString(YAML)) {
            assertTrue(policy.describe().contains("app.t") && policy.describe().contains("the a"));
            assertTrue(policy.describeJson().startsWith("{") && policy.describeJson().contains("\"app.t\""));
        }
    }

    @Test
    void everyProblemHasItsPlace() {
        String bad = YAML.replace("search_path", "serch_path").replace("[b,", "[b, A,");
        PolicyException error = assertThrows(
                PolicyException.class, () -> Policy.fromString(bad, DocumentFormat.AUTO, "some/p.yaml"));
        assertEquals(
                List.of("spec.serch_path", "spec.tables[\"app.t\"].columns[1]"),
                error.problems().stream().map(Problem::path).toList());
        Problem first = error.problems().get(0);
        assertEquals(5, first.line());
        assertEquals(3, first.column());
        assertEquals(bad.indexOf("serch_path"), first.offset());
        assertEquals("  serch_path: [app]", first.snippet());
        assertEquals("did you mean `search_path`?", first.help());
        assertTrue(error.getMessage().contains("some/p.yaml") && error.getMessage().contains("line 5, column 3"));
        assertThrows(UnsupportedOperationException.class, () -> error.problems().clear());
    }

    @ParameterizedTest
    @ValueSource(strings = {"", "a: b", "[]", "{", "a: &x 1", "\0", "\u00ff"})
    void aBadDocumentIsOneError(String document) {
        // The last one is not UTF-8 then.
        byte[] bytes = document.getBytes(StandardCharsets.ISO_8859_1);
        PolicyException error =
                assertThrows(PolicyException.class, () -> Policy.fromBytes(bytes, DocumentFormat.AUTO, ""));
        assertEquals(3, error.code());
        assertFalse(error.problems().isEmpty());
    }

    @Test
    void aFileThatIsNotThereIsAnErrorOfJavas(@TempDir Path folder) {
        assertThrows(NoSuchFileException.class, () -> Policy.fromFile(folder.resolve("none.yaml")));
    }

    @Test
    @SuppressWarnings("DataFlowIssue")
    void nullIsAnErrorOfOurs() {
        try (Policy policy = Support.policy();
                Caller caller = policy.forContext(ACME)) {
            List<String> withNull = new ArrayList<>(List.of(ALLOWED));
            withNull.add(null);
            for (Executable call : List.<Executable>of(
                    () -> Policy.fromString(null),
                    () -> Policy.fromFile(null),
                    () -> Policy.fromBytes(null, DocumentFormat.AUTO, ""),
                    () -> Policy.fromString(YAML, null, ""),
                    () -> Policy.fromString(YAML, DocumentFormat.AUTO, null),
                    () -> policy.check((String) null, ACME),
                    () -> policy.check((byte[]) null, ACME),
                    () -> policy.check(ALLOWED, null),
                    () -> policy.forContext(null),
                    () -> policy.checkMany(null, ACME),
                    () -> caller.checkMany(withNull),
                    () -> caller.check((String) null),
                    () -> caller.checkMany(List.of(ALLOWED), 0),
                    () -> caller.checkMany(List.of(ALLOWED), -1),
                    () -> Context.of(null),
                    () -> Context.of("a", (String) null),
                    () -> Context.ofJson((byte[]) null),
                    () -> Verdict.fromJson(null))) {
                assertEquals(2, assertThrows(ArgumentException.class, call).code());
            }
        }
    }

    @Test
    void aCallerReadsItsContextOnce() {
        try (Policy policy = Support.policy();
                Caller caller = policy.forContext(ACME)) {
            assertSame(policy, caller.policy());
            assertEquals(policy.check(ALLOWED, ACME), caller.check(ALLOWED));
            assertEquals(caller.check(DENIED), caller.check(utf8(DENIED)));
            assertFalse((caller.toString() + ACME).contains("acme"));
        }
    }

    @Test
    void manyTextsInTheirOrder() {
        try (Policy policy = Support.policy();
                Caller caller = policy.forContext(ACME)) {
            List<String> texts = new ArrayList<>();
            for (int round = 0; round < 400; round++) {
                texts.addAll(List.of(ALLOWED, DENIED, "", "SELECT", "SELECT '🐘\0'", "SELECT 1 -- " + round));
            }
            // One that crosses alone, for its length.
            texts.add("SELECT 1 --" + "x".repeat(17_000_000));
            List<Verdict> oneByOne = texts.stream().map(caller::check).toList();
            for (int threads : new int[] {1, 2, 5}) {
                assertEquals(oneByOne, caller.checkMany(texts, threads));
            }
            assertEquals(oneByOne.subList(0, 3), policy.checkMany(texts.subList(0, 3), ACME));
            assertEquals(List.of(), policy.checkMany(List.of(), ACME, 8));
            assertEquals(oneByOne.get(1).forAgent(), caller.checkMany(texts.subList(0, 2)).get(1).forAgent());
            assertThrows(UnsupportedOperationException.class, () -> caller.checkMany(texts.subList(0, 2)).clear());
        }
    }

    @Test
    void aShadowPolicyAllowsAndTells() {
        String shadow = Support.read(Support.POLICY_FILE).replace("spec:\n", "spec:\n  mode: shadow\n");
        try (Policy policy = Policy.fromString(shadow)) {
            Verdict verdict = policy.check(DENIED, ACME);
            assertEquals(Mode.SHADOW, policy.mode());
            assertTrue(verdict.allowed() && verdict.reasons().isEmpty());
            assertTrue(verdict.shadowReasons().stream().anyMatch(reason -> reason.code().equals("E_TENANT_MISSING")));
            assertTrue(verdict.toString().contains("E_TENANT_MISSING"));
        }
    }

    @Test
    void afterItWasClosedEveryUseIsAnError() {
        Policy policy = Support.policy();
        Caller caller = policy.forContext(ACME);
        Caller other = policy.forContext(ACME);
        Verdict verdict = policy.check(DENIED, ACME);
        other.close();
        other.close();
        assertEquals("the caller was closed", closed(() -> other.check(ALLOWED)));
        assertTrue(caller.check(ALLOWED).allowed());
        policy.close();
        policy.close();
        for (Executable use : List.<Executable>of(
                () -> policy.check(ALLOWED, ACME),
                () -> policy.forContext(ACME),
                () -> policy.checkMany(List.of(ALLOWED), ACME),
                policy::describe,
                policy::describeJson,
                policy::searchPathValue,
                () -> caller.check(ALLOWED),
                () -> caller.checkMany(List.of(ALLOWED, DENIED)))) {
            assertEquals("the policy was closed", closed(use));
        }
        caller.close();
        assertEquals("the caller was closed", closed(() -> caller.check(ALLOWED)));
        assertEquals("bound", policy.name());
        assertTrue(policy.toString().contains("bound"));
        assertTrue(verdict.forAgent().contains("E_TENANT_MISSING"));
    }

    private static String closed(Executable use) {
        ClosedException error = assertThrows(ClosedException.class, use);
        assertEquals(6, error.code());
        return error.getMessage();
    }
}

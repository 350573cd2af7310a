package dev.haltsql;

import static dev.haltsql.Support.ACME;
import static dev.haltsql.Support.ALLOWED;
import static dev.haltsql.Support.DENIED;
import static dev.haltsql.Support.utf8;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNotEquals;
import static org.junit.jupiter.api.Assertions.assertNotNull;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import com.google.gson.JsonElement;
import com.google.gson.JsonObject;
import com.google.gson.JsonParser;
import java.nio.charset.StandardCharsets;
import java.security.MessageDigest;
import java.util.ArrayList;
import java.util.HexFormat;
import java.util.List;
import java.util.Set;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.function.Executable;

/** The verdict: its fields as docs/verdict.md has them, and what it does as a value. */
class VerdictTest {
    private static Policy policy;

    @BeforeAll
    static void load() {
        policy = Support.policy();
    }

    @AfterAll
    static void close() {
        policy.close();
    }

    @Test
    void anAllowedVerdictHasEveryField() throws Exception {
        Verdict verdict = policy.check(ALLOWED, ACME);
        assertTrue(verdict.allowed());
        assertEquals(List.of(), verdict.reasons());
        assertEquals(List.of(), verdict.shadowReasons());
        assertEquals(new PolicyRef("bound", policy.version(), List.of("app", "pub")), verdict.policy());
        assertEquals(StatementKind.SELECT, verdict.statementKind());
        assertEquals(List.of("app.customers"), verdict.tables());
        assertEquals(List.of("app.customers.name", "app.customers.tenant_id"), verdict.columns());
        assertEquals(List.of(new BindParam(1, new BindValue.One("acme"), "text")), verdict.bindParams());
        assertEquals(16, verdict.fingerprint().length());
        assertEquals(sha256(ALLOWED), verdict.sqlSha256());
        assertTrue(verdict.elapsedUs() >= 0);
    }

    @Test
    void aSetOfValuesIsAList() {
        String sql = "SELECT name FROM app.customers WHERE tenant_id = ANY ($1)";
        BindValue both = new BindValue.Many(List.of("acme", "initech"));
        for (Context context : List.of(
                Context.of("tenant_id", List.of("initech", "acme")),
                Context.of("tenant_id", Set.of("initech", "acme")),
                Context.ofJson("{\"tenant_id\":[\"acme\",\"initech\"]}"))) {
            assertEquals(List.of(new BindParam(1, both, "text[]")), policy.check(sql, context).bindParams());
        }
    }

    @Test
    void aDeniedVerdictTellsWhy() {
        Verdict verdict = policy.check(DENIED, ACME);
        assertFalse(verdict.allowed());
        Reason reason = verdict.reasons().stream()
                .filter(found -> found.known() == ReasonCode.E_TENANT_MISSING)
                .findFirst()
                .orElseThrow();
        assertEquals("tenancy.predicate", reason.rule());
        assertEquals(DENIED.indexOf("app.customers"), reason.loc());
        assertFalse(reason.message().isEmpty() || reason.message().contains("\n"));
        assertNotNull(reason.hint());
        assertEquals(List.of(), verdict.bindParams());
        assertNull(new Reason("E_OF_A_NEWER_VERSION", "", "", null, null).known());
    }

    @Test
    void placesCountBytes() {
        String sql = "SELECT 'ü🐘' AS x, nowhere FROM app.customers WHERE tenant_id = $1";
        Reason reason = policy.check(sql, ACME).reasons().get(0);
        assertEquals("E_COLUMN_DENIED", reason.code());
        assertEquals(utf8(sql.substring(0, sql.indexOf("nowhere"))).length, reason.loc());
    }

    @Test
    void theJsonHasTheSameFields() {
        String many = "SELECT name FROM app.customers WHERE tenant_id = ANY ($1)";
        for (String sql : List.of(ALLOWED, DENIED, "", "SELECT", "SELECT 1; SELECT 2", many, "DELETE FROM app.orders")) {
            Verdict verdict = policy.check(sql, ACME);
            JsonObject spelt = JsonParser.parseString(verdict.json()).getAsJsonObject();
            assertEquals(
                    List.of(
                            "allowed", "reasons", "shadow_reasons", "policy", "statement_kind", "tables", "columns",
                            "bind_params", "fingerprint", "sql_sha256", "elapsed_us"),
                    new ArrayList<>(spelt.keySet()));
            assertEquals(spelt.get("allowed").getAsBoolean(), verdict.allowed());
            assertEquals(spelt.getAsJsonArray("reasons").size(), verdict.reasons().size());
            for (int at = 0; at < verdict.reasons().size(); at++) {
                JsonObject one = spelt.getAsJsonArray("reasons").get(at).getAsJsonObject();
                Reason reason = verdict.reasons().get(at);
                Integer loc = one.has("loc") ? one.get("loc").getAsInt() : null;
                assertEquals(
                        new Reason(text(one.get("code")), text(one.get("message")), text(one.get("rule")), loc, text(one.get("hint"))),
                        reason);
            }
            StatementKind kind = verdict.statementKind();
            assertEquals(text(spelt.get("statement_kind")), kind == null ? null : kind.name().toLowerCase());
            assertEquals(text(spelt.get("fingerprint")), verdict.fingerprint());
            assertEquals(text(spelt.get("sql_sha256")), verdict.sqlSha256());
            assertEquals(spelt.get("elapsed_us").getAsLong(), verdict.elapsedUs());
            assertEquals(strings(spelt, "tables"), verdict.tables());
            assertEquals(strings(spelt, "columns"), verdict.columns());
            assertEquals(spelt.getAsJsonArray("bind_params").size(), verdict.bindParams().size());
        }
    }

    @Test
    void nothingOfAVerdictCanBeChanged() {
        Verdict denied = policy.check(DENIED, ACME);
        Verdict allowed = policy.check(ALLOWED, ACME);
        for (List<?> list : List.of(
                denied.reasons(), denied.shadowReasons(), allowed.tables(), allowed.columns(), allowed.bindParams(),
                allowed.policy().searchPath())) {
            assertThrows(UnsupportedOperationException.class, list::clear);
        }
        List<String> values = new ArrayList<>(List.of("a"));
        BindValue.Many many = new BindValue.Many(values);
        values.set(0, "b");
        assertEquals(List.of("a"), many.values());
    }

    @Test
    void bytesAreTakenAsTheyWere() {
        byte[] sql = utf8(DENIED);
        Verdict verdict = policy.check(sql, ACME);
        sql[0] = 'X';
        assertEquals(policy.check(DENIED, ACME).forAgent(), verdict.forAgent());
    }

    @Test
    void equalWhereAllButTheTimeIs() {
        Verdict one = policy.check(DENIED, ACME);
        Verdict again = policy.check(DENIED, ACME);
        assertEquals(one, again);
        assertEquals(one.hashCode(), again.hashCode());
        assertNotEquals(one, policy.check(ALLOWED, ACME));
        assertNotEquals(one, (Object) one.json());
    }

    @Test
    void aStringShowsCodesAndNoSql() {
        String shown = policy.check("SELECT secret_word FROM app.customers WHERE tenant_id = 'another_word'", ACME)
                .toString();
        assertTrue(shown.contains("allowed=false") && shown.contains("E_COLUMN_DENIED"), shown);
        assertFalse(shown.contains("_word"), shown);
    }

    @Test
    void theRenderingForAnAgent() {
        Verdict verdict = policy.check(DENIED, ACME);
        String text = verdict.forAgent();
        assertTrue(text.contains("E_TENANT_MISSING") && text.contains("denied"));
        Verdict elsewhere = Verdict.fromJson(verdict.json());
        assertEquals(verdict, elsewhere);
        assertEquals(text, elsewhere.forAgent(DENIED));
        assertEquals(text, Verdict.fromJson(verdict.json(), DENIED).forAgent());
        assertTrue(assertThrows(ArgumentException.class, elsewhere::forAgent).getMessage().contains("without its text"));
        VerdictException error = assertThrows(VerdictException.class, () -> elsewhere.forAgent(ALLOWED));
        assertTrue(error.getMessage().contains("another text"));
        assertEquals(5, error.code());
    }

    @Test
    void whatIsNoVerdictIsRefused() {
        String good = policy.check(ALLOWED, ACME).json();
        for (String bad : List.of(
                "", "null", "[]", "{}", "{\"allowed\":true}", good.substring(0, good.length() - 1),
                good.replace("\"tables\"", "\"t\""), good.replace("\"fingerprint\"", "\"f\""), " " + good,
                good.replace("\"allowed\":true", "\"allowed\":1"), good.replace("{\"allowed\"", "{ \"allowed\""),
                good.substring(0, good.length() - 1) + ",\"allowed\":false}", good + good)) {
            VerdictException error = assertThrows(VerdictException.class, () -> Verdict.fromJson(bad), bad);
            assertEquals("this is not the JSON of a verdict", error.getMessage());
        }
        String newer = good.replace("\"elapsed_us\"", "\"of_a_newer_version\":1,\"elapsed_us\"")
                .replace("\"select\"", "\"merge\"");
        assertEquals(List.of("app.customers"), Verdict.fromJson(newer).tables());
        assertNull(Verdict.fromJson(newer).statementKind());
    }

    @Test
    void whatBytesCanHoldIsJudged() {
        record Case(byte[] sql, String code) {}
        for (Case one : List.of(
                new Case("SELECT '\u00ff'".getBytes(StandardCharsets.ISO_8859_1), "E_PARSE"),
                new Case("SELECT 1 \u00ed\u00a0\u0080".getBytes(StandardCharsets.ISO_8859_1), "E_PARSE"),
                new Case(utf8("SELECT '\0'"), "E_PARSE"),
                new Case(new byte[0], "E_EMPTY"),
                new Case(utf8("-- nothing"), "E_EMPTY"),
                new Case(utf8("SELECT 1 " + " ".repeat(100_000)), "E_TOO_LARGE"))) {
            List<Reason> reasons = policy.check(one.sql, ACME).reasons();
            assertEquals(List.of(one.code), reasons.stream().map(Reason::code).toList());
        }
    }

    @Test
    void emojiAndNulCrossWhole() throws Exception {
        // What JNI's own UTF-8 would mangle.
        String emoji = "SELECT '🐘', '\u0800', '\uffff' FROM app.customers WHERE tenant_id = $1";
        assertEquals(sha256(emoji), policy.check(emoji, ACME).sqlSha256());
        assertTrue(policy.check(emoji, ACME).allowed());
        assertEquals(policy.check(emoji, ACME), policy.check(utf8(emoji), ACME));
        String nul = "SELECT 1 \0 AND MORE";
        Verdict verdict = policy.check(nul, ACME);
        assertEquals(sha256(nul), verdict.sqlSha256());
        assertTrue(verdict.json().endsWith("}") && verdict.forAgent().contains("E_PARSE"));
        Context context = Context.of("tenant_id", "a\"\\\n\u2028🐘");
        BindValue bound = policy.check(ALLOWED, context).bindParams().get(0).value();
        assertEquals(new BindValue.One("a\"\\\n\u2028🐘"), bound);
    }

    @Test
    void halfASurrogatePairIsRefused() {
        String elephant = "🐘";
        String high = elephant.substring(0, 1);
        String low = elephant.substring(1);
        for (String half : List.of(high, low, low + high, "SELECT '" + high + "'", elephant + low, high + elephant)) {
            for (Executable call : List.<Executable>of(
                    () -> policy.check(half, ACME),
                    () -> policy.checkMany(List.of(ALLOWED, half), ACME),
                    () -> policy.forContext(ACME).check(half),
                    () -> Policy.fromString(half),
                    () -> Policy.fromString("a: b", DocumentFormat.AUTO, half),
                    () -> Context.of("tenant_id", half),
                    () -> Context.of(half, "acme"),
                    () -> Context.of("tenant_id", List.of(half)),
                    () -> Context.ofJson("{\"a\":\"" + half + "\"}"),
                    () -> Verdict.fromJson(half),
                    () -> policy.check(DENIED, ACME).forAgent(half))) {
                EncodingException error = assertThrows(EncodingException.class, call);
                assertEquals(8, error.code());
                assertTrue(error.getMessage().contains("half of a surrogate pair"));
            }
        }
    }

    private static String text(JsonElement element) {
        return element == null || element.isJsonNull() ? null : element.getAsString();
    }

    private static List<String> strings(JsonObject spelt, String field) {
        return spelt.getAsJsonArray(field).asList().stream().map(JsonElement::getAsString).toList();
    }

    private static String sha256(String text) throws Exception {
        return HexFormat.of().formatHex(MessageDigest.getInstance("SHA-256").digest(utf8(text)));
    }
}

package dev.haltsql;

import static dev.haltsql.Support.ALLOWED;
import static dev.haltsql.Support.utf8;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.math.BigDecimal;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collections;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.UUID;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;
import org.junit.jupiter.params.provider.ValueSource;

/** Contexts: nothing in them is converted. */
class ContextTest {
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
    void aContextIsAMapOrJson() {
        Map<String, Object> claims = new TreeMap<>(Map.of("tenant_id", "acme", "exp", 5L, "admin", false));
        claims.put("scope", Map.of("a", List.of(1.5, new BigDecimal("1E+2"))));
        claims.put("nothing", null);
        byte[] changing = utf8("{\"tenant_id\":\"acme\"}");
        Context before = Context.ofJson(changing);
        Arrays.fill(changing, (byte) 'x');
        for (Context context : List.of(
                Context.of("tenant_id", "acme"),
                Context.of("tenant_id", List.of("acme")),
                Context.of(Map.of("tenant_id", "acme")),
                Context.of(claims),
                Context.ofJson("{\"tenant_id\":\"acme\"}"),
                before)) {
            assertTrue(policy.check(ALLOWED, context).allowed());
        }
    }

    static List<Object> unusable() {
        List<Object> values = new ArrayList<>(List.of(
                5, 1.5, 2.5f, true, Map.of("a", "b"), List.of(), List.of(1), Arrays.asList("a", null), "", List.of(List.of())));
        values.add(Collections.emptyMap());
        return values;
    }

    @ParameterizedTest
    @MethodSource("unusable")
    void aValueThatCannotBeUsedIsADenial(Object value) {
        List<Reason> reasons = policy.check(ALLOWED, Context.of(Map.of("tenant_id", value))).reasons();
        assertEquals(List.of("E_CONTEXT_MISSING"), reasons.stream().map(Reason::code).toList());
    }

    static List<Object> withoutJson() {
        List<Object> endless = new ArrayList<>();
        endless.add(endless);
        return List.of(UUID.randomUUID(), new StringBuilder("acme"), 'a', Double.NaN, Float.POSITIVE_INFINITY,
                new char[] {'a'}, new Object(), List.of(new Object()), endless);
    }

    @ParameterizedTest
    @MethodSource("withoutJson")
    void aValueThatJsonCannotHoldIsAnError(Object value) {
        assertEquals(4, assertThrows(ContextException.class, () -> Context.of(Map.of("a", value))).code());
    }

    @Test
    @SuppressWarnings({"unchecked", "rawtypes"})
    void aKeyIsAString() {
        Map raw = new HashMap<>(Map.of(1, "a"));
        assertThrows(ContextException.class, () -> Context.of(raw));
    }

    @ParameterizedTest
    @ValueSource(strings = {"", "[]", "{\"a\":1,\"a\":2}", "\u00ff", "{'a':1}", "{\"tenant_id\":\"\\ud800\"}", "{}{}"})
    void whatIsNoContextIsAnError(String json) {
        Context context = Context.ofJson(json.getBytes(StandardCharsets.ISO_8859_1));
        assertEquals(4, assertThrows(ContextException.class, () -> policy.check(ALLOWED, context)).code());
        assertThrows(ContextException.class, () -> policy.forContext(context));
        assertThrows(ContextException.class, () -> policy.checkMany(List.of(), context));
    }
}

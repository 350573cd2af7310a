package dev.haltsql;

import static dev.haltsql.Support.POLICY_FILE;
import static dev.haltsql.Support.ROOT;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.ByteArrayInputStream;
import java.io.ByteArrayOutputStream;
import java.io.ObjectInputStream;
import java.io.ObjectOutputStream;
import java.lang.reflect.Modifier;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.junit.jupiter.api.Test;

/** One tree of errors, in step with the lists that every language shares; and no panic that gets out of it. */
class ErrorsTest {
    private static final List<HaltSqlException> ONE_OF_EACH = List.of(
            new InternalException("a sentence"),
            new ArgumentException("a sentence"),
            new PolicyException("a sentence", List.of(new Problem(1, 2, 3, "spec", "wrong", null, "spec: {}"))),
            new ContextException("a sentence"),
            new VerdictException("a sentence"),
            new ClosedException("a sentence"),
            new VersionException("a sentence"),
            new EncodingException("a sentence"),
            new SealException("a sentence"),
            denied(),
            new DatabaseException("57014", "a sentence", "a detail", null, null),
            new ConnectionLostException("a sentence", null));

    private static DeniedException denied() {
        try (Policy policy = Support.policy()) {
            return new DeniedException(policy.check(Support.DENIED, Support.ACME), Support.utf8(Support.DENIED));
        }
    }

    @Test
    void everyErrorIsUncheckedAndOfOneSealedTree() {
        Class<?>[] permitted = HaltSqlException.class.getPermittedSubclasses();
        assertEquals(ONE_OF_EACH.size(), permitted.length);
        for (HaltSqlException error : ONE_OF_EACH) {
            assertTrue(error instanceof RuntimeException);
            assertTrue(Arrays.asList(permitted).contains(error.getClass()));
            assertTrue(Modifier.isFinal(error.getClass().getModifiers()));
            // From 101 on they are of guards alone, and no native call returns them.
            Class<?> returned = error.code() > 100 ? InternalException.class : error.getClass();
            assertEquals(returned, HaltSqlException.of(error.code(), "", List.of()).getClass());
        }
        assertEquals(InternalException.class, HaltSqlException.of(99, "", List.of()).getClass());
    }

    @Test
    void numbersAndNamesAreThoseOfEveryLanguage() {
        Map<String, String> table = new TreeMap<>();
        Matcher row = Pattern.compile("^\\| (\\d+) \\| (\\w+) \\|", Pattern.MULTILINE)
                .matcher(Support.read(ROOT.resolve("docs/ffi.md")) + Support.read(ROOT.resolve("docs/guards.md")));
        while (row.find()) {
            table.put(row.group(1), row.group(2));
        }
        Map<String, String> own = new TreeMap<>();
        ONE_OF_EACH.forEach(error -> own.put(Integer.toString(error.code()), error.kind()));
        assertEquals(table, own);
    }

    @Test
    void theReasonCodesAreThoseOfTheCore() {
        String core = Native.answer(Native::about).skipText().skipText().text();
        List<String> codes = Pattern.compile("\"code\":\"(\\w+)\"").matcher(core).results()
                .map(found -> found.group(1))
                .toList();
        assertTrue(codes.size() > 30);
        assertEquals(codes, Arrays.stream(ReasonCode.values()).map(Enum::name).toList());
    }

    @Test
    void errorsCanBeSerialised() throws Exception {
        for (HaltSqlException error : ONE_OF_EACH) {
            ByteArrayOutputStream bytes = new ByteArrayOutputStream();
            try (ObjectOutputStream out = new ObjectOutputStream(bytes)) {
                out.writeObject(error);
            }
            try (ObjectInputStream in = new ObjectInputStream(new ByteArrayInputStream(bytes.toByteArray()))) {
                HaltSqlException back = (HaltSqlException) in.readObject();
                assertEquals(error.getClass(), back.getClass());
                assertEquals(error.getMessage() + error.code() + error.kind(), back.getMessage() + back.code() + back.kind());
                if (error instanceof DeniedException denied) {
                    Verdict verdict = ((DeniedException) back).verdict();
                    assertEquals(denied.verdict(), verdict);
                    assertEquals(denied.verdict().forAgent(), verdict.forAgent());
                }
                if (error instanceof DatabaseException database) {
                    DatabaseException other = (DatabaseException) back;
                    assertEquals(database.sqlState() + database.detail() + database.hint(), other.sqlState() + other.detail() + other.hint());
                }
                if (error instanceof PolicyException policy) {
                    assertEquals(policy.problems(), ((PolicyException) back).problems());
                }
            }
        }
    }

    @Test
    void anAnswerThatIsNoneIsAnError() {
        assertThrows(InternalException.class, () -> Answer.of(null));
        assertThrows(InternalException.class, () -> Answer.of(new byte[0]));
    }

    @Test
    void aPanicIsADenialOrAnErrorAndTheJvmGoesOn() {
        // In halves, so that no file but the core's spells it.
        String marker = "HALTSQL_" + "WEAKENED";
        String twin = Support.built("libhaltsql_java_weakened.so").toString();
        Support.Ended ended = Support.run(Support.java(
                Programs.Panics.class,
                List.of("-Xcheck:jni", "-Dhaltsql.library=" + twin),
                POLICY_FILE.toString(),
                marker));
        assertEquals("all denied", ended.out(), ended.err());
        assertEquals(0, ended.code());
        // Rust's own panic hook has spoken, and nobody else: no warning of the JVM's.
        assertTrue(ended.err().contains("panicked at") && !ended.err().contains("WARNING"), ended.err());
    }
}

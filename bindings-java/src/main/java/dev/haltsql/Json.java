package dev.haltsql;

import java.math.BigDecimal;
import java.math.BigInteger;
import java.util.Collection;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * The JSON of a context's members, and of what a driver returned. Must never repair a value: what is no string goes on as what it is, and
 * the core says what follows.
 */
final class Json {
    /** Maps and collections inside each other; what holds itself goes deeper. */
    private static final int DEEPEST = 64;

    private final StringBuilder out = new StringBuilder(64);

    private Json() {}

    static String of(Map<?, ?> members) {
        Json json = new Json();
        json.object(members, 0);
        return json.out.toString();
    }

    static String of(Collection<?> items) {
        Json json = new Json();
        json.list(items, 0);
        return json.out.toString();
    }

    private void value(@Nullable Object value, int depth) {
        if (value instanceof String text) {
            text(text);
        } else if (value instanceof Collection<?> items) {
            list(items, depth);
        } else if (value instanceof Map<?, ?> members) {
            object(members, depth);
        } else if (value == null || value instanceof Boolean || isNumber(value)) {
            out.append(value);
        } else {
            throw new ContextException(
                    "a value of the context is `%s`: give a String, as in value.toString(), or a collection of String"
                            .formatted(value.getClass().getName()));
        }
    }

    private static boolean isNumber(Object value) {
        return value instanceof Integer
                || value instanceof Long
                || value instanceof Short
                || value instanceof Byte
                || value instanceof BigInteger
                || value instanceof BigDecimal
                || value instanceof Double large && Double.isFinite(large)
                || value instanceof Float small && Float.isFinite(small);
    }

    private void object(Map<?, ?> members, int depth) {
        deeper(depth);
        char before = '{';
        for (Map.Entry<?, ?> member : members.entrySet()) {
            out.append(before);
            before = ',';
            if (!(member.getKey() instanceof String key)) {
                throw new ContextException("a key of the context is no String");
            }
            text(key);
            out.append(':');
            value(member.getValue(), depth + 1);
        }
        out.append(before == '{' ? "{}" : "}");
    }

    private void list(Collection<?> items, int depth) {
        deeper(depth);
        char before = '[';
        for (Object item : items) {
            out.append(before);
            before = ',';
            value(item, depth + 1);
        }
        out.append(before == '[' ? "[]" : "]");
    }

    private static void deeper(int depth) {
        if (depth > DEEPEST) {
            throw new ContextException("a value of the context is nested too deeply");
        }
    }

    private void text(String text) {
        out.append('"');
        for (int at = 0; at < text.length(); at++) {
            char letter = text.charAt(at);
            if (letter == '"' || letter == '\\') {
                out.append('\\').append(letter);
            } else if (letter < ' ') {
                out.append("\\u%04x".formatted((int) letter));
            } else {
                out.append(letter);
            }
        }
        out.append('"');
    }
}

package dev.haltsql;

import java.util.Collection;
import java.util.Map;

/**
 * Who is asking: keys with one string or a set of strings. It comes from the login, never from the agent. Immutable.
 *
 * <p>Values are never converted: an integer key takes {@code "5"}, and a number is a denial.
 */
public final class Context {
    private final byte[] json;

    private Context(byte[] json) {
        this.json = json;
    }

    /**
     * A context of one key with one value.
     *
     * @param key the key, as the policy names it
     * @param value its value
     * @return the context
     * @throws EncodingException a text holds half of a surrogate pair
     */
    public static Context of(String key, String value) {
        return ofMembers(Map.of(Texts.given("the key", key), Texts.given("the value", value)));
    }

    /**
     * A context of one key with a set of values.
     *
     * @param key the key, as the policy names it
     * @param values its values, in any order
     * @return the context
     * @throws EncodingException a text holds half of a surrogate pair
     */
    public static Context of(String key, Collection<String> values) {
        return ofMembers(Map.of(Texts.given("the key", key), Texts.given("the values", values)));
    }

    /**
     * A context of any keys, such as the claims of a token. What the policy does not ask for may be whatever JSON can hold.
     *
     * @param members a {@code String} or a collection of them for each key that the policy asks for; for others numbers, booleans,
     *     {@code null}, collections and maps too
     * @return the context
     * @throws ContextException a key is no {@code String}, or a value is of a type that has no form in JSON
     * @throws EncodingException a text holds half of a surrogate pair
     */
    public static Context of(Map<String, ?> members) {
        return ofMembers(Texts.given("the context", members));
    }

    private static Context ofMembers(Map<?, ?> members) {
        return new Context(Texts.utf8("the context", Json.of(members)));
    }

    /**
     * A context from its JSON. What it holds is looked at when it is used.
     *
     * @param json an object with unique keys
     * @return the context
     * @throws EncodingException the text holds half of a surrogate pair
     */
    public static Context ofJson(String json) {
        return new Context(Texts.utf8("the context", json));
    }

    /**
     * A context from its JSON in UTF-8. What it holds is looked at when it is used.
     *
     * @param json an object with unique keys
     * @return the context
     */
    public static Context ofJson(byte[] json) {
        return new Context(Texts.copy("the context", json));
    }

    /** Never handed out, and so never changed. */
    byte[] json() {
        return json;
    }

    /** Nothing of what is in it: contexts end up in logs. */
    @Override
    public String toString() {
        return "Context[%d bytes]".formatted(json.length);
    }
}

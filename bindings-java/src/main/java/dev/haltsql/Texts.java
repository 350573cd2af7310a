package dev.haltsql;

import java.nio.charset.StandardCharsets;
import org.jspecify.annotations.Nullable;

/** The bytes of texts, as they are: never with anything replaced, or what was checked would not be what runs. */
final class Texts {
    private Texts() {}

    /**
     * The UTF-8 of a text.
     *
     * @param what the subject of the error's message
     * @throws EncodingException it holds half of a surrogate pair, so that no bytes are exactly its text
     */
    static byte[] utf8(String what, @Nullable String text) {
        String there = given(what, text);
        for (int at = 0; at < there.length(); at++) {
            if (Character.isSurrogate(there.charAt(at))) {
                if (at + 1 == there.length() || !Character.isSurrogatePair(there.charAt(at), there.charAt(at + 1))) {
                    throw new EncodingException(what + " holds half of a surrogate pair, so that no bytes are exactly its text");
                }
                at++;
            }
        }
        return there.getBytes(StandardCharsets.UTF_8);
    }

    /** A copy: the array may change while it is checked. */
    static byte[] copy(String what, byte @Nullable [] text) {
        return given(what, text).clone();
    }

    /** Programs without checks of nullness get the error of the tree, and not one that a `catch` of ours misses. */
    static <T> T given(String what, @Nullable T value) {
        if (value == null) {
            throw new ArgumentException(what + " is null");
        }
        return value;
    }
}

package dev.haltsql;

import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/** Reads what a native method returned: its parts in the order in which native/src/answer.rs wrote them. */
final class Answer {
    private static final byte GOOD = 0;
    private static final int ABSENT = -1;

    private final byte[] bytes;
    private final ByteBuffer rest;

    private Answer(byte[] bytes) {
        this.bytes = bytes;
        this.rest = ByteBuffer.wrap(bytes);
    }

    /** The answer after its first byte; or throws the error that it is. */
    static Answer of(byte @Nullable [] bytes) {
        if (bytes == null || bytes.length == 0) {
            throw new InternalException("no check happened: the native library had no answer, for lack of memory or by a bug of HaltSQL");
        }
        Answer answer = new Answer(bytes);
        if (answer.rest.get() == GOOD) {
            return answer;
        }
        throw HaltSqlException.of(answer.number(), answer.text(), answer.list(Problem::read));
    }

    boolean flag() {
        return rest.get() != 0;
    }

    int number() {
        return rest.getInt();
    }

    long longNumber() {
        return rest.getLong();
    }

    String text() {
        return text(number());
    }

    Answer skipText() {
        int length = number();
        rest.position(rest.position() + length);
        return this;
    }

    @Nullable String optional() {
        int length = number();
        return length == ABSENT ? null : text(length);
    }

    /** Everything that is left. */
    String remainingText() {
        return text(rest.remaining());
    }

    List<String> texts() {
        return list(Answer::text);
    }

    <T> List<T> list(Function<Answer, T> read) {
        int size = number();
        List<T> items = new ArrayList<>(size);
        for (int at = 0; at < size; at++) {
            items.add(read.apply(this));
        }
        return Collections.unmodifiableList(items);
    }

    private String text(int length) {
        int at = rest.position();
        rest.position(at + length);
        return new String(bytes, at, length, StandardCharsets.UTF_8);
    }
}

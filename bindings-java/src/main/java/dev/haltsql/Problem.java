package dev.haltsql;

import java.io.Serializable;
import org.jspecify.annotations.Nullable;

/**
 * One thing that is wrong with a policy document.
 *
 * @param line from 1
 * @param column in characters, from 1
 * @param offset in bytes, from 0
 * @param path where in the document, as in {@code spec.tables["app.orders"].columns[2]}; empty for syntax errors
 * @param message what is wrong, in one line
 * @param help how to repair it, or {@code null} where that is not known
 * @param snippet the line of the document, cut where it is long
 */
public record Problem(
        int line, int column, int offset, String path, String message, @Nullable String help, String snippet)
        implements Serializable {
    static Problem read(Answer answer) {
        return new Problem(
                answer.number(),
                answer.number(),
                answer.number(),
                answer.text(),
                answer.text(),
                answer.optional(),
                answer.text());
    }
}

package dev.haltsql;

import org.jspecify.annotations.Nullable;

/**
 * One reason why a text was denied. A newer version can add components.
 *
 * @param code stable: programs match on it alone (docs/reason-codes.md), and take a code that they don't know for a denial
 * @param message what is wrong, in one line
 * @param rule the rule that found it, such as {@code tenancy.predicate}
 * @param loc where in the SQL: the offset in bytes of its UTF-8, from 0; {@code null} where it has no one place
 * @param hint one instruction that mends it, or {@code null}
 */
public record Reason(String code, String message, String rule, @Nullable Integer loc, @Nullable String hint) {
    static Reason read(Answer answer) {
        String code = answer.text();
        String message = answer.text();
        String rule = answer.text();
        boolean placed = answer.flag();
        int loc = answer.number();
        return new Reason(code, message, rule, placed ? loc : null, answer.optional());
    }

    /**
     * The code as a constant, for a {@code switch}.
     *
     * @return the constant, or {@code null} where a newer version has given a code that this one does not know
     */
    public @Nullable ReasonCode known() {
        return ReasonCode.of(code);
    }
}

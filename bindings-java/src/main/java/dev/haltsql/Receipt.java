package dev.haltsql;

import java.time.Instant;
import org.jspecify.annotations.Nullable;

/**
 * What ran, for whom, and what came back, made by the same execution (docs/receipts.md). Immutable. It comes from a guard and from
 * nothing else: none can be made for a text that did not run.
 */
public final class Receipt {
    private final String json;
    private final String sql;
    private final String seal;
    private final String role;
    private final Instant startedAt;
    private final String resultSha256;
    private final boolean signed;

    Receipt(Answer answer) {
        json = answer.text();
        sql = answer.text();
        seal = answer.text();
        role = answer.text();
        startedAt = Instant.parse(answer.text());
        resultSha256 = answer.text();
        signed = answer.flag();
    }

    /**
     * The receipt as {@code haltsql receipt verify} reads it: its UTF-8 are the exact bytes.
     *
     * @return one line of JSON
     */
    public String json() {
        return json;
    }

    /**
     * The text that was verified and ran.
     *
     * @return the SQL
     */
    public String sql() {
        return sql;
    }

    /**
     * The second wall that stood behind the verdict.
     *
     * @return {@code signed}, {@code login}, {@code bare} or {@code none}
     */
    public String seal() {
        return seal;
    }

    /**
     * {@code current_user} in the transaction.
     *
     * @return the role
     */
    public String role() {
        return role;
    }

    /**
     * When the transaction began, by the server's clock.
     *
     * @return the instant, to the microsecond
     */
    public Instant startedAt() {
        return startedAt;
    }

    /**
     * The digest of columns and rows: the same from every language for the same result.
     *
     * @return lower-case hex
     */
    public String resultSha256() {
        return resultSha256;
    }

    /**
     * Whether it carries a signature. Whether that is good, {@code haltsql receipt verify} says.
     *
     * @return whether it is signed
     */
    public boolean signed() {
        return signed;
    }

    /** Equal where the JSON is. */
    @Override
    public boolean equals(@Nullable Object other) {
        return other instanceof Receipt receipt && json.equals(receipt.json);
    }

    @Override
    public int hashCode() {
        return json.hashCode();
    }

    /** Digest and seal, and no rows: it ends up in logs. */
    @Override
    public String toString() {
        return "Receipt[resultSha256=%s, seal=%s]".formatted(resultSha256, seal);
    }
}

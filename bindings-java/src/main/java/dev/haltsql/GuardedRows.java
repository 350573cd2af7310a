package dev.haltsql;

import java.util.List;
import org.jspecify.annotations.Nullable;

/** What a guarded statement gave back. Immutable, and independent of the connection. It comes from a guard and from nothing else. */
public sealed class GuardedRows permits GuardedResult {
    private final Verdict verdict;
    private final Answered answered;

    GuardedRows(Verdict verdict, Answered answered) {
        this.verdict = verdict;
        this.answered = answered;
    }

    /** What of an answer the caller gets; {@code problem}: why there are no values. */
    record Answered(
            List<Column> columns,
            List<List<@Nullable String>> texts,
            List<List<@Nullable Object>> values,
            @Nullable DatabaseException problem,
            long rowCount,
            boolean truncated) {}

    /**
     * The columns, in order.
     *
     * @return the columns; empty for a write without RETURNING
     */
    public List<Column> columns() {
        return answered.columns;
    }

    /**
     * The rows as pgjdbc's own values, those of {@code ResultSet.getObject}: Boolean, Integer, Long, Double, BigDecimal, String, UUID,
     * byte[], java.sql.Date, Time and Timestamp. Arrays of these are Java's arrays. Every other type is a String, its text.
     *
     * @return the rows
     * @throws DatabaseException the driver cannot hold a value that PostgreSQL can: {@link #texts()} has it all the same
     */
    public List<List<@Nullable Object>> rows() {
        if (answered.problem != null) {
            throw answered.problem;
        }
        return answered.values;
    }

    /**
     * The rows as PostgreSQL's own text: nothing is rounded.
     *
     * @return the rows, {@code null} for NULL
     */
    public List<List<@Nullable String>> texts() {
        return answered.texts;
    }

    /**
     * How many rows there are.
     *
     * @return the rows of a read, or those that a write touched
     */
    public long rowCount() {
        return answered.rowCount;
    }

    /**
     * Whether there were more rows than the policy hands over.
     *
     * @return whether {@code max_rows} or {@code max_result_bytes} cut it
     */
    public boolean truncated() {
        return answered.truncated;
    }

    /**
     * What let it run.
     *
     * @return the verdict
     */
    public Verdict verdict() {
        return verdict;
    }

    /** Counts and no values: it ends up in logs. */
    @Override
    public String toString() {
        return "%s[rowCount=%d, columns=%d, truncated=%s]"
                .formatted(getClass().getSimpleName(), rowCount(), columns().size(), truncated());
    }
}

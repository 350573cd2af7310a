package dev.haltsql;

import java.io.Serial;
import java.util.List;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/** Of guards: the verdict said no, or this call cannot run the text. Nothing was sent, and the transaction stays usable. */
public final class DeniedException extends HaltSqlException {
    @Serial private static final long serialVersionUID = 1;

    static final int CODE = 101;

    // What a verdict consists of: an exception has to be serializable, and a verdict need not be.
    private final boolean allowed;
    private final String json;
    private final byte[] sql;
    private transient @Nullable Verdict verdict;

    DeniedException(Verdict verdict, byte[] sql) {
        super(CODE, "denied", message(verdict), null);
        this.allowed = verdict.allowed();
        this.json = verdict.json();
        this.sql = sql;
        this.verdict = verdict;
    }

    /**
     * Why.
     *
     * @return the verdict; its {@link Verdict#forAgent()} is what to tell the agent
     */
    public Verdict verdict() {
        Verdict there = verdict;
        if (there == null) {
            there = Verdict.of(allowed, json, sql);
            verdict = there;
        }
        return there;
    }

    /** Codes alone: messages quote the SQL, and this ends up in logs. */
    private static String message(Verdict verdict) {
        List<Reason> reasons = verdict.reasons().isEmpty() ? verdict.shadowReasons() : verdict.reasons();
        return reasons.isEmpty()
                ? "denied: it cannot be run"
                : reasons.stream().map(Reason::code).distinct().collect(Collectors.joining(", ", "denied: ", ""));
    }
}

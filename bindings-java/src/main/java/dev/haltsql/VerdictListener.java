package dev.haltsql;

/** Is told of every verdict of a guard before anything is sent: for an audit log. */
@FunctionalInterface
public interface VerdictListener {
    /**
     * Is told of a verdict, of denials too.
     *
     * @param verdict the verdict
     * @param about what else is known
     */
    void onVerdict(Verdict verdict, About about);

    /**
     * What is known beside a verdict.
     *
     * @param sql the text that was verified
     * @param writable whether it may write
     * @param policy the policy's name
     */
    record About(String sql, boolean writable, String policy) {}
}

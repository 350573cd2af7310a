package dev.haltsql;

/** What a policy's verdicts are for. */
public enum Mode {
    /** A denied text must not run. */
    ENFORCE,
    /** Everything is allowed, and verdicts tell what {@link #ENFORCE} would have denied: they protect nothing. */
    SHADOW
}

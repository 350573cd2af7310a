package dev.haltsql;

import java.io.Serial;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;

/** The policy document is not valid. Its message has every problem with its place, a snippet and the repair. */
public final class PolicyException extends HaltSqlException {
    @Serial private static final long serialVersionUID = 1;

    static final int CODE = 3;

    /** Serializable, as an exception has to be. */
    private final ArrayList<Problem> problems;

    PolicyException(String message, List<Problem> problems) {
        super(CODE, "policy", message, null);
        this.problems = new ArrayList<>(problems);
    }

    /**
     * Everything that is wrong.
     *
     * @return sorted by place
     */
    public List<Problem> problems() {
        return Collections.unmodifiableList(problems);
    }
}

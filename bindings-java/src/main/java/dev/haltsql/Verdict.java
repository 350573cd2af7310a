package dev.haltsql;

import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.Locale;
import org.jspecify.annotations.Nullable;

/**
 * What was decided about a text, a policy and a context (docs/verdict.md). Immutable; it outlives its policy.
 *
 * <p>{@link #json()} is the whole of it, as every language spells it. Two verdicts are equal where that is, {@code elapsed_us} aside.
 */
public final class Verdict {
    private static final String LAST_FIELD = ",\"elapsed_us\":";

    private final boolean allowed;
    private final String json;
    private final byte @Nullable [] sql;

    /** Read when one of them is first asked for. Two threads may both do that, and get equal ones. */
    private volatile @Nullable Fields fields;

    private Verdict(boolean allowed, String json, byte @Nullable [] sql, @Nullable Fields fields) {
        this.allowed = allowed;
        this.json = json;
        this.sql = sql;
        this.fields = fields;
    }

    static Verdict of(Answer answer, byte[] sql) {
        return of(answer.flag(), answer.remainingText(), sql);
    }

    static Verdict of(boolean allowed, String json, byte[] sql) {
        return new Verdict(allowed, json, sql, null);
    }

    /**
     * A verdict that was spelt as JSON, perhaps elsewhere. Its {@link #forAgent(String)} needs the SQL.
     *
     * @param json exactly as {@link #json()} gave it
     * @return the verdict
     * @throws VerdictException this is not the JSON of a verdict
     */
    public static Verdict fromJson(String json) {
        return fromJson(json, (byte[]) null);
    }

    /**
     * A verdict that was spelt as JSON, perhaps elsewhere.
     *
     * @param json exactly as {@link #json()} gave it
     * @param sql the text that it was given for
     * @return the verdict
     * @throws VerdictException this is not the JSON of a verdict
     * @throws EncodingException the SQL holds half of a surrogate pair
     */
    public static Verdict fromJson(String json, String sql) {
        return fromJson(json, Texts.utf8("the SQL", sql));
    }

    private static Verdict fromJson(String json, byte @Nullable [] sql) {
        byte[] bytes = Texts.utf8("the verdict", json);
        Answer answer = Native.answer(() -> Native.fields(bytes));
        return new Verdict(answer.flag(), json, sql, new Fields(answer));
    }

    /**
     * Whether the caller may run this exact text.
     *
     * @return whether it may run. Under {@link Mode#SHADOW} always true: a shadow verdict protects nothing
     */
    public boolean allowed() {
        return allowed;
    }

    /**
     * Why it was denied, all of it, in the order of the text.
     *
     * @return the reasons; empty when allowed
     */
    public List<Reason> reasons() {
        return fields().reasons;
    }

    /**
     * What enforce mode would have had as {@link #reasons()}.
     *
     * @return the reasons; empty but for {@link Mode#SHADOW}
     */
    public List<Reason> shadowReasons() {
        return fields().shadowReasons;
    }

    /**
     * The policy that it was made under.
     *
     * @return its name, version and search path
     */
    public PolicyRef policy() {
        return fields().policy;
    }

    /**
     * The kind of the statement.
     *
     * @return the kind, or {@code null} where it is no single statement of these kinds
     */
    public @Nullable StatementKind statementKind() {
        return fields().statementKind;
    }

    /**
     * Listed relations that are read or written.
     *
     * @return {@code schema.table}, sorted bytewise; can be partial when denied
     */
    public List<String> tables() {
        return fields().tables;
    }

    /**
     * Listed columns that are read.
     *
     * @return {@code schema.table.column}, sorted bytewise; can be partial when denied
     */
    public List<String> columns() {
        return fields().columns;
    }

    /**
     * What to bind to each {@code $n}. Every entry has to be bound.
     *
     * @return by ascending number; empty when denied
     */
    public List<BindParam> bindParams() {
        return fields().bindParams;
    }

    /**
     * Equal for texts that differ only in literals.
     *
     * @return the fingerprint, or {@code null} where the SQL did not parse
     */
    public @Nullable String fingerprint() {
        return fields().fingerprint;
    }

    /**
     * SHA-256 of the exact bytes that were checked.
     *
     * @return lower-case hex
     */
    public String sqlSha256() {
        return fields().sqlSha256;
    }

    /**
     * Time spent verifying: the only field that differs from run to run.
     *
     * @return microseconds
     */
    public long elapsedUs() {
        return fields().elapsedUs;
    }

    /**
     * The verdict as every language spells it: its UTF-8 are the exact bytes.
     *
     * @return one line of JSON
     */
    public String json() {
        return json;
    }

    /**
     * The verdict for a language model: reasons, their repairs, and the SQL with the places marked.
     *
     * @return the text
     * @throws ArgumentException the verdict came without its SQL
     * @throws VerdictException it was given by a version with other codes
     */
    public String forAgent() {
        byte[] text = sql;
        if (text == null) {
            throw new ArgumentException("this verdict came without its text: give `forAgent` the SQL");
        }
        return forAgentOver(text);
    }

    /**
     * The verdict for a language model: reasons, their repairs, and the SQL with the places marked.
     *
     * @param sql the text that it was given for
     * @return the text
     * @throws VerdictException it was given for another text, or by a version with other codes
     * @throws EncodingException the SQL holds half of a surrogate pair
     */
    public String forAgent(String sql) {
        return forAgentOver(Texts.utf8("the SQL", sql));
    }

    private String forAgentOver(byte[] text) {
        byte[] bytes = json.getBytes(StandardCharsets.UTF_8);
        return Native.answer(() -> Native.forAgent(bytes, text)).text();
    }

    /** Equal where the JSON is, {@code elapsed_us} aside. */
    @Override
    public boolean equals(@Nullable Object other) {
        return other instanceof Verdict verdict && same().equals(verdict.same());
    }

    @Override
    public int hashCode() {
        return same().hashCode();
    }

    /** Codes alone: messages quote the SQL, and this ends up in logs. */
    @Override
    public String toString() {
        List<Reason> reasons = reasons().isEmpty() ? shadowReasons() : reasons();
        return "Verdict[allowed=%s, codes=%s, policy=%s, sqlSha256=%.12s…]"
                .formatted(allowed, reasons.stream().map(Reason::code).toList(), policy().name(), sqlSha256());
    }

    private String same() {
        int last = json.lastIndexOf(LAST_FIELD);
        return last < 0 ? json : json.substring(0, last);
    }

    private Fields fields() {
        Fields there = fields;
        if (there == null) {
            byte[] bytes = json.getBytes(StandardCharsets.UTF_8);
            Answer answer = Native.answer(() -> Native.fields(bytes));
            answer.flag();
            there = new Fields(answer);
            fields = there;
        }
        return there;
    }

    /** In the order of docs/verdict.md, after {@code allowed}. */
    private static final class Fields {
        private final List<Reason> reasons;
        private final List<Reason> shadowReasons;
        private final PolicyRef policy;
        private final @Nullable StatementKind statementKind;
        private final List<String> tables;
        private final List<String> columns;
        private final List<BindParam> bindParams;
        private final @Nullable String fingerprint;
        private final String sqlSha256;
        private final long elapsedUs;

        Fields(Answer answer) {
            reasons = answer.list(Reason::read);
            shadowReasons = answer.list(Reason::read);
            policy = new PolicyRef(answer.text(), answer.text(), answer.texts());
            statementKind = StatementKind.of(answer.optional());
            tables = answer.texts();
            columns = answer.texts();
            bindParams = answer.list(BindParam::read);
            fingerprint = answer.optional();
            sqlSha256 = answer.text();
            elapsedUs = answer.longNumber();
        }
    }
}

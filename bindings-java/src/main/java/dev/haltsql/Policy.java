package dev.haltsql;

import java.io.IOException;
import java.lang.ref.Cleaner;
import java.lang.ref.Reference;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Collection;
import java.util.List;
import java.util.Locale;
import java.util.function.LongFunction;
import org.jspecify.annotations.Nullable;

/**
 * A loaded policy. Immutable; one object serves any number of threads at the same time.
 *
 * <p>Closing it frees its memory. Whoever forgets to leaves that to the garbage collector. Closing while others check is safe: what
 * runs gets its verdict, what comes later a {@link ClosedException}.
 */
public final class Policy implements AutoCloseable {
    private final String name;
    private final String version;
    private final Mode mode;
    private final Handle handle;
    private final Cleaner.Cleanable cleanable;

    private Policy(Answer answer) {
        this.name = answer.text();
        this.version = answer.text();
        this.mode = Mode.valueOf(answer.text().toUpperCase(Locale.ROOT));
        this.handle = new Handle("policy", answer.longNumber(), Native::freePolicy, null);
        this.cleanable = handle.ownedBy(this);
    }

    /**
     * Reads and loads a document.
     *
     * @param path its ending decides the format: {@code .json}, {@code .yaml}, {@code .yml}
     * @return the policy
     * @throws IOException the file cannot be read
     * @throws PolicyException the document is not valid
     */
    public static Policy fromFile(Path path) throws IOException {
        return fromFile(path, DocumentFormat.AUTO);
    }

    /**
     * Reads and loads a document.
     *
     * @param path where it is
     * @param format its language
     * @return the policy
     * @throws IOException the file cannot be read
     * @throws PolicyException the document is not valid
     */
    public static Policy fromFile(Path path, DocumentFormat format) throws IOException {
        byte[] document = Files.readAllBytes(Texts.given("the path", path));
        return load(document, format, path.toString().getBytes(StandardCharsets.UTF_8));
    }

    /**
     * Loads a document from its text.
     *
     * @param document YAML or JSON (docs/policy.md)
     * @return the policy
     * @throws PolicyException the document is not valid
     */
    public static Policy fromString(String document) {
        return fromString(document, DocumentFormat.AUTO, "");
    }

    /**
     * Loads a document from its text.
     *
     * @param document YAML or JSON (docs/policy.md)
     * @param format which of them
     * @param name stands in errors, such as a path; its ending can decide the format
     * @return the policy
     * @throws PolicyException the document is not valid
     */
    public static Policy fromString(String document, DocumentFormat format, String name) {
        return load(Texts.utf8("the policy", document), format, Texts.utf8("the policy's name", name));
    }

    /**
     * Loads a document from its bytes.
     *
     * @param document YAML or JSON in UTF-8 (docs/policy.md)
     * @param format which of them
     * @param name stands in errors, such as a path; its ending can decide the format
     * @return the policy
     * @throws PolicyException the document is not valid
     */
    public static Policy fromBytes(byte[] document, DocumentFormat format, String name) {
        return load(Texts.given("the policy", document), format, Texts.utf8("the policy's name", name));
    }

    private static Policy load(byte[] document, DocumentFormat format, byte[] name) {
        int number = Texts.given("the format", format).number();
        return new Policy(Native.answer(() -> Native.load(document, number, name)));
    }

    /**
     * The policy's {@code metadata.name}.
     *
     * @return the name
     */
    public String name() {
        return name;
    }

    /**
     * {@code sha256:} and the digest of the normalised policy, as verdicts carry it. Equal for two policies where nothing that
     * decides differs: not for comments and descriptions.
     *
     * @return the version
     */
    public String version() {
        return version;
    }

    /**
     * Whether its verdicts protect anything.
     *
     * @return {@link Mode#SHADOW}: everything is allowed
     */
    public Mode mode() {
        return mode;
    }

    /**
     * The verdict on a text.
     *
     * @param sql the exact text that is to run
     * @param context who is asking
     * @return the verdict
     * @throws ContextException the context is not an object of JSON with unique keys
     * @throws EncodingException a text holds half of a surrogate pair
     * @throws ClosedException the policy was closed
     */
    public Verdict check(String sql, Context context) {
        return checked(Texts.utf8("the SQL", sql), context);
    }

    /**
     * The verdict on a text, as the bytes that are to run. What is wrong with them is for the verdict to say.
     *
     * @param sql the exact bytes; UTF-8, if they are to be allowed
     * @param context who is asking
     * @return the verdict
     * @throws ContextException the context is not an object of JSON with unique keys
     * @throws ClosedException the policy was closed
     */
    public Verdict check(byte[] sql, Context context) {
        return checked(Texts.copy("the SQL", sql), context);
    }

    private Verdict checked(byte[] sql, @Nullable Context context) {
        byte[] json = Texts.given("the context", context).json();
        return Verdict.of(ask(policy -> Native.check(policy, sql, json)), sql);
    }

    /**
     * The verdicts on many texts of one caller, in their order.
     *
     * @param texts the exact texts
     * @param context who is asking
     * @return one verdict for each
     * @throws ContextException the context is not an object of JSON with unique keys
     * @throws EncodingException a text holds half of a surrogate pair
     * @throws ClosedException the policy was closed
     */
    public List<Verdict> checkMany(Collection<String> texts, Context context) {
        return checkMany(texts, context, 1);
    }

    /**
     * The verdicts on many texts of one caller, in their order: {@link Caller#checkMany(Collection, int)}.
     *
     * @param texts the exact texts
     * @param context who is asking
     * @param threads how many check at the same time, at least 1
     * @return one verdict for each
     * @throws ContextException the context is not an object of JSON with unique keys
     * @throws EncodingException a text holds half of a surrogate pair
     * @throws ClosedException the policy was closed
     */
    public List<Verdict> checkMany(Collection<String> texts, Context context, int threads) {
        try (Caller caller = forContext(context)) {
            return caller.checkMany(texts, threads);
        }
    }

    /**
     * Reads a context once, for many checks.
     *
     * @param context who is asking
     * @return the caller
     * @throws ContextException the context is not an object of JSON with unique keys
     * @throws ClosedException the policy was closed
     */
    public Caller forContext(Context context) {
        byte[] json = Texts.given("the context", context).json();
        return new Caller(this, handle, ask(policy -> Native.forContext(policy, json)).longNumber());
    }

    /**
     * What may be asked, as text for a prompt.
     *
     * @return the text
     * @throws ClosedException the policy was closed
     */
    public String describe() {
        return ask(policy -> Native.describe(policy, false)).text();
    }

    /**
     * What may be asked, as one line of JSON (docs/policy.md).
     *
     * @return the JSON
     * @throws ClosedException the policy was closed
     */
    public String describeJson() {
        return ask(policy -> Native.describe(policy, true)).text();
    }

    /**
     * The value for {@code pg_catalog.set_config('search_path', …, true)} in the transaction that runs what was checked.
     *
     * @return the value
     * @throws ClosedException the policy was closed
     */
    public String searchPathValue() {
        return ask(Native::searchPathValue).text();
    }

    /** Frees the policy when the last running check has ended, and closes its callers. Does nothing the second time. */
    @Override
    public void close() {
        cleanable.clean();
    }

    /** Name, mode and version: nothing that is confidential. */
    @Override
    public String toString() {
        return "Policy[name=%s, mode=%s, version=%.19s…]".formatted(name, mode, version);
    }

    Answer ask(LongFunction<byte @Nullable []> call) {
        try {
            return Answer.of(handle.with(call));
        } finally {
            // Else the collector could close what a running call still needs: nothing here is used after `handle` was read.
            Reference.reachabilityFence(this);
        }
    }
}

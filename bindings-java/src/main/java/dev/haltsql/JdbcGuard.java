package dev.haltsql;

import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.SQLException;
import javax.sql.DataSource;
import org.jspecify.annotations.Nullable;

/**
 * Runs SQL that HaltSQL allowed, on pgjdbc. What is promised, and why in this order: docs/guards.md.
 *
 * <p>{@link #queryInTransaction(DataSource, Context, String)} and {@code updateInTransaction} own everything from BEGIN to the end, with
 * the database made what the verdict assumes, and give a receipt. {@link #query}, {@link #update} and {@link #prepare} are for callers who
 * own their transaction: nothing is pinned in it, and there is no receipt. No method takes values for the SQL: what its parameters are is
 * the verdict's to say.
 *
 * <p>Every error is a {@link HaltSqlException}. After one, the connection has no transaction of the guard's, or is closed:
 *
 * <ul>
 *   <li>{@link DeniedException}: the verdict said no, and nothing was sent;
 *   <li>{@link DatabaseException}: PostgreSQL did, or the call was cancelled;
 *   <li>{@link SealException}: the session or the database is not what the policy describes;
 *   <li>{@link ConnectionLostException}: there is no connection, or it broke;
 *   <li>{@link ContextException}, {@link ArgumentException}, {@link EncodingException}: the call is wrong.
 * </ul>
 *
 * <p>A guard never changes, and any number of threads may use one. It needs {@code org.postgresql:postgresql} 42.7.3 or newer, which the
 * program brings along. Closing it frees memory; whoever forgets to leaves that to the garbage collector.
 */
public final class JdbcGuard implements AutoCloseable {
    private final GuardCore core;

    private JdbcGuard(Builder builder) {
        core = new GuardCore(
                builder.policy,
                new GuardCore.Options(
                        builder.pinKey, builder.receiptKey, builder.allowShadow, builder.showErrors, builder.listener));
    }

    /**
     * A guard without options.
     *
     * @param policy what may run; it can be closed afterwards
     * @return the guard
     * @throws ArgumentException a pin key is missing, or the policy's seal cannot hold what it promises
     */
    public static JdbcGuard of(Policy policy) {
        return builder(policy).build();
    }

    /**
     * A guard with options.
     *
     * @param policy what may run
     * @return where the options are set
     */
    public static Builder builder(Policy policy) {
        return new Builder(Texts.given("the policy", policy));
    }

    /** The options of a guard. */
    public static final class Builder {
        private final Policy policy;
        private @Nullable String pinKey;
        private @Nullable String receiptKey;
        private boolean allowShadow;
        private boolean showErrors;
        private @Nullable VerdictListener listener;

        private Builder(Policy policy) {
            this.policy = policy;
        }

        /**
         * The key of signed pins. Without one it is read where the policy's {@code execution.pin_key} says.
         *
         * @param key 64 hex digits
         * @return this
         */
        public Builder pinKey(String key) {
            pinKey = Texts.given("the pin key", key);
            return this;
        }

        /**
         * The key that signs receipts. Without one they are not signed.
         *
         * @param key an Ed25519 key in PEM, or the 64 hex digits of its seed
         * @return this
         */
        public Builder receiptKey(String key) {
            receiptKey = Texts.given("the receipt key", key);
            return this;
        }

        /**
         * Whether it runs under a shadow policy too, which protects nothing.
         *
         * @param allow whether it does; {@code false} by default
         * @return this
         */
        public Builder allowShadow(boolean allow) {
            allowShadow = allow;
            return this;
        }

        /**
         * Whether it hands on the database's errors whole, with the driver's as their cause. They can quote rows and name hidden columns:
         * for operators.
         *
         * @param show whether it does; {@code false} by default
         * @return this
         */
        public Builder showErrors(boolean show) {
            showErrors = show;
            return this;
        }

        /**
         * Who is told of every verdict before anything is sent.
         *
         * @param told what it throws stops the statement
         * @return this
         */
        public Builder onVerdict(VerdictListener told) {
            listener = Texts.given("the listener", told);
            return this;
        }

        /**
         * The guard.
         *
         * @return the guard
         * @throws ArgumentException a key is none or is missing, or the policy's seal cannot hold what it promises
         */
        public JdbcGuard build() {
            return new JdbcGuard(this);
        }
    }

    /**
     * The policy.
     *
     * @return the policy
     */
    public Policy policy() {
        return core.policy();
    }

    /**
     * Verifies a text that reads, and runs it in a read-only transaction of its own, which is always rolled back.
     *
     * @param source lends a connection for the call: a pool, such as HikariCP's
     * @param context who is asking: from the login, never from the agent
     * @param sql what the agent wrote
     * @return rows, verdict and receipt
     */
    public GuardedResult queryInTransaction(DataSource source, Context context, String sql) {
        return transact(source, context, sql, false, null);
    }

    /**
     * {@link #queryInTransaction(DataSource, Context, String)}, which another thread can cancel.
     *
     * @param source lends a connection for the call
     * @param context who is asking
     * @param sql what the agent wrote
     * @param signal cancels it
     * @return rows, verdict and receipt
     */
    public GuardedResult queryInTransaction(DataSource source, Context context, String sql, CancellationSignal signal) {
        return transact(source, context, sql, false, Texts.given("the signal", signal));
    }

    /**
     * {@link #queryInTransaction(DataSource, Context, String)} on a connection on which nothing was begun. Its autocommit, isolation and
     * other settings stay as they are.
     *
     * @param connection a connection of pgjdbc, or one around it
     * @param context who is asking
     * @param sql what the agent wrote
     * @return rows, verdict and receipt
     */
    public GuardedResult queryInTransaction(Connection connection, Context context, String sql) {
        return transact(connection, context, sql, false, null);
    }

    /**
     * {@link #queryInTransaction(Connection, Context, String)}, which another thread can cancel.
     *
     * @param connection a connection of pgjdbc, or one around it
     * @param context who is asking
     * @param sql what the agent wrote
     * @param signal cancels it
     * @return rows, verdict and receipt
     */
    public GuardedResult queryInTransaction(Connection connection, Context context, String sql, CancellationSignal signal) {
        return transact(connection, context, sql, false, Texts.given("the signal", signal));
    }

    /**
     * Verifies a text that may write, and runs it in a transaction of its own, which is committed. The policy has to open writes. It is
     * no part of another transaction, such as one of Spring's {@code @Transactional}.
     *
     * @param source lends a connection for the call
     * @param context who is asking
     * @param sql what the agent wrote
     * @return what RETURNING gave back, the number of rows, verdict and receipt
     */
    public GuardedResult updateInTransaction(DataSource source, Context context, String sql) {
        return transact(source, context, sql, true, null);
    }

    /**
     * {@link #updateInTransaction(DataSource, Context, String)}, which another thread can cancel.
     *
     * @param source lends a connection for the call
     * @param context who is asking
     * @param sql what the agent wrote
     * @param signal cancels it
     * @return what RETURNING gave back, the number of rows, verdict and receipt
     */
    public GuardedResult updateInTransaction(DataSource source, Context context, String sql, CancellationSignal signal) {
        return transact(source, context, sql, true, Texts.given("the signal", signal));
    }

    /**
     * {@link #updateInTransaction(DataSource, Context, String)} on a connection on which nothing was begun.
     *
     * @param connection a connection of pgjdbc, or one around it
     * @param context who is asking
     * @param sql what the agent wrote
     * @return what RETURNING gave back, the number of rows, verdict and receipt
     */
    public GuardedResult updateInTransaction(Connection connection, Context context, String sql) {
        return transact(connection, context, sql, true, null);
    }

    /**
     * {@link #updateInTransaction(Connection, Context, String)}, which another thread can cancel.
     *
     * @param connection a connection of pgjdbc, or one around it
     * @param context who is asking
     * @param sql what the agent wrote
     * @param signal cancels it
     * @return what RETURNING gave back, the number of rows, verdict and receipt
     */
    public GuardedResult updateInTransaction(Connection connection, Context context, String sql, CancellationSignal signal) {
        return transact(connection, context, sql, true, Texts.given("the signal", signal));
    }

    /**
     * Verifies a text that reads, and runs it in the transaction that the caller began. Nothing is pinned: that search_path and the other
     * settings are what the policy says is the caller's to see to, and there is no receipt.
     *
     * @param connection a connection without autocommit, or with a transaction
     * @param context who is asking
     * @param sql what the agent wrote
     * @return rows and verdict
     */
    public GuardedRows query(Connection connection, Context context, String sql) {
        return PgCalls.run(core, connection, context, sql, false);
    }

    /**
     * {@link #query} for a text that may write. The caller commits; nothing is pinned.
     *
     * @param connection a connection without autocommit, or with a transaction
     * @param context who is asking
     * @param sql what the agent wrote
     * @return what RETURNING gave back, the number of rows and verdict
     */
    public GuardedRows update(Connection connection, Context context, String sql) {
        return PgCalls.run(core, connection, context, sql, true);
    }

    /**
     * Verifies a text that reads, and prepares it with its values bound: for libraries that take a {@code PreparedStatement}, such as
     * Spring's {@code JdbcTemplate}. It runs in the transaction that the caller began; nothing is pinned.
     *
     * <p>What would change its text or its values is refused. Its result ends at {@code max_rows}; {@code max_result_bytes} is for the other
     * methods, since here nothing is kept. What the server says is thrown as a {@link DatabaseException}; a wrong call of the statement's
     * methods as the driver's {@code SQLException}.
     *
     * @param connection a connection without autocommit, or with a transaction
     * @param context who is asking
     * @param sql what the agent wrote
     * @return the statement; the caller closes it
     */
    public PreparedStatement prepare(Connection connection, Context context, String sql) {
        return PgCalls.prepare(core, connection, context, sql, false);
    }

    /**
     * {@link #prepare} for a text that may write. The caller commits; nothing is pinned.
     *
     * @param connection a connection without autocommit, or with a transaction
     * @param context who is asking
     * @param sql what the agent wrote
     * @return the statement; the caller closes it
     */
    public PreparedStatement prepareUpdate(Connection connection, Context context, String sql) {
        return PgCalls.prepare(core, connection, context, sql, true);
    }

    /** Frees the guard when its last running call has ended. Its policy stays open. Does nothing the second time. */
    @Override
    public void close() {
        core.close();
    }

    /** The policy's, for logs. It shows no key. */
    @Override
    public String toString() {
        return "JdbcGuard[%s]".formatted(core.policy());
    }

    private GuardedResult transact(
            DataSource source, Context context, String sql, boolean writable, @Nullable CancellationSignal signal) {
        try (GuardSession session = core.session(context, writable);
                GuardStatement statement = session.statement(sql)) {
            Connection connection = PgCalls.lent(core, Texts.given("the data source", source));
            try {
                return PgCalls.transact(core, session, statement, connection, signal);
            } finally {
                giveBack(connection);
            }
        }
    }

    private GuardedResult transact(
            Connection connection, Context context, String sql, boolean writable, @Nullable CancellationSignal signal) {
        try (GuardSession session = core.session(context, writable);
                GuardStatement statement = session.statement(sql)) {
            return PgCalls.transact(core, session, statement, connection, signal);
        }
    }

    private static void giveBack(Connection connection) {
        try {
            connection.close();
        } catch (SQLException problem) {
            // The result is whole, or an error is on its way; the pool deals with its own.
        }
    }
}

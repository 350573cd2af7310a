/**
 * HaltSQL: decides, before anything is sent to PostgreSQL, whether an exact SQL text may run.
 *
 * <p>It calls a native library: start the JVM with {@code --enable-native-access=dev.haltsql}, or on a class path with
 * {@code --enable-native-access=ALL-UNNAMED}.
 */
@SuppressWarnings("requires-automatic")
module dev.haltsql {
    // Annotations alone: nothing of it is needed when a program runs.
    requires static transitive org.jspecify;
    // For JdbcGuard alone: a program that only checks needs neither.
    requires static transitive java.sql;
    requires static org.postgresql.jdbc;

    exports dev.haltsql;
}

package dev.haltsql;

/** Which HaltSQL this is. */
public final class HaltSql {
    /** One for all packages; the native library has to have the same. */
    private static final String VERSION = "0.1.0";

    /** What a library has to say before anything else of it is called (docs/ffi.md). */
    static final int ABI_VERSION = 1;

    private HaltSql() {}

    /**
     * The version of HaltSQL, one for all its packages.
     *
     * @return such as {@code 0.1.0}
     */
    public static String version() {
        return VERSION;
    }

    /**
     * The version of the PostgreSQL whose parser reads the SQL.
     *
     * @return such as {@code 18.6}
     * @throws VersionException the native library cannot be loaded
     */
    public static String postgresVersion() {
        return Native.answer(Native::about).skipText().text();
    }
}

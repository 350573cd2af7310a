package dev.haltsql;

/**
 * A column of a result. Names can repeat.
 *
 * @param name what the server said
 * @param typeOid the number of its type: {@code pg_type.oid}
 */
public record Column(String name, long typeOid) {}

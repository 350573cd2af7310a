/**
 * Whether an exact SQL text may run: under a policy, for the person who is asking.
 *
 * <p>{@link dev.haltsql.Policy} is where everything starts, {@link dev.haltsql.Verdict} is what comes out. What is wrong with the
 * SQL is never an exception: it gets a verdict. A {@link dev.haltsql.HaltSqlException} means that no check happened, and is to be
 * treated as a denial.
 *
 * <p>Nothing here takes or returns {@code null} where {@link org.jspecify.annotations.Nullable} does not say so.
 */
@NullMarked
package dev.haltsql;

import org.jspecify.annotations.NullMarked;

package dev.haltsql;

import java.util.List;

/** The value of a parameter: one string or several. */
public sealed interface BindValue {
    /**
     * For a comparison with one value.
     *
     * @param value the string to bind
     */
    record One(String value) implements BindValue {}

    /**
     * For a comparison {@code = ANY($n)}.
     *
     * @param values the elements of the array to bind
     */
    record Many(List<String> values) implements BindValue {
        /**
         * Keeps a copy of the list.
         *
         * @param values the elements of the array to bind
         */
        public Many {
            values = List.copyOf(values);
        }
    }
}

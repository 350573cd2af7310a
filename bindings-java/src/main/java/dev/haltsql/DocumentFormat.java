package dev.haltsql;

/** The language of a policy document. */
public enum DocumentFormat {
    /** JSON where the document's name ends in {@code .json}, or where it has no such ending and begins with a brace; else YAML. */
    AUTO(0),
    /** YAML. */
    YAML(1),
    /** JSON. */
    JSON(2);

    private final int number;

    DocumentFormat(int number) {
        this.number = number;
    }

    /** The number that the native library takes. */
    int number() {
        return number;
    }
}

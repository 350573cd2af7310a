/** What a guard needs of a driver: one connection, texts through the extended protocol, and the answers as PostgreSQL wrote them. */

/** One parameter. */
export interface ExecutorParam {
    /** Its text, to be sent as it is; `null` is NULL. An array is PostgreSQL's text of one. */
    readonly value: string | null;
    /** The type to declare; where the driver can declare none, leave it to the server, never to a guess. */
    readonly oid: number;
}

/** One column of an answer. */
export interface ExecutorColumn {
    /** Its name, as the server sent it. */
    readonly name: string;
    /** Its type. */
    readonly oid: number;
}

/** What came back for one text. */
export interface Answer {
    /** The columns, by place: two can have one name. */
    readonly columns: readonly ExecutorColumn[];
    /** The rows in PostgreSQL's text, or `null`, by place. */
    readonly texts: readonly (readonly (string | null)[])[];
    /** The driver's own value for a text of a column. */
    readonly value: (text: string, column: number) => unknown;
    /** The command tag, such as `INSERT 0 3`. */
    readonly tag: string;
}

/** An error of the database, in its own words. */
export interface SpeltError {
    /** Five characters; empty where the connection broke or there was none. */
    readonly sqlstate: string;
    /** What happened. */
    readonly message: string;
    /** More. */
    readonly detail?: string | undefined;
    /** Advice. */
    readonly hint?: string | undefined;
}

/** Where a connection stands. `hidden`: the driver does not say, and the server is asked instead. */
export type ExecutorStatus = "idle" | "transaction" | "failed" | "closed" | "hidden";

/**
 * One connection of a driver, for the time of one transaction or statement.
 *
 * Every text goes through the extended protocol, as an unnamed statement, byte for byte, with its parameters as text: the simple
 * protocol runs several statements.
 */
export interface Executor {
    /**
     * Gets the connection. Where `status` is hidden, it makes sure here that no transaction is open on it.
     *
     * @returns What is the same object for as long as the physical connection lives, and another for any other.
     * @throws {ArgumentError} the connection cannot be used.
     */
    acquire(): Promise<object>;
    /**
     * Runs one text.
     *
     * @param last - It ends the transaction, and `release` comes next.
     */
    run(text: string, params: readonly ExecutorParam[], last?: boolean): Promise<Answer>;
    /** Has one text parsed, and runs nothing of it; no named statement stays. */
    parse(text: string, params: readonly ExecutorParam[]): Promise<void>;
    /** Where the connection stands. */
    status(): ExecutorStatus;
    /** Has the server cancel what runs, or breaks the connection; returns when a cancellation can hit nothing later. */
    cancel(): Promise<void>;
    /** Gives the connection back. Not clean: closes it, so that nobody gets it again. */
    release(clean: boolean): Promise<void>;
    /** The error as the database spelt it; `undefined` where it is not the database's or the connection's. */
    spelt(error: unknown): SpeltError | undefined;
}

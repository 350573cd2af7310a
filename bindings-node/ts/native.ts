/** What the native addon (src/*.rs) exports. A test compares the names with those of the addon itself. */

/** A string, or bytes as they are. */
export type NativeText = string | Uint8Array;

export interface NativePolicy {
    name(): string;
    version(): string;
    mode(): "enforce" | "shadow";
    check(sql: NativeText, context: NativeText): string;
    forContext(context: NativeText): NativeCaller;
    describeText(): string;
    describeJson(): string;
    searchPathValue(): string;
    pinKeyPlace(): string;
    close(): void;
}

export interface NativeCaller {
    check(sql: NativeText): string;
    checkMany(texts: readonly NativeText[], threads: number): string[];
    checkManyAsync(texts: readonly NativeText[], threads: number, stop: NativeStop | undefined): Promise<string[]>;
    again(): NativeCaller;
    close(): void;
}

export interface NativeStop {
    stop(): void;
}

export interface NativeGuard {
    session(context: NativeText, options: string): NativeSession;
    statement(context: NativeText, options: string, sql: NativeText): NativeStatement;
    redact(error: string): string;
}

export interface NativeSession {
    steps(): string;
    pin(input: string): string;
    readPin(row: string): string;
    sealCheck(): string;
    readSeal(rows: string): void;
    statement(sql: NativeText): NativeStatement;
}

export interface NativeStatement {
    verdict(): string;
    run(): string;
    rendered(columns: number): string;
    receipt(execution: string): string;
}

export interface Native {
    readonly ABI_VERSION: number;
    readonly VERSION: string;
    readonly POSTGRES_VERSION: string;
    readonly Policy: { load(document: NativeText, format: number, name: NativeText): NativePolicy };
    readonly Caller: unknown;
    readonly Stop: new () => NativeStop;
    readonly Guard: {
        of(policy: NativePolicy, options: string, pinKey?: NativeText, receiptKey?: NativeText): NativeGuard;
    };
    readonly Session: unknown;
    readonly Statement: unknown;
    reasonCodes(): string;
    forAgent(verdict: NativeText, sql: NativeText): string;
}

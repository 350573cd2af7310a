/** Waiting for an answer or for a signal, whichever comes first. */

/** What of an `AbortSignal` is needed: the platform's own, or one like it. */
export interface AbortSignalLike {
    /** Whether it was aborted already. */
    readonly aborted: boolean;
    /** Why: what promises are rejected with. */
    readonly reason: unknown;
    /** Asks to be told. */
    addEventListener(type: "abort", listener: () => void): void;
    /** Asks no longer. */
    removeEventListener(type: "abort", listener: () => void): void;
}

/** Who waits for a signal. One listener for all of them: from the eleventh on, Node would warn of a leak. */
const WAITING = new WeakMap<AbortSignalLike, { readonly listener: () => void; readonly told: Set<() => void> }>();

/**
 * What the work answers; the signal's reason, as soon as it is aborted.
 *
 * @param stop - Called then, so that the work need not begin.
 */
export async function unlessAborted<T>(signal: AbortSignalLike, work: () => Promise<T>, stop: () => void): Promise<T> {
    if (signal.aborted) {
        throw signal.reason;
    }
    let tell = stop;
    const aborted = new Promise<never>((_, reject) => {
        tell = () => {
            stop();
            reject(signal.reason);
        };
    });
    listen(signal, tell);
    try {
        return await Promise.race([work(), aborted]);
    } finally {
        forget(signal, tell);
    }
}

function listen(signal: AbortSignalLike, tell: () => void): void {
    const known = WAITING.get(signal);
    if (known !== undefined) {
        known.told.add(tell);
        return;
    }
    const told = new Set([tell]);
    const listener = () => {
        for (const one of [...told]) {
            one();
        }
    };
    WAITING.set(signal, { listener, told });
    signal.addEventListener("abort", listener);
}

function forget(signal: AbortSignalLike, tell: () => void): void {
    const known = WAITING.get(signal);
    if (known?.told.delete(tell) && known.told.size === 0) {
        WAITING.delete(signal);
        signal.removeEventListener("abort", known.listener);
    }
}

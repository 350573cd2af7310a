/** What this package was made for; `load.ts` compares it with what the native addon says. */

/** The version of HaltSQL, one for all its packages. */
export const VERSION = "0.1.0";

/** The number of the boundary between package and addon (docs/ffi.md). */
export const ABI_VERSION = 1;

/**
 * The native addon, or a refusal that says what is wrong with this installation.
 *
 * Receives nothing, gives {@link native}. An addon of another version could misunderstand what it is handed, so that nothing of it
 * is called before its numbers were compared.
 */

import { VersionError } from "./errors.js";
import type { Native } from "./native.js";
import { ABI_VERSION, VERSION } from "./version.js";

/** The addon. */
export const native: Native = load();

function load(): Native {
    let found: Partial<Native>;
    try {
        // Literally, so that bundlers and tracers of files see what is needed.
        found = require("@haltsql/core-linux-x64-gnu") as Partial<Native>;
    } catch (problem) {
        throw new VersionError(whyNot(problem), { cause: problem });
    }
    if (found.VERSION !== VERSION || found.ABI_VERSION !== ABI_VERSION) {
        throw new VersionError(
            `the native addon is of HaltSQL ${found.VERSION} (ABI ${found.ABI_VERSION}), and the package @haltsql/core of ` +
                `${VERSION} (ABI ${ABI_VERSION}): install @haltsql/core again`,
        );
    }
    return found as Native;
}

/** The sentence for an addon that cannot be loaded. */
function whyNot(problem: unknown): string {
    const here = `${process.platform}, ${process.arch}, ${libc()}`;
    if (here !== "linux, x64, glibc") {
        return `@haltsql/core ships for Linux on x86-64 with glibc, and this is ${here}`;
    }
    if ((problem as NodeJS.ErrnoException | undefined)?.code === "MODULE_NOT_FOUND") {
        return (
            `the package @haltsql/core-linux-x64-gnu is missing: install @haltsql/core ${VERSION} again, ` +
            "with its optional dependencies"
        );
    }
    const said = problem instanceof Error ? (problem.message.split("\n", 1)[0] ?? "") : "";
    return `the native addon of @haltsql/core cannot be loaded (${said}): install @haltsql/core ${VERSION} again`;
}

function libc(): string {
    if (process.platform !== "linux") {
        return "no glibc";
    }
    // A report asks the network for the names of hosts, which can take seconds, unless it is told not to.
    const reporter = process.report as NodeJS.ProcessReport & { excludeNetwork?: boolean };
    const before = reporter.excludeNetwork;
    reporter.excludeNetwork = true;
    const report = reporter.getReport() as { header?: { glibcVersionRuntime?: string } };
    reporter.excludeNetwork = before ?? false;
    return report.header?.glibcVersionRuntime === undefined ? "another C library" : "glibc";
}

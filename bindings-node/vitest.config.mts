import { defineConfig } from "vitest/config";

export default defineConfig({
    test: {
        include: ["tests/*.test.ts"],
        // Programs of their own are started, some of them with fifty workers; a deadlock ends here.
        testTimeout: 300_000,
        hookTimeout: 300_000,
        // As in a process of its own, whose printed lines are those of the test.
        pool: "forks",
        disableConsoleIntercept: true,
    },
});

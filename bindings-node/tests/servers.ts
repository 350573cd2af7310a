/** Throw-away PostgreSQL servers on unix sockets, as `pgtemp` starts them: they end with this program, however it ends. */

import { type ChildProcess, spawn } from "node:child_process";
import { chmodSync, mkdtempSync, readFileSync, rmSync } from "node:fs";
import { join } from "node:path";
import pg from "pg";
import postgres from "postgres";

import { ROOT } from "./support.js";

const SUPERVISE = readFileSync(join(ROOT, "pgtemp", "src", "supervise.sh"), "utf8");

/** A server. Its user `postgres` needs no password. */
export class Server {
    readonly socket: string;
    readonly #folder: string;
    readonly #process: ChildProcess;

    private constructor(folder: string, process: ChildProcess) {
        this.#folder = folder;
        this.#process = process;
        this.socket = join(folder, "socket");
    }

    static async start(version: 16 | 18): Promise<Server> {
        const own = version === 18 ? process.env.HALTSQL_TEST_PG : process.env.HALTSQL_TEST_PG16;
        const prefix = own ?? join(ROOT, ".build", `postgres-${version}`);
        // Short: the path of a socket has 107 bytes. Not inside a folder that only root may enter.
        const folder = mkdtempSync("/tmp/haltsql-ts-");
        chmodSync(folder, 0o755);
        const child = spawn("sh", ["-c", SUPERVISE, "supervise", folder, `${prefix}/bin`], {
            stdio: ["pipe", "pipe", "inherit"],
        });
        const said = await new Promise<string>((resolve) => {
            child.stdout?.once("data", (some: Buffer) => resolve(some.toString().trim()));
            child.once("exit", () => resolve("it ended"));
        });
        if (said !== "ready") {
            throw new Error(`the server did not start: ${said}`);
        }
        return new Server(folder, child);
    }

    pool(database = "shop", more: pg.PoolConfig = {}): pg.Pool {
        const pool = new pg.Pool({ host: this.socket, database, user: "postgres", max: 4, ...more });
        pool.on("error", () => undefined);
        return pool;
    }

    sql(database = "shop", more: object = {}): postgres.Sql {
        return postgres({ host: this.socket, database, user: "postgres", max: 4, onnotice: () => undefined, ...more });
    }

    async run(script: string, database = "shop"): Promise<pg.QueryResult> {
        const client = new pg.Client({ host: this.socket, database, user: "postgres" });
        await client.connect();
        try {
            return await client.query(script);
        } finally {
            await client.end();
        }
    }

    /** One value, asked for by the superuser. */
    async ask(query: string): Promise<unknown> {
        return Object.values((await this.run(query)).rows[0] as object)[0];
    }

    async stop(): Promise<void> {
        const ended = new Promise((resolve) => this.#process.once("exit", resolve));
        this.#process.stdin?.end();
        await ended;
        rmSync(this.#folder, { recursive: true, force: true });
    }
}

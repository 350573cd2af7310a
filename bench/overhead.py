"""What a check costs from Python (bench/README.md has the contract). A verdict's JSON and ``allowed`` are both read."""

from __future__ import annotations

import os
import pathlib
import threading
import time

from haltsql import Caller, Policy

FOLDER = pathlib.Path(os.environ["HALTSQL_BENCH_DIR"])
BATCHES, BATCH, THROUGHPUT = 300, 10, 4_000


def batch(caller: Caller, sql: str) -> tuple[int, int]:
    """Nanoseconds of one batch, and those of them on the core's own clock."""
    texts: list[str] = []
    started = time.perf_counter_ns()
    for _ in range(BATCH):
        verdict = caller.check(sql)
        if not verdict.allowed:
            raise SystemExit(f"not allowed: {sql}")
        texts.append(verdict.json)
    took = time.perf_counter_ns() - started
    return took, sum(1_000 * int(text.rsplit(":", 1)[1][:-1]) for text in texts)


def throughput(caller: Caller, sql: str, count: int) -> float:
    """Checks a second on so many threads."""

    def work() -> None:
        for _ in range(THROUGHPUT):
            caller.check(sql)

    threads = [threading.Thread(target=work) for _ in range(count)]
    started = time.perf_counter()
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    return count * THROUGHPUT / (time.perf_counter() - started)


def main() -> None:
    rows = [line.split("\t") for line in (FOLDER / "bench.tsv").read_text().splitlines()[1:]]
    texts: list[tuple[Caller, str, str]] = []
    for kind, name, policy, context, sql, _ in rows:
        assert kind == "check"
        loaded = Policy.from_file(FOLDER / "policies" / f"{policy}.yaml")
        texts.append((loaded.for_context(bytes.fromhex(context)), name, bytes.fromhex(sql).decode()))
    for caller, name, sql in texts:
        batches = [batch(caller, sql) for _ in range(BATCHES)]
        took, beside = min(took for took, _ in batches), min(took - core for took, core in batches)
        print(f"overhead name=python text={name} ns={took / BATCH:.0f} beside_ns={beside / BATCH:.0f}")
    caller, _, sql = texts[0]
    for count in (1, 2):
        print(f"throughput name=python threads={count} per_s={throughput(caller, sql, count):.0f}")


if __name__ == "__main__":
    main()

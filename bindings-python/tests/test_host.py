"""Living in a host: its lock, its threads, its forks, its other interpreters, its memory. No test here looks at a clock."""

from __future__ import annotations

import json
import sys
import threading
import time

import pytest

from haltsql import Policy
from support import ACME, ALLOWED, DENIED, POLICY_FILE, run, same

# Costs some milliseconds, so that others get the time to show that they may run.
LARGE = "SELECT name FROM app.customers WHERE tenant_id = $1 AND (" + " OR ".join(f"id = {n}" for n in range(500)) + ")"


@pytest.fixture
def no_forced_switches() -> object:
    """Nobody takes the interpreter's lock away: a thread runs until it lets go by itself."""
    before = sys.getswitchinterval()
    sys.setswitchinterval(3600.0)
    yield None
    sys.setswitchinterval(before)


@pytest.mark.usefixtures("no_forced_switches")
def test_a_python_thread_advances_during_a_check(policy: Policy) -> None:
    steps = 0
    stop = False

    def count() -> None:
        nonlocal steps
        while not stop:
            steps += 1
            time.sleep(0)  # lets go of the lock; without a release in the check it would not get it back

    counter = threading.Thread(target=count)
    counter.start()
    advanced = 0
    try:
        for call in (lambda: policy.check(LARGE, ACME), lambda: policy.check_many([LARGE] * 8, ACME, threads=2)):
            for _ in range(200):
                before = steps
                call()
                advanced = steps - before
                if advanced:
                    break
            assert advanced > 0
    finally:
        stop = True
        counter.join()


@pytest.mark.usefixtures("no_forced_switches")
def test_four_threads_check_at_the_same_time(policy: Policy) -> None:
    inside = 0
    most = 0
    counting = threading.Lock()

    def work() -> None:
        nonlocal inside, most
        for _ in range(500):
            with counting:
                if most == 4:
                    return
                inside += 1
                most = max(most, inside)
            verdict = policy.check(LARGE, ACME)
            with counting:
                inside -= 1
            assert verdict.statement_kind == "select"

    threads = [threading.Thread(target=work) for _ in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    # With the lock held during a check, nobody would ever be let in beside another.
    assert most == 4


def test_threads_share_a_policy_and_a_verdict(policy: Policy) -> None:
    texts = [ALLOWED, DENIED, LARGE, "SELECT", ""]
    expected = policy.check_many(texts, ACME)
    shared = policy.check(DENIED, ACME)
    caller = policy.for_context(ACME)
    wrong: list[object] = []

    def work() -> None:
        for _ in range(20):
            got = [caller.check(text) for text in texts]
            if got != expected or shared.reasons != expected[1].reasons:
                wrong.append(got)

    threads = [threading.Thread(target=work) for _ in range(8)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert not wrong


PREFORK = f"""
import os, sys, threading, haltsql
policy = haltsql.Policy.from_file({str(POLICY_FILE)!r})
context = {{"tenant_id": "acme"}}
texts = [{ALLOWED!r}, {DENIED!r}, "SELECT " + "1+" * 400 + "1", "SELECT"]
caller = policy.for_context(context)
expected = caller.check_many(texts, threads=2)
busy = True
def check():
    while busy:
        caller.check_many(texts, threads=2)
others = [threading.Thread(target=check) for _ in range(2 * (sys.argv[1] == "busy"))]
for other in others:
    other.start()
children = []
for number in range(6):
    child = os.fork()
    if child == 0:
        code = 1
        try:
            same = caller.check_many(texts, threads=2) == expected and [policy.check(text, context) for text in texts] == expected
            same = same and haltsql.Policy.from_file({str(POLICY_FILE)!r}) == policy
            code = 0 if same else 3
        finally:
            os._exit(code)
    children.append(child)
codes = [os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]) for child in children]
busy = False
for other in others:
    other.join()
assert caller.check_many(texts) == expected
print(codes)
"""


@pytest.mark.parametrize("host", ["quiet", "busy"])
def test_children_of_a_fork_get_the_same_verdicts(host: str) -> None:
    # A deadlock would end in the time limit of `run`. 3.12 and later warn about forks beside threads; that is the point here.
    program = "import warnings; warnings.simplefilter('ignore', DeprecationWarning)\n" + PREFORK
    assert run(program, host) == "[0, 0, 0, 0, 0, 0]"


def test_a_spawned_process_gets_policy_and_verdict(policy: Policy) -> None:
    program = (
        "import multiprocessing, sys, haltsql\n"
        f"policy = haltsql.Policy.from_file({str(POLICY_FILE)!r})\n"
        f"jobs = [(text, {{'tenant_id': 'acme'}}) for text in ({ALLOWED!r}, {DENIED!r})]\n"
        "if __name__ == '__main__':\n"
        "    with multiprocessing.get_context('spawn').Pool(2) as pool:\n"
        "        verdicts = pool.starmap(policy.check, jobs)\n"
        "    assert verdicts == [policy.check(*job) for job in jobs]\n"
        "    print([verdict.allowed for verdict in verdicts])\n"
    )
    assert run(program) == "[True, False]"


INTERPRETERS = f"""
import haltsql
try:
    import _interpreters as interpreters
except ImportError:
    import _xxsubinterpreters as interpreters
policy = haltsql.Policy.from_file({str(POLICY_FILE)!r})
inside = '''
try:
    import haltsql
    policy = haltsql.Policy.from_file({str(POLICY_FILE)!r})
    answer = policy.check("SELECT name FROM app.customers", {{"tenant_id": "acme"}}).json
except ImportError as refusal:
    answer = type(refusal).__name__ + ": " + str(refusal)
import os
os.write(FD, answer.encode())
'''
import os
for _ in range(3):
    reader, writer = os.pipe()
    other = interpreters.create()
    interpreters.run_string(other, inside.replace("FD", str(writer)))
    os.close(writer)
    print(os.read(reader, 100_000).decode())
    os.close(reader)
    interpreters.destroy(other)
    assert policy.check({ALLOWED!r}, {{"tenant_id": "acme"}}).allowed
"""


def test_another_interpreter_of_the_process_is_refused() -> None:
    refused = "VersionError: haltsql can be used in the main interpreter of a process and in no other: use threads or processes"
    assert run(INTERPRETERS).splitlines() == [refused] * 3


MEMORY = f"""
import threading, haltsql
policy = haltsql.Policy.from_file({str(POLICY_FILE)!r})
context = {{"tenant_id": "acme"}}
texts = [{ALLOWED!r}, {DENIED!r}, "SELECT '" + "x" * 4000, "SELECT " + "1+" * 150 + "1"]
def resident():
    with open("/proc/self/statm") as file:
        return int(file.read().split()[1]) * 4
def checks(rounds):
    for _ in range(rounds):
        for text in texts:
            verdict = policy.check(text, context)
            verdict.reasons, verdict.for_agent()
        try:
            policy.check("", "[")
        except haltsql.ContextError:
            pass
        policy.check_many(texts, context)
def threads(count):
    for _ in range(count):
        thread = threading.Thread(target=policy.check, args=(texts[0], context))
        thread.start()
        thread.join()
checks(300); threads(200)
before = resident()
checks(1200); threads(600)
print(resident() - before)
"""


def test_memory_does_not_grow_with_checks_or_threads() -> None:
    grown = int(run(MEMORY))
    # 9,600 checks and 600 threads: 300 bytes leaked for each check would be 2,800 KiB.
    assert grown < 2_000, f"{grown} KiB"


def test_an_interrupt_ends_a_long_list() -> None:
    # To its end, the list would outlast the time limit of `run` many times.
    program = (
        "import os, signal, threading, haltsql\n"
        f"caller = haltsql.Policy.from_file({str(POLICY_FILE)!r}).for_context({ACME!r})\n"
        f"texts = [{LARGE!r}] * 1_000_000\n"
        # Where the tests run in the background, a shell has the signal ignored.
        "signal.signal(signal.SIGINT, signal.default_int_handler)\n"
        "try:\n"
        "    threading.Timer(0.1, os.kill, (os.getpid(), signal.SIGINT)).start()\n"
        "    caller.check_many(texts, threads=2)\n"
        "except KeyboardInterrupt:\n"
        "    print('interrupted')\n"
    )
    assert run(program) == "interrupted"


def test_beside_another_copy_of_the_parser(policy: Policy) -> None:
    # pglast carries libpg_query too, with the same C symbols in the same process.
    import pglast

    for _ in range(50):
        assert pglast.parse_sql("SELECT 1")
        with pytest.raises(pglast.parser.ParseError):
            pglast.parse_sql("SELECT FROM WHERE")
        assert policy.check(ALLOWED, ACME).allowed
        assert [reason.code for reason in policy.check("SELECT FROM WHERE", ACME).reasons] == ["E_PARSE"]
        assert json.loads(pglast.parser.parse_sql_json("SELECT 2"))


def test_a_small_stack_gives_the_same_verdict(policy: Policy) -> None:
    texts = ["SELECT " + "1+" * count + "1" for count in (10, 100, 500, 1000)] + [
        LARGE,
        "SELECT " + "(" * 900 + "1" + ")" * 900,
    ]
    expected = [same(policy.check(text, ACME).json) for text in texts]
    got: list[str] = []
    threading.stack_size(256 * 1024)
    try:
        thread = threading.Thread(target=lambda: got.extend(same(policy.check(text, ACME).json) for text in texts))
        thread.start()
        thread.join()
    finally:
        threading.stack_size(0)
    assert got == expected

"""What the documents show runs, and says what they say."""

from __future__ import annotations

import pathlib
import re
import subprocess
import sys
from collections.abc import Iterator

import pytest
from servers import Server

import haltsql
from support import HERE, ROOT, run


def blocks(language: str) -> list[str]:
    return re.findall(rf"```{language}\n(.*?)```", (HERE / "README.md").read_text(), re.DOTALL)


@pytest.fixture(scope="module")
def demo() -> Iterator[Server]:
    """The demo's shop, as `haltsql demo` makes it."""
    with Server(18) as server:
        server.run("CREATE DATABASE shop", "postgres")
        server.run("CREATE ROLE agent LOGIN", "postgres")
        server.run((ROOT / "cli" / "src" / "demo" / "schema.sql").read_text())
        yield server


def test_the_programs_of_the_readme_run(tmp_path: pathlib.Path, demo: Server) -> None:
    (policy,) = blocks("yaml")
    (tmp_path / "policy.yaml").write_text(policy)
    programs = blocks("python")
    assert len(programs) >= 3
    for program in programs:
        run(f"import os; os.chdir({str(tmp_path)!r})\n" + program, environment={"SHOP_DSN": demo.dsn()})


@pytest.mark.parametrize("name", ["psycopg", "psycopg_async", "asyncpg", "sqlalchemy"])
def test_the_examples_of_guards_run(name: str, demo: Server) -> None:
    where = {
        "asyncpg": f"postgresql://postgres@/shop?host={demo.socket}",
        "sqlalchemy": demo.url("psycopg"),
    }
    command = [
        sys.executable,
        "-W",
        "error",
        ROOT / "examples" / "python" / f"guard_{name}.py",
        where.get(name, demo.dsn()),
    ]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    assert "E_COLUMN_DENIED" in done.stdout and "['Ann Archer', " in done.stdout, done.stdout


@pytest.mark.parametrize("name", ["langchain", "pydantic_ai", "openai"])
def test_the_examples_of_agents_run(name: str, demo: Server) -> None:
    where = demo.dsn() if name == "langchain" else f"postgresql://postgres@/shop?host={demo.socket}"
    command = [sys.executable, "-W", "error", ROOT / "examples" / "python" / f"agent_{name}.py", where]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    denied, rows = done.stdout.index("E_COLUMN_DENIED"), done.stdout.index('"rows":[["Ann Archer"],')
    assert denied < rows < done.stdout.index("as receipt "), done.stdout
    assert "Globex" not in done.stdout and done.stdout.count("as receipt") == 1


def test_the_example_runs() -> None:
    done = subprocess.run(
        [sys.executable, ROOT / "examples" / "python" / "check.py"], capture_output=True, text=True, check=False
    )
    assert done.returncode == 0, done.stderr
    assert re.findall(r"^(allowed|denied)", done.stdout, re.MULTILINE) == ["allowed", "denied", "allowed", "denied"]


def test_the_readme_names_every_error_and_every_public_method() -> None:
    text = (HERE / "README.md").read_text()
    for name in haltsql.__all__:
        value = getattr(haltsql, name)
        if isinstance(value, type) and issubclass(value, Exception):
            assert f"`{name}`" in text, name
    for kind in (haltsql.Policy, haltsql.Caller):
        for name in vars(kind):
            assert name.startswith("_") or name in text, f"{kind.__name__}.{name}"


def test_everything_public_is_documented() -> None:
    for name in haltsql.__all__:
        value = getattr(haltsql, name)
        if isinstance(value, type):
            assert value.__doc__, name
            for member, own in vars(value).items():
                if not member.startswith("_") and (callable(own) or isinstance(own, (property, classmethod))):
                    assert own.__doc__, f"{name}.{member}"

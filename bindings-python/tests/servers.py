"""Throw-away PostgreSQL servers on unix sockets, as ``pgtemp`` starts them: they end with this program, however it ends."""

from __future__ import annotations

import os
import pathlib
import shutil
import subprocess
import tempfile
from types import TracebackType
from typing import Any

import psycopg

from support import ROOT

SUPERVISE = (ROOT / "pgtemp" / "src" / "supervise.sh").read_text()
PREFIXES = {18: os.environ.get("HALTSQL_TEST_PG", ""), 16: os.environ.get("HALTSQL_TEST_PG16", "")}


class Server:
    """A server. Its user ``postgres`` needs no password."""

    def __init__(self, version: int) -> None:
        prefix = PREFIXES[version] or str(ROOT / ".build" / f"postgres-{version}")
        # Short: the path of a socket has 107 bytes. Not inside a folder that only root may enter.
        self.folder = pathlib.Path(tempfile.mkdtemp(prefix="haltsql-py-", dir="/tmp"))
        self.folder.chmod(0o755)
        command = ["sh", "-c", SUPERVISE, "supervise", str(self.folder), f"{prefix}/bin"]
        self._process = subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)
        assert self._process.stdout is not None
        said = self._process.stdout.readline().strip()
        assert said == "ready", said + self._process.stdout.read()
        self.socket = self.folder / "socket"

    def dsn(self, database: str = "shop", user: str = "postgres") -> str:
        return f"host={self.socket} dbname={database} user={user}"

    def url(self, driver: str, database: str = "shop", user: str = "postgres") -> str:
        """For SQLAlchemy."""
        return f"postgresql+{driver}://{user}@/{database}?host={self.socket}"

    def run(self, script: str, database: str = "shop") -> None:
        with psycopg.connect(self.dsn(database), autocommit=True) as connection:
            connection.execute(script.encode())

    def ask(self, query: str, database: str = "shop") -> Any:
        """One value, asked for by the superuser."""
        with psycopg.connect(self.dsn(database), autocommit=True) as connection:
            row = connection.execute(query.encode()).fetchone()
            assert row is not None
            return row[0]

    def __enter__(self) -> Server:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        assert self._process.stdin is not None and self._process.stdout is not None
        self._process.stdin.close()
        self._process.wait(60)
        self._process.stdout.close()
        shutil.rmtree(self.folder, ignore_errors=True)

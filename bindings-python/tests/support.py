"""What the tests share: where things are, and programs that run in an interpreter of their own."""

from __future__ import annotations

import os
import pathlib
import shutil
import subprocess
import sys

import haltsql

ROOT = pathlib.Path(__file__).resolve().parents[2]
HERE = ROOT / "bindings-python"
INSTALLED = pathlib.Path(haltsql.__file__).parent
POLICY_FILE = ROOT / "conformance" / "policies" / "bound.yaml"
ACME = {"tenant_id": "acme"}
ALLOWED = "SELECT name FROM app.customers WHERE tenant_id = $1"
DENIED = "SELECT name FROM app.customers"


def same(verdict: str) -> str:
    """The part of a verdict's JSON that is the same on every run."""
    return verdict.rpartition(',"elapsed_us":')[0]


def run(
    program: str, *arguments: str, package: pathlib.Path = INSTALLED, environment: dict[str, str] | None = None
) -> str:
    """What a program prints that runs by itself, with ``haltsql`` from ``package``. It has to end well, and soon."""
    here = {**os.environ, "PYTHONPATH": str(package.parent), "PYTHONDONTWRITEBYTECODE": "1", **(environment or {})}
    done = subprocess.run(
        [sys.executable, "-W", "error", "-c", program, *arguments],
        env=here,
        stdin=subprocess.DEVNULL,
        capture_output=True,
        text=True,
        timeout=300,
        check=False,
    )
    assert done.returncode == 0, f"exit code {done.returncode}\n{done.stdout}\n{done.stderr}"
    return done.stdout.strip()


def doctored(folder: pathlib.Path) -> pathlib.Path:
    """A copy of the installed package without its extension module, to put another one there."""
    copy = folder / "haltsql"
    shutil.copytree(INSTALLED, copy, ignore=shutil.ignore_patterns("__pycache__", "*.so"))
    return copy

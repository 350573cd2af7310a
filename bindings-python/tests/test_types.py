"""Form and types: ruff; pyright's strict mode over the package and a program that uses it, stubtest over the extension module."""

from __future__ import annotations

import json
import pathlib
import shutil
import subprocess
import sys
from typing import Any

from support import HERE, INSTALLED, ROOT

PYRIGHT = ROOT / ".build" / "pyright" / "index.js"


def pyright(*arguments: str, folder: pathlib.Path) -> dict[str, Any]:
    command = ["node", str(PYRIGHT), "--outputjson", "--pythonpath", sys.executable, *arguments]
    done = subprocess.run(command, cwd=folder, capture_output=True, text=True, check=False, timeout=300)
    assert done.stdout, done.stderr
    return json.loads(done.stdout)


def test_pyright_strict_accepts_package_tests_and_example() -> None:
    report = pyright("--project", str(HERE), folder=HERE)
    summary = report["summary"]
    found = [
        f"{entry['file']}:{entry['range']['start']['line'] + 1}: {entry['message']}"
        for entry in report["generalDiagnostics"]
    ]
    assert not found, "\n".join(found)
    assert summary["filesAnalyzed"] > 20


def test_the_form_is_that_of_ruff() -> None:
    folders = [HERE / "python", HERE / "tests", ROOT / "bench", ROOT / "examples" / "python"]
    for command in (["format", "--check", "--no-cache"], ["check", "--no-cache"]):
        arguments = [sys.executable, "-m", "ruff", *command, "--config", HERE / "pyproject.toml", *folders]
        done = subprocess.run(arguments, capture_output=True, text=True, check=False)
        assert done.returncode == 0, done.stdout + done.stderr


def test_the_installed_package_tells_its_types(tmp_path: pathlib.Path) -> None:
    shutil.copy(pathlib.Path(__file__).parent / "typed_program.py.txt", tmp_path / "program.py")
    (tmp_path / "pyrightconfig.json").write_text('{"typeCheckingMode": "strict"}')
    report = pyright(folder=tmp_path)
    lines = (tmp_path / "program.py").read_text().splitlines()
    wrong = [number for number, line in enumerate(lines, 1) if "# wrong" in line]
    assert len(wrong) >= 8
    said = sorted({entry["range"]["start"]["line"] + 1 for entry in report["generalDiagnostics"]})
    assert said == wrong, json.dumps(report["generalDiagnostics"], indent=1)


def test_the_stub_is_what_the_extension_module_has(tmp_path: pathlib.Path) -> None:
    command = [sys.executable, "-m", "mypy.stubtest", "haltsql._native"]
    done = subprocess.run(command, cwd=tmp_path, capture_output=True, text=True, check=False, timeout=300)
    assert done.returncode == 0, done.stdout + done.stderr
    # It would notice: the same stub with one name more.
    assert "Success" in done.stdout
    package = tmp_path / "haltsql"
    shutil.copytree(INSTALLED, package)
    with open(package / "_native.pyi", "a") as stub:
        stub.write("\ndef invented() -> None: ...\n")
    done = subprocess.run(
        command,
        cwd=tmp_path,
        env={"PYTHONPATH": str(tmp_path)},
        capture_output=True,
        text=True,
        check=False,
        timeout=300,
    )
    assert done.returncode == 1 and "invented" in done.stdout

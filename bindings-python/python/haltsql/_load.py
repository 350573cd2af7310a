"""The extension module, or a refusal that says what is wrong with this installation.

Receives nothing, gives ``native``. An extension of another version could misunderstand what it is handed, so that nothing of
it is called before its numbers were compared.
"""

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
    if "subinterpreter" in str(problem):
        return "haltsql can be used in one interpreter of a process, and another one has it already: use threads or processes"
    return f"the extension module of haltsql cannot be loaded ({problem}): install haltsql {__version__} again"


try:
    import haltsql._native as native
except ImportError as problem:
    raise VersionError(why_not(problem)) from problem

_found = (getattr(native, "VERSION", None), getattr(native, "ABI_VERSION", None))
if _found != (__version__, ABI_VERSION):
    raise VersionError(
        f"the extension module is of haltsql {_found[0]} (ABI {_found[1]}), and the package of {__version__} (ABI {ABI_VERSION}): "
        "install haltsql again"
    )

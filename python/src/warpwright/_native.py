"""This module finds the native library and calls its C interface (include/warpwright/warpwright.h) through ctypes.

With ctypes instead of an extension module one wheel serves every Python from 3.9 on, and nothing is compiled or loaded
at import. `library()` loads the library when it is first used.
"""

from __future__ import annotations

import ctypes as c
import json
import os
import sys
from pathlib import Path
from typing import Any, Optional

from ._errors import Error, MissingToolError, UsageError, from_native

INTERFACE = 1
VALUE, HOST, DEVICE, HOST_READ = 0, 1, 2, 3


class Shape(c.Structure):
    _fields_ = [("grid", c.c_uint32 * 3), ("block", c.c_uint32 * 3), ("dynamic_shared", c.c_uint64),
                ("cooperative", c.c_uint32)]


class Argument(c.Structure):
    _fields_ = [("kind", c.c_int), ("data", c.c_void_p), ("bytes", c.c_uint64)]


_TEXTS = c.POINTER(c.c_char_p)
_HANDLE = c.c_void_p
_OUT = c.POINTER(c.c_void_p)
_FUNCTIONS = {
    "ww_result_has_news": [_HANDLE],
    "ww_start": [_OUT],
    "ww_synchronize": [],
    "ww_compile": [c.c_char_p, c.c_char_p, _TEXTS, c.c_size_t, _TEXTS, c.c_size_t, _OUT],
    "ww_load_ptx": [c.c_char_p, c.c_char_p, _OUT],
    "ww_module_kernel": [_HANDLE, c.c_char_p, _OUT],
    "ww_allocate": [c.c_uint64, c.POINTER(c.c_uint64)],
    "ww_release": [c.c_uint64],
    "ww_write": [c.c_uint64, c.c_void_p, c.c_uint64],
    "ww_read": [c.c_void_p, c.c_uint64, c.c_uint64],
    "ww_launch": [_HANDLE, c.POINTER(Shape), c.POINTER(Argument), c.c_size_t, _OUT],
    "ww_record_begin": [_OUT],
    "ww_record_end": [_HANDLE, _OUT],
    "ww_record_seconds": [c.POINTER(c.c_double)],
    "ww_check_begin": [c.c_char_p],
    "ww_check_take": [_OUT],
    "ww_check_end": [_OUT],
    "ww_models": [_OUT],
    "ww_occupancy": [c.c_char_p, c.c_uint32, c.c_uint64, c.c_uint64, _OUT],
}
_TEXT_FUNCTIONS = {"ww_version": [], "ww_error": [], "ww_error_json": [], "ww_module_ptx": [_HANDLE],
                   "ww_module_json": [_HANDLE], "ww_kernel_json": [_HANDLE], "ww_result_json": [_HANDLE]}


def loaded_files(name: str) -> "list[str]":
    """Returns the files of this process's memory map whose names begin with `name`."""
    try:
        with open("/proc/self/maps", encoding="utf-8", errors="replace") as maps:
            paths = {line.split(None, 5)[5].strip() for line in maps if "/" in line}
    except OSError:
        return []
    return sorted(p for p in paths if os.path.basename(p).startswith(name))


def folder() -> Path:
    """Returns the folder that holds libwarpwright_cuda.so, cuda/ and cudart13/."""
    # One state in a process: where `warpwright run` has put a program on its libraries, they are the ones.
    for file in loaded_files("libwarpwright_cuda.so"):
        return Path(file).parent
    candidates = []
    if os.environ.get("WARPWRIGHT_PROFILE") or os.environ.get("WARPWRIGHT_MODE"):
        candidates += [Path(p).parent for p in os.environ.get("LD_LIBRARY_PATH", "").split(":") if p]
    if os.environ.get("WARPWRIGHT_CUDART"):
        candidates.append(Path(os.environ["WARPWRIGHT_CUDART"]))
    candidates.append(Path(__file__).parent / "_native" / "lib" / "warpwright")
    for path in candidates:
        if (path / "libwarpwright_cuda.so").exists():
            return path.resolve()
    raise MissingToolError("the library libwarpwright_cuda.so was not found",
                           hint="install the wheel that tools/wheel makes, or set WARPWRIGHT_CUDART to the folder of a "
                           "build that holds it")


def program() -> Path:
    """Returns the program `warpwright`: the one beside the library, else the package's own, else the one in PATH."""
    import shutil

    own = Path(__file__).parent / "_native" / "bin" / "warpwright"
    try:
        library = folder()
        beside = [library / "warpwright", library.parent.parent / "bin" / "warpwright"]
    except MissingToolError:
        beside = []
    for path in [*beside, own]:
        if path.is_file():
            return path
    found = shutil.which("warpwright")
    # The script that pip installs calls this function.
    if found and Path(found).resolve().parent != Path(sys.executable).parent:
        return Path(found)
    raise MissingToolError("the program 'warpwright' was not found", hint="install the wheel that tools/wheel makes")


_library: Optional[Any] = None
_forked = False


def _after_fork() -> None:
    global _forked
    _forked = True


def library() -> Any:
    """Loads the library the first time, and returns it."""
    global _library
    if _forked:
        raise UsageError("this process was forked from one in which Warpwright was activated, and the emulated device "
                         "does not work in it",
                         hint="start processes anew: multiprocessing.set_start_method('spawn'), or fork before activate()")
    if _library is None:
        if sys.platform != "linux":
            raise MissingToolError("Warpwright runs on Linux only", hint="use a container or WSL")
        path = folder() / "libwarpwright_cuda.so"
        try:
            made = c.CDLL(str(path), mode=os.RTLD_NOW)
        except OSError as e:
            raise MissingToolError(f"{path} cannot be loaded: {e}",
                                   hint="install the wheel for this machine's architecture and glibc") from None
        if not hasattr(made, "ww_interface_version") or made.ww_interface_version() != INTERFACE:
            raise MissingToolError(f"{path} has another interface than this package expects",
                                   hint="install package and library of one version")
        for name, arguments in _FUNCTIONS.items():
            f = getattr(made, name)
            f.argtypes, f.restype = arguments, c.c_int
        for name, arguments in _TEXT_FUNCTIONS.items():
            f = getattr(made, name)
            f.argtypes, f.restype = arguments, c.c_char_p
        for name in ("ww_text_release", "ww_module_release", "ww_result_release"):
            f = getattr(made, name)
            f.argtypes, f.restype = [c.c_void_p], None
        os.register_at_fork(after_in_child=_after_fork)
        _library = made
    return _library


def error(status: int) -> Error:
    """Returns the exception for a status that is not 0."""
    return from_native(status, library().ww_error_json().decode("utf-8", "replace"))


def call(name: str, *arguments: Any) -> None:
    """Calls a function that returns a status, and raises the exception for it if it is not 0."""
    status = getattr(library(), name)(*arguments)
    if status:
        raise error(status)


def text(name: str, *arguments: Any) -> str:
    """Calls a function whose last argument is a place for a text, and returns the text."""
    out = c.c_void_p()
    call(name, *arguments, c.byref(out))
    try:
        return (c.cast(out, c.c_char_p).value or b"").decode("utf-8", "replace")
    finally:
        library().ww_text_release(out)


def texts(values: "list[str]") -> Any:
    return (c.c_char_p * max(1, len(values)))(*[v.encode() for v in values])


class Result:
    """A result of the library. It is released when it has been read, or with this object."""

    def __init__(self, handle: Any) -> None:
        self._handle = handle

    def read(self) -> "dict[str, Any]":
        """Returns the record of docs/records.md. It can be read once."""
        try:
            return json.loads(library().ww_result_json(self._handle))
        finally:
            self._release()

    def _release(self) -> None:
        handle, self._handle = self._handle, None
        if handle is not None and _library is not None:
            _library.ww_result_release(handle)

    def __del__(self) -> None:
        self._release()

"""This module makes kernels from CUDA C++ or PTX and launches them."""

from __future__ import annotations

import ctypes as c
import json
import linecache
import os
import re
import sys
import threading
import warnings
from pathlib import Path
from typing import Any, Optional, Sequence, Union

from . import _arrays, _native, _session
from ._errors import Finding, FindingWarning, KernelFault, UsageError
from ._launch import Launch

Extent = Union[int, "tuple[int, ...]"]


def _extent(value: Any, what: str) -> "tuple[int, int, int]":
    parts = tuple(value) if isinstance(value, (tuple, list)) else (value,)
    if not 1 <= len(parts) <= 3:
        raise UsageError(f"{what} has {len(parts)} extents", hint="give a number, or a tuple of one to three numbers")
    out = []
    for part in (*parts, 1, 1)[:3]:
        try:
            n = part.__index__()
        except AttributeError:
            raise UsageError(f"{what} has the extent {part!r}", hint="extents are whole numbers") from None
        if not 0 < n < 1 << 32:
            raise UsageError(f"{what} has the extent {n}", hint="extents are from 1 to 4294967295")
        out.append(n)
    return out[0], out[1], out[2]


class Kernel:
    """A compiled kernel: `kernel[grid, block](a, b, 3)` launches it and waits.

    `grid` in blocks and `block` in threads are numbers or tuples of up to three; a third index is the dynamic shared
    memory per block in bytes. Arguments are numpy arrays (changed in place), objects with `__cuda_array_interface__`,
    `__array_interface__` or DLPack, numpy scalars (of exactly the parameter's size) and Python numbers (converted to the
    parameter's type). A launch returns a Launch. It raises UsageError for wrong arguments, LimitError where the block does
    not fit on the device model, KernelFault where the kernel ends early, and under `ww.check()` a Finding.

    signature         the kernel's name and parameters as in the source
    linkage_name      its name in PTX
    parameters        a list of {"type": PTX type, "size": bytes}
    registers         registers per thread
    registers_source  "ptxas 13.0" where NVIDIA's ptxas was found, else "estimated", from PTX
    static_shared     bytes of static shared memory per block
    local             bytes of local memory per thread
    """

    def __init__(self, module: "Module", handle: Any) -> None:
        self._module, self._handle = module, handle
        raw = json.loads(_native.library().ww_kernel_json(handle))
        self.linkage_name: str = raw["name"]
        self.signature: str = raw["signature"]
        self.parameters: "list[dict[str, Any]]" = raw["parameters"]
        self.registers: int = raw["registers"]
        self.registers_source: str = raw["registers_source"]
        self.static_shared: int = raw["static_shared"]
        self.local: int = raw["local"]
        self.raw = raw

    def __getitem__(self, shape: Any) -> "_Configured":
        if not isinstance(shape, tuple) or not 2 <= len(shape) <= 3:
            raise UsageError("a launch needs a grid and a block",
                             hint="write kernel[grid, block](...) or kernel[grid, block, shared](...)")
        return _Configured(self, _extent(shape[0], "the grid"), _extent(shape[1], "the block"),
                           int(shape[2]) if len(shape) == 3 else 0)

    def launch(self, grid: Extent, block: Extent, *arguments: Any, shared: int = 0, cooperative: bool = False) -> Launch:
        """Does the same as `kernel[grid, block, shared](*arguments)`.

        grid, block  numbers or tuples of up to three, in blocks and in threads
        arguments    those of the kernel
        shared       dynamic shared memory per block, in bytes
        cooperative  True for a kernel that synchronises its whole grid: all blocks must then fit on the device at once
        Raises what `kernel[grid, block](...)` raises.
        """
        return self._run(_extent(grid, "the grid"), _extent(block, "the block"), shared, cooperative, arguments)

    def _run(self, grid: Any, block: Any, shared: int, cooperative: bool, arguments: "Sequence[Any]") -> Launch:
        keep: "list[Any]" = []
        packed = (_native.Argument * max(1, len(arguments)))()
        for k, value in enumerate(arguments):
            parameter = self.parameters[k] if k < len(self.parameters) else None
            packed[k] = _arrays.argument(value, parameter, f"argument {k} of {self.signature}", keep)
        shape = _native.Shape((c.c_uint32 * 3)(*grid), (c.c_uint32 * 3)(*block), shared, int(cooperative))
        result = c.c_void_p()
        library = _native.library()
        status = library.ww_launch(self._handle, c.byref(shape), packed, len(arguments), c.byref(result))
        failed = _native.error(status) if status else None
        launch: Optional[Launch] = None
        if result:
            launch = Launch(_native.Result(result).read, self._module._sources)
            if library.ww_result_has_news(result):
                sys.stdout.write(launch.output)
                if launch.findings:
                    self._tell(launch, failed)
        if isinstance(failed, KernelFault):
            failed.launch = launch
        if failed:
            raise failed
        assert launch is not None
        return launch

    @staticmethod
    def _tell(launch: Launch, failed: Optional[Exception]) -> None:
        for f in launch.findings:
            f.findings, f.launch = launch.findings, launch
        check = _session.current_check()
        if check is not None:
            check._add(launch.findings)
            wrong = [f for f in launch.findings if f.severity == "error"]
            if check.raises and wrong:
                check._told.update(id(f) for f in launch.findings)
                raise wrong[0] from failed
        elif failed is None:
            for f in launch.findings:
                warnings.warn(FindingWarning(str(f)), stacklevel=4)

    def __repr__(self) -> str:
        return f"<Kernel {self.signature}>"


class _Configured:
    """A kernel together with the grid and the block that it will be launched with."""

    def __init__(self, kernel: Kernel, grid: Any, block: Any, shared: int) -> None:
        self._kernel, self._grid, self._block, self._shared = kernel, grid, block, shared

    def __call__(self, *arguments: Any, cooperative: bool = False) -> Launch:
        return self._kernel._run(self._grid, self._block, self._shared, cooperative, arguments)


def _is_text(source: str) -> bool:
    return "\n" in source or "__global__" in source or ".entry" in source


def _is_ptx(text: str) -> bool:
    return re.match(r"(\s|//[^\n]*\n|/\*.*?\*/)*\.version\b", text, re.S) is not None


def _place(text: str) -> "tuple[str, int]":
    """Returns the Python file and line of a source's text, where it stands there once, so that messages name them."""
    own = os.path.dirname(__file__)
    frame: Any = sys._getframe(1)
    while frame is not None and os.path.dirname(frame.f_code.co_filename) == own:
        frame = frame.f_back
    if frame is None:
        return "", 0
    name = frame.f_code.co_filename
    whole = "".join(linecache.getlines(name, frame.f_globals))
    if len(text) < 20 or whole.count(text) != 1:
        return "", 0
    return name, whole[: whole.index(text)].count("\n") + 1


class Module:
    """The kernels of one source: `ww.Module("saxpy.cu")`, `ww.Module("saxpy.ptx")`, or the text itself.

    source   a file, or a text of CUDA C++ or PTX
    options  options for the compiler, as nvcc spells them (docs/compile.md): "-DN=4", "-I...", "-std=c++20"
    name     what messages call a text

    `module["name"]` is a Kernel. The name of a template has its arguments: `module["scale<float, 16>"]`. CUDA C++ is
    compiled by clang 19; PTX needs no compiler. Raises UsageError where there is no such file or kernel, CompileError with
    the place of the first message, and MissingToolError, which says how to get the compiler.

    kernels  the names of the kernels, in the order of the source; templates appear once they were asked for
    ptx      the PTX text
    """

    def __init__(self, source: "Union[str, os.PathLike[str]]", *, options: "Sequence[str]" = (), name: str = "") -> None:
        _session.ensure_active()
        self._options = list(options)
        self._handles: "list[Any]" = []
        self._kernels: "dict[str, Kernel]" = {}
        self._sources: "dict[str, list[str]]" = {}
        self._lock = threading.Lock()
        text = os.fspath(source)
        self._text: Optional[str] = None
        if isinstance(source, str) and _is_text(source):
            self._read_text(source, name)
        else:
            self._name = name or text
            if not Path(text).is_file():
                raise UsageError(f"there is no file '{text}'",
                                 hint="give a file, or a text of CUDA C++ with __global__ in it")
            if text.endswith(".ptx"):
                self._text = Path(text).read_text(encoding="utf-8", errors="replace")
        self._ptx = self._text is not None and _is_ptx(self._text)
        self._load([])

    def _read_text(self, source: str, name: str) -> None:
        ptx = _is_ptx(source)
        self._name = name or ("kernel.ptx" if ptx else "kernel.cu")
        self._text = source
        place, line = ("", 0) if name or ptx else _place(source)
        if place:
            # A name in quotes, as the preprocessor reads it.
            quoted = place.replace("\\", "\\\\").replace('"', '\\"')
            self._text = f'#line {line} "{quoted}"\n{source}'
            folder = os.path.dirname(os.path.abspath(place)) if os.path.exists(place) else ""
            self._name = os.path.join(folder, "kernel.cu")
            self._sources[place] = [l.rstrip("\n") for l in linecache.getlines(place)]
        else:
            self._sources[self._name] = source.split("\n")

    def _load(self, instances: "list[str]") -> None:
        handle = c.c_void_p()
        encoded = None if self._text is None else self._text.encode()
        if self._ptx:
            _native.call("ww_load_ptx", self._name.encode(), encoded, c.byref(handle))
        else:
            _native.call("ww_compile", self._name.encode(), encoded, _native.texts(self._options), len(self._options),
                         _native.texts(instances), len(instances), c.byref(handle))
        self._handles.append(handle)

    def __del__(self) -> None:
        handles, self._handles = getattr(self, "_handles", []), []
        for handle in handles:
            if _native._library is not None and not _native._forked:
                _native._library.ww_module_release(handle)

    @property
    def kernels(self) -> "list[str]":
        """The names of the kernels, in the order of the source; templates appear once they were asked for."""
        from ._launch import _name_of

        names: "dict[str, None]" = {}
        for handle in self._handles:
            for k in json.loads(_native.library().ww_module_json(handle))["kernels"]:
                names[_name_of(k["signature"])] = None
        return list(names)

    @property
    def ptx(self) -> str:
        """The PTX text that the kernels were made from."""
        return _native.library().ww_module_ptx(self._handles[-1]).decode("utf-8", "replace")

    def __getitem__(self, name: str) -> Kernel:
        with self._lock:
            if name not in self._kernels:
                self._kernels[name] = Kernel(self, self._find(name))
            return self._kernels[name]

    def _find(self, name: str) -> Any:
        out = c.c_void_p()
        library = _native.library()
        status = 0
        for handle in self._handles:
            status = library.ww_module_kernel(handle, name.encode(), c.byref(out))
            if not status:
                return out
        missing = _native.error(status)
        if "<" not in name or self._ptx:
            raise missing
        self._load([name])
        _native.call("ww_module_kernel", self._handles[-1], name.encode(), c.byref(out))
        return out

    def __getattr__(self, name: str) -> Kernel:
        if name.startswith("_"):
            raise AttributeError(name)
        from ._errors import Error

        try:
            return self[name]
        except Error as e:
            raise AttributeError(str(e)) from None

    def __repr__(self) -> str:
        return f"<Module {os.path.basename(self._name)}: {', '.join(self.kernels) or 'templates only'}>"


__all__ = ["Finding", "Kernel", "Module"]

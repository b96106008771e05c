"""This module starts the device of this process, and records and checks its launches."""

from __future__ import annotations

import ctypes as c
import importlib.util
import json
import os
import sys
import threading
from typing import Any, Iterator, Optional

from . import _native
from ._errors import Finding, UsageError
from ._launch import Launch, Launches

_device: "Optional[Device]" = None
_lock = threading.Lock()
_preloaded: "list[Any]" = []


class Device:
    """The emulated device that this process runs on.

    model               the name of its device model ("h200")
    title               the GPU's own name
    compute_capability  90 stands for 9.0
    multiprocessors     how many it has
    memory              device memory in bytes
    raw                 all figures of the model
    """

    def __init__(self, raw: "dict[str, Any]") -> None:
        self.raw = raw
        self.model: str = raw["name"]
        self.title: str = raw["title"]
        self.compute_capability: int = raw["compute_capability"]
        self.multiprocessors: int = raw["multiprocessors"]
        self.memory: int = raw["memory"]

    def __repr__(self) -> str:
        return f"<Device {self.model}: {self.title}, emulated>"


def _refuse_second_driver(own: str) -> None:
    for file in _native.loaded_files("libcuda.so"):
        if not os.path.realpath(file).startswith(os.path.realpath(own) + os.sep):
            raise UsageError(f"this process has loaded another driver library already: {file}",
                             hint="call warpwright.activate() before anything that uses CUDA is imported")


def activate(model: Optional[str] = None, *, threads: int = 0, lines: bool = True, predict: Optional[str] = None,
             timeout: Optional[float] = None, strict: bool = False) -> Device:
    """Makes the emulated GPU this process's CUDA device, and returns it. Call it before CuPy, Numba, ... are imported.

    model    a device model (`ww.devices()` lists them); without it the one that WARPWRIGHT_MODEL names, else "h200"
    threads  how many host threads run blocks; 0 means one for each core that may be used
    lines    True counts for each source line as well
    predict  which launches have predicted times: "auto" (within a budget), "all" or "off" (bounds alone); without it
             what WARPWRIGHT_PREDICT says, else "auto"
    timeout  how many seconds a launch may take; None means any time
    strict   True makes a KernelFault of an access a few bytes past an array's end, which a GPU does not notice

    A process has one device and one model. A second call with the same model changes nothing. With another model it
    raises UsageError, as it does for a model that does not exist and where NVIDIA's driver is loaded already. It raises
    MissingToolError where the package has no library. A forked process cannot use the device: start processes anew
    (multiprocessing's "spawn").
    """
    global _device
    with _lock:
        if _device is not None:
            if model is not None and model.lower() != _device.model.lower():
                raise UsageError(f"this process already runs on the model {_device.model}, so it cannot run on {model}",
                                 hint="activate the model that you want first, or start a process for each")
            return _device
        folder = str(_native.folder())
        _refuse_second_driver(folder)
        settings = {"WARPWRIGHT_MODEL": model, "WARPWRIGHT_PER_LINE": "1" if lines else None,
                    "WARPWRIGHT_PREDICT": predict, "WARPWRIGHT_STRICT": "1" if strict else None,
                    "WARPWRIGHT_THREADS": str(threads) if threads else None,
                    "WARPWRIGHT_TIMEOUT": str(timeout) if timeout else None}
        before = {name: os.environ.get(name) for name in settings}
        try:
            # The library reads its settings once, when it starts. What this process starts inherits none of them.
            for name, value in settings.items():
                if value is not None:
                    os.environ[name] = value
            _native.library()
            made = Device(json.loads(_native.text("ww_start")))
        finally:
            for name, old in before.items():
                if old is None:
                    os.environ.pop(name, None)
                else:
                    os.environ[name] = old
        _lead_clients(folder)
        _device = made
        return made


def _lead_clients(folder: str) -> None:
    """Loads our driver and runtime libraries, so that whoever asks for them by name from now on gets them."""
    driver = os.path.join(folder, "cuda", "libcuda.so.1")
    _preloaded.append(c.CDLL(driver, mode=os.RTLD_NOW | os.RTLD_GLOBAL))
    for version in ("13", "12"):
        runtime = os.path.join(folder, f"cudart{version}", f"libcudart.so.{version}")
        if os.path.exists(runtime):
            _preloaded.append(c.CDLL(runtime, mode=os.RTLD_NOW))
    # Leads the static CUDA runtime of libraries that are loaded from now on (CuPy's) to ours.
    takeover = os.path.join(folder, "libwarpwright_takeover.so")
    if os.path.exists(takeover):
        _preloaded.append(c.CDLL(takeover, mode=os.RTLD_NOW))
    # These look for the file themselves.
    os.environ.setdefault("NUMBA_CUDA_DRIVER", driver)
    os.environ.setdefault("TRITON_LIBCUDA_PATH", os.path.dirname(driver))
    _lead_to_compilers(folder)
    _lead_bindings()


def _lead_bindings() -> None:
    """Hangs up what is to happen when packages are imported (bindings of the runtime, PyTorch, autotuners): files beside our
    headers do it."""
    folder = os.path.join(os.environ.get("WARPWRIGHT_TOOLCHAIN", ""), "python")
    for name in ("warpwright_imports", "warpwright_versions", "warpwright_cuda_bindings", "warpwright_torch", "warpwright_autotune",
                 "warpwright_jax"):
        files = (os.path.join(folder, name + ".py"), os.path.join(folder, name, "__init__.py"))
        hook = next((f for f in files if os.path.isfile(f)), None)
        spec = importlib.util.spec_from_file_location(name, hook) if hook else None
        if name not in sys.modules and spec is not None and spec.loader is not None:
            module = sys.modules[name] = importlib.util.module_from_spec(spec)  # their own files are imported later
            spec.loader.exec_module(module)
            if hasattr(module, "install"):
                module.install()


def _lead_to_compilers(folder: str) -> None:
    """Does the same for the stand-ins of NVIDIA's compilers, where this build has them, as `warpwright run` does."""
    toolchain = os.path.normpath(os.path.join(folder, "..", "..", "share", "warpwright", "toolchain"))
    if os.path.isdir(toolchain):
        os.environ.setdefault("WARPWRIGHT_TOOLCHAIN", toolchain)
    compilers = os.path.join(folder, "compilers")
    if not os.path.isdir(compilers):
        return
    for name in sorted(os.listdir(compilers)):
        if name.startswith("lib") and ".so." in name:
            _preloaded.append(c.CDLL(os.path.join(compilers, name), mode=os.RTLD_NOW))
    programs = os.path.join(compilers, "bin")
    for variable in ("TRITON_PTXAS_PATH", "TRITON_PTXAS_BLACKWELL_PATH"):
        os.environ.setdefault(variable, os.path.join(programs, "ptxas"))
    os.environ["PATH"] = programs + os.pathsep + os.environ.get("PATH", os.defpath)


def ensure_active() -> Device:
    _native.library()  # in a forked process this says so
    return _device if _device is not None else activate()


def synchronize() -> None:
    """Waits until all launches of this process are done."""
    ensure_active()
    _native.call("ww_synchronize")


class profile:
    """Records every launch of this process: `with ww.profile() as p: ...`, then `p.launches`.

    Launches of Module, Numba, CuPy, Triton and of any other user of the CUDA libraries are among them. Inside the block
    `p.take()` returns what has run so far.

    launches  a Launches: a sequence of Launch with sums
    time      the sum of predicted times in seconds, or None where a launch has none
    bound     the sum of bounds in seconds
    counts    the sum of each count (Counts)
    """

    def __init__(self) -> None:
        self.launches = Launches()
        self._recording = c.c_void_p()

    def __enter__(self) -> "profile":
        ensure_active()
        _native.call("ww_record_begin", c.byref(self._recording))
        return self

    def _end(self) -> None:
        recording, self._recording = self._recording, c.c_void_p()
        if recording:
            raw = json.loads(_native.text("ww_record_end", recording))
            for launch in raw["launches"]:
                self.launches.append(Launch(launch))

    def take(self) -> Launches:
        """Returns all launches so far (Launches), and goes on recording."""
        if self._recording:
            self._end()
            _native.call("ww_record_begin", c.byref(self._recording))
        return self.launches

    def __exit__(self, *_: Any) -> None:
        self._end()

    @property
    def time(self) -> Optional[float]:
        """The sum of predicted times in seconds, or None where a launch has none."""
        return self.launches.time

    @property
    def bound(self) -> float:
        """The sum of bounds in seconds."""
        return self.launches.bound

    @property
    def counts(self) -> Any:
        """The sum of each count (Counts)."""
        return self.launches.counts

    def __iter__(self) -> "Iterator[Launch]":
        return iter(self.launches)

    def __len__(self) -> int:
        return len(self.launches)

    def __repr__(self) -> str:
        return repr(self.launches)

    def _repr_html_(self) -> str:
        return self.launches._repr_html_()


_check: "Optional[check]" = None


def current_check() -> "Optional[check]":
    return _check


class check:
    """Watches every launch in the block: `with ww.check(): ...` raises a Finding where a checker finds an error.

    checkers  "all", or some of "memory,init,race,sync" (docs/check.md)
    raises    False collects findings and raises none
    findings  all that was found so far (a list of Finding), warnings included

    A launch of a Module raises at its own line; launches of other libraries raise when the block ends. Memory that was
    allocated before the block counts as written. Checked launches have the same counts as others and no predicted times.
    Raises UsageError for a checker that does not exist and where such a block is inside another one.
    """

    def __init__(self, checkers: str = "all", *, raises: bool = True) -> None:
        self.checkers, self.raises = checkers, raises
        self.findings: "list[Finding]" = []
        self._told: "set[int]" = set()

    def __enter__(self) -> "check":
        global _check
        ensure_active()
        _native.call("ww_check_begin", self.checkers.encode())
        _check = self
        return self

    def _add(self, findings: "list[Finding]") -> None:
        self.findings.extend(findings)

    def take(self) -> "list[Finding]":
        """Returns what was found so far, a list of Finding."""
        if _check is self:
            self._read(_native.text("ww_check_take"))
        return self.findings

    def _read(self, text: str) -> None:
        found = [Finding(f) for f in json.loads(text)["findings"]]
        for f in found:
            f.findings = found
        self._add(found)

    def __exit__(self, kind: Any, *_: Any) -> None:
        global _check
        _check = None
        self._read(_native.text("ww_check_end"))
        wrong = [f for f in self.findings if f.severity == "error" and id(f) not in self._told]
        if wrong and self.raises and kind is None:
            wrong[0].findings = self.findings
            raise wrong[0]

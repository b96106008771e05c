"""Warpwright runs CUDA kernels on an emulated GPU, counts exactly what they do and predicts their times. It needs no GPU.

    import numpy as np, warpwright as ww

    module = ww.Module("saxpy.cu")                       # or a text of CUDA C++ or PTX
    y = np.ones(1000, np.float32)
    launch = module["saxpy"][4, 256](np.float32(2), x, y, 1000)
    launch.counts.global_load_sectors, launch.bound, launch.time, launch.lines

Numba, CuPy, Triton and others run on the emulated GPU after `ww.activate()`. `with ww.profile() as p:` records their
launches, and `with ww.check():` raises what the checkers find. docs/python.md describes all of the package.

Each name is loaded when it is first used, so that importing this module takes milliseconds.
"""

from __future__ import annotations

TYPE_CHECKING = False  # type checkers know the name, and typing need not be loaded for it
if TYPE_CHECKING:
    from typing import Any

    from ._arrays import DeviceArray
    from ._errors import (CompileError, Error, Finding, FindingWarning, KernelFault, LimitError, MissingToolError,
                          UsageError)
    from ._launch import Bound, Cause, Counts, Launch, Launches, Line
    from ._magic import load_ipython_extension, unload_ipython_extension
    from ._module import Kernel, Module
    from ._session import Device, activate, check, profile, synchronize
    from ._tools import DeviceModel, Occupancy, devices, explain, lab, occupancy

__version__: str  # that of the native library, read when it is asked for

_WHERE = {
    "DeviceArray": "_arrays",
    "CompileError": "_errors", "Error": "_errors", "Finding": "_errors", "FindingWarning": "_errors",
    "KernelFault": "_errors", "LimitError": "_errors", "MissingToolError": "_errors", "UsageError": "_errors",
    "Bound": "_launch", "Cause": "_launch", "Counts": "_launch", "Launch": "_launch", "Launches": "_launch", "Line": "_launch",
    "load_ipython_extension": "_magic", "unload_ipython_extension": "_magic",
    "Kernel": "_module", "Module": "_module",
    "Device": "_session", "activate": "_session", "check": "_session", "profile": "_session",
    "synchronize": "_session",
    "DeviceModel": "_tools", "Occupancy": "_tools", "devices": "_tools", "explain": "_tools", "lab": "_tools",
    "occupancy": "_tools",
}

__all__ = sorted([*_WHERE, "array", "empty", "__version__"])


def __getattr__(name: str) -> Any:
    if name == "__version__":
        from ._native import library

        globals()[name] = library().ww_version().decode()
        return globals()[name]
    if name not in _WHERE:
        raise AttributeError(f"the module 'warpwright' has no attribute '{name}'")
    import importlib

    value = getattr(importlib.import_module("." + _WHERE[name], __name__), name)
    globals()[name] = value
    return value


def __dir__() -> "list[str]":
    return __all__


def empty(shape: Any, dtype: Any = "float32") -> "DeviceArray":
    """Returns an array in device memory whose elements were never written.

    shape  a number or a tuple, in elements; dtype: a numpy dtype or its name
    Under `check()` a kernel that reads an element before it was written is a Finding.
    Raises TypeError where numpy has no such dtype, LimitError where the device has not enough memory.
    """
    from . import _arrays, _session

    _session.ensure_active()
    return _arrays.DeviceArray(shape, dtype)


def array(values: Any, dtype: Any = None) -> "DeviceArray":
    """Returns a copy of `values` in device memory; its `.get()` copies it back.

    values  anything that numpy.asarray takes; the copy has its shape
    dtype   a numpy dtype or its name; without it the copy has that of `values`
    Raises what numpy.asarray raises, and LimitError where the device has not enough memory.
    """
    import numpy as np

    given = np.asarray(values, dtype=dtype)
    return empty(given.shape, given.dtype).set(given)

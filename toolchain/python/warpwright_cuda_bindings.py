"""Leads NVIDIA's Python bindings of the CUDA runtime (cuda.bindings.runtime) to our runtime library.

Their wheel has the runtime inside, without the names by which a program's own runtime is led to ours. What one of its
modules has besides is Cython's table of its functions, __pyx_capi__, from which the modules that are imported after it take
their functions: the entries of those that our library has are exchanged there. Which module that is, depends on the version.
"""
import ctypes
import sys

import warpwright_imports

# The module, and how our library names the functions of its kind: the second is for a default stream for each thread.
LEGACY, PER_THREAD = ("",), ("_ptsz", "_ptds", "")
MODULES = {"cuda.bindings._bindings.cyruntime": LEGACY,
           "cuda.bindings._bindings.cyruntime_ptds": PER_THREAD,
           # since 13.5
           "cuda.bindings._internal.runtime": LEGACY,
           "cuda.bindings._internal.runtime_ptds": PER_THREAD}


def lead(module, suffixes):
    """Exchanges the functions of a module that is imported; those that our library lacks stay as they are."""
    table = getattr(module, "__pyx_capi__", None)
    if not isinstance(table, dict):
        return
    ours = _library()
    api = ctypes.pythonapi
    name_of = ctypes.PYFUNCTYPE(ctypes.c_char_p, ctypes.py_object)(("PyCapsule_GetName", api))
    make = ctypes.PYFUNCTYPE(ctypes.py_object, ctypes.c_void_p, ctypes.c_char_p, ctypes.c_void_p)(("PyCapsule_New", api))
    names = []  # a capsule does not keep its name
    for name, capsule in list(table.items()):
        function = next((f for s in suffixes if (f := getattr(ours, name.lstrip("_") + s, None)) is not None), None)
        if function is None:
            continue
        names.append(ctypes.c_char_p(name_of(capsule)))
        table[name] = make(ctypes.cast(function, ctypes.c_void_p), names[-1], None)
    module.__warpwright_names__ = names


def _library():
    """Returns our runtime library, in the version that the bindings are for."""
    import importlib.metadata  # only where it is needed: this file is read whenever Python starts

    try:
        major = importlib.metadata.version("cuda-bindings").split(".")[0]
    except importlib.metadata.PackageNotFoundError:
        major = "13"
    return ctypes.CDLL("libcudart.so." + ("12" if major == "12" else "13"))


def _lead(suffixes):
    def imported(module):
        try:
            lead(module, suffixes)
        except OSError as error:
            print(f"warpwright: cuda.bindings.runtime keeps the CUDA runtime of its wheel: {error}", file=sys.stderr)

    return imported


def install():
    """Leads the bindings that are imported from now on; those that are imported already stay as they are."""
    for name, suffixes in MODULES.items():
        if name not in sys.modules:
            warpwright_imports.when(name, _lead(suffixes))

"""What leads NVIDIA's Python bindings of the CUDA runtime to our library, on modules made up: each has a table of functions as
Cython makes it, with one function that our library has and one that it lacks. Run with LD_LIBRARY_PATH set to our libcudart."""
import ctypes
import importlib
import os
import sys
import tempfile

FOLDER = os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "..", "toolchain", "python")
MODULE = """
import ctypes
api = ctypes.pythonapi
make = ctypes.PYFUNCTYPE(ctypes.py_object, ctypes.c_void_p, ctypes.c_char_p, ctypes.c_void_p)(("PyCapsule_New", api))
signature = ctypes.c_char_p(b"int (int *)")
__pyx_capi__ = {name: make(4096, signature, None) for name in ("_cudaGetDeviceCount", "_cudaMemcpyAsync", "_cudaNothing")}
"""
# By version of cuda-bindings: until 13.4, and since.
NAMES = ("cuda.bindings._bindings.cyruntime", "cuda.bindings._bindings.cyruntime_ptds",
         "cuda.bindings._internal.runtime", "cuda.bindings._internal.runtime_ptds")


def address(capsule):
    api = ctypes.pythonapi
    name_of = ctypes.PYFUNCTYPE(ctypes.c_char_p, ctypes.py_object)(("PyCapsule_GetName", api))
    get = ctypes.PYFUNCTYPE(ctypes.c_void_p, ctypes.py_object, ctypes.c_char_p)(("PyCapsule_GetPointer", api))
    return get(capsule, name_of(capsule))


def write(folder, name):
    place = os.path.join(folder, *name.split(".")[:-1])
    os.makedirs(place, exist_ok=True)
    with open(os.path.join(place, name.split(".")[-1] + ".py"), "w") as file:
        file.write(MODULE)


def main():
    sys.path.insert(0, FOLDER)
    hook = importlib.import_module("warpwright_cuda_bindings")
    ours = ctypes.CDLL("libcudart.so.13")
    at = lambda name: ctypes.cast(getattr(ours, name), ctypes.c_void_p).value
    with tempfile.TemporaryDirectory() as folder:
        for name in NAMES:
            write(folder, name)
        write(folder, "cuda.bindings._internal.driver")
        sys.path.insert(0, folder)
        hook.install()
        for name in NAMES:
            table = importlib.import_module(name).__pyx_capi__
            # The second kind is for a default stream for each thread.
            suffix = "_ptsz" if name.endswith("_ptds") else ""
            assert address(table["_cudaGetDeviceCount"]) == at("cudaGetDeviceCount"), name
            assert address(table["_cudaMemcpyAsync"]) == at("cudaMemcpyAsync" + suffix), name
            assert address(table["_cudaNothing"]) == 4096, name
        other = importlib.import_module("cuda.bindings._internal.driver").__pyx_capi__
        assert address(other["_cudaGetDeviceCount"]) == 4096


if __name__ == "__main__":
    main()

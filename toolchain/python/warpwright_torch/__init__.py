"""PyTorch's eager operators on the emulated GPU (docs/pytorch.md).

PyTorch's wheel has its CUDA operators as machine code alone, which no emulated device can execute. When PyTorch first uses
CUDA, the operators of its CUDA backend get bodies here: kernels of ours (kernels/aten), or what the CPU computes, as table.py says.
"""
import ctypes
import glob
import importlib.machinery
import os

import warpwright_imports


def begin(torch):
    """Gives the operators their bodies when CUDA is first used: a program that only imports PyTorch waits for nothing."""
    if getattr(torch.version, "cuda", None) is None:
        return  # a wheel without CUDA
    from . import register

    torch.cuda._lazy_call(lambda: register.all_operators(torch))


_LIBRARIES = ("cublasLt", "cublas", "cudnn", "cufft", "curand", "cusparse", "cusolver")


def _load_libraries():
    """Opens the libraries of wheels for CUDA 12 by their paths, as PyTorch does itself with those for CUDA 13: ours are opened in their place, and the
    loader, which would find NVIDIA's by the path inside PyTorch's libraries (DT_RPATH), takes those of the same name that are there."""
    found = importlib.machinery.PathFinder.find_spec("nvidia")
    folders = sorted(f for place in (found.submodule_search_locations or () if found else ()) for f in glob.glob(os.path.join(place, "cu[bdfrs]*", "lib")))
    for name in _LIBRARIES:
        for path in (p for folder in folders for p in glob.glob(os.path.join(folder, f"lib{name}.so.*"))):
            try:
                ctypes.CDLL(path)
            except OSError:
                pass  # PyTorch says what it lacks


def _before():
    _load_libraries()
    if os.environ.get("WARPWRIGHT_CHECKERS"):
        # Checkers know allocations of the runtime library: each tensor is to be one, and no part of a pool.
        os.environ.setdefault("PYTORCH_NO_CUDA_MEMORY_CACHING", "1")


def install():
    """Leads the operators of a PyTorch that is imported from now on, or was before."""
    warpwright_imports.when("torch", begin, _before)

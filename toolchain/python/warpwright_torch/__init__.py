"""PyTorch's eager operators on the emulated GPU (docs/pytorch.md).

PyTorch's wheel has its CUDA operators as machine code alone, which no emulated device can execute. When PyTorch first uses
CUDA, the operators of its CUDA backend get bodies here: kernels of ours (kernels/aten), or what the CPU computes, as table.py says.
"""
import importlib.abc
import importlib.machinery
import os
import sys


def begin(torch):
    """Gives the operators their bodies when CUDA is first used: a program that only imports PyTorch waits for nothing."""
    if getattr(torch.version, "cuda", None) is None:
        return  # a wheel without CUDA
    from . import register

    torch.cuda._lazy_call(lambda: register.all_operators(torch))


class _Loader(importlib.abc.Loader):
    def __init__(self, own):
        self._own = own

    def __getattr__(self, name):
        return getattr(self._own, name)

    def create_module(self, spec):
        return self._own.create_module(spec)

    def exec_module(self, module):
        if os.environ.get("WARPWRIGHT_CHECKERS"):
            # Checkers know allocations of the runtime library: each tensor is to be one, and no part of a pool.
            os.environ.setdefault("PYTORCH_NO_CUDA_MEMORY_CACHING", "1")
        self._own.exec_module(module)
        begin(module)


class _Finder(importlib.abc.MetaPathFinder):
    def find_spec(self, name, path=None, target=None):
        if name != "torch":
            return None
        spec = importlib.machinery.PathFinder.find_spec(name, path)
        if spec is not None and spec.loader is not None:
            spec.loader = _Loader(spec.loader)
        return spec


def install():
    """Leads the operators of a PyTorch that is imported from now on, or was before."""
    if "torch" in sys.modules:
        begin(sys.modules["torch"])
    elif not any(isinstance(f, _Finder) for f in sys.meta_path):
        sys.meta_path.insert(0, _Finder())

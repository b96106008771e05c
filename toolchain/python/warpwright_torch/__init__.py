"""PyTorch's eager operators on the emulated GPU (docs/pytorch.md).

PyTorch's wheel has its CUDA operators as machine code alone, which no emulated device can execute. When PyTorch first uses
CUDA, the operators of its CUDA backend get bodies here: kernels of ours (kernels/aten), or what the CPU computes, as table.py says.
"""
import os

import warpwright_imports


def begin(torch):
    """Gives the operators their bodies when CUDA is first used: a program that only imports PyTorch waits for nothing."""
    if getattr(torch.version, "cuda", None) is None:
        return  # a wheel without CUDA
    from . import register

    torch.cuda._lazy_call(lambda: register.all_operators(torch))


def _before():
    if os.environ.get("WARPWRIGHT_CHECKERS"):
        # Checkers know allocations of the runtime library: each tensor is to be one, and no part of a pool.
        os.environ.setdefault("PYTORCH_NO_CUDA_MEMORY_CACHING", "1")


def install():
    """Leads the operators of a PyTorch that is imported from now on, or was before."""
    warpwright_imports.when("torch", begin, _before)

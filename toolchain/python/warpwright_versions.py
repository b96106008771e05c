"""The versions of Python packages that were tried.

Where a program imports another one (of PyTorch: uses CUDA with it), a line says once which they are.
"""
import sys

import warpwright_imports

# docs/python-packages.md, docs/pytorch.md and docs/jax.md say what was tried of each.
TRIED = {
    "torch": ("2.9.1", "2.11.0", "2.15.0"),
    "triton": ("3.5.1", "3.6.0", "3.9.0"),
    "jax": ("0.10.2",),
    "cupy": ("14.2.0",),
    "numba_cuda": ("0.30.4",),
}


def _series(version):
    """Takes of 2.11.0+cu130 what names a series: 2.11."""
    return version.split("+")[0].split(".")[:2]


def tell(name, version):
    """Says where a package's series is none that was tried. Returns whether it said so."""
    if not isinstance(version, str) or any(_series(version) == _series(tried) for tried in TRIED[name]):
        return False
    print(f"warpwright: {name} {version} was not tried; tried: {', '.join(TRIED[name])}. It runs as far as it is alike", file=sys.__stderr__)
    return True


def install():
    """Looks at the packages that are imported from now on."""
    for name in TRIED:
        if name != "torch":  # its adapter asks when CUDA is first used
            warpwright_imports.when(name, lambda module, name=name: tell(name, getattr(module, "__version__", None)))

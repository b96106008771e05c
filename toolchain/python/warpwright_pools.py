"""Python libraries that keep pools of device memory give each array an allocation of its own, where a program is checked.

Checkers know the allocations of the runtime library: in a pool's block an access past an array's end is one to its
neighbour, and memory that was given back to the pool is still there. What a program itself chooses stays.
"""
import importlib.abc
import importlib.machinery
import os
import sys


def _cupy(cupy):
    cupy.cuda.set_allocator(None)
    cupy.cuda.set_pinned_memory_allocator(None)


MODULES = {"cupy": _cupy}


class _Loader(importlib.abc.Loader):
    def __init__(self, own, then):
        self._own, self._then = own, then

    def __getattr__(self, name):
        return getattr(self._own, name)

    def create_module(self, spec):
        return self._own.create_module(spec)

    def exec_module(self, module):
        self._own.exec_module(module)
        self._then(module)


class _Finder(importlib.abc.MetaPathFinder):
    def find_spec(self, name, path=None, target=None):
        if name not in MODULES:
            return None
        spec = importlib.machinery.PathFinder.find_spec(name, path)
        if spec is not None and spec.loader is not None:
            spec.loader = _Loader(spec.loader, MODULES[name])
        return spec


def install():
    """Looks after the libraries that are imported from now on."""
    if not os.environ.get("WARPWRIGHT_CHECKERS"):
        return
    # JAX: each buffer is allocated when it is needed.
    os.environ.setdefault("XLA_PYTHON_CLIENT_ALLOCATOR", "platform")
    if not any(isinstance(f, _Finder) for f in sys.meta_path):
        sys.meta_path.insert(0, _Finder())

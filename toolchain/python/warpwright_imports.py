"""What is to happen when a program imports a package: the hooks of this folder are hung up here, and cost nothing before."""
import importlib.abc
import importlib.machinery
import os
import sys

_after, _before = {}, {}  # name of a module -> functions


class _Loader(importlib.abc.Loader):
    def __init__(self, own, name):
        self._own, self._name = own, name

    def __getattr__(self, name):
        return getattr(self._own, name)

    def create_module(self, spec):
        return self._own.create_module(spec)

    def exec_module(self, module):
        for function in _before.get(self._name, ()):
            function()
        self._own.exec_module(module)
        for function in _after.get(self._name, ()):
            function(module)


class _Finder(importlib.abc.MetaPathFinder):
    def find_spec(self, name, path=None, target=None):
        if name not in _after:
            return None
        spec = importlib.machinery.PathFinder.find_spec(name, path)
        if spec is not None and spec.loader is not None and not isinstance(spec.loader, _Loader):
            spec.loader = _Loader(spec.loader, name)
        return spec


def when(name, after, before=None):
    """Calls `after` with the module of a name once it is imported, or at once where it is; `before` just before it is."""
    _after.setdefault(name, []).append(after)
    if before is not None:
        _before.setdefault(name, []).append(before)
    if not any(isinstance(f, _Finder) for f in sys.meta_path):
        sys.meta_path.insert(0, _Finder())
    if name in sys.modules:
        after(sys.modules[name])


def library_folder():
    """Finds the folder of our library in this process; None where it is not loaded."""
    with open("/proc/self/maps") as maps:
        for line in maps:
            if line.rstrip().endswith("/libwarpwright_cuda.so"):
                return os.path.dirname(line.split(None, 5)[5].rstrip())
    return None

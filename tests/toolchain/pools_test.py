"""Where a program is checked, CuPy's pools are switched off when it is imported, and JAX has none: on a package made up."""
import importlib
import os
import sys
import tempfile

FOLDER = os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "..", "toolchain", "python")
CUPY = """
class cuda:
    chosen = {"device": "pool", "pinned": "pool"}
    set_allocator = staticmethod(lambda allocator: cuda.chosen.update(device=allocator))
    set_pinned_memory_allocator = staticmethod(lambda allocator: cuda.chosen.update(pinned=allocator))
"""
ALLOCATOR = "XLA_PYTHON_CLIENT_ALLOCATOR"


def chosen(checkers, allocator=None):
    """Returns CuPy's two allocators and JAX's."""
    for name, value in (("WARPWRIGHT_CHECKERS", checkers), (ALLOCATOR, allocator)):
        os.environ.pop(name, None)
        if value is not None:
            os.environ[name] = value
    for name in ("cupy", "warpwright_imports", "warpwright_pools"):
        sys.modules.pop(name, None)
    before = list(sys.meta_path)
    importlib.import_module("warpwright_pools").install()
    of_cupy = importlib.import_module("cupy").cuda.chosen
    sys.meta_path[:] = before
    return of_cupy["device"], of_cupy["pinned"], os.environ.get(ALLOCATOR)


def main():
    with tempfile.TemporaryDirectory() as folder:
        with open(os.path.join(folder, "cupy.py"), "w") as file:
            file.write(CUPY)
        sys.path[:0] = [folder, FOLDER]
        assert chosen(None) == ("pool", "pool", None)
        assert chosen("all") == (None, None, "platform")
        assert chosen("memory", "bfc") == (None, None, "bfc"), "what the user has chosen stays"


if __name__ == "__main__":
    main()

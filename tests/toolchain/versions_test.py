"""A package of a version that was not tried is told of in a line that says which were; one that was is not: on packages made up."""
import importlib
import io
import os
import sys
import tempfile
from unittest import mock

FOLDER = os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "..", "toolchain", "python")


def said(name, version):
    """Imports a package of a version; returns what is written on standard error."""
    with tempfile.TemporaryDirectory() as folder, mock.patch.object(sys, "path", [folder, *sys.path]), mock.patch.object(sys, "meta_path", list(sys.meta_path)):
        for module in (name, "warpwright_imports", "warpwright_versions"):
            sys.modules.pop(module, None)
        with open(os.path.join(folder, name + ".py"), "w") as file:
            file.write(f"__version__ = {version!r}\n")
        importlib.invalidate_caches()
        out = io.StringIO()
        with mock.patch.object(sys, "__stderr__", out):
            importlib.import_module("warpwright_versions").install()
            importlib.import_module(name)
        sys.modules.pop(name)
        return out.getvalue()


def main():
    sys.path.insert(0, FOLDER)
    assert said("cupy", "14.2.0") == said("cupy", "14.2.7") == ""
    text = said("cupy", "99.1.0")
    assert text.count("\n") == 1 and "cupy 99.1.0 was not tried" in text and "14.2.0" in text, text
    assert said("torch", "99.1.0") == "", "PyTorch is asked when it uses CUDA"
    versions = importlib.import_module("warpwright_versions")
    assert not versions.tell("torch", "2.11.0+cu130") and not versions.tell("jax", (1, 2))


if __name__ == "__main__":
    main()

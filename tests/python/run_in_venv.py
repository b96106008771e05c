"""Installs this build, packs the wheel, installs that in a clean virtual environment, and runs the tests there.

Exit code 77, after a line that says why: the environment cannot be made on this machine.
"""

import argparse
import os
import shutil
import subprocess
import sys
from pathlib import Path

# The system's own Python has what ./setup installs (python3-numpy, python3-pytest); another one may come first in PATH.
SYSTEM = "/usr/bin/python3"


def skip(why):
    print(f"python.package: not run: {why}")
    sys.exit(77)


def works(*command):
    return subprocess.run(command, capture_output=True).returncode == 0


def environment(folder):
    """A virtual environment with pip, numpy and pytest: from the package index, else those of the system."""
    for python, options in ((sys.executable, []), (SYSTEM, ["--system-site-packages"])):
        shutil.rmtree(folder, ignore_errors=True)
        if not works(python, "-m", "venv", *options, str(folder)):
            continue
        inside = str(folder / "bin" / "python")
        if works(inside, "-c", "import numpy, pytest"):
            return inside
        if works(inside, "-m", "pip", "install", "--quiet", "--timeout", "10", "--retries", "1", "numpy", "pytest"):
            return inside
    return None


def main():
    parser = argparse.ArgumentParser()
    for name in ("cmake", "build", "source", "work"):
        parser.add_argument("--" + name, type=Path, required=True)
    given = parser.parse_args()
    if not works(sys.executable, "-c", "import venv, ensurepip") and not works(SYSTEM, "-c", "import venv, ensurepip"):
        skip("Python's venv is missing; install the package python3-venv")
    python = environment(given.work / "venv")
    if python is None:
        skip("numpy and pytest can be had neither by pip nor from the system; install python3-numpy and python3-pytest")
    install, wheels = given.work / "install", given.work / "wheels"
    for folder in (install, wheels):
        shutil.rmtree(folder, ignore_errors=True)
    wheels.mkdir(parents=True)
    subprocess.run([given.cmake, "--install", given.build, "--prefix", install], check=True, stdout=subprocess.DEVNULL)
    # As a front end calls it, but for the compression: the file is read once.
    code = (f"import sys, zlib; sys.path.insert(0, {str(given.source)!r}); import warpwright_build as b\n"
            f"b.LEVEL = 1; print(b.build_wheel({str(wheels)!r}))")
    subprocess.run([python, "-B", "-c", code], check=True, env={**os.environ, "WARPWRIGHT_INSTALL": str(install)})
    wheel = next(wheels.glob("*.whl"))
    subprocess.run([python, "-m", "pip", "install", "--quiet", "--no-deps", "--no-index", "--force-reinstall", str(wheel)],
                   check=True)
    settings = {k: v for k, v in os.environ.items() if not k.startswith("WARPWRIGHT_") and k != "PYTHONPATH"}
    settings["WARPWRIGHT_STRINGS"] = str(given.work / "user-strings.txt")  # a list to read, made by test_words.py
    settings["PATH"] = str(given.work / "venv" / "bin") + os.pathsep + settings.get("PATH", "")
    # From another folder: the package must come from the environment, not from the source tree.
    done = subprocess.run([python, "-m", "pytest", "-q", "-p", "no:cacheprovider", "--rootdir", str(given.source / "tests"),
                           str(given.source / "tests")], cwd=given.work, env=settings)
    sys.exit(done.returncode)


main()

"""This file is the build backend (PEP 517) of the Python package. It has no dependencies.

It packs `src/warpwright` and a CMake install of this repository into a wheel. The install is in the folder that
WARPWRIGHT_INSTALL names; `tools/wheel` makes one and calls this. Without the setting, `build/wheel/install` beside this
folder is taken.
"""

from __future__ import annotations

import base64
import hashlib
import os
import re
import stat
import subprocess
import zipfile
from pathlib import Path

HERE = Path(__file__).resolve().parent
# What a program of another language needs, and no Python user: left out of the wheel.
LEFT_OUT = ("include/", "lib/cmake/", "share/doc/", "share/warpwright/examples/")
# A fixed date, so that the same files give the same wheel: the first that a zip archive can have.
DATE = (1980, 1, 1, 0, 0, 0)
LEVEL = 9  # of compression
LIBRARY = Path("lib", "warpwright", "libwarpwright_cuda.so")


def _version() -> str:
    """Returns the version of the whole, which the line `project(...)` of CMakeLists.txt has."""
    text = (HERE.parent / "CMakeLists.txt").read_text(encoding="utf-8")
    return re.search(r"^project\(warpwright VERSION (\S+)", text, re.M).group(1)


def _project() -> "dict[str, str]":
    """Returns the lines of pyproject.toml that the metadata repeats. tomllib is part of Python from 3.11 on only."""
    text = (HERE / "pyproject.toml").read_text(encoding="utf-8")
    out = {key: re.search(rf'^{key} = "(.*)"$', text, re.M).group(1)
           for key in ("name", "description", "requires-python")}
    out["version"] = _version()
    out["classifiers"] = re.findall(r'^    "(.* :: .*)",$', text, re.M)
    out["extras"] = re.search(r"^\[project.optional-dependencies\]\n((?:.+\n)+)", text, re.M).group(1)
    out["scripts"] = re.search(r"^\[project.scripts\]\n((?:.+\n)+)", text, re.M).group(1)
    out["pytest11"] = re.search(r"^\[project.entry-points.pytest11\]\n((?:.+\n?)+)", text, re.M).group(1)
    return out


def _elf(path: Path, part: str) -> str:
    """Returns what readelf says of a part of a file. Not objdump: it reads files of this machine's architecture alone."""
    return subprocess.run(["readelf", part, "-W", str(path)], capture_output=True, text=True, check=True,
                          env={**os.environ, "LC_ALL": "C"}).stdout


def _glibc(install: Path) -> "tuple[int, int]":
    """Returns the newest version of glibc that a file of the install asks for."""
    newest = (2, 17)
    for path in install.rglob("*"):
        if not path.is_file() or path.is_symlink() or not path.read_bytes()[:4] == b"\x7fELF":
            continue
        for major, minor in re.findall(r"\bGLIBC_(\d+)\.(\d+)", _elf(path, "-V")):
            newest = max(newest, (int(major), int(minor)))
    return newest


def _machine(install: Path) -> str:
    """Returns the architecture that the library of the install is for, by the number in its head."""
    names = {62: "x86_64", 183: "aarch64"}
    number = int.from_bytes((install / LIBRARY).read_bytes()[18:20], "little")
    if number not in names:
        raise SystemExit(f"warpwright_build: error: {install / LIBRARY} is for an architecture without a name here "
                         f"(e_machine {number})")
    return names[number]


def _tag(install: Path) -> str:
    major, minor = _glibc(install)
    return f"py3-none-manylinux_{major}_{minor}_{_machine(install)}"


def _install() -> Path:
    path = Path(os.environ.get("WARPWRIGHT_INSTALL") or HERE.parent / "build" / "wheel" / "install")
    if not (path / LIBRARY).exists():
        raise SystemExit(f"warpwright_build: error: {path} is no install of Warpwright (run tools/wheel: it makes one, and "
                         "the wheel from it)")
    return path


def _metadata(project: "dict[str, str]") -> str:
    lines = ["Metadata-Version: 2.1", f"Name: {project['name']}", f"Version: {project['version']}",
             f"Summary: {project['description']}", "License: Apache-2.0",
             f"Requires-Python: {project['requires-python']}"]
    lines += [f"Classifier: {c}" for c in project["classifiers"]]
    for extra, needs in re.findall(r"^(\w+) = \[(.*)\]$", project["extras"], re.M):
        lines.append(f"Provides-Extra: {extra}")
        lines += [f'Requires-Dist: {need} ; extra == "{extra}"' for need in re.findall(r'"(.*?)"', needs)]
    lines += ["Description-Content-Type: text/markdown", "", (HERE / "README.md").read_text(encoding="utf-8")]
    return "\n".join(lines)


def _entry_points(project: "dict[str, str]") -> str:
    def plain(text: str) -> str:
        return "".join(f"{k} = {v}\n" for k, v in re.findall(r'^(\w+) = "(.*)"$', text, re.M))

    return f"[console_scripts]\n{plain(project['scripts'])}\n[pytest11]\n{plain(project['pytest11'])}"


class _Wheel:
    def __init__(self, path: Path) -> None:
        self._zip = zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED, compresslevel=LEVEL)
        self._record: "list[str]" = []

    def add(self, name: str, data: bytes, executable: bool = False) -> None:
        info = zipfile.ZipInfo(name, DATE)
        info.compress_type = zipfile.ZIP_DEFLATED
        info.external_attr = (stat.S_IFREG | (0o755 if executable else 0o644)) << 16
        self._zip.writestr(info, data, compresslevel=LEVEL)
        digest = base64.urlsafe_b64encode(hashlib.sha256(data).digest()).rstrip(b"=").decode()
        self._record.append(f"{name},sha256={digest},{len(data)}")

    def finish(self, record: str) -> None:
        self._record.append(f"{record},,")
        self._zip.writestr(zipfile.ZipInfo(record, DATE), "\n".join(self._record) + "\n")
        self._zip.close()


def _pack(folder: str, editable: bool) -> str:
    project = _project()
    install = None if editable else _install()
    tag = f"py3-none-linux_{os.uname().machine}" if install is None else _tag(install)
    base = f"{project['name']}-{project['version']}"
    name = f"{base}-{tag}.whl"
    wheel = _Wheel(Path(folder) / name)
    if install is None:
        wheel.add("warpwright.pth", f"{HERE / 'src'}\n".encode())
    else:
        for path in sorted((HERE / "src").rglob("*")):
            if path.is_file() and path.suffix in (".py", ".typed"):
                wheel.add(path.relative_to(HERE / "src").as_posix(), path.read_bytes())
        for path in sorted(install.rglob("*")):
            inside = path.relative_to(install).as_posix()
            # A wheel has no links: the names that the loader asks for are files; the others are left out.
            if not path.is_file() or inside.startswith(LEFT_OUT) or _only_for_linking(path):
                continue
            wheel.add(f"warpwright/_native/{inside}", path.read_bytes(), os.access(path, os.X_OK))
    info = f"{base}.dist-info"
    for file in ("LICENSE", "NOTICE"):
        wheel.add(f"{info}/{file}", (HERE.parent / file).read_bytes())
    wheel.add(f"{info}/METADATA", _metadata(project).encode())
    wheel.add(f"{info}/entry_points.txt", _entry_points(project).encode())
    wheel.add(f"{info}/WHEEL", f"Wheel-Version: 1.0\nGenerator: warpwright_build\nRoot-Is-Purelib: false\nTag: {tag}\n".encode())
    wheel.finish(f"{info}/RECORD")
    return name


def _only_for_linking(path: Path) -> bool:
    """Tells whether a file is of use to a linker alone, so that the wheel leaves it out.

    A library is in the wheel once, by the name that the loader asks for (libtbb.so.12, and not libtbb.so or
    libtbb.so.12.8). The public C++ library is for programs that are built against an install.
    """
    if path.name.startswith("libwarpwright.so"):
        return True
    # Programs ask for the driver by both names.
    if ".so" not in path.name or path.name == "libcuda.so":
        return False
    text = _elf(path, "-d")
    named = re.search(r"\(SONAME\).*\[(\S+)\]$", text, re.M)
    return named is not None and path.name != named.group(1) and (path.parent / named.group(1)).exists()


def build_wheel(wheel_directory: str, config_settings: object = None, metadata_directory: object = None) -> str:
    """Makes the wheel in `wheel_directory`, and returns its file name."""
    return _pack(wheel_directory, False)


def build_editable(wheel_directory: str, config_settings: object = None, metadata_directory: object = None) -> str:
    """Makes a wheel that leads to the sources where they are. WARPWRIGHT_CUDART names the build folder with the library."""
    return _pack(wheel_directory, True)


def build_sdist(sdist_directory: str, config_settings: object = None) -> str:
    raise SystemExit("warpwright_build: error: the Python package has no source distribution of its own (clone the whole repository)")


def get_requires_for_build_wheel(config_settings: object = None) -> "list[str]":
    return []


get_requires_for_build_editable = get_requires_for_build_wheel

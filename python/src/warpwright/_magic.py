"""This module is what `%load_ext warpwright` loads: the cell magic %%cuda."""

from __future__ import annotations

import argparse
import html
import shlex
import subprocess
import sys
import tempfile
from pathlib import Path
from typing import Any

from . import _native, _session
from ._errors import UsageError

_HELP = """%%cuda [NAME] [--launch 'kernel[grid, block](arguments)'] [--check[=CHECKERS]] [-- COMPILER OPTIONS]

A cell of kernels becomes a Module in the variable NAME ("module" if no name is given).

--launch EXPRESSION  an expression of the notebook's Python in which kernels stand by their names. Its Launch is shown and
                     kept in the variable "launch".
--check[=CHECKERS]   the checkers watch the launch or the program: all of them, or some of memory,init,race,sync
-- OPTIONS           options for the compiler, as nvcc spells them

A cell with main() is a whole program. It runs as under `warpwright run` (with --check as under `warpwright check`), and
its report is shown."""


class _Words(argparse.ArgumentParser):
    def error(self, message: str) -> Any:
        raise UsageError(f"%%cuda: {message}", hint="`%%cuda --help` shows the options")


def _words(line: str) -> "tuple[argparse.Namespace, list[str]]":
    parser = _Words(prog="%%cuda", add_help=False)
    parser.add_argument("name", nargs="?", default="module")
    parser.add_argument("--launch", "-l")
    parser.add_argument("--check", nargs="?", const="all")
    parser.add_argument("--help", "-h", action="store_true")
    words = shlex.split(line)
    options = words[words.index("--") + 1:] if "--" in words else []
    return parser.parse_args(words[:words.index("--")] if "--" in words else words), options


class _Names(dict):
    """The names that an expression may use: those of the notebook, then the module's kernels."""

    def __init__(self, names: "dict[str, Any]", module: Any) -> None:
        super().__init__(names)
        self._module = module

    def __missing__(self, name: str) -> Any:
        from ._errors import Error

        try:
            return self._module[name]
        except Error:
            raise KeyError(name) from None


class ProgramReport:
    """The report on a whole program.

    output  what the program printed
    report  the report on its launches, as text
    code    its exit code
    """

    def __init__(self, output: str, report: str, code: int) -> None:
        self.output, self.report, self.code = output, report, code

    def __repr__(self) -> str:
        return self.report

    def _repr_html_(self) -> str:
        return f"<pre>{html.escape(self.report)}</pre>"


def _run_program(cell: str, checkers: Any, options: "list[str]") -> ProgramReport:
    with tempfile.TemporaryDirectory() as folder:
        source = Path(folder) / "cell.cu"
        source.write_text(cell, encoding="utf-8")
        flags = [f"--compile-flag={o}" for o in options]
        log = Path(folder) / "report.txt"
        words = ["check", "--checkers", str(checkers)] if checkers else ["run", "--no-db"]
        if not checkers and _session._device is not None:
            words += ["--model", _session._device.model]
        done = subprocess.run([str(_native.program()), *words, "--log", str(log), *flags, str(source)], cwd=folder,
                              capture_output=True, text=True, errors="replace")
        sys.stdout.write(done.stdout)
        if done.stderr:
            sys.stderr.write(done.stderr)
        report = log.read_text(encoding="utf-8") if log.exists() else ""
        return ProgramReport(done.stdout, report.replace(str(source), "cell.cu"), done.returncode)


def cuda(line: str, cell: str, names: "dict[str, Any]") -> Any:
    """Does what %%cuda says. `line` is the rest of its line, `cell` the cell, `names` the notebook's variables.

    Returns a Launch, a Module or a ProgramReport. Raises what Module and a launch raise, and UsageError for a wrong line.
    """
    import re

    from ._module import Module

    given, options = _words(line)
    if given.help:
        print(_HELP)
        return None
    if re.search(r"\b(int|void|auto)\s+main\s*\(", re.sub(r"//[^\n]*|/\*.*?\*/", " ", cell, flags=re.S)):
        return _run_program(cell, given.check, options)
    names[given.name] = module = Module(cell if "\n" in cell else cell + "\n", options=options, name="cell.cu")
    if not given.launch:
        return module

    def launch() -> Any:
        return eval(given.launch, {"__builtins__": __builtins__}, _Names(names, module))  # the user's own expression

    if given.check:
        with _session.check(given.check):
            names["launch"] = launch()
    else:
        names["launch"] = launch()
    return names["launch"]


def load_ipython_extension(ipython: Any) -> None:
    """Adds the cell magic %%cuda to `ipython`. `%load_ext warpwright` calls it."""

    def magic(line: str, cell: str) -> Any:
        return cuda(line, cell, ipython.user_ns)

    magic.__doc__ = _HELP
    ipython.register_magic_function(magic, magic_kind="cell", magic_name="cuda")


def unload_ipython_extension(ipython: Any) -> None:
    """Removes the cell magic %%cuda from `ipython`. `%unload_ext warpwright` calls it."""
    ipython.magics_manager.magics["cell"].pop("cuda", None)

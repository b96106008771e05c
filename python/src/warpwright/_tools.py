"""This module has what needs no launch of one's own: device models, occupancy, explanations, the laboratory."""

from __future__ import annotations

import html
import json
import subprocess
import tempfile
from pathlib import Path
from typing import Any, Iterator, Optional, Sequence, Union

from . import _native
from ._errors import CompileError, Error, LimitError, MissingToolError, UsageError


class DeviceModel:
    """The figures of a GPU that times, bounds and occupancy are computed from.

    name                what `--model` and `ww.activate` call it ("h200")
    title               the GPU's own name
    compute_capability  90 stands for 9.0
    multiprocessors     how many it has
    memory              device memory in bytes
    dram_bandwidth      of device memory, in bytes per second
    flops_f32           the most float32 operations per second
    raw                 all of these and the limits
    """

    def __init__(self, raw: "dict[str, Any]") -> None:
        self.raw = raw
        self.name: str = raw["name"]
        self.title: str = raw["title"]
        self.compute_capability: int = raw["compute_capability"]
        self.multiprocessors: int = raw["multiprocessors"]
        self.memory: int = raw["memory"]
        self.dram_bandwidth: float = raw["dram_bandwidth"]
        self.flops_f32: float = raw["flops_f32"]

    def __repr__(self) -> str:
        return f"<DeviceModel {self.name}: {self.title}>"


def devices() -> "list[DeviceModel]":
    """Returns all device models (a list of DeviceModel), sorted by name."""
    return [DeviceModel(raw) for raw in json.loads(_native.text("ww_models"))]


class Occupancy:
    """How much of a kernel a multiprocessor holds at once.

    model     the device model
    blocks    blocks per multiprocessor
    warps     warps per multiprocessor
    fraction  the part of the most warps that a multiprocessor can hold, from 0 to 1
    limiter   what limits it ("registers", ...)
    raw       all of this, and the blocks that each limit alone would allow
    """

    def __init__(self, raw: "dict[str, Any]") -> None:
        self.raw = raw
        self.model: str = raw["model"]
        self.blocks: int = raw["blocks"]
        self.warps: int = raw["warps"]
        self.fraction: float = raw["fraction"]
        self.limiter: str = raw["limiter"]

    def __repr__(self) -> str:
        return (f"<Occupancy {100 * self.fraction:.1f} % on {self.model}: {self.blocks} blocks, {self.warps} warps, limited "
                f"by {self.limiter}>")


def occupancy(threads: Any, registers: Any = 32, shared: int = 0, *, model: str = "h200") -> Occupancy:
    """Returns the Occupancy of blocks on a multiprocessor of a device model.

    threads    threads per block: a number, or a tuple of up to three as for a launch
    registers  registers per thread, or a Kernel, which knows its registers and its static shared memory
    shared     shared memory per block in bytes; with a Kernel only the dynamic part
    model      the name of the device model (`ww.devices()` lists them)
    Raises LimitError where such a block cannot be launched, and UsageError for a model that does not exist.
    """
    count = 1
    for n in threads if isinstance(threads, (tuple, list)) else (threads,):
        count *= int(n)
    if hasattr(registers, "static_shared"):
        shared += registers.static_shared
        registers = registers.registers
    return Occupancy(json.loads(_native.text("ww_occupancy", model.encode(), int(registers), int(shared), count)))


_KINDS = {2: UsageError, 3: MissingToolError}


def run_program(words: "Sequence[str]", *, timeout: Optional[float] = None) -> "subprocess.CompletedProcess[str]":
    """Runs the program `warpwright` with `words`, and returns what it printed.

    Where it fails, raises what it says: UsageError for exit code 2, MissingToolError for 3, Error for others.
    """
    done = subprocess.run([str(_native.program()), *words], capture_output=True, text=True, timeout=timeout,
                          errors="replace")
    if done.returncode in (0, 1) and done.stdout:
        return done
    if done.returncode:
        lines = [l for l in done.stderr.splitlines() if l.strip()]
        text = next((l for l in lines if "error" in l), lines[-1] if lines else f"exit code {done.returncode}")
        text = text[len("warpwright: "):] if text.startswith("warpwright: ") else text
        text = text[len("error: "):] if text.startswith("error: ") else text
        raise _KINDS.get(done.returncode, Error)(text, text=text)
    return done


class Explanation:
    """What `ww.explain` says of an array access. Notebooks show the pictures and the text.

    text      the page as in a terminal
    pictures  SVG texts by name
    """

    def __init__(self, text: str, pictures: "dict[str, str]") -> None:
        self.text, self.pictures = text, pictures

    def __repr__(self) -> str:
        return self.text

    def _repr_html_(self) -> str:
        return "".join(self.pictures.values()) + f"<pre>{html.escape(self.text)}</pre>"


def explain(*accesses: str, block: Union[int, "tuple[int, ...]"] = 32, type: str = "float", space: str = "shared",
            dims: "Sequence[int]" = (), access: str = "load", model: str = "h200",
            base: int = 0, **values: int) -> Explanation:
    """Returns what an array access costs and what would be better (an Explanation).

        ww.explain("tile[threadIdx.x*32 + k]", block=(32, 8), k=3)

    accesses  one access as in CUDA C, or several to the same array
    block     threads per block: a number, or a tuple of up to three
    type      the type of an element ("float", "double", "float4", ...)
    space     "shared" (banks) or "global" (sectors)
    dims      the extents of an array with several indices
    access    "load", "store" or "atomic"
    model     the name of the device model
    base      the address at which the array begins, in bytes
    values    the values of the expression's variables
    Raises UsageError with the place in the expression.
    """
    if space not in ("shared", "global"):
        raise UsageError(f"there is no memory space '{space}'", hint="space is 'shared' or 'global'")
    extents = block if isinstance(block, (tuple, list)) else (block,)
    words = ["explain", *accesses, "--" + space, "--block", "x".join(map(str, extents)), "--type", type,
             "--access", access, "--model", model]
    if dims:
        words += ["--dims", "x".join(map(str, dims))]
    if base:
        words += ["--base", str(base)]
    if values:
        words += ["--set", ",".join(f"{k}={v}" for k, v in values.items())]
    with tempfile.TemporaryDirectory() as folder:
        done = run_program([*words, "--svg", folder])
        pictures = {p.stem: p.read_text(encoding="utf-8") for p in sorted(Path(folder).rglob("*.svg"))}
    return Explanation(done.stdout, pictures)


class Records:
    """The results of a run of the laboratory; a sequence of its records.

    records  a list of dicts as docs/records.md describes them
    raw      the whole JSON of the run
    """

    def __init__(self, raw: "dict[str, Any]") -> None:
        self.raw = raw
        self.records: "list[dict[str, Any]]" = raw.get("records", [])

    def __iter__(self) -> "Iterator[dict[str, Any]]":
        return iter(self.records)

    def __len__(self) -> int:
        return len(self.records)

    def __getitem__(self, k: Any) -> "dict[str, Any]":
        """Returns a record by its number, or the first of a rung by the rung's name. Raises KeyError or IndexError."""
        if isinstance(k, str):
            for r in self.records:
                if r.get("rung") == k:
                    return r
            there_are = ", ".join(dict.fromkeys(str(r.get("rung")) for r in self.records))
            raise KeyError(f"there is no rung '{k}'; there are {there_are or 'none'}")
        return self.records[k]

    def _rows(self) -> "list[tuple[str, ...]]":
        from ._launch import _seconds

        out = []
        for r in self.records:
            axes = ", ".join(f"{k} {v}" for k, v in (r.get("axes") or {}).items())
            right = {True: "right", False: "wrong"}.get(r.get("verified"), r.get("left_out") or "")  # type: ignore[arg-type]
            time = (r.get("predicted") or {}).get("seconds")
            bound = r.get("bound") or {}
            out.append((str(r.get("rung") or r.get("kernel") or ""), axes, right, _seconds(time),
                        _seconds(bound.get("seconds")), str(bound.get("binds", ""))))
        return out

    def __repr__(self) -> str:
        head = ("rung", "axes", "result", "predicted", "at least", "bound by")
        rows = [head, *self._rows()]
        widths = [max(len(r[k]) for r in rows) for k in range(len(head))]
        return "\n".join("  ".join(c.ljust(w) for c, w in zip(r, widths)).rstrip() for r in rows)

    def _repr_html_(self) -> str:
        head = ("rung", "axes", "result", "predicted", "at least", "bound by")
        out = "<table><tr>" + "".join(f"<th style='text-align:left'>{h}</th>" for h in head) + "</tr>"
        for row in self._rows():
            out += "<tr>" + "".join(f"<td style='text-align:left'>{html.escape(c)}</td>" for c in row) + "</tr>"
        return out + "</table>"


def lab(ladder: str, *, sizes: "Union[int, str, Sequence[Any], None]" = None, rungs: "Sequence[str]" = (),
        model: str = "h200", axes: "Optional[dict[str, Any]]" = None) -> Records:
    """Runs the rungs of a ladder on the emulated GPU, verifies and counts them, and returns Records.

    ladder  the name of a ladder ("matmul", "reduce", ...), or a folder that has a ladder.toml
    sizes   problem sizes: a number, a text as of `--size` ("64x32x128"), or a list of them
    rungs   names or patterns of rungs; without it all of them
    model   the name of the device model
    axes    values by axis, as in {"T": "float32", "TILE": [8, 16]}
    Raises UsageError for a ladder, rung, size or axis that does not exist, and MissingToolError, which says how to get the
    compiler of CUDA C++, where it is missing.
    """
    words = ["lab", ladder, "--device", "emulated", "--model", model, "--json", "-", "--no-db"]
    if sizes is not None:
        given = sizes if isinstance(sizes, (list, tuple)) else [sizes]
        words += ["--size", ",".join(map(str, given))]
    if rungs:
        words += ["--rung", ",".join(rungs)]
    for name, value in (axes or {}).items():
        given = value if isinstance(value, (list, tuple)) else [value]
        words += ["--axis", f"{name}=" + ",".join(map(str, given))]
    return Records(json.loads(run_program(words).stdout))


__all__ = ["CompileError", "LimitError", "devices", "occupancy", "explain", "lab"]

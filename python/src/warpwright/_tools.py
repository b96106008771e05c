"""What needs no launch of one's own: device models, occupancy, explanations of accesses, the laboratory."""

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
    """A device model: `name`, `title`, `compute_capability` (90 for 9.0), `multiprocessors`, `memory` in bytes,
    `dram_bandwidth` in bytes/s, `flops_f32` in FLOP/s; `raw` has all of these and the limits."""

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
    """All device models, by name."""
    return [DeviceModel(raw) for raw in json.loads(_native.text("ww_models"))]


class Occupancy:
    """What a multiprocessor holds of a kernel: `blocks`, `warps`, `fraction` of the most warps (0 to 1), `limiter`, what
    limits it; `raw` has the blocks that each limit alone would allow."""

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
    """The blocks and warps that a multiprocessor of `model` holds.

    threads    of a block: a number, or a tuple as of a launch
    registers  per thread, or a Kernel, which knows its registers and static shared memory
    shared     bytes per block; of a Kernel: dynamic ones
    Raises LimitError where such a block cannot be launched.
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
    """Runs the program `warpwright`; raises what it says where it fails."""
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
    """The page of an access: `text` as in a terminal, `pictures` (SVG texts by name); notebooks show both."""

    def __init__(self, text: str, pictures: "dict[str, str]") -> None:
        self.text, self.pictures = text, pictures

    def __repr__(self) -> str:
        return self.text

    def _repr_html_(self) -> str:
        return "".join(self.pictures.values()) + f"<pre>{html.escape(self.text)}</pre>"


def explain(*accesses: str, block: Union[int, "tuple[int, ...]"] = 32, type: str = "float", space: str = "shared",
            dims: "Sequence[int]" = (), access: str = "load", model: str = "h200",
            base: int = 0, **values: int) -> Explanation:
    """What an array access costs, and what would be better: `ww.explain("tile[threadIdx.x*32 + k]", block=(32, 8))`.

    accesses  indices as CUDA C has them, several of one array
    block     threads of the block; type: of an element; dims: extents of an array with several indices
    space     "shared" (banks) or "global" (sectors); access: "load", "store" or "atomic"
    base      where the array begins, bytes; further keywords are values of variables: k=3
    Raises UsageError with the place in the expression.
    """
    if space not in ("shared", "global"):
        raise UsageError(f"there is no space '{space}'", hint="shared or global")
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
    """The records of a run of the laboratory: `records`, a list of dicts as of docs/records.md; iterates over them."""

    def __init__(self, raw: "dict[str, Any]") -> None:
        self.raw = raw
        self.records: "list[dict[str, Any]]" = raw.get("records", [])

    def __iter__(self) -> "Iterator[dict[str, Any]]":
        return iter(self.records)

    def __len__(self) -> int:
        return len(self.records)

    def __getitem__(self, k: Any) -> "dict[str, Any]":
        """By number, or by the rung's name."""
        if isinstance(k, str):
            for r in self.records:
                if r.get("rung") == k:
                    return r
            raise KeyError(f"no rung '{k}'; there are: {', '.join(str(r.get('rung')) for r in self.records)}")
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
    """Runs the rungs of a ladder ("matmul", "reduce", ...) on the emulated GPU, verified and counted.

    sizes  problem sizes, a number or a list; rungs: names or patterns; axes: values by axis, {"T": "float32"}
    Gives Records. Its kernels are CUDA C++: MissingToolError says how to get the compiler.
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

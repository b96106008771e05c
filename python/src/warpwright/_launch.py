"""This module has the results of launches: counts, bounds, source lines and predicted times."""

from __future__ import annotations

import html
import linecache
from typing import Any, Callable, Iterator, Mapping, Optional, Sequence, Union

from ._errors import Finding


def _seconds(value: Optional[float]) -> str:
    if value is None:
        return "not known"
    for unit, scale in (("s", 1.0), ("ms", 1e-3), ("\u00b5s", 1e-6)):
        if value >= scale:
            return f"{value / scale:.3g} {unit}"
    return f"{value / 1e-9:.3g} ns"


def _number(value: Any) -> str:
    return f"{value:,}" if isinstance(value, int) else f"{value:.4g}"


class Counts(Mapping):
    """Exact counts by key (docs/counters.md), and the metrics that are derived from them.

    `counts["global_load_sectors"]` and `counts.global_load_sectors` are the same. Counts are int. Derived quotients
    (`global_load_sectors_per_request`) are float, or None where their divisor is 0. Shares are from 0 to 1.
    An unknown key raises KeyError (as an attribute: AttributeError) with the keys that are spelled like it.
    """

    def __init__(self, counts: "dict[str, Any]", derived: "Optional[dict[str, Any]]" = None) -> None:
        self._counts, self._derived = counts, derived or {}

    def __getitem__(self, key: str) -> Any:
        if key in self._counts:
            return self._counts[key]
        if key in self._derived:
            return self._derived[key]
        import difflib

        near = difflib.get_close_matches(key, [*self._counts, *self._derived], 3)
        raise KeyError(f"there is no count '{key}'" + (f"; did you mean {' or '.join(near)}?" if near else
                                                       "; docs/counters.md lists them"))

    def __getattr__(self, key: str) -> Any:
        if key.startswith("_"):
            raise AttributeError(key)
        try:
            return self[key]
        except KeyError as e:
            raise AttributeError(e.args[0]) from None

    def __iter__(self) -> Iterator[str]:
        yield from self._counts
        yield from self._derived

    def __len__(self) -> int:
        return len(self._counts) + len(self._derived)

    def __dir__(self) -> "list[str]":
        return [*super().__dir__(), *self]

    def __repr__(self) -> str:
        return "Counts(" + ", ".join(f"{k}={_number(v)}" for k, v in self.items() if v) + ")"


class Bound:
    """The least time that a launch can take on the device model (docs/timing.md).

    seconds  that time
    binds    the resource that sets it ("DRAM", "issue", ...)
    terms    the time of each resource alone, in seconds, largest first
    basis    for each resource, what was counted and by which rate it was divided
    notes    what limits the figure's meaning
    """

    def __init__(self, raw: "dict[str, Any]") -> None:
        self.raw = raw
        self.seconds: float = raw["seconds"]
        self.binds: str = raw["binds"]
        self.terms: "dict[str, float]" = {t["resource"]: t["seconds"] for t in raw.get("terms", [])}
        self.basis: "dict[str, str]" = {t["resource"]: t["basis"] for t in raw.get("terms", [])}
        self.notes: "list[str]" = raw.get("notes", [])

    def __float__(self) -> float:
        return self.seconds

    def __repr__(self) -> str:
        return f"Bound({_seconds(self.seconds)}, by {self.binds})"


class Line:
    """One source line with its counts.

    file    the source file
    line    its number, from 1
    counts  exact counts of the line (Counts)
    text    the line itself without its indentation; empty where the file cannot be read
    """

    def __init__(self, raw: "dict[str, Any]", sources: "Mapping[str, Sequence[str]]") -> None:
        self.file: str = raw["file"]
        self.line: int = raw["line"]
        self.counts = Counts(raw["counts"], raw.get("derived"))
        known = sources.get(self.file)
        if known is not None:
            self.text = known[self.line - 1].strip() if 0 < self.line <= len(known) else ""
        else:
            self.text = linecache.getline(self.file, self.line).strip()

    def __repr__(self) -> str:
        return f"{self.file}:{self.line}: {self.text}"


class Cause:
    """One of the things that hold a launch back (docs/causes.md).

    cause     its name: "bank_conflicts", "uncoalesced_load", "near_the_limit", ...
    share     the part of the predicted time that mending it alone would save, 0 to 1
    file, line  the source line that has most of it; "" and 0 where it belongs to none
    variable  the array that is accessed there; empty where it is not known
    evidence  a dict of the numbers that tell it
    says      what was seen, in a sentence
    fix       what to change, in a sentence
    """

    def __init__(self, raw: "dict[str, Any]") -> None:
        self.raw = raw
        self.cause: str = raw["cause"]
        self.share: float = raw["share"]
        self.file: str = raw.get("file", "")
        self.line: int = raw.get("line", 0)
        self.variable: str = raw.get("variable", "")
        self.evidence: "dict[str, float]" = raw.get("evidence", {})
        self.says: str = raw.get("says", "")
        self.fix: str = raw.get("fix", "")

    def __repr__(self) -> str:
        place = f" at {self.file}:{self.line}" if self.line else ""
        return f"{self.cause} ({100 * self.share:.0f} %){place}: {self.says}"


class Launch:
    """One launch of a kernel on the emulated device.

    kernel       the kernel's name as in the source, with template arguments
    signature    the same with its parameters
    grid, block  (x, y, z), in blocks and in threads
    model        the name of the device model for which time, bound and occupancy hold
    counts       exact counts of the whole launch (Counts)
    lines        exact counts by source line (list of Line), those with most instructions first
    bound        the least time that it can take on the model (Bound), or None
    time         the predicted time in seconds, or None; then `unpredicted` says why (checked launches have none)
    causes       what holds it back and what mending each would save (list of Cause), the largest share first
    occupancy    a dict: registers, warps, fraction (0 to 1), limiter, waves, ...
    findings     what a checker found in it (list of Finding), warnings included
    output       what the kernel printed
    error        why it ended early; empty where it did not
    raw          all of it as the record of docs/records.md
    """

    def __init__(self, raw: "Union[dict[str, Any], Callable[[], dict[str, Any]]]",
                 sources: "Optional[Mapping[str, Sequence[str]]]" = None) -> None:
        self._sources = sources or {}
        self._lines: "Optional[list[Line]]" = None
        self._later = raw if callable(raw) else None
        if not callable(raw):
            self._fill(raw)

    def __getattr__(self, name: str) -> Any:
        # Reading the record takes longer than a small launch, so it waits until something of it is asked for.
        later = self.__dict__.get("_later")
        if later is None or name.startswith("__"):
            raise AttributeError(f"a Launch has no attribute '{name}'")
        self._later = None
        self._fill(later())
        return getattr(self, name)

    def _fill(self, raw: "dict[str, Any]") -> None:
        self.raw = raw
        signature = raw.get("signature") or raw.get("kernel", "")
        self.signature: str = signature
        self.kernel: str = _name_of(signature)
        self.grid: "tuple[int, ...]" = tuple(raw.get("grid") or ())
        self.block: "tuple[int, ...]" = tuple(raw.get("block") or ())
        self.model: str = raw.get("model") or ""
        self.counts = Counts(raw.get("counts") or {}, raw.get("derived"))
        self.bound: Optional[Bound] = Bound(raw["bound"]) if raw.get("bound") else None
        predicted = raw.get("predicted")
        self.time: Optional[float] = predicted["seconds"] if predicted else None
        self.predicted: "Optional[dict[str, Any]]" = predicted
        self.unpredicted: str = raw.get("unpredicted", "")
        self.causes: "list[Cause]" = [Cause(c) for c in raw.get("causes", [])]
        self.occupancy: "dict[str, Any]" = raw.get("occupancy") or {}
        self.findings: "list[Finding]" = [Finding(f) for f in raw.get("findings", [])]
        self.output: str = raw.get("output", "")
        self.error: str = (raw.get("fault") or {}).get("text", "")
        self.from_device: bool = raw.get("from_device", False)

    @property
    def lines(self) -> "list[Line]":
        """Exact counts by source line, those with most instructions first."""
        if self._lines is None:
            made = [Line(l, self._sources) for l in self.raw.get("lines", [])]
            self._lines = sorted(made, key=lambda l: -l.counts["instructions"])
        return self._lines

    def __repr__(self) -> str:
        shape = f"{_shape(self.grid)} x {_shape(self.block)}"
        if self.error:
            return f"<Launch {self.kernel} {shape}: {self.error}>"
        time = f"{_seconds(self.time)} predicted" if self.time is not None else "no predicted time"
        bound = f", at least {_seconds(self.bound.seconds)} ({self.bound.binds})" if self.bound else ""
        return f"<Launch {self.kernel} {shape} on {self.model}: {time}{bound}>"

    _MAIN = (("instructions", "warp instructions"), ("global_load_sectors", "sectors loaded"),
             ("global_store_sectors", "sectors stored"), ("global_load_sectors_per_request", "sectors per load request"),
             ("global_store_sectors_per_request", "sectors per store request"),
             ("shared_bank_conflicts", "bank conflicts"), ("branch_efficiency", "branch efficiency"))

    def _repr_html_(self) -> str:
        e = html.escape
        rows = [("grid, block", f"{_shape(self.grid)}, {_shape(self.block)}")]
        if self.error:
            rows.append(("error", self.error))
        else:
            rows.append(("predicted time", _seconds(self.time) if self.time is not None else self.unpredicted or "none"))
        if self.bound:
            rows.append(("at least", f"{_seconds(self.bound.seconds)}, by {self.bound.binds}"))
        if self.occupancy:
            rows.append(("occupancy", f"{100 * self.occupancy.get('fraction', 0):.0f} %, limited by "
                                      f"{self.occupancy.get('limiter', '')}"))
        rows += [(title, _number(self.counts[key])) for key, title in self._MAIN if self.counts.get(key) is not None]
        out = f"<b>{e(self.kernel)}</b> on {e(self.model)}<table>"
        out += "".join(f"<tr><td style='text-align:left'>{e(a)}</td><td style='text-align:left'>{e(b)}</td></tr>"
                       for a, b in rows) + "</table>"
        if self.lines:
            out += "<table><tr><th>line</th><th>instructions</th><th>sectors</th><th style='text-align:left'>source</th></tr>"
            for l in self.lines[:8]:
                sectors = l.counts["global_load_sectors"] + l.counts["global_store_sectors"]
                out += (f"<tr><td>{l.line}</td><td>{l.counts['instructions']:,}</td><td>{sectors:,}</td>"
                        f"<td style='text-align:left'><code>{e(l.text)}</code></td></tr>")
            out += "</table>"
        for c in self.causes:
            out += f"<div>{e(str(c))}<br><i>{e(c.fix)}</i></div>"
        for f in self.findings:
            out += f"<div style='color:#b00'>{e(str(f))}</div>"
        if self.output:
            out += f"<pre>{e(self.output)}</pre>"
        return out


def _shape(extent: "tuple[int, ...]") -> str:
    kept = list(extent)
    while len(kept) > 1 and kept[-1] == 1:
        kept.pop()
    return "x".join(map(str, kept))


def _name_of(signature: str) -> str:
    """Returns the name in a signature: of "void ns::scale<float>(float*, int)" it is "ns::scale<float>"."""
    depth, start = 0, 0
    for k, ch in enumerate(signature):
        if ch == "<":
            depth += 1
        elif ch == ">" and k and signature[k - 1] != "-":
            depth -= 1
        elif depth == 0 and ch == " " and not signature.startswith("(anonymous namespace)", k - 10):
            start = k + 1
        elif depth == 0 and ch == "(" and not signature.startswith("(anonymous namespace)", k):
            return signature[start:k]
    return signature[start:]


class Launches(Sequence):
    """A sequence of Launch, in the order in which the launches ended. `time`, `bound` and `counts` are sums over them."""

    def __init__(self, launches: "Sequence[Launch]" = ()) -> None:
        self._all = list(launches)

    def __getitem__(self, k: Any) -> Any:
        return Launches(self._all[k]) if isinstance(k, slice) else self._all[k]

    def __len__(self) -> int:
        return len(self._all)

    def append(self, launch: Launch) -> None:
        """Adds `launch` at the end."""
        self._all.append(launch)

    def kernel(self, name: str) -> "Launches":
        """Returns the launches whose kernel's name contains `name`."""
        return Launches([l for l in self._all if name in l.kernel])

    @property
    def time(self) -> Optional[float]:
        """The sum of predicted times in seconds, or None where a launch has none.

        Streams that overlap are added as if they ran one after the other.
        """
        times = [l.time for l in self._all]
        return None if any(t is None for t in times) else sum(t for t in times if t is not None)

    @property
    def bound(self) -> float:
        """The sum of bounds in seconds. Launches without a bound add nothing."""
        return sum(l.bound.seconds for l in self._all if l.bound)

    @property
    def counts(self) -> Counts:
        """The sum of each count. Derived metrics are not among them: they hold for single launches."""
        out: "dict[str, int]" = {}
        for l in self._all:
            for key, value in (l.raw.get("counts") or {}).items():
                out[key] = out.get(key, 0) + value
        return Counts(out)

    def _groups(self) -> "list[tuple[str, Launches]]":
        groups: "dict[str, list[Launch]]" = {}
        for l in self._all:
            groups.setdefault(f"{l.kernel}  {_shape(l.grid)} x {_shape(l.block)}", []).append(l)
        return sorted(((k, Launches(v)) for k, v in groups.items()), key=lambda g: -(g[1].time or g[1].bound))

    def __repr__(self) -> str:
        lines = [f"{len(self)} launches, {_seconds(self.time)} predicted, at least {_seconds(self.bound)}"]
        for name, of in self._groups():
            lines.append(f"  {len(of):>6}  {_seconds(of.time):>10}  {name}")
        return "\n".join(lines)

    def _repr_html_(self) -> str:
        e = html.escape
        out = (f"<b>{len(self)} launches</b>, {_seconds(self.time)} predicted<table><tr><th style='text-align:left'>kernel"
               "</th><th>launches</th><th>predicted</th><th>at least</th><th>sectors</th></tr>")
        for name, of in self._groups():
            counts = of.counts
            sectors = counts.get("global_load_sectors", 0) + counts.get("global_store_sectors", 0)
            out += (f"<tr><td style='text-align:left'>{e(name)}</td><td>{len(of)}</td><td>{_seconds(of.time)}</td>"
                    f"<td>{_seconds(of.bound)}</td><td>{sectors:,}</td></tr>")
        return out + "</table>"

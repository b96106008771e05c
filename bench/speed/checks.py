"""What checking costs: each rung of each ladder with and without all checkers, by the processor time of the launches."""

import json
import math
import pathlib
import subprocess
import sys

from measure import run

SIZES = {"reduce": "2^20", "sum": "2^20", "copy": "2^22", "vecadd": "2^20", "banks": "2^18", "coalescing": "2^18", "divergence": "2^18",
         "division": "2^18", "occupancy": "2^20", "spaces": "2^18", "transpose": "1024", "bank_tiles": "512", "matmul": "256",
         "matmul_layouts": "256", "matmul_sparse": "256", "matmul_tensor": "256", "multiply": "256", "tiles": "384", "picture": None}
# Each access of these is a race, which is reported (docs/perf/check.md).
RACES = {("reduce", "last_warp_volatile")}


def clock(folder):
    """Returns the environment in which a process's times are processor time (processor_clock.c)."""
    library = folder / "processor_clock.so"
    source = pathlib.Path(__file__).with_name("processor_clock.c")
    subprocess.run(["cc", "-O1", "-shared", "-fPIC", "-o", str(library), str(source)], check=True)
    return {"LD_PRELOAD": str(library)}


def records(output):
    """Yields rung and variant, and the processor seconds of emulation, of each record that a run of `lab` has printed."""
    if "{" not in output:
        return
    for record in json.JSONDecoder().raw_decode(output[output.index("{"):])[0].get("records", []):  # a page may have none
        if record.get("emulation_s") and not record.get("library"):
            key = record.get("rung") or record.get("kernel"), json.dumps(record.get("axes", {}), sort_keys=True)
            yield key, record["emulation_s"]


class Ladder:
    """The least times of a ladder's records, plain and checked, and of the processes that ran it."""

    def __init__(self):
        self.times = {False: {}, True: {}}
        self.processor = {False: math.inf, True: math.inf}

    def add(self, checkers, output, processor):
        times = self.times[checkers]
        for key, seconds in records(output):
            times[key] = min(times.get(key, math.inf), seconds)
        self.processor[checkers] = min(self.processor[checkers], processor)

    def rungs(self):
        """Returns the ratios of each rung's variants, with the plain times."""
        out = {}
        plain, checked = self.times[False], self.times[True]
        for key in plain.keys() & checked.keys():
            out.setdefault(key[0], []).append((checked[key] / plain[key], plain[key]))
        return out


def measured(options, ladder, folder, environment):
    """Runs a ladder plain and checked, in turns, each process on one processor."""
    size = ["--size", SIZES[ladder]] if SIZES[ladder] else []
    words = [options.warpwright, "lab", ladder, *size, "--predict=off", "--threads", "1", "--device", "emulated", "--no-db",
             "--json", "-"]
    out = Ladder()
    for _ in range(options.rounds):
        for checkers in (False, True):
            done = run(words, folder / "cache", environment={**environment, **({"WARPWRIGHT_CHECKERS": "all"} if checkers else {})})
            out.add(checkers, done.output, done.cpu)
    return out


def mean(ratios):
    return math.exp(sum(map(math.log, ratios)) / len(ratios))


def add_ladder(table, name, ladder, ratios):
    """Adds a line for each rung; the figure is the geometric mean of its variants."""
    if not ladder.rungs():
        print(f"{name}: no rung of it has an emulated record both plain and checked; nothing to compare", file=sys.stderr)
        return
    for rung, both in sorted(ladder.rungs().items()):
        races = (name, rung) in RACES
        ratio = mean([r for r, _ in both])
        if not races:
            ratios[name, rung] = ratio
        table.add(f"check over run, {name} {rung}", ratio, "x", None if races else 6,
                  f"{sum(t for _, t in both) / len(both) * 1e3:.3g} ms without")
    plain, checked = ladder.processor[False], ladder.processor[True]
    table.say(f"{name}: checking adds {1e3 * (checked - plain):.0f} ms of processor time to the whole of `lab`, {plain:.2f} s")


def against_run(table, options, folder):
    """Compares `check` with a plain run, rung by rung."""
    ratios = {}
    environment = clock(folder)
    for name in options.ladders or SIZES:
        add_ladder(table, name, measured(options, name, folder, environment), ratios)
    if ratios:
        ordered = sorted(ratios.values())
        table.add(f"check over run, geometric mean of {len(ordered)} rungs", mean(ordered), "x", 6)
        table.add("check over run, the worst of them", ordered[-1], "x", 6, " ".join(max(ratios, key=ratios.get)))
        table.say(f"{sum(r <= 6 for r in ordered)} of {len(ordered)} rungs cost at most 6 times")

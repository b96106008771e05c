"""What checking costs: each rung of each ladder with and without all checkers."""

import json
import math

from measure import run

SIZES = {"reduce": "2^20", "sum": "2^20", "copy": "2^22", "vecadd": "2^20", "banks": "2^18", "coalescing": "2^18", "divergence": "2^18",
         "division": "2^18", "occupancy": "2^20", "spaces": "2^18", "transpose": "1024", "bank_tiles": "512", "matmul": "256",
         "matmul_layouts": "256", "matmul_sparse": "256", "matmul_tensor": "256", "multiply": "256", "tiles": "384", "picture": None}
# Each access of these is a race, which is reported (docs/perf/check.md).
RACES = {("reduce", "last_warp_volatile")}


def emulation(options, ladder, folder, checkers):
    """Seconds of emulation of each record of a ladder, by rung and variant, the least of the rounds."""
    size = ["--size", SIZES[ladder]] if SIZES[ladder] else []
    words = [options.warpwright, "lab", ladder, *size, "--predict=off", "--threads", "1", "--device", "emulated", "--no-db",
             "--json", "-"]
    least = {}
    for _ in range(options.rounds):
        done = run(words, folder / "cache", environment={"WARPWRIGHT_CHECKERS": "all"} if checkers else {})
        if "{" not in done.output:
            return {}
        for record in json.JSONDecoder().raw_decode(done.output[done.output.index("{"):])[0]["records"]:
            if record.get("emulation_s") and not record.get("library"):
                key = record.get("rung") or record.get("kernel"), json.dumps(record.get("axes", {}), sort_keys=True)
                least[key] = min(least.get(key, math.inf), record["emulation_s"])
    return least


def mean(ratios):
    return math.exp(sum(map(math.log, ratios)) / len(ratios))


def against_run(table, options, folder):
    """Compares `check` with a plain run, rung by rung; the figure of a rung is the geometric mean of its variants."""
    ratios = {}
    for ladder in options.ladders or SIZES:
        plain, checked = (emulation(options, ladder, folder, on) for on in (False, True))
        rungs = {}
        for key in plain.keys() & checked.keys():
            rungs.setdefault(key[0], []).append((checked[key] / plain[key], plain[key]))
        for rung, both in sorted(rungs.items()):
            races = (ladder, rung) in RACES
            ratio = mean([r for r, _ in both])
            if not races:
                ratios[ladder, rung] = ratio
            table.add(f"check over run, {ladder} {rung}", ratio, "x", None if races else 6,
                      f"{sum(t for _, t in both) / len(both) * 1e3:.3g} ms without")
    if ratios:
        ordered = sorted(ratios.values())
        table.add(f"check over run, geometric mean of {len(ordered)} rungs", mean(ordered), "x", 6)
        table.add("check over run, the worst of them", ordered[-1], "x", 6, " ".join(max(ratios, key=ratios.get)))
        table.say(f"{sum(r <= 6 for r in ordered)} of {len(ordered)} rungs cost at most 6 times")

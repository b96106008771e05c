"""Joins what the emulator predicts for a program's launches with what a GPU measured, and says how far apart they are.

A *launch group* is what one run of a program does with one kernel, grid and block: a profile of `warpwright run` has one
entry for each, so measured launches are averaged to the same. Pure functions of dictionaries: nothing is run here.
"""
import math
import re
import statistics

# Ours -> where it stands in a kernel's `predicted` of the profile.
PREDICTED = ("seconds", "seconds_low", "seconds_high", "l1_hit", "l2_hit", "dram_read", "dram_written", "occupancy", "issue",
             "machine_instructions")
# Our count of a launch -> the figure of the GPU that it should equal.
COUNTED = {
    "instructions": "instructions",
    "thread_instructions": "thread_instructions",
    "global_load_requests": "global_load_requests",
    "global_load_sectors": "global_load_sectors",
    "global_store_requests": "global_store_requests",
    "global_store_sectors": "global_store_sectors",
    "local_load_sectors": "local_load_sectors",
    "local_store_sectors": "local_store_sectors",
    "shared_load_wavefronts": "shared_load_wavefronts",
    "shared_store_wavefronts": "shared_store_wavefronts",
}
NOT_WAITING = ("selected", "not_selected")


class JoinError(Exception):
    """The data is wrong; the message says how in one line."""


def kernel_key(name):
    """Returns one spelling of a kernel's name for c++filt and Nsight Compute: without result, parameters and casts."""
    name = name.replace("(anonymous namespace)", "<unnamed>").replace("<unnamed>", "unnamed")
    depth, end = 0, len(name)
    for i, c in enumerate(name):
        if c == "<":
            depth += 1
        elif c == ">":
            depth -= 1
        elif c == "(" and depth == 0:
            end = i
            break
    name = name[:end].removeprefix("void ")
    name = re.sub(r"\((?:unsigned |signed )?(?:bool|char|short|int|long|long long|[A-Za-z_][\w:]*)\)(?=-?\w)", "", name)
    name = re.sub(r"\b(-?\d+)(?:u|ul|l|ull)\b", r"\1", name)
    name = re.sub(r"\bfalse\b", "0", re.sub(r"\btrue\b", "1", name))
    return name.replace(" ", "")


def base_key(key):
    """Returns the kernel's name without template arguments."""
    return key.split("<")[0]


def group_key(kernel, grid, block):
    return kernel_key(kernel), tuple(grid), tuple(block)


def predicted_groups(profile, demangle=lambda name: name, simulated=False):
    """Returns the launch groups of a profile (JSON of `warpwright run`): by key, the figures of one launch on average.

    `simulated`: the profile's times are predictions (`run --predict`), not bounds.
    """
    if profile.get("kind") != "profile" or "kernels" not in profile:
        raise JoinError("this is no profile that `warpwright run --json` wrote")
    by_key = {}
    for kernel in profile["kernels"]:
        calls = kernel["times"]["calls"]
        counted = kernel.get("counted", 0)
        figures = {"launches": calls, "registers": kernel.get("registers")}
        if counted:
            figures["counts"] = {k: v / counted for k, v in kernel.get("counts", {}).items()}
        predicted = kernel.get("predicted")
        if predicted:
            figures.update({k: predicted[k] for k in PREDICTED if predicted.get(k) is not None})
            figures["stalls"] = predicted.get("stalls", {})
            figures["error_class"] = predicted.get("error_class", "")
            figures["method"] = "predicted"
        elif calls:
            figures.update(seconds=kernel["times"]["total_s"] / calls,
                           method="predicted" if simulated and not kernel.get("unpredicted") else "bound")
        by_key.setdefault(group_key(demangle(kernel["name"]), kernel["grid"], kernel["block"]), []).append(figures)
    return {key: averaged(parts) for key, parts in by_key.items()}


def averaged(parts):
    """Returns the figures of one launch on average of parts of a group: a profile tells launches apart whose arguments, and with
    them their figures, differ. What is no number is that of the part with the most time."""
    if len(parts) == 1:
        return parts[0]
    longest = max(parts, key=lambda one: one.get("seconds", 0) * one["launches"])

    def mean(values):
        weights = [(v, one["launches"]) for v, one in zip(values, parts) if v is not None]
        return sum(v * n for v, n in weights) / max(1, sum(n for _, n in weights))

    out = {}
    for name, value in longest.items():
        if isinstance(value, dict):
            out[name] = {k: mean([one.get(name, {}).get(k, 0) for one in parts]) for k in {k for one in parts for k in one.get(name, {})}}
        else:
            out[name] = mean([one.get(name) for one in parts]) if isinstance(value, (int, float)) else value
    out["launches"] = sum(one["launches"] for one in parts)
    return out


def measured_groups(launches):
    """Returns the launch groups of measured launches, which are dictionaries of kernel, grid, block, figures and stalls."""
    by_key = {}
    for launch in launches:
        by_key.setdefault(group_key(launch["kernel"], launch["grid"], launch["block"]), []).append(launch)
    groups = {}
    for key, all_of_it in by_key.items():
        names = {n for launch in all_of_it for n in launch["figures"]}
        figures = {}
        for name in sorted(names):
            values = [launch["figures"][name] for launch in all_of_it if launch["figures"].get(name) is not None]
            figures[name] = statistics.fmean(values) if values else None
        reasons = {r for launch in all_of_it for r in launch.get("stalls", {})}
        figures["stalls"] = {
            r: statistics.fmean(launch.get("stalls", {}).get(r, 0.0) for launch in all_of_it) for r in reasons}
        figures["launches"] = sum(launch.get("launches", 1) for launch in all_of_it)
        groups[key] = figures
    return groups


def join(run, predicted, measured):
    """Returns rows (dictionaries) of the groups that both have, and the keys of measured groups without a counterpart.

    Where the template arguments are spelt differently, the kernel's bare name decides if it is the only one left of
    that name, grid and block on both sides.
    """
    rows, left = [], []
    rest = dict(predicted)
    open_keys = []
    for key, figures in measured.items():
        if key in rest:
            rows.append(row(run, key, rest.pop(key), figures))
        else:
            open_keys.append(key)
    for key in open_keys:
        alike = (base_key(key[0]), *key[1:])
        candidates = [k for k in rest if (base_key(k[0]), *k[1:]) == alike]
        rivals = [k for k in open_keys if (base_key(k[0]), *k[1:]) == alike]
        if len(candidates) == 1 and len(rivals) == 1:
            rows.append(row(run, key, rest.pop(candidates[0]), measured[key]))
        else:
            left.append(key)
    return rows, left


def row(run, key, predicted, measured):
    return {"run": run, "kernel": key[0], "grid": list(key[1]), "block": list(key[2]), "predicted": predicted,
            "measured": measured}


def percentile(values, share):
    """Returns the value below which `share` of the values lie, by the nearest rank."""
    ordered = sorted(values)
    return ordered[max(0, math.ceil(share * len(ordered)) - 1)]


def kendall(pairs):
    """Returns Kendall's tau-b of pairs, or None where one side has no two different values."""
    agree = ties_x = ties_y = total = 0
    for i, (a, b) in enumerate(pairs):
        for c, d in pairs[:i]:
            x, y = (a > c) - (a < c), (b > d) - (b < d)
            agree += x * y
            ties_x += x == 0
            ties_y += y == 0
            total += 1
    scale = math.sqrt((total - ties_x) * (total - ties_y))
    return agree / scale if scale else None


def first_stall(stalls):
    """Returns where warps that did not issue stood most, or None where nothing was recorded."""
    waiting = {r: v for r, v in stalls.items() if r not in NOT_WAITING and v > 0}
    return max(waiting, key=waiting.get) if waiting else None


def time_summary(rows):
    """Returns predicted over measured time of the rows that have both."""
    pairs = [(r["predicted"]["seconds"], r["measured"]["seconds"]) for r in rows
             if r["predicted"].get("seconds") and r["measured"].get("seconds")]
    if not pairs:
        raise JoinError("no launch has both a predicted and a measured time: nothing was checked")
    errors = [abs(p / m - 1) for p, m in pairs]
    return {"launch_groups": len(pairs), "median_error": statistics.median(errors),
            "p90_error": percentile(errors, 0.9), "kendall": kendall(pairs),
            "median_ratio": statistics.median(p / m for p, m in pairs)}


def figure_summary(rows):
    """Returns for each further figure how many launch groups have it on both sides, and the median of how far apart it is."""
    out = {}

    def both(name):
        return [(r["predicted"][name], r["measured"][name]) for r in rows
                if r["predicted"].get(name) is not None and r["measured"].get(name) is not None]

    for name in ("l1_hit", "l2_hit", "occupancy", "issue"):
        # Rates of few sectors come out above 1 where the two counts are from different passes of the profiler.
        pairs = [(p, min(1, m)) for p, m in both(name)]
        if pairs:
            out[name] = (len(pairs), "points in the median", statistics.median(abs(p - m) * 100 for p, m in pairs))
    pairs = [(r["predicted"]["dram_read"] + r["predicted"].get("dram_written", 0),
              r["measured"]["dram_read"] + r["measured"]["dram_written"]) for r in rows
             if r["predicted"].get("dram_read") is not None and (r["measured"].get("dram_read") or 0) > 65536]
    if pairs:
        out["DRAM bytes (of more than 64 KiB)"] = (
            len(pairs), "% in the median", statistics.median(abs(p / m - 1) * 100 for p, m in pairs))
    pairs = both("registers")
    if pairs:
        out["registers"] = (len(pairs), "% of groups within 10 %",
                            100 * statistics.fmean(abs(p / m - 1) <= 0.1 for p, m in pairs))
    stalls = [(first_stall(r["predicted"].get("stalls", {})), first_stall(r["measured"].get("stalls", {}))) for r in rows]
    stalls = [s for s in stalls if s[0] and s[1]]
    if stalls:
        out["first stall reason"] = (len(stalls), "% of groups right", 100 * statistics.fmean(a == b for a, b in stalls))
    return out


def count_summary(rows):
    """Returns for each count the groups where a side has it, the shares equal and within 5 %, and the median ours/theirs."""
    out = {}
    for ours, theirs in COUNTED.items():
        pairs = [(r["predicted"]["counts"].get(ours, 0), r["measured"].get(theirs)) for r in rows
                 if "counts" in r["predicted"]]
        pairs = [(p, m) for p, m in pairs if m is not None and (p or m)]
        if pairs:
            ratios = [p / m for p, m in pairs if m]
            out[ours] = (len(pairs), statistics.fmean(abs(p - m) < 0.5 for p, m in pairs),
                         statistics.fmean(abs(p - m) <= 0.05 * m for p, m in pairs),
                         statistics.median(ratios) if ratios else math.inf)
    return out


def worst(rows, count=10):
    """Returns the rows whose predicted time is farthest from the measured one, by ratio."""
    timed = [r for r in rows if r["predicted"].get("seconds") and r["measured"].get("seconds")]
    return sorted(timed, key=lambda r: -abs(math.log(r["predicted"]["seconds"] / r["measured"]["seconds"])))[:count]

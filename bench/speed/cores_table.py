#!/usr/bin/env python3
"""Prints what `bench_engine --json FILE` measured on several numbers of cores as a table in Markdown: the emulated GPU with all
counters on, its speed-up over one core, the OpenMP twin's, and the bound on the most cores.

    bench/speed/cores_table.py FILE.json [FILE.json ...]

Several files are runs of one machine, each with other numbers of cores."""

import json
import math
import pathlib
import sys


def mean(values):
    return math.exp(sum(map(math.log, values)) / len(values)) if values else math.nan


def speed_up(times, backend, many):
    return times[backend, 1] / times[backend, many] if {(backend, 1), (backend, many)} <= times.keys() else math.nan


def main():
    runs = [json.loads(pathlib.Path(name).read_text(encoding="utf-8")) for name in sys.argv[1:]]
    records = [record for run in runs for record in run["records"]]
    problems, cores = {}, sorted({record["cores"] for record in records})
    if cores[:1] != [1]:
        sys.exit("cores_table.py: nothing was measured on one core")
    many = cores[-1]
    for record in records:
        problem = problems.setdefault(record["experiment"], {"times": {}, "bound": {}})
        if record.get("time") and not record.get("error"):
            problem["times"][record["backend"], record["cores"]] = record["time"]["median_s"] * 1e3
        if record.get("bound"):
            problem["bound"][record["cores"]] = record["bound"]["seconds"] * 1e3, record["bound"]["by"]
    more = cores[1:]
    for run in runs:
        found = run["environment"]
        print(f"{found['machine']}; load average {found['load_before']} before, {found['load_after']} after")
    print("\n| problem | " + " | ".join(f"{n} core{'s' * (n > 1)}, ms" for n in cores) +
          " | " + " | ".join(f"x on {n}" for n in more) + f" | uncounted, x on {many} | twin, ms on 1, {many} | twin, x on {many} | "
          f"against the twin, on 1, {many} | bound on {many}, ms |")
    print("|" + "---|" * (len(cores) + len(more) + 6))
    ups, against = {n: [] for n in more}, {1: [], many: []}
    for name, problem in problems.items():
        times = problem["times"]
        own = [times.get(("counted", n), math.nan) for n in cores]
        twin = {n: times.get(("plain", n), math.nan) for n in (1, many)}
        beside = {n: twin[n] / times.get(("counted", n), math.nan) for n in (1, many)}
        for n in more:
            ups[n] += [speed_up(times, "counted", n)]
        for n in against:
            against[n] += [beside[n]]
        bound, by = problem["bound"].get(many, (math.nan, ""))
        print(f"| {name} | " + " | ".join(f"{t:.3g}" for t in own) + " | " +
              " | ".join(f"{speed_up(times, 'counted', n):.1f}" for n in more) +
              f" | {speed_up(times, 'uncounted', many):.1f} | {twin[1]:.3g}, {twin[many]:.3g} | {speed_up(times, 'plain', many):.1f} | "
              f"{beside[1]:.2f}, {beside[many]:.2f} | {bound:.3g} ({by}) |")
    print("\nGeometric means: " + "; ".join(f"{mean([u for u in ups[n] if u == u]):.1f} times one core on {n}" for n in more) + "; " +
          "; ".join(f"{mean([a for a in against[n] if a == a]):.2f} times the twin on {n}" for n in against) + ".")


if __name__ == "__main__":
    main()

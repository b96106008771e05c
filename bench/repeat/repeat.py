#!/usr/bin/env python3
"""Holds the figures of a launch against each other: the same program, run with one and two host threads and beside other
work, must give the same numbers.

    bench/repeat/repeat.py build/release/warpwright ladders                # every rung of every ladder, small sizes
    bench/repeat/repeat.py build/release/warpwright programs FOLDER|FILE...  # programs, by `run`
    bench/repeat/repeat.py build/release/warpwright gate [N]               # the gate of docs/results.md, 20 times or N

Each run writes its report as JSON, and every leaf of it is compared but for what tells of the host: its times, the date,
how many threads there were. The exit code is 1 where a number differs."""

import json
import os
import pathlib
import subprocess
import sys
import tempfile

HOST = {"date", "host_seconds", "compile_seconds", "compile_s", "emulation_s", "host_threads", "threads", "time",
        "verify_seconds", "cpu", "command", "calls", "started", "duration", "wall_seconds", "host_time_s", "notes", "pid"}
RUNS = (("1 thread", 1, 0), ("2 threads", 2, 0), ("2 threads beside other work", 2, 3))


def leaves(value, path=""):
    if isinstance(value, dict):
        for key, inner in value.items():
            if key not in HOST and not key.startswith("host_"):
                yield from leaves(inner, f"{path}.{key}")
    elif isinstance(value, list):
        for at, inner in enumerate(value):
            yield from leaves(inner, f"{path}[{at}]")
    else:
        yield path, value


def emulated(report):
    """Records that were timed on the host's processor are left out."""
    if isinstance(report, dict) and isinstance(report.get("records"), list):
        report["records"] = [r for r in report["records"] if r.get("device") != "cpu"]
    return report


class Burners:
    """Processes that keep the processors busy."""

    def __init__(self, many):
        self.processes = [subprocess.Popen([sys.executable, "-c", "while True: pass"]) for _ in range(many)]

    def __enter__(self):
        return self

    def __exit__(self, *_):
        for process in self.processes:
            process.kill()
            process.wait()


def report_of(words, threads, burners, seconds=600):
    with tempfile.TemporaryDirectory() as folder, Burners(burners):
        out = pathlib.Path(folder) / "report.json"
        # Before the program of `run`: what stands behind it is the program's own.
        done = subprocess.run([*words[:2], "--threads", str(threads), "--json", str(out), *words[2:]], text=True,
                              capture_output=True, timeout=seconds, check=False, stdin=subprocess.DEVNULL)
        if not out.exists():
            return None, done.stderr.strip().splitlines()[-1:] or [f"exit code {done.returncode}"]
        text = done.stdout if words[1] == "run" else ""
        return (emulated(json.loads(out.read_text())), text), None


def different(first, other):
    """Lists what differs, as lines; the first few."""
    a, b = dict(leaves(first)), dict(leaves(other))
    lines = [f"{path}: {a.get(path)} and {b.get(path)}" for path in sorted(a.keys() | b.keys())
             if a.get(path) != b.get(path)]
    return lines


def compare(name, words):
    """Returns True where all runs agree; None where it does not run at all."""
    first, why = report_of(words, RUNS[0][1], RUNS[0][2])
    if first is None:
        print(f"{name}: does not run: {' '.join(why)}", flush=True)
        return None
    for label, threads, burners in RUNS[1:]:
        other, why = report_of(words, threads, burners)
        lines = [" ".join(why)] if other is None else different(first[0], other[0])
        if lines:
            print(f"{name}: {len(lines)} numbers differ with {label}: " + "; ".join(lines[:3]), flush=True)
            return False
    print(f"{name}: the same", flush=True)
    return True


SIZES = {"reduce": "2^14", "sum": "2^14", "copy": "2^18", "transpose": "256", "matmul": "128", "blas": "2^14"}


def ladders(program):
    listed = pathlib.Path(__file__).resolve().parents[2] / "kernels"
    for folder in sorted(p.name for p in listed.iterdir() if (p / "ladder.toml").exists()):
        words = [program, "lab", folder, "--no-db"]
        if folder in SIZES:
            words += ["--size", SIZES[folder]]
        yield folder, words


def programs(program, places):
    files = []
    for place in map(pathlib.Path, places):
        files += sorted(place.glob("*.cu")) if place.is_dir() else [place]
    for file in files:
        yield file.name, [program, "run", "--quiet", "--no-db", str(file)]


def gate(program, times=20):
    """Runs the gate: an unchanged program must never fail it."""
    failed = 0
    with tempfile.TemporaryDirectory() as folder, Burners(3):
        words = [program, "lab", "reduce", "--size", "2^14", "--no-db", "--json"]
        subprocess.run([*words, f"{folder}/base.json"], check=True, capture_output=True)
        for _ in range(times):
            subprocess.run([*words, f"{folder}/now.json"], check=True, capture_output=True)
            code = subprocess.run([program, "compare", f"{folder}/base.json", f"{folder}/now.json", "--fail-on",
                                   "counts,broken"], capture_output=True, check=False).returncode
            failed += code != 0
            print("failed" if code else "passed", flush=True)
    print(f"the gate failed {failed} of {times} times")
    return failed == 0


def main(words):
    if len(words) < 2 or words[1] not in ("ladders", "programs", "gate"):
        print(__doc__, file=sys.stderr)
        return 2
    program = os.path.abspath(words[0])
    if words[1] == "gate":
        return 0 if gate(program, *map(int, words[2:3])) else 1
    cases = ladders(program) if words[1] == "ladders" else programs(program, words[2:])
    outcomes = [compare(name, command) for name, command in cases]
    print(f"{outcomes.count(True)} the same, {outcomes.count(False)} differ, {outcomes.count(None)} do not run")
    return 0 if False not in outcomes and True in outcomes else 1


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))

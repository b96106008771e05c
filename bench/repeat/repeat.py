#!/usr/bin/env python3
"""Holds the figures of a launch against each other: the same program, run with one and two host threads and beside other
work, must give the same numbers.

    bench/repeat/repeat.py build/release/warpwright ladders                # every rung of every ladder, small sizes
    bench/repeat/repeat.py build/release/warpwright programs FOLDER|FILE...  # programs, by `run`
    bench/repeat/repeat.py build/release/warpwright gate [N]               # the gate of docs/results.md, 20 times or N

Before these words:

    --state FILE     what is done is kept there, and the next call goes on behind it; a case that differed runs again
    --seconds S      no new case begins after that; exit code 3 tells that some are left
    --jobs N         so many cases at a time, which are load to each other
    --longest S      seconds that one run may take, 600 unless given

Each run writes its report as JSON, and every leaf of it is compared but for what tells of the host: its times, the date,
how many threads there were. The exit code is 1 where a number differs."""

import argparse
import concurrent.futures
import json
import os
import pathlib
import subprocess
import sys
import tempfile
import threading
import time

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
        # They end with this process, however that ends.
        busy = f"import os\nwhile os.getppid() == {os.getpid()}:\n for _ in range(10**6): pass"
        self.processes = [subprocess.Popen([sys.executable, "-c", busy]) for _ in range(many)]

    def __enter__(self):
        return self

    def __exit__(self, *_):
        for process in self.processes:
            process.kill()
            process.wait()


def report_of(words, threads, burners, seconds):
    with tempfile.TemporaryDirectory() as folder, Burners(burners):
        out = pathlib.Path(folder) / "report.json"
        # Before the program of `run`: what stands behind it is the program's own.
        done = subprocess.run([*words[:2], "--threads", str(threads), "--json", str(out), *words[2:]], text=True,
                              capture_output=True, timeout=seconds, check=False, stdin=subprocess.DEVNULL)
        if not out.exists():
            return None, done.stderr.strip().splitlines()[-1:] or [f"exit code {done.returncode}"]
        return emulated(json.loads(out.read_text())) | {"exit_code": done.returncode}, None


def different(first, other):
    """Lists what differs, as lines; the first few."""
    a, b = dict(leaves(first)), dict(leaves(other))
    lines = [f"{path}: {a.get(path)} and {b.get(path)}" for path in sorted(a.keys() | b.keys())
             if a.get(path) != b.get(path)]
    return lines


def compare(words, longest=600):
    """Returns what became of a case, and how many numbers were compared."""
    first, why = report_of(words, RUNS[0][1], RUNS[0][2], longest)
    if first is None:
        return {"outcome": "does not run", "why": " ".join(why)}
    numbers = sum(1 for _ in leaves(first))
    for label, threads, burners in RUNS[1:]:
        other, why = report_of(words, threads, burners, longest)
        lines = [" ".join(why)] if other is None else different(first, other)
        if lines:
            return {"outcome": "differs", "numbers": numbers,
                    "why": f"{len(lines)} numbers with {label}: " + "; ".join(lines[:3])}
    return {"outcome": "the same", "numbers": numbers}


class Done:
    """What became of each case, kept in a file where one is named."""

    def __init__(self, file):
        self.file = pathlib.Path(file) if file else None
        self.cases = json.loads(self.file.read_text()) if self.file and self.file.exists() else {}
        self.lock = threading.Lock()

    def is_left(self, name):
        return self.cases.get(name, {}).get("outcome", "differs") == "differs"

    def put(self, name, outcome):
        with self.lock:
            self.cases[name] = outcome
            said = outcome["outcome"] + (": " + outcome["why"] if "why" in outcome else "")
            print(f"{name}: {said}", flush=True)
            if self.file:
                self.file.write_text(json.dumps(self.cases, indent=1) + "\n")


def compare_all(cases, done, seconds, jobs, longest):
    """Compares the cases that are left; returns how many are left after that."""
    until = time.monotonic() + seconds if seconds else None

    def one(case):
        if until is not None and time.monotonic() >= until:
            return 1
        name, words = case
        try:
            done.put(name, compare(words, longest))
        except subprocess.TimeoutExpired:
            done.put(name, {"outcome": "does not run", "why": "it does not end in time"})
        return 0

    with concurrent.futures.ThreadPoolExecutor(jobs) as workers:
        return sum(workers.map(one, [case for case in cases if done.is_left(case[0])]))


SIZES = {"reduce": "2^14", "sum": "2^14", "copy": "2^18", "transpose": "256", "matmul": "128", "blas": "2^14"}


def ladders(program):
    listed = pathlib.Path(__file__).resolve().parents[2] / "kernels"
    for folder in sorted(p.name for p in listed.iterdir() if (p / "ladder.toml").exists()):
        words = [program, "lab", folder, "--device", "emulated", "--no-db"]
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
        words = [program, "lab", "reduce", "--device", "emulated", "--size", "2^14", "--no-db", "--json"]
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
    parser = argparse.ArgumentParser(add_help=False)
    parser.add_argument("--state")
    parser.add_argument("--seconds", type=float)
    parser.add_argument("--jobs", type=int, default=1)
    parser.add_argument("--longest", type=float, default=600)
    options, words = parser.parse_known_args(words)
    if len(words) < 2 or words[1] not in ("ladders", "programs", "gate") or options.jobs < 1:
        print(__doc__, file=sys.stderr)
        return 2
    program = os.path.abspath(words[0])
    if words[1] == "gate":
        return 0 if gate(program, *map(int, words[2:3])) else 1
    cases = list(ladders(program) if words[1] == "ladders" else programs(program, words[2:]))
    done = Done(options.state)
    left = compare_all(cases, done, options.seconds, options.jobs, options.longest)
    of_these = [done.cases[name] for name, _ in cases if name in done.cases]
    count = {kind: sum(of["outcome"] == kind for of in of_these) for kind in ("the same", "differs", "does not run")}
    numbers = sum(of.get("numbers", 0) for of in of_these)
    print(f"{count['the same']} the same, {count['differs']} differ, {count['does not run']} do not run, {left} are left; "
          f"{numbers} numbers of each run were compared")
    if count["differs"] or not (count["the same"] or left):
        return 1
    return 3 if left else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))

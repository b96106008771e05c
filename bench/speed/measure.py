"""Processes that are measured, and the table of figures with their goals."""

import os
import pathlib
import subprocess
import time


class Measured:
    """What a process took: seconds of processor time and by the clock, the most memory in MiB, and what it printed."""

    def __init__(self, cpu, wall, memory, code, output):
        self.cpu, self.wall, self.memory, self.code, self.output = cpu, wall, memory, code, output


def run(words, cache, processors=(0,), environment=None, limit=600):
    """Runs a command with a folder for its caches; None for `processors`: all of them."""
    env = {**os.environ, "XDG_CACHE_HOME": str(cache), **(environment or {})}
    out = pathlib.Path(cache) / "output"
    out.parent.mkdir(parents=True, exist_ok=True)
    started = time.monotonic()
    with open(out, "wb") as to:
        child = subprocess.Popen(
            ["timeout", str(limit), *map(str, words)], stdout=to, stderr=subprocess.STDOUT, stdin=subprocess.DEVNULL, env=env,
            preexec_fn=(lambda: os.sched_setaffinity(0, processors)) if processors else None)
        _, status, used = os.wait4(child.pid, 0)
    child.returncode = os.waitstatus_to_exitcode(status)
    return Measured(used.ru_utime + used.ru_stime, time.monotonic() - started, used.ru_maxrss / 1024, child.returncode,
                    out.read_text(errors="replace"))


def least(words, cache_of, rounds, **more):
    """Returns the run of least processor time; `cache_of(round)` names the folder of caches."""
    runs = [run(words, cache_of(k), **more) for k in range(rounds)]
    for r in runs:
        if r.code:
            raise SystemExit(f"{' '.join(map(str, words))}: exit code {r.code}\n{r.output[-2000:]}")
    return min(runs, key=lambda r: r.cpu)


class Table:
    """Lines with a figure and its goal."""

    def __init__(self):
        self.rows, self.held, self.missed = [], 0, 0

    def add(self, what, figure, unit, goal=None, note=""):
        verdict = ""
        if goal is not None:
            verdict = "held" if figure <= goal else "MISSED"
            self.held += figure <= goal
            self.missed += figure > goal
        self.rows.append({"what": what, "figure": figure, "unit": unit, "goal": goal, "verdict": verdict, "note": note})
        aim = "" if goal is None else f"at most {goal:g} {unit}"
        print(f"{verdict:<7}{what:<66}{figure:>10.4g} {unit:<6}{aim:<20}{note}", flush=True)

    def say(self, text):
        print("       " + text, flush=True)

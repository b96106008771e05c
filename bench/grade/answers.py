#!/usr/bin/env python3
"""How much processor time an answer of `warpwright learn` takes, exercise by exercise: the first one with an empty cache, and
one after a change to the file.

    bench/grade/answers.py --program build/release/warpwright [EXERCISE ...]

Processor time is that of all processes together, so that it hardly depends on what else the machine does; a second of it is
at most a second by the clock on a machine that is quiet. The file is the exercise's solution with a remark before it. Python
3.11 or later."""
import argparse
import os
import resource
import subprocess
import sys
import tempfile
import tomllib
from pathlib import Path

COURSE = Path(__file__).resolve().parents[2] / "course"
FIRST, WARM = 3.0, 1.0  # what is wanted, in seconds


def solution_of(folder):
    exercise = tomllib.loads((folder / "exercise.toml").read_text())
    if "question" in exercise:
        return exercise["file"], (folder / exercise["reference"]).read_text(), "#"
    if "program" in exercise:
        source = exercise["program"]["files"][exercise["reference"]]
    else:
        rungs = tomllib.loads((folder / "ladder.toml").read_text())["rung"]
        source = next(r["source"] for r in rungs if r["name"] == exercise["reference"])
    return exercise["file"], (folder / source).read_text(), "#" if source.endswith(".py") else "//"


def answer(options, place, name):
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    cache = str(place / "cache")
    ran = subprocess.run([options.program, "learn", name, "--once", "--dir", str(place), "--lang", "en", "--threads", "1"],
                         capture_output=True, text=True,
                         env=os.environ | {"HOME": str(place), "XDG_CACHE_HOME": cache, "WARPWRIGHT_CACHE": cache})
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    return ran, after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--program", default="warpwright")
    parser.add_argument("exercises", nargs="*")
    options = parser.parse_args()
    options.program = str(Path(options.program).resolve()) if "/" in options.program else options.program
    over, warm_times, first_times = [], [], []
    print("| exercise | first | after a change | answer |\n|---|---|---|---|")
    for name in options.exercises or tomllib.loads((COURSE / "course.toml").read_text())["exercises"]:
        with tempfile.TemporaryDirectory() as folder:
            place = Path(folder)
            file, text, remark = solution_of(COURSE / name)
            (place / name).mkdir()
            (place / name / file).write_text(f"{remark} one\n" + text)
            first_ran, first = answer(options, place, name)
            # Lines move, so that nothing of the compiled text is as before.
            (place / name / file).write_text(f"{remark} two\n{remark} lines\n" + text)
            ran, warm = answer(options, place, name)
        state = {0: "done", 3: "what it takes is missing"}.get(ran.returncode, "NOT done")
        print(f"| `{name}` | {first:.2f} s | {warm:.2f} s | {state} |", flush=True)
        if ran.returncode == 0:
            first_times.append(first)
            warm_times.append(warm)
            if first > FIRST or warm > WARM:
                over.append(name)
        elif ran.returncode != 3:
            print(ran.stdout[-800:] + ran.stderr[-400:], file=sys.stderr)
    if warm_times:
        middle = len(warm_times) // 2
        print(f"\nfirst: most {max(first_times):.2f} s, median {sorted(first_times)[middle]:.2f} s; after a change: most "
              f"{max(warm_times):.2f} s, median {sorted(warm_times)[middle]:.2f} s; over {FIRST:g} or {WARM:g} s: "
              f"{', '.join(over) or 'none'}")


if __name__ == "__main__":
    main()

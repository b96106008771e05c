#!/usr/bin/env python3
"""Writes docs/run-coverage.md from what run_programs.py found: the last result of each program and route counts.

    coverage_page.py programs-out/ > docs/run-coverage.md          # reads nvcc.tsv and clang.tsv of that folder
"""
import argparse
import collections
import pathlib

import run_programs

WORDS = {"time": "over the time limit", "": "not run"}
SLOW = 60  # seconds of processor time from which a program's own are named

HEAD = """# Public programs on the emulated GPU

HeCBench (commit f27000a5, `src/*-cuda`), in alphabetical order from the first on, those whose Makefile links nothing but the runtime: {programs} programs
down to the hundredth that checks itself as its Makefile builds it. Not counted, but listed, are programs without a check of their own, programs whose
input is not in the repository, and two that nvcc did not finish within 300 s. Each was built in two ways and run on the emulated H200:

* **nvcc**: nvcc 13.0, `-cudart shared -arch=compute_90`, otherwise as its Makefile does, run with our `libcudart.so.13`;
* **clang**: `warpwright build` with the same files, macros and flags; no file of the CUDA toolkit in reach, except that programs that include CUB or
  Thrust were pointed at those (`-I .../include/cccl`).

"right": the program's own check says so. The usual arguments are sized for a GPU; where a program takes any, the arguments here are smaller. Where it
takes none, its size stays. The limit is {limit} s of processor time, host code included, on two cores of an x86-64 server that other work was using as
well; programs that took more than {slow} s say how many. "over the time limit": nothing wrong was seen until then;
runs that were stopped earlier say when, and nothing wrong was seen in them either. Results without a time are of the last run of the program, which may
be of an earlier version of the engine.
`bench/programs/run_programs.py` repeats it (its list: `hecbench.txt`), and `coverage_page.py` writes this page from its results.

Of {count} programs: nvcc {nvcc}; clang {clang}.
Not counted: {left}.

{notes}
| program | arguments | nvcc | clang |
|---|---|---|---|
"""


def results(path):
    """Returns by program its outcome, its processor time and the reason."""
    last = {}
    if path.exists():
        for line in path.read_text().splitlines():
            f = line.split("\t")
            last[f[0]] = (f[1], float(f[5]) if len(f) > 5 else 0.0, f[4] if len(f) > 4 else "")
    return last


def say(result):
    outcome, seconds, why = result
    text = WORDS.get(outcome, outcome)
    if outcome in ("wrong", "not built") and why:
        text += ": " + why.replace("|", "/")
    return text + (f" ({seconds:.0f} s)" if outcome == "right" and seconds >= SLOW else "")


def main():
    parse = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parse.add_argument("out", type=pathlib.Path)
    parse.add_argument("--limit", type=int, default=900)
    options = parse.parse_args()
    here = pathlib.Path(__file__).resolve().parent
    programs = run_programs.read_list(here / "hecbench.txt")
    found = {route: results(options.out / (route + ".tsv")) for route in ("nvcc", "clang")}
    counts = {route: collections.Counter() for route in found}
    left, rows = collections.Counter(), []
    for name, (arguments, check) in programs.items():
        if check.startswith("- "):
            left[check[2:]] += 1
            rows.append(f"| {name} | {arguments} | {check[2:]} | |")
            continue
        cells = []
        for route in ("nvcc", "clang"):
            result = found[route].get(name, ("", 0.0, ""))
            counts[route][WORDS.get(result[0], result[0])] += 1
            cells.append(say(result))
        rows.append(f"| {name} | {arguments} | {cells[0]} | {cells[1]} |")
    text = lambda c: ", ".join(f"{n} {what}" for what, n in c.most_common())
    print(HEAD.format(programs=len(programs), limit=options.limit, slow=SLOW, count=sum(counts["nvcc"].values()), nvcc=text(counts["nvcc"]),
                      clang=text(counts["clang"]), left=text(left), notes=(here / "notes.md").read_text()) + "\n".join(rows) + "\n\n" +
          (here / "others.md").read_text(), end="")


if __name__ == "__main__":
    main()

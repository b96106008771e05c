#!/usr/bin/env python3
"""Prints the table of what a user waits for beside warm kernels: cold starts, launches in a row, `check`, predictions.

    bench/speed/speed.py build/release/warpwright                       # all of it
    bench/speed/speed.py build/release/warpwright cold launches         # these parts
    bench/speed/speed.py build/release/warpwright check --ladder copy   # the rungs of one ladder
    bench/speed/speed.py build/release/warpwright cold --json out.json

Parts: cold (first results), source (compiling sources), launches, numba, check, predict. Each line has a figure, its goal, and `held` or
`MISSED`; the exit code is 1 where nothing was measured. Figures are seconds of processor time where they are told so, of the process and those that it starts, the least
of --rounds runs: the clock is disturbed by whatever else the machine does, and the load stands above the table. Every
process is pinned to one processor unless the line says otherwise. Numba's part needs `numba` and `numba-cuda` for
the interpreter that is named by --python."""

import argparse
import json
import os
import pathlib
import sys
import tempfile

import checks
import cold
import launches
import predictions
from measure import Table

PARTS = {"cold": cold.first_results, "source": cold.sources, "launches": launches.in_a_row, "numba": launches.numba,
         "check": checks.against_run, "predict": predictions.costs}


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("warpwright", type=pathlib.Path)
    parser.add_argument("parts", nargs="*", help=", ".join(PARTS))
    parser.add_argument("--rounds", type=int, default=3)
    parser.add_argument("--ladder", action="append", dest="ladders", help="check: the rungs of this ladder alone")
    parser.add_argument("--python", default=sys.executable)
    parser.add_argument("--json", type=pathlib.Path)
    options = parser.parse_args()
    options.warpwright = options.warpwright.resolve()
    unknown = set(options.parts) - set(PARTS)
    if unknown or not options.warpwright.is_file():
        parser.error(f"no such part: {', '.join(sorted(unknown))}" if unknown else f"no {options.warpwright}")
    table = Table()
    print(f"load average {os.getloadavg()[0]:.1f}, {os.cpu_count()} processors, build {options.warpwright}")
    for name, part in PARTS.items():
        if options.parts and name not in options.parts:
            continue
        print(f"\n{name}", flush=True)
        with tempfile.TemporaryDirectory(prefix="speed_") as folder:
            part(table, options, pathlib.Path(folder))
    print(f"\nload average {os.getloadavg()[0]:.1f}; held {table.held}, missed {table.missed}")
    if not table.rows:
        print("speed.py: nothing was measured", file=sys.stderr)
    if options.json:
        options.json.write_text(json.dumps(table.rows, indent=1) + "\n")
    return 0 if table.rows else 1


if __name__ == "__main__":
    sys.exit(main())

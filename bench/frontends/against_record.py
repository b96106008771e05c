#!/usr/bin/env python3
"""Compares all sets of kernels with nvcc, live, and says what changed against the record: who gained a goal, who lost one.

    against_record.py --nvcc /path/to/nvcc                  # the texts' kernels, then the public programs'
    against_record.py --nvcc /path/to/nvcc public --recorded  # nvcc's side of programs from the record: minutes less
    against_record.py --nvcc /path/to/nvcc --update          # and keep the figures

The exit code is 1 if a kernel that kept all goals misses one now.
"""
import argparse
import json
import pathlib
import subprocess
import sys

import figures

HERE = pathlib.Path(__file__).resolve().parent
# What compare.py is asked for, and where the figures are kept.
SETS = {"texts": ([], "texts.json"), "public": (["all"], "public.json")}


def compared(name, options):
    """Returns the rows of a set as they are now."""
    words, record = SETS[name]
    kept = options.work / record
    kept.unlink(missing_ok=True)
    command = [sys.executable, str(HERE / "compare.py"), *words, "--work", str(options.work), "--save", str(kept)]
    for option in ("nvcc", "warpwright", "ours"):
        if value := getattr(options, option):
            command += [f"--{option}", value]
    if options.recorded and words:
        command += ["--theirs", str(HERE / record)]
    subprocess.run(command, stdout=subprocess.DEVNULL, check=False)  # what it left out, it says on the standard error
    return json.loads(kept.read_text()) if kept.exists() else []


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("sets", nargs="*", help="of texts, public; none: both")
    parser.add_argument("--nvcc")
    parser.add_argument("--warpwright")
    parser.add_argument("--ours")
    parser.add_argument("--recorded", action="store_true", help="nvcc's side of programs as it was recorded")
    parser.add_argument("--work", type=pathlib.Path, default=pathlib.Path("frontends-work"))
    parser.add_argument("--update", action="store_true", help="make the figures the record")
    options = parser.parse_args()
    if unknown := set(options.sets) - set(SETS):
        parser.error(f"no set is called {sorted(unknown)[0]}; they are {', '.join(SETS)}")
    options.work = options.work.resolve()
    options.work.mkdir(parents=True, exist_ok=True)
    all_lost = 0
    for name in options.sets or SETS:
        record = HERE / SETS[name][1]
        before, now = json.loads(record.read_text()), compared(name, options)
        lines, lost = figures.changes(before, now)
        all_lost += lost
        print(f"== {name}, as recorded", *figures.summary(before)[:9], f"== {name}, now", *figures.summary(now),
              "== since the record", *(lines or ["nothing changed"]), sep="\n", flush=True)
        if options.update and now:
            record.write_text("[\n" + ",\n".join(json.dumps(row) for row in now) + "\n]\n")
    return 1 if all_lost else 0


if __name__ == "__main__":
    sys.exit(main())

#!/usr/bin/env python3
"""Makes the table of src/predict/error_classes.inc from compared launches: by class, between which ratios of the predicted
time nine of ten measured times lie.

    bench/prediction/validate.py --warpwright build/release/warpwright --json compared.json
    bench/prediction/intervals.py compared.json ...            # the rows, and how many of the groups they hold
    bench/prediction/intervals.py --check compared.json ...    # how many measured times lie in the intervals as they are

With --split the rows are made of every other program, and what they hold is counted on the others; our own programs are
collections, of which every other kernel is taken.
"""
import argparse
import json
import pathlib
import sys

LEAST = 20  # groups of a class of its own
TAIL = 0.05
SPARE = 60  # units
BINDS = ("start", "memory", "issue", "units", "latency", "others")


def quantile(values, q):
    values = sorted(values)
    at = q * (len(values) - 1)
    low = int(at)
    high = min(low + 1, len(values) - 1)
    return values[low] + (at - low) * (values[high] - values[low])


def ratio(row):
    return row["measured"]["seconds"] / row["predicted"]["seconds"]


def read(paths):
    rows = [r for path in paths for r in json.loads(path.read_text())]
    # (Launches that a profile tells apart may be of several classes.)
    usable = [r for r in rows if r["measured"].get("seconds") and r["predicted"].get("error_class", "").split(",")[0] in BINDS]
    if not usable:
        sys.exit("intervals.py: no compared launch has an error_class")
    return usable


def table(rows):
    """Returns (binds, part) -> (groups, low, high). The tails of a small sample are drawn in by nobody: of n units, whose
    groups are wrong alike, the quantile is taken further out, as far as n allows."""
    def ends(some):
        units = len({unit(r) for r in some})
        tail, values = TAIL * units / (units + SPARE), [ratio(r) for r in some]
        return round(quantile(values, tail), 2), round(quantile(values, 1 - tail), 2)

    out = {}
    for part in (False, True):
        column = [r for r in rows if r["predicted"]["error_class"].endswith("simulated in part") == part]
        for binds in BINDS:
            if part and binds == "start":
                continue
            own = [r for r in column if r["predicted"]["error_class"].split(",")[0] == binds]
            out[binds, part] = (len(own), *ends(own if len(own) >= LEAST else column or rows))
    return out


def unit(row):
    """Returns what is taken as a whole into one half or the other: a program, or a kernel of our own ones."""
    program = row["run"].rsplit(".", 1)[0]
    return (program, row["kernel"].split("<")[0] if program.startswith("own_") else "")


def held(rows, of):
    """Returns how many of the rows lie in the intervals that `of` has for them."""
    return sum(low <= ratio(r) <= high for r in rows for low, high in [of(r)])


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("files", nargs="+", type=pathlib.Path)
    parser.add_argument("--check", action="store_true")
    parser.add_argument("--split", action="store_true")
    options = parser.parse_args()
    rows = read(options.files)
    if options.check:
        def stated(r):
            p = r["predicted"]
            return p["seconds_low"] / p["seconds"], p["seconds_high"] / p["seconds"]
        print(f"{held(rows, stated)} of {len(rows)} measured times lie in the interval")
        return
    units = sorted({unit(r) for r in rows})
    fitted = set(units[::2]) if options.split else set(units)
    made = table([r for r in rows if unit(r) in fitted])
    for (binds, part), (groups, low, high) in made.items():
        print(f"WARPWRIGHT_ERROR_CLASS({binds}, {'true' if part else 'false'}, {groups}, {low:g}, {high:g})")
    others = [r for r in rows if unit(r) not in fitted] or rows

    def own(r):
        name = r["predicted"]["error_class"]
        return made[name.split(",")[0], name.endswith("simulated in part")][1:]
    print(f"{held(others, own)} of {len(others)} measured times lie in these", file=sys.stderr)


if __name__ == "__main__":
    main()

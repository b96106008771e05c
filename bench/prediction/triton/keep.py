#!/usr/bin/env python3
"""Keeps what cases.py and Nsight Compute wrote on a machine with a GPU in one file, which evaluate.py reads: PTX, arguments, figures.

    keep.py FOLDER times.csv [recorded_h200.json.xz]      # FOLDER: what cases.py wrote; times.csv: a raw page of ncu (compare.py)
"""
import json
import lzma
import pathlib
import re
import sys

HERE = pathlib.Path(__file__).resolve().parent
sys.path.append(str(HERE.parent))
import measuring  # noqa: E402


def plain(ptx):
    """Returns PTX without what no prediction reads: comments, places in the source, and debugging sections."""
    ptx = re.sub(r"\t\.section.*?\n\t\}\n", "", ptx, flags=re.S)
    lines = (re.sub(r"\s*//.*", "", line) for line in ptx.splitlines())
    return "\n".join(line for line in lines if line.strip() and not re.match(r"\s*\.(loc|file)\b", line)) + "\n"


def kept(cases, launches, ptx_of):
    """Joins cases with the launches of the page, which are in the same order."""
    if [c["kernel"] for c in cases] != [one["kernel"].split("(")[0] for one in launches]:
        raise SystemExit("the page has other launches than the cases")
    return [{**case, "ptx": plain(ptx_of(case)), "measured": {**{k: v for k, v in one["figures"].items() if v is not None}, "stalls": one["stalls"]}}
            for case, one in zip(cases, launches)]


def main():
    folder, times = map(pathlib.Path, sys.argv[1:3])
    to = pathlib.Path(sys.argv[3]) if len(sys.argv) > 3 else HERE / "recorded_h200.json.xz"
    head = json.loads((folder / "cases.json").read_text())
    cases = kept(head["cases"], measuring.read_raw_page(times.read_text()), lambda case: (folder / f"{case['name']}.ptx").read_text())
    text = json.dumps({**{k: v for k, v in head.items() if k != "cases"}, "cases": cases})
    to.write_bytes(lzma.compress(text.encode(), preset=9))
    print(f"{len(cases)} launches, {to.stat().st_size} bytes")


if __name__ == "__main__":
    main()

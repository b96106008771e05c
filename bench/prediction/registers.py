#!/usr/bin/env python3
"""Compares the registers that Warpwright estimates for a thread with those that NVIDIA's ptxas allots.

    registers.py --ours build/release/compilers/bin/ptxas --theirs /usr/local/cuda/bin/ptxas FOLDER
    registers.py ... FOLDER --worst 20

Each *.ptx file below FOLDER is assembled by both with -v, each kernel is one line of what is compared. What ptxas said is
kept beside the file (NAME.v) and read from there the next time. Printed are the share of kernels within 10 %, the
median of ours over theirs and how both lie by size; --worst N prints the N kernels that differ most. The folder is given
by whoever has programs: bench/prediction/README.md says how such a folder is made.
"""
import argparse
import pathlib
import re
import statistics
import subprocess
import sys
from concurrent.futures import ThreadPoolExecutor

FEWEST = 16  # what a launch has at least, whatever ptxas says (Nsight Compute, H200)
ENTRY = re.compile(r"Compiling entry function '(\S+)' for")
USED = re.compile(r"Used (\d+) registers")
SPILL = re.compile(r"(\d+) bytes spill stores")


def said(assembler, path, arch, kept=None):
    """Returns what an assembler says of a file: nothing where it refuses it or takes more than two minutes."""
    if kept and kept.exists():
        return kept.read_text()
    try:
        done = subprocess.run([assembler, "-v", f"-arch={arch}", str(path), "-o", "/dev/null"], capture_output=True,
                              text=True, timeout=120)
    except subprocess.TimeoutExpired:
        return ""
    text = done.stdout + done.stderr
    if kept and done.returncode == 0:
        kept.write_text(text)
    return text if done.returncode == 0 else ""


def kernels(text):
    """Returns by kernel its registers, and whether anything was spilled."""
    found, name, spilled = {}, None, False
    for line in text.splitlines():
        if entry := ENTRY.search(line):
            name, spilled = entry.group(1), False
        elif "Compiling entry" in line or "Function properties for" in line and name and name not in line:
            name = None
        if spill := SPILL.search(line):
            spilled = spill.group(1) != "0"
        if (used := USED.search(line)) and name:
            found[name], name = (int(used.group(1)), spilled), None
    return found


def compare(options):
    """Returns (file, kernel, ours, theirs, spilled) for each kernel that both have, and how many files only one has."""
    paths = sorted(options.folder.rglob("*.ptx"))

    def one(path):
        theirs = kernels(said(options.theirs, path, options.arch, path.with_suffix(".v")))
        ours = kernels(said(options.ours, path, options.arch))
        rows = [(path, name, ours[name][0], max(FEWEST, used), spilled) for name, (used, spilled) in theirs.items()
                if name in ours]
        return rows, bool(theirs) and not ours

    with ThreadPoolExecutor(options.jobs) as pool:
        done = list(pool.map(one, paths))
    return [row for rows, _ in done for row in rows], sum(only for _, only in done)


def summary(rows):
    """Prints the figures of these kernels, then with each program (a folder) once: some have hundreds of instances."""
    near = sum(abs(ours / theirs - 1) <= 0.1 for _, _, ours, theirs, _ in rows)
    programs = {}
    for path, _, ours, theirs, _ in rows:
        programs.setdefault(path.parent, []).append(abs(ours / theirs - 1) <= 0.1)
    even = statistics.mean(statistics.mean(p) for p in programs.values())
    ratio = statistics.median(ours / theirs for _, _, ours, theirs, _ in rows)
    error = statistics.mean(abs(ours / theirs - 1) for _, _, ours, theirs, _ in rows)
    return (f"{len(rows):5} kernels of {len(programs)} programs: within 10 % {100 * near / len(rows):5.1f} % (programs alike: "
            f"{100 * even:.1f} %), median ratio {ratio:.3f}, mean error {100 * error:.1f} %")


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("folder", type=pathlib.Path)
    parser.add_argument("--ours", required=True)
    parser.add_argument("--theirs", default="ptxas")
    parser.add_argument("--arch", default="sm_90")
    parser.add_argument("--jobs", type=int, default=2)
    parser.add_argument("--worst", type=int, default=0)
    options = parser.parse_args()
    rows, missing = compare(options)
    if not rows:
        sys.exit(f"{options.folder}: no kernel was compared")
    print("all        ", summary(rows))
    for low, high in ((16, 17), (17, 25), (25, 33), (33, 49), (49, 81), (81, 256)):
        some = [row for row in rows if low <= row[3] < high]
        if some:
            print(f"{low:3} to {high - 1:3}  ", summary(some))
    if missing:
        print(f"{missing} files were not read by ours")
    for path, name, ours, theirs, spilled in sorted(rows, key=lambda r: -abs(r[2] / r[3] - 1))[:options.worst]:
        print(f"{ours:4} {theirs:4}{' spilled' if spilled else ''} {path.relative_to(options.folder)} {name[:90]}")


if __name__ == "__main__":
    main()

#!/usr/bin/env python3
"""How often the true count lies within the interval that `run --sample` gives for it (docs/run.md): kernels.cu whole and sampled.

usage: cover.py [--warpwright PROGRAM] [--error PERCENT] [--seeds N]
"""
import argparse
import json
import subprocess
import sys
import tempfile
from pathlib import Path

MAIN = ("instructions thread_instructions global_load_sectors global_store_sectors global_atomic_sectors "
        "shared_load_wavefronts shared_store_wavefronts flops").split()


def profile(words, to):
    subprocess.run([*words[:2], "--quiet", "--no-db", "--json", str(to), *words[2:]], check=True, stdout=subprocess.DEVNULL)
    return json.loads(to.read_text())["kernels"]


class Cases:
    """Of some kind: how many, and how many of them held the truth."""

    def __init__(self, name):
        self.name, self.held, self.all = name, 0, 0

    def add(self, held):
        self.held += held
        self.all += 1

    def line(self):
        share = f" ({100 * self.held / self.all:.1f} %)" if self.all else ""
        return f"{self.name}: {self.held} of {self.all}{share}"


def compare(seed, whole, part, main, every):
    for a, b in zip(whole, part, strict=True):
        sample = b["sample"]
        if sample.get("why_all"):
            print(f"{seed} {a['name']}: all blocks ran: {sample['why_all']}")
            continue
        beyond = []
        for key, truth in a["counts"].items():
            told, half = b["counts"].get(key, 0), sample["half_width_95"].get(key, 0)
            if truth == told == 0:
                continue
            held = abs(told - truth) <= half + 0.5
            every.add(held)
            if key in MAIN and half > 0:
                main.add(held)
            if not held:
                beyond.append(f"{key} {told} +- {half:.0f}, truly {truth}")
        print(f"{seed} {a['name']}: {sample['blocks_run']} of {sample['blocks']} blocks", *beyond, sep="; ")


def main():
    options = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    options.add_argument("--warpwright", default="warpwright")
    options.add_argument("--error", default="8")
    options.add_argument("--seeds", type=int, default=3)
    o = options.parse_args()
    of_main, of_all = Cases("main counts, where blocks differ"), Cases("all counts")
    with tempfile.TemporaryDirectory() as folder:
        program = f"{folder}/kernels"
        source = Path(__file__).with_name("kernels.cu")
        subprocess.run([o.warpwright, "build", source, "-o", program], check=True)
        for seed in range(1, o.seeds + 1):
            whole = profile([o.warpwright, "run", "--bounds", program, str(seed)], Path(folder) / "whole.json")
            part = profile([o.warpwright, "run", "--sample", "--sample-error", o.error, program, str(seed)],
                           Path(folder) / "part.json")
            compare(seed, whole, part, of_main, of_all)
    print(of_main.line())
    print(of_all.line())
    return 0


if __name__ == "__main__":
    sys.exit(main())

#!/usr/bin/env python3
"""Draws where the time of a problem's warm launches goes, as a flame graph (SVG), from samples that Linux' perf takes.

    bench/engine/flames.py build/release/bench/engine/bench_engine "sort of 2^17" docs/perf/flames/sort.svg [--requests 40]
A box is a function, as wide as its share of the samples; those that it calls stand on it. Code that the engine has generated
has no names and is one box. Samples are of the whole worker: also what resets and checks a problem's memory between launches,
which is left out. Needs perf and Python's standard library.
"""
import argparse
import collections
import os
import pathlib
import re
import subprocess
import tempfile
import time
from xml.sax.saxutils import escape

KERNELS = pathlib.Path(__file__).resolve().parent.parent / "kernels"
WIDTH, ROW, LEAST = 1000, 17, 1.5  # pixels; narrower boxes are left out
GENERATED = "generated code"
BEGINS = "Scheduler::run"  # what lies below it is the same for all problems


def sample(program, problem, requests, file):
    """Runs a worker and records its requests but the first, which compiles."""
    with tempfile.TemporaryDirectory() as cache:
        worker = subprocess.Popen([program, "--worker", "counted", "--cores", "1", "--kernels", KERNELS, "--cache", cache],
                                  stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True,
                                  env={**os.environ, "WARPWRIGHT_CODE": "best"})

        def ask():
            worker.stdin.write(problem + "\n")
            worker.stdin.flush()
            answer = worker.stdout.readline()
            if not answer.startswith("ok"):
                raise SystemExit(f"flames.py: {problem}: {answer.strip() or 'the worker died'}")

        ask()
        perf = subprocess.Popen(["perf", "record", "-q", "-e", "cpu-clock", "-F", "4000", "--call-graph", "fp", "-o", file,
                                 "-p", str(worker.pid)], stdin=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        while not os.path.getsize(file) and perf.poll() is None:  # it has not begun
            time.sleep(0.05)
        for _ in range(requests):
            ask()
        perf.send_signal(2)
        perf.wait()
        worker.stdin.close()
        worker.wait()


def short(name):
    """Leaves out what a function's name says of its types and arguments."""
    name = name.replace("(anonymous namespace)::", "").replace("warpwright::", "").replace("engine::", "")
    while (less := re.sub(r"<[^<>]*>|\([^()]*\)", "", name)) != name:
        name = less
    name = re.sub(r"\b(const|clone|\[.*?\])\s*", "", name).strip()
    return re.sub(r"\.(part|isra|constprop|cold|lto_priv)\S*", "", name).split(" ")[-1] or GENERATED


def stacks(file):
    """Returns how often each stack was seen, from the launch on."""
    text = subprocess.run(["perf", "script", "-F", "ip,sym", "-i", file], capture_output=True, text=True, check=True).stdout
    seen = collections.Counter()
    for block in text.split("\n\n"):
        frames = []
        for line in reversed(block.strip().splitlines()):
            _, _, symbol = line.strip().partition(" ")
            frames.append(GENERATED if symbol.strip() in ("", "[unknown]") else short(symbol.strip()))
        begin = next((k for k, frame in enumerate(frames) if frame.startswith(BEGINS)), None)
        if begin is None:
            continue
        frames = [frame for k, frame in enumerate(frames[begin:]) if not k or frame != frames[begin + k - 1]]
        seen[tuple(frames)] += 1
    return seen


def draw(seen, title):
    """Returns the picture."""
    total = sum(seen.values())
    boxes = []

    def place(level, prefix, rows, left):
        groups = collections.defaultdict(list)
        for frames, count in rows:
            if len(frames) > level:
                groups[frames[level]].append((frames, count))
        for name, own in sorted(groups.items(), key=lambda group: -sum(count for _, count in group[1])):
            count = sum(c for _, c in own)
            if count * WIDTH / total >= LEAST:
                boxes.append((level, left, count, name))
                place(level + 1, prefix + (name,), own, left)
            left += count

    place(0, (), list(seen.items()), 0)
    levels = max(level for level, *_ in boxes) + 1
    height = 30 + levels * ROW
    out = [f'<svg xmlns="http://www.w3.org/2000/svg" width="{WIDTH + 20}" height="{height + 6}" font-family="sans-serif" font-size="11">',
           '<rect width="100%" height="100%" fill="white"/>',
           f'<text x="10" y="18" font-size="13">{escape(title)}, {total} samples</text>']
    for level, left, count, name in boxes:
        x, width, y = 10 + left * WIDTH / total, count * WIDTH / total, height - (level + 1) * ROW
        share = f"{name} {100 * count / total:.1f} %"
        colour = "#a9d6e5" if name == GENERATED else f"hsl({20 + hash_of(name) % 30},80%,{70 + hash_of(name) % 13}%)"
        out.append(f'<g><title>{escape(share)}</title><rect x="{x:.1f}" y="{y}" width="{max(width - .5, .5):.1f}" '
                   f'height="{ROW - 1}" fill="{colour}"/>')
        if (room := int(width / 6)) > 3:
            label = share if len(share) <= room else name if len(name) <= room else name[:room - 1] + "…"
            out.append(f'<text x="{x + 3:.1f}" y="{y + 12}">{escape(label)}</text>')
        out.append('</g>')
    return "\n".join(out + ["</svg>"]) + "\n"


def hash_of(name):
    """Returns a number that is the same in each run."""
    return sum(ord(c) * (k + 1) for k, c in enumerate(name))


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("program")
    parser.add_argument("problem")
    parser.add_argument("picture", type=pathlib.Path)
    parser.add_argument("--requests", type=int, default=40)
    parser.add_argument("--title")
    options = parser.parse_args()
    with tempfile.NamedTemporaryFile() as file:
        sample(options.program, options.problem, options.requests, file.name)
        seen = stacks(file.name)
    if not seen:
        raise SystemExit("flames.py: no sample lies in a launch")
    options.picture.write_text(draw(seen, options.title or options.problem), encoding="utf-8")
    own = collections.Counter()
    for frames, count in seen.items():
        own[frames[-1]] += count
    for name, count in own.most_common(8):
        print(f"{100 * count / sum(seen.values()):5.1f} %  {name}")


if __name__ == "__main__":
    main()

#!/usr/bin/env python3
"""Holds the shares of causes against what mending them saves: planted defects with mended twins, of tests/api/causes and
of this folder, told and predicted by us and measured on a GPU.

    bench/causes/pairs.py source FILE.cu           # one program of all pairs, for nvcc and for `warpwright run`
    bench/causes/pairs.py record NCU.csv RECORD DEVICE  # what Nsight Compute measured of it, kept as JSON (docs/causes.md)
    bench/causes/pairs.py table RECORD RUN.json    # the told share, what the twin saves as predicted, and as measured
    bench/causes/pairs.py told RUN.json            # whether the first cause is the defect, and what the twins are told

RUN.json is the profile of that program: `warpwright run -DTIMES=1 --model h200 --predict all --json RUN.json FILE.cu`."""

import csv
import json
import pathlib
import re
import sys

HERE = pathlib.Path(__file__).resolve().parent
PLACES = (HERE.parents[1] / "tests" / "api" / "causes", HERE)
NUMBERS, MULTIPROCESSORS = 1 << 18, 132
LEAST = 0.08  # a cause that saves less is not told


def sizes(text):
    """Reads a shape: "sms", "2*sms", "sms+1", a number, or two of them as in "16x8"; returns two numbers."""
    known = {"sms": MULTIPROCESSORS, "2*sms": 2 * MULTIPROCESSORS, "sms+1": MULTIPROCESSORS + 1}
    x, _, y = text.partition("x")
    return known[x] if x in known else int(x), int(y or 1)


def pairs():
    """Yields name, cause, text and shapes of each pair; shapes by name, such as "planted_grid"."""
    for file in sorted(file for place in PLACES for file in place.glob("*.cu")):
        text = file.read_text()
        comments = [line[3:] for line in text.splitlines() if line.startswith("// ")]
        shapes = {}
        for part in ";".join(comments[1:]).split(";"):
            words = part.split()
            if len(words) == 2 and re.fullmatch(r"(planted_|mended_)?(grid|block|shared)", words[0]):
                shapes[words[0]] = sizes(words[1])
        yield file.stem, comments[0].split(":")[0], text, shapes


MAIN = """
#ifndef TIMES
#define TIMES 5
#endif
#include <cstdio>
#include <cstdlib>
template <class O, class I>
void go(void (*kernel)(O*, I*, int), dim3 grid, dim3 block, unsigned shared, void* out, const void* in) {
    cudaFuncSetAttribute(kernel, cudaFuncAttributeMaxDynamicSharedMemorySize, shared);
    for (int k = 0; k < TIMES; ++k) kernel<<<grid, block, shared>>>((O*)out, (I*)in, %d);
}
int main() {
    const size_t n = %d, inputs = 33 * n;
    float* numbers = (float*)malloc(inputs * 4);
    unsigned s = 1;
    for (size_t i = 0; i < inputs; ++i) s = s * 1664525u + 1013904223u, numbers[i] = (s >> 8) / 16777216.0f;
    void *in, *out;
    cudaMalloc(&in, inputs * 4), cudaMalloc(&out, n * 36);
    cudaMemcpy(in, numbers, inputs * 4, cudaMemcpyHostToDevice), cudaMemset(out, 0, n * 36);
"""


def source():
    """Returns the program of all pairs: each kernel is launched several times."""
    parts, calls = [], []
    for name, _, text, shapes in pairs():
        parts.append(text)
        for which in ("planted", "mended"):
            def shape(of, otherwise):
                return shapes.get(f"{which}_{of}", shapes.get(of, otherwise))

            block = shape("block", (256, 1))
            grid, shared = shape("grid", (NUMBERS // (block[0] * block[1]), 1)), shape("shared", (0, 1))[0]
            calls.append(f"    go({which}_{name}, dim3{grid}, dim3{block}, {shared}, out, in);")
    end = '    printf("%s\\n", cudaGetErrorString(cudaDeviceSynchronize()));\n}\n'
    return "\n".join(parts) + MAIN % (NUMBERS, NUMBERS) + "\n".join(calls) + "\n" + end


def base_name(kernel):
    return re.sub(r"\(.*", "", kernel)


def measured(file):
    """Reads the least duration of each kernel, in microseconds, from ncu --csv --metrics gpu__time_duration.sum."""
    lines = pathlib.Path(file).read_text().splitlines()
    start = next(n for n, line in enumerate(lines) if line.startswith('"ID"'))
    scale, out = {"ns": 1e-3, "nsecond": 1e-3, "us": 1, "usecond": 1, "ms": 1e3, "msecond": 1e3}, {}
    for row in csv.DictReader(lines[start:]):
        name = base_name(row["Kernel Name"])
        us = float(row["Metric Value"].replace(",", "")) * scale[row["Metric Unit"]]
        out[name] = min(us, out.get(name, us))
    return out


def predicted(file):
    """Reads from a profile, by kernel: predicted microseconds and the shares of its causes."""
    out = {}
    for kernel in json.loads(pathlib.Path(file).read_text())["kernels"]:
        causes = {}
        for cause in kernel.get("causes", []):
            causes.setdefault(cause["cause"], cause.get("share", 0))
        out[base_name(kernel["name"])] = (kernel["predicted"]["seconds"] * 1e6, causes)
    return out


def middle(values):
    return sorted(values)[len(values) // 2] if values else 0


def table(record, run):
    """Prints a row for each pair, and how far the told share is from what is saved."""
    there, ours = json.loads(pathlib.Path(record).read_text())["microseconds"], predicted(run)
    print("| cause | pair | told | by the twin, predicted | by the twin, measured |\n|---|---|---|---|---|")
    of_twin, of_measured, high = [], [], 0
    for name, cause, _, _ in sorted(pairs(), key=lambda pair: pair[1]):
        # The twin of a launch that is too short has more to do.
        if cause == "launch_overhead" or not {f"planted_{name}", f"mended_{name}"} <= there.keys() & ours.keys():
            continue
        (before, causes), (after, _) = ours[f"planted_{name}"], ours[f"mended_{name}"]
        twin = 1 - after / before
        saved = 1 - there[f"mended_{name}"] / there[f"planted_{name}"]
        told = causes.get(cause)
        shown = "not told" if told is None else f"{told:.0%}"
        print(f"| `{cause}` | {name} | {shown} | {twin:.0%} | {saved:.0%} |".replace("%", " %"))
        of_twin.append(abs((told or 0) - twin)), of_measured.append(abs((told or 0) - saved))
        high += (told or 0) > saved + 0.1
    print(f"\n{len(of_twin)} pairs. Told and saved differ by {100 * middle(of_measured):.0f} points in the median, by "
          f"at most 20 in {sum(d <= 0.2 for d in of_measured)}; told is more than 10 points too high in {high}. "
          f"Told and predicted of the twin: {100 * middle(of_twin):.0f} in the median, {sum(d <= 0.2 for d in of_twin)}.")


def told(run):
    """Prints a row for each pair: whether its first cause is the defect, and what both versions are told."""
    ours = predicted(run)
    print("| | cause | pair | told | its twin is told |\n|---|---|---|---|---|")
    right = siblings = rows = 0
    for name, cause, _, _ in sorted(pairs(), key=lambda pair: pair[1]):
        if not {f"planted_{name}", f"mended_{name}"} <= ours.keys():
            continue
        both = [ours[f"{which}_{name}"][1] for which in ("planted", "mended")]
        first, sibling = next(iter(both[0]), "") == cause, cause in both[1]
        texts = [", ".join(f"{c} {share:.0%}".replace("%", " %") for c, share in causes.items()) for causes in both]
        print(f"| {'' if first else 'wrong'} {'sibling' if sibling else ''} | `{cause}` | {name} | {texts[0]} | {texts[1]} |")
        rows, right, siblings = rows + 1, right + first, siblings + sibling
    print(f"\n{rows} pairs: the first cause is the defect in {right}; {siblings} twins are told their sibling's cause.")


def main(words):
    if len(words) == 2 and words[0] == "source":
        pathlib.Path(words[1]).write_text(source())
    elif len(words) == 2 and words[0] == "told":
        told(words[1])
    elif len(words) == 4 and words[0] == "record":
        kept = {"device": words[3], "microseconds": measured(words[1])}
        pathlib.Path(words[2]).write_text(json.dumps(kept, indent=1) + "\n")
    elif len(words) == 3 and words[0] == "table":
        table(*words[1:])
    else:
        print(__doc__, file=sys.stderr)
        return 2
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))

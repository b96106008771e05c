#!/usr/bin/env python3
"""Compares predicted with measured time for Triton kernels: cases.py wrote their PTX and arguments, Nsight Compute their times.

    ncu --clock-control none --cache-control all --csv --page raw --print-units base --metrics gpu__time_duration.sum \\
        -k regex:^t_ python3 bench/prediction/triton/cases.py FOLDER > times.csv        # on a machine with a GPU
    bench/prediction/triton/compare.py FOLDER times.csv --warpwright build/release/warpwright --model h200

Exit code: 0 all were compared; 1 some were not.
"""
import argparse
import csv
import json
import pathlib
import re
import statistics
import subprocess
import sys

sys.path.append(str(pathlib.Path(__file__).resolve().parents[1]))
import joining  # noqa: E402

TYPES = {"float32": "f32", "float16": "f16", "int32": "i32", "int64": "i64", "int8": "i8"}


def parameters_of(ptx, kernel):
    """Returns the types of a kernel's parameters."""
    found = re.search(r"\.entry\s+" + re.escape(kernel) + r"\s*\((.*?)\)", ptx, re.S)
    return re.findall(r"\.param\s+\.(\w+)", found.group(1))


def arguments_of(case, types, folder):
    """Makes the arguments of `launch`: whole numbers that are 1 are in the code, and the pointers behind the last are null."""
    given = [a for a in case["args"] if not (type(a) is int and a == 1)]
    words = []
    for number, argument in enumerate(given):
        if not isinstance(argument, dict):
            words += ["--arg", str(argument)]
            continue
        kind, count = TYPES[argument["dtype"]], argument["count"]
        if argument.get("max"):
            words += ["--arg", f"{kind}[{count}]=file:{numbers(folder, case, number, kind, count, argument['max'])}"]
        else:
            words += ["--arg", f"{kind}[{count}]=" + ("random(0,1)" if kind[0] == "f" else "zero")]
    return words + ["--arg", "ptr:null"] * (len(types) - len(given))


def numbers(folder, case, number, kind, count, most):
    """Writes whole numbers from 0 to `most`, in no order, and returns the file."""
    path = folder / f"{case['name']}-{number}.bin"
    width, state, out = int(kind[1:]) // 8, 2463534242, bytearray()
    for _ in range(count):
        state ^= state << 13 & 0xFFFFFFFF
        state ^= state >> 17
        state ^= state << 5 & 0xFFFFFFFF
        out += (state % (most + 1)).to_bytes(width, "little")
    path.write_bytes(out)
    return path


def predict(case, folder, options):
    ptx = folder / f"{case['name']}.ptx"
    types = parameters_of(ptx.read_text(), case["kernel"])
    words = [options.warpwright, "launch", str(ptx), "--kernel", case["kernel"], "--grid", "x".join(map(str, case["grid"])),
             "--block", str(32 * case["warps"]), "--shared", str(case["shared"]), *arguments_of(case, types, folder),
             "--device", "emulated", "--model", options.model, "--predict", "--ptxas", "off", "--json", "-"]
    done = subprocess.run(words, capture_output=True, text=True, timeout=options.seconds)
    try:
        return json.loads(done.stdout)["records"][0]["predicted"]
    except (ValueError, KeyError, IndexError):
        raise joining.JoinError((done.stderr.strip().splitlines() or ["it said nothing"])[-1]) from None


def measured_of(path):
    """Returns the seconds of each launch that Nsight Compute printed, in their order."""
    rows = list(csv.reader(line for line in path.read_text().splitlines() if line.startswith('"')))
    return [float(r[rows[0].index("gpu__time_duration.sum")].replace(",", "")) * 1e-9 for r in rows[2:]]


def main():
    parse = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parse.add_argument("folder", type=pathlib.Path)
    parse.add_argument("times", type=pathlib.Path)
    parse.add_argument("--warpwright", default="warpwright")
    parse.add_argument("--model", default="h200")
    parse.add_argument("--seconds", type=int, default=120, help="limit of one launch")
    parse.add_argument("--only", default="", help="cases whose names have this word")
    options = parse.parse_args()
    cases, times = json.loads((options.folder / "cases.json").read_text())["cases"], measured_of(options.times)
    pairs, inside, failed = [], 0, 0
    for case, seconds in zip(cases, times, strict=True):
        if options.only not in case["name"]:
            continue
        try:
            said = predict(case, options.folder, options)
        except (joining.JoinError, subprocess.TimeoutExpired) as error:
            failed += 1
            print(f"{case['name']}: not compared: {error}")
            continue
        pairs.append((said["seconds"], seconds))
        inside += said["seconds_low"] <= seconds <= said["seconds_high"]
        print(f"{case['name']}: {1e6 * seconds:.2f} us, predicted {1e6 * said['seconds']:.2f} ({said['seconds'] / seconds:.2f})", flush=True)
    errors = [abs(p / m - 1) for p, m in pairs]
    if len(pairs) > 1:
        print(f"{len(pairs)} launches: median error {statistics.median(errors):.1%}, 90th percentile {joining.percentile(errors, 0.9):.1%}, "
              f"Kendall's tau {joining.kendall(pairs):.3f}, {inside} in their intervals")
    return 1 if failed or not pairs else 0


if __name__ == "__main__":
    sys.exit(main())

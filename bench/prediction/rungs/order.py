#!/usr/bin/env python3
"""How often the model of time has two rungs of a problem in the order in which a GPU has them, by how far apart it has them.

    bench/prediction/rungs/order.py --warpwright build/release/warpwright                 # the tables, on the recorded times
    bench/prediction/rungs/order.py --warpwright build/release/warpwright --write         # and data/prediction/order.toml
    bench/prediction/rungs/order.py --predicted predicted.json                            # without predicting again

A pair are two rungs, or two variants of a rung, of one ladder at one size and one choice of the ladder's axes. It is in the
right order where the one with the shorter predicted time has the shorter measured time. Rungs that are known to be incorrect
are left out, as `lab` recommends none. The recorded times (h100.jsonl) are what time_rungs printed: README.md.
"""
import argparse
import itertools
import json
import pathlib
import subprocess
import sys

HERE = pathlib.Path(__file__).resolve().parent
DATA = HERE.parents[2] / "data" / "prediction" / "order.toml"
EDGES = [1.0, 1.02, 1.05, 1.1, 1.15, 1.2, 1.3, 1.4, 1.6, 2.0, 3.0]
CLASSES = {"memory": "both are bound by DRAM or L2", "other": "at least one is bound by something else"}
APART = 1.1
ENOUGH = 20  # pairs of a row


def read_measured(path):
    """Returns the head, and seconds by (problem, rung)."""
    lines = [json.loads(line) for line in path.read_text().splitlines() if line.strip()]
    return lines[0], {(one["problem"], one["rung"]): one["cold"] for one in lines[1:]}


def words_of(problem, rungs):
    """Makes the command line that runs a problem's rungs: "reduce|n=1024,T=int32" -> lab reduce --size 1024 --axis T=int32."""
    ladder, _, axes = problem.partition("|")
    sizes, words = [], []
    for one in axes.split(","):
        name, _, value = one.partition("=")
        if value.isdigit():
            sizes.append(value)
        else:
            words += ["--axis", f"{name}={value}"]
    names = sorted({rung.partition("|")[0] for rung in rungs})
    return ["lab", ladder, "--size", "x".join(sizes), *words, "--rung", ",".join(names), "--no-tuned"]


def key_of(problem, record):
    """Returns the rung and variant of a record, as time_rungs names them."""
    known = {one.partition("=")[0] for one in problem.partition("|")[2].split(",")}
    variant = ",".join(f"{name}={value}" for name, value in record["axes"].items() if name not in known)
    return f"{record['rung']}|{variant}"


def predict(warpwright, model, measured, note):
    """Runs what was measured on the emulated device: {problem: {rung: {"seconds", "binds"}}}."""
    out = {}
    for problem in dict.fromkeys(p for p, _ in measured):
        words = [warpwright, *words_of(problem, [r for p, r in measured if p == problem]), "--model", model,
                 "--device", "emulated", "--no-db", "--json", "-"]
        done = subprocess.run(words, capture_output=True, text=True)
        if done.returncode not in (0, 1) or not done.stdout:
            raise SystemExit(f"{' '.join(words)}: {done.stderr.strip()}")
        out[problem] = {}
        for record in json.loads(done.stdout)["records"]:
            if "predicted" in record and not record.get("known_incorrect"):
                out[problem][key_of(problem, record)] = {"seconds": record["predicted"]["seconds"],
                                                         "binds": record.get("bound", {}).get("binds", "")}
        note(f"{problem}: {len(out[problem])} predicted")
    return out


def pairs_of(measured, predicted, across=False):
    """Yields (problem, class, predicted ratio >= 1, measured ratio in the same order). `across`: also pairs of different axes."""
    groups = {}
    for (problem, rung), seconds in measured.items():
        said = predicted.get(problem, {}).get(rung)
        if said:
            ladder, _, axes = problem.partition("|")
            sizes = ",".join(one for one in axes.split(",") if one.partition("=")[2].isdigit())
            groups.setdefault(f"{ladder}|{sizes}" if across else problem, []).append((rung, seconds, said))
    for problem, members in groups.items():
        for a, b in itertools.combinations(members, 2):
            if a[2]["seconds"] > b[2]["seconds"]:
                a, b = b, a
            memory = all(one[2]["binds"] in ("DRAM", "L2") for one in (a, b))
            yield problem, "memory" if memory else "other", b[2]["seconds"] / a[2]["seconds"], b[1] / a[1], a[0], b[0]


def table_of(pairs):
    """Makes [(from, pairs, right)] by the predicted ratio. Rows join where one has few pairs, or a smaller share in the right
    order than the row before it: what is further apart is not told less surely.
    """
    out = []
    for low, high in zip(EDGES, [*EDGES[1:], float("inf")]):
        inside = [one for one in pairs if low <= one[2] < high]
        out.append((low, len(inside), sum(one[3] > 1 for one in inside)))
        while len(out) > 1 and (out[-1][1] < ENOUGH or out[-2][1] < ENOUGH or out[-1][2] / out[-1][1] < out[-2][2] / out[-2][1]):
            last, before = out.pop(), out.pop()
            out.append((before[0], before[1] + last[1], before[2] + last[2]))
    return out


def text_of(head, compiler, tables):
    sentences = [
        "# How often the model of time has two kernels in the order in which a GPU has them, by how many times longer it says that the",
        "# slower one takes. Written by bench/prediction/rungs/order.py; docs/timing.md explains it.",
        "schema = 1",
        f'device = "{head["device"]}"',
        f'source = "{compiler}"']
    for name, rows in tables.items():
        sentences += ["", f"# {CLASSES[name]}", f"[{name}]", "rows = ["]
        sentences += [f"    {{ from = {low:.2f}, pairs = {pairs}, right = {right} }}," for low, pairs, right in rows]
        sentences += ["]"]
    return "\n".join(sentences) + "\n"


def show(measured, predicted, worst):
    """Pairs that a GPU has more than a tenth apart, by ladder and size; then the table by class."""
    for across in (False, True):
        print(f"\nmeasured more than {100 * (APART - 1):.0f} % apart{', whatever their axes' if across else ''}: pairs in the right order")
        groups = {}
        for one in pairs_of(measured, predicted, across):
            if max(one[3], 1 / one[3]) > APART:
                groups.setdefault(one[0], []).append(one)
        for problem, members in groups.items():
            right = sum(one[3] > 1 for one in members)
            print(f"  {problem}: {right} of {len(members)} ({100 * right / len(members):.1f} %)")
            if not across:
                for one in sorted((m for m in members if m[3] < 1), key=lambda m: -m[2] / m[3])[:worst]:
                    print(f"      {one[4]} before {one[5]} by {one[2]:.2f}; measured {1 / one[3]:.2f} the other way")
    print("\npredicted times apart, pairs, in the right order")
    for name in CLASSES:
        print(f"  {name}: {CLASSES[name]}")
        for low, pairs, right in table_of([p for p in pairs_of(measured, predicted) if p[1] == name]):
            print(f"    from {low:.2f}: {right} of {pairs}" + (f" ({100 * right / pairs:.0f} %)" if pairs else ""))


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--warpwright")
    parser.add_argument("--measured", type=pathlib.Path, default=HERE / "h100.jsonl")
    parser.add_argument("--model", default="h100")
    parser.add_argument("--predicted", type=pathlib.Path, help="a file of --save, in place of running warpwright")
    parser.add_argument("--save", type=pathlib.Path)
    parser.add_argument("--only", help="problems that begin with this word")
    parser.add_argument("--worst", type=int, default=0, help="pairs in the wrong order to name, of each problem")
    parser.add_argument("--times", action="store_true", help="predicted over measured of each rung")
    parser.add_argument("--write", action="store_true", help=f"write {DATA.relative_to(HERE.parents[2])}")
    words = parser.parse_args()
    if bool(words.warpwright) == bool(words.predicted):
        parser.error("one of --warpwright and --predicted")
    head, measured = read_measured(words.measured)
    measured = {key: value for key, value in measured.items() if key[0].startswith(words.only or "")}
    predicted = json.loads(words.predicted.read_text()) if words.predicted else \
        predict(words.warpwright, words.model, measured, lambda text: print(text, file=sys.stderr))
    if words.save:
        words.save.write_text(json.dumps(predicted, indent=0))
    if words.times:
        for (problem, rung), seconds in measured.items():
            if said := predicted.get(problem, {}).get(rung):
                print(f"{problem} {rung}: {1e6 * seconds:.2f} us, predicted {1e6 * said['seconds']:.2f} ({said['seconds'] / seconds:.2f}), {said['binds']}")
    show(measured, predicted, words.worst)
    if words.write:
        tables = {name: table_of([p for p in pairs_of(measured, predicted) if p[1] == name]) for name in CLASSES}
        compared = [problem for problem, rung in measured if rung in predicted.get(problem, {})]
        DATA.parent.mkdir(exist_ok=True)
        DATA.write_text(text_of(head, f"{len(compared)} rungs of {len(set(compared))} problems of the ladders, bench/prediction/rungs/{words.measured.name}", tables))


if __name__ == "__main__":
    main()

#!/usr/bin/env python3
"""Predicts every launch whose time has been recorded with the model of time as it is, and prints how far off it is, set by set.

    evaluate.py --warpwright build/release/warpwright                # all sets; sources of the public programs are fetched
    evaluate.py --warpwright build/release/warpwright own triton     # our own kernels and Triton's: no source is fetched
    evaluate.py ... --jobs 16 --json rows                            # 16 programs at once; compared rows in rows/SET.json
    evaluate.py --rows rows                                          # the tables of rows that an earlier call wrote

Sets: own (both halves, both devices), waiting, held_out, fresh, triton, triton_second, and of public programs public
(development, validation), unseen, blind. What could not be compared is listed with its reason, and the exit code is 1 then.
"""
import argparse
import concurrent.futures
import json
import lzma
import os
import pathlib
import shutil
import subprocess
import sys
import types

HERE = pathlib.Path(__file__).resolve().parent
sys.path.append(str(HERE / "triton"))
import building  # noqa: E402
import compare  # noqa: E402
import intervals  # noqa: E402
import joining  # noqa: E402
import measuring  # noqa: E402
import validate  # noqa: E402

SETS = ("own", "waiting", "held_out", "fresh", "triton", "triton_second", "public", "unseen", "blind")
TRITON = {"first": "triton", "second": "triton_second"}  # by what cases.py calls its two lists
DEVICES = ("h200", "h100")
FAR = 1.5


def arguments():
    parse = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parse.add_argument("sets", nargs="*", metavar="SET", help=f"of {', '.join(SETS)}; all unless named")
    parse.add_argument("--warpwright", help="the command to run")
    parse.add_argument("--work", type=pathlib.Path, default=pathlib.Path("prediction-work"), help="sources, programs and profiles")
    parse.add_argument("--nvcc", default="nvcc")
    parse.add_argument("--devices", default=",".join(DEVICES), help="of h200 and h100, by commas")
    parse.add_argument("--jobs", type=int, default=1, help="programs at once (default: 1)")
    parse.add_argument("--seconds", type=int, default=300, help="limit for the emulation of one run (default: 300)")
    parse.add_argument("--only", help="programs, or Triton kernels, whose name has this word")
    parse.add_argument("--json", type=pathlib.Path, metavar="FOLDER", help="write the compared rows there, a file for each set and device")
    parse.add_argument("--rows", type=pathlib.Path, metavar="FOLDER", help="read rows that --json wrote; nothing is predicted")
    parse.add_argument("--worst", type=int, default=0, help="launches of each set to name")
    parse.add_argument("--all", action="store_true", help="name every launch with its ratio")
    options = parse.parse_args()
    for name in options.sets:
        if name not in SETS:
            parse.error(f"{name} is no set: {', '.join(SETS)}")
    if bool(options.warpwright) == bool(options.rows):
        parse.error("one of --warpwright and --rows")
    options.sets = options.sets or list(SETS)
    return options


def set_of(program, half):
    """Returns the set that a program's kernels of a half are counted in."""
    if half not in ("development", "validation"):
        return half
    if program["source"] is not None:
        return "public"
    return "waiting" if program["name"] == "own_waiting" else "own"


def sets_of(program):
    halves = ("development", "validation") if "development" in program else (program["half"],)
    return {set_of(program, half) for half in halves}


def predict_program(program, sources, device, recorded, options):
    """Returns rows of one program on one device, each with its set, and what could not be compared."""
    rows, problems = [], []
    for run, words, macros in building.runs_of(program):
        if run not in recorded:
            continue
        try:
            binary = building.build(program, macros, sources, options.work, options.nvcc).resolve()
            asked = types.SimpleNamespace(work=options.work, ptxas="off", predict=True, model=device, reuse=False, seconds=options.seconds,
                                          warpwright=options.warpwright, times=["--predict", "--no-db"])
            said = validate.emulate(run, [str(binary), *words], validate.launches_of(recorded[run]), asked)
            joined, left = joining.join(run, said, joining.measured_groups(recorded[run]))
        except joining.JoinError as error:
            problems.append(f"{run} on {device}: {error}")
            continue
        for one in joined:
            half = building.half_of(program, one["kernel"])
            rows.append({**one, "half": half, "set": set_of(program, half), "device": device})
        problems += [f"{run} on {device}: {kernel} with grid {grid} and block {block} has no counterpart" for kernel, grid, block in left]
    return rows, problems


def triton_cases(work):
    """Unpacks the recorded Triton kernels, and returns their folder and the figures of each."""
    kept = json.loads(lzma.decompress((HERE / "triton" / "recorded_h200.json.xz").read_bytes()))
    folder = work / "triton"
    folder.mkdir(parents=True, exist_ok=True)
    for case in kept["cases"]:
        (folder / f"{case['name']}.ptx").write_text(case.pop("ptx"))
    return folder, kept["cases"]


def predict_triton(case, folder, options):
    asked = types.SimpleNamespace(warpwright=options.warpwright, model="h200", seconds=options.seconds)
    try:
        said = compare.predict(case, folder, asked)
    except (joining.JoinError, subprocess.TimeoutExpired) as error:
        return [], [f"{case['name']}: {error}"]
    return [{"run": case["name"], "kernel": case["kernel"], "grid": case["grid"], "block": [32 * case["warps"], 1, 1],
             "half": TRITON[case["set"]], "set": TRITON[case["set"]], "device": "h200", "predicted": said, "measured": case["measured"]}], []


def work_of(options):
    """Returns what is to be predicted: functions that return rows and problems, the programs that take longest first."""
    sources, programs = building.read_list(HERE / "programs")
    out = []
    for device in options.devices.split(","):
        recorded, _ = measuring.kept((HERE / f"measured_{device}.json").read_text(), device)
        for program in programs:
            if not sets_of(program) & set(options.sets) or (options.only or "") not in program["name"]:
                continue
            if any(run in recorded for run, _, _ in building.runs_of(program)):
                out.append((program["name"], lambda p=program, d=device, r=recorded: predict_program(p, sources, d, r, options)))
    if set(TRITON.values()) & set(options.sets) and "h200" in options.devices:
        folder, cases = triton_cases(options.work)
        out += [(case["name"], lambda c=case: predict_triton(c, folder, options)) for case in cases
                if TRITON[case["set"]] in options.sets and (options.only or "") in case["name"]]
    return out


def predict_all(options):
    options.warpwright = str(pathlib.Path(shutil.which(options.warpwright) or options.warpwright).resolve())
    options.work.mkdir(parents=True, exist_ok=True)
    rows, problems = [], []
    with concurrent.futures.ThreadPoolExecutor(options.jobs) as pool:
        asked = {pool.submit(what): name for name, what in work_of(options)}
        for done in concurrent.futures.as_completed(asked):
            more, failed = done.result()
            rows += [r for r in more if r["set"] in options.sets]
            problems += failed
            print(f"{asked[done]}: {len(more)} launch groups", file=sys.stderr, flush=True)
    # The order in which programs end is not that of the tables.
    return sorted(rows, key=lambda r: (r["device"], r["run"], r["kernel"], r["grid"], r["block"])), sorted(problems)


def parts_of(rows):
    """Yields (title, rows) of each set, device and half."""
    for name in SETS:
        for device in DEVICES:
            for half in (*building.HALVES, *TRITON.values()):
                if part := [r for r in rows if (r["set"], r["device"], r["half"]) == (name, device, half)]:
                    yield name if name == half else f"{name}, {half}", device, part


def timed(rows):
    return [r for r in rows if r["predicted"].get("seconds") and r["measured"].get("seconds")]


def inside(rows):
    """Returns how many measured times lie in the intervals of their predictions, of how many that have one."""
    stated = [(r["predicted"]["seconds_low"], r["measured"]["seconds"], r["predicted"]["seconds_high"]) for r in rows
              if r["predicted"].get("seconds_low") is not None]
    return sum(low <= seconds <= high for low, seconds, high in stated), len(stated)


def line(title, rows):
    summary, (held, of) = joining.time_summary(rows), inside(rows)
    ratios = [r["predicted"]["seconds"] / r["measured"]["seconds"] for r in rows]
    tau = f"{summary['kendall']:.3f}" if summary["kendall"] is not None else "-"
    return (f"| {title} | {len(rows)} | {100 * summary['median_error']:.1f} % | {100 * summary['p90_error']:.1f} % | {tau} | "
            f"{summary['median_ratio']:.2f} | {sum(q > FAR or q < 1 / FAR for q in ratios)} | {held} of {of} |")


HEAD = ("groups | median error | 90th percentile | Kendall's tau | median ratio | off by more than 1.5 times | in their intervals |\n"
        "|" + "---|" * 8)


def tables(rows):
    """Returns the text of the tables: by set, and by what binds the launch."""
    rows = timed(rows)
    out = ["| set | " + HEAD]
    out += [line(f"{title}, {device.upper()}", part) for title, device, part in parts_of(rows)]
    out += ["", "| what most of the time goes to | " + HEAD]
    for part in (False, True):
        for binds in intervals.BINDS:
            some = [r for r in rows if (error := r["predicted"].get("error_class", "")).split(",")[0] == binds
                    and error.endswith("simulated in part") == part]
            if some:
                out.append(line(binds + (", simulated in part" if part else ""), some))
    return "\n".join(out)


def name_of(row):
    p, m = row["predicted"]["seconds"], row["measured"]["seconds"]
    shape = "x".join(map(str, row["grid"])) + " of " + "x".join(map(str, row["block"]))
    return (f"  {p / m:.2f} {row['device']} {row['run']} {row['kernel'][:60]} ({shape}): {1e6 * p:.2f} us, measured {1e6 * m:.2f}; "
            f"{row['predicted'].get('error_class', '-')}; {joining.first_stall(row['predicted'].get('stalls', {})) or '-'}, "
            f"{joining.first_stall(row['measured'].get('stalls', {})) or '-'}")


def keep(rows, folder):
    folder.mkdir(parents=True, exist_ok=True)
    for title in sorted({(r["set"], r["device"]) for r in rows}):
        some = [r for r in rows if (r["set"], r["device"]) == title]
        (folder / ("-".join(title) + ".json")).write_text(json.dumps(some, indent=1) + "\n")


def main():
    options = arguments()
    try:
        if options.rows:
            rows, problems = [r for path in sorted(options.rows.glob("*.json")) for r in json.loads(path.read_text())], []
            rows = [r for r in rows if r["set"] in options.sets and r["device"] in options.devices.split(",")]
        else:
            rows, problems = predict_all(options)
    except (joining.JoinError, OSError) as error:
        print(f"evaluate.py: {error}", file=sys.stderr)
        return 2
    if options.json:
        keep(rows, options.json)
    if not timed(rows):
        problems.append("no launch has both a predicted and a measured time")
    else:
        print(tables(rows))
    for title, device, part in parts_of(timed(rows)):
        named = timed(part) if options.all else joining.worst(part, options.worst)
        if named:
            print(f"\n{title}, {device.upper()}:")
            print("\n".join(name_of(r) for r in named))
    if problems:
        print(f"\nnot compared ({len(problems)}):\n  " + "\n  ".join(problems))
    return 1 if problems else 0


if __name__ == "__main__":
    sys.exit(main())

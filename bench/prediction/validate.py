#!/usr/bin/env python3
"""Compares predicted with measured time, and what lies behind it, on the programs that programs/*.toml list.

    validate.py                                    # fetch, build, emulate; compare with the recorded figures of an H200
    validate.py hec_scan poly_gemm                 # these programs alone
    validate.py --measure                          # the same against the GPU at hand, by Nsight Compute
    validate.py --measure --save measured_x.json   # ... and keep its figures
    validate.py --record measured_x.json           # measure and keep, on a machine without warpwright; nothing is compared

Exit code: 0 all that was asked for was compared (or recorded); 1 something was not, or nothing was; 2 a mistake in the call.
"""
import argparse
import json
import os
import pathlib
import shutil
import subprocess
import sys
import time

import building
import joining
import measuring

HERE = building.HERE
LAUNCHES = 12  # of a run, unless the list says otherwise


def arguments():
    parse = argparse.ArgumentParser(description=__doc__.split("\n\n")[0],
                                    epilog="\n\n".join(__doc__.split("\n\n")[1:]),
                                    formatter_class=argparse.RawDescriptionHelpFormatter)
    parse.add_argument("programs", nargs="*", metavar="PROGRAM", help="only these; all of the list unless named")
    parse.add_argument("--list", type=pathlib.Path, default=HERE / "programs", help="folder of the lists of programs")
    parse.add_argument("--work", type=pathlib.Path, default=pathlib.Path("prediction-work"),
                       help="folder for sources, programs and profiles (default: prediction-work)")
    parse.add_argument("--warpwright", default="warpwright", help="the command to run")
    parse.add_argument("--model", default="h200", help="device model to predict for (default: h200)")
    parse.add_argument("--bounds", action="store_true", help="compare bounds, not predictions")
    parse.add_argument("--ptxas", default="off", metavar="PATH",
                       help="take registers and spills from this ptxas (default: our estimates, which are compared)")
    parse.add_argument("--nvcc", default="nvcc", help="the compiler to build programs with")
    parse.add_argument("--measured", type=pathlib.Path, default=HERE / "measured_h200.json", help="recorded figures")
    parse.add_argument("--measure", action="store_true", help="measure on the GPU at hand instead")
    parse.add_argument("--ncu", default="ncu", help="Nsight Compute, for --measure")
    parse.add_argument("--save", type=pathlib.Path, help="with --measure: write the figures to this file")
    parse.add_argument("--record", type=pathlib.Path, metavar="FILE",
                       help="measure on the GPU at hand and write the figures to this file after each program; nothing is emulated")
    parse.add_argument("--launches", type=int, default=LAUNCHES, help=f"launches of a run to measure (default: {LAUNCHES})")
    parse.add_argument("--within", type=int, metavar="S", help="with --record: begin no run after this many seconds")
    parse.add_argument("--half", choices=building.HALVES, help="only kernels of this half, or of another of the sets")
    parse.add_argument("--summary", action="store_true", help="name no single launch, so that a set stays unseen")
    parse.add_argument("--seconds", type=int, default=300, help="limit for the emulation of one run (default: 300)")
    parse.add_argument("--reuse", action="store_true", help="take profiles that an earlier call left in the work folder")
    parse.add_argument("--json", type=pathlib.Path, help="write every joined launch group to this file")
    options = parse.parse_args()
    if options.save and not options.measure:
        parse.error("--save needs --measure")
    if options.record and (options.measure or options.json or options.reuse or options.bounds):
        parse.error("--record compares nothing: it goes with none of --measure, --json, --reuse and --bounds")
    if options.within is not None and not options.record:
        parse.error("--within needs --record")
    return options


def demangler(names):
    """Returns a function that makes plain names of mangled ones, by c++filt."""
    if not names:
        return lambda name: name
    try:
        done = subprocess.run(["c++filt"], input="\n".join(names), capture_output=True, text=True)
    except FileNotFoundError:
        raise joining.JoinError("c++filt was not found: install binutils") from None
    plain = dict(zip(names, done.stdout.splitlines()))
    return lambda name: plain.get(name, name)


def offers(warpwright, option):
    """Tells whether `run` has the option: older programs have no --predict, and still older ones no --bounds."""
    done = subprocess.run([warpwright, "run", "--help"], capture_output=True, text=True)
    return option in done.stdout


def emulate(run, words, launches, options):
    """Runs a program on the emulated GPU and returns its profile."""
    told = "" if options.ptxas == "off" else "-ptxas"
    kind = ("profiles-predicted" if options.predict else "profiles") + f"-{options.model}{told}"
    path = options.work / kind / f"{run}-first-{launches}.json"
    if not (options.reuse and path.exists()):
        path.parent.mkdir(parents=True, exist_ok=True)
        path.unlink(missing_ok=True)
        command = [options.warpwright, "run", "--quiet", "--model", options.model, "--launch-count", str(launches),
                   *options.times, "--json", str(path.resolve()), words[0], "--", *words[1:]]
        try:
            done = subprocess.run(command, cwd=options.work, capture_output=True, text=True, timeout=options.seconds,
                                  stdin=subprocess.DEVNULL, env={**os.environ, "WARPWRIGHT_PTXAS": options.ptxas})
        except FileNotFoundError:
            raise joining.JoinError(f"{options.warpwright} was not found: name it with --warpwright") from None
        except subprocess.TimeoutExpired:
            path.unlink(missing_ok=True)
            raise joining.JoinError(f"its emulation took more than {options.seconds} s") from None
        if not path.exists():
            said = done.stderr.strip().splitlines() or ["it said nothing"]
            raise joining.JoinError(f"its emulation left no profile (exit code {done.returncode}): {said[-1]}")
    try:
        profile = json.loads(path.read_text())
    except ValueError as error:
        raise joining.JoinError(f"{path}: {error}") from None
    names = sorted({k["name"] for k in profile.get("kernels", [])})
    return joining.predicted_groups(profile, demangler(names), options.predict)


def launches_of(groups):
    """Returns how many launches were recorded of a run: its later ones may have other work, and must not be averaged in."""
    return sum(group["launches"] for group in groups)


def check(program, options, sources, recorded, measured_now):
    """Returns the joined rows of a program, and lines that say what could not be compared."""
    rows, problems = [], []
    for run, words, macros in building.runs_of(program):
        if not options.measure and run not in recorded:
            continue
        try:
            binary = building.build(program, macros, sources, options.work, options.nvcc).resolve()
            launches = program.get("launches", options.launches) if options.measure else launches_of(recorded[run])
            command = [str(binary), *words]
            if options.measure:
                measured_now[run] = measuring.measure(command, options.work, launches, options.ncu)
            measured = joining.measured_groups(measured_now[run] if options.measure else recorded[run])
            joined, left = joining.join(run, emulate(run, command, launches, options), measured)
        except joining.JoinError as error:
            problems.append(f"{run}: {error}")
            continue
        for one in joined:
            one["half"] = building.half_of(program, one["kernel"])
        chosen = [r for r in joined if options.half in (None, r["half"])]
        rows += chosen
        problems += [f"{run}: {kernel} with grid {grid} and block {block} was measured, but the emulation has no such launch"
                     for kernel, grid, block in left if options.half in (None, building.half_of(program, kernel))]
        print(f"{run}: {len(chosen)} launch groups", file=sys.stderr, flush=True)
    return rows, problems


def record(programs, options, sources):
    """Measures the runs of the programs, and keeps what was measured so far after each. Returns the exit code."""
    begin, measured_now, problems = time.monotonic(), {}, []
    options.work.mkdir(parents=True, exist_ok=True)
    for program in programs:
        for run, words, macros in building.runs_of(program):
            if options.within is not None and time.monotonic() - begin > options.within:
                problems.append(f"{run}: no time was left")
                continue
            try:
                binary = building.build(program, macros, sources, options.work, options.nvcc).resolve()
                measured_now[run] = measuring.measure([str(binary), *words], options.work,
                                                      program.get("launches", options.launches), options.ncu)
                print(f"{run}: {len(measured_now[run])} launches", file=sys.stderr, flush=True)
            except joining.JoinError as error:
                problems.append(f"{run}: {error}")
        if measured_now:
            options.record.write_text(measuring.keep(measured_now, "the GPU at hand"))
    for line in problems:
        print(f"not recorded: {line}")
    print(f"{len(measured_now)} runs recorded, {len(problems)} not")
    return 1 if problems or not measured_now else 0


def has_half(program, half):
    """Tells whether the program has kernels of this half; of a program that lists kernels by name, both halves may have some."""
    return half is None or half == program.get("half") or ("development" in program and half in ("development", "validation"))


def text(value, unit=""):
    return "-" if value is None else f"{value:.3g}{unit}"


def print_part(title, rows):
    print(f"\n{title}: {len(rows)} launch groups of {len({r['run'].rsplit('.', 1)[0] for r in rows})} programs")
    methods = sorted({r["predicted"].get("method", "none") for r in rows})
    summary = joining.time_summary(rows)
    print(f"  time, {' and '.join(methods)} over measured: median error {summary['median_error']:.1%}, "
          f"90th percentile {summary['p90_error']:.1%}, Kendall's tau {text(summary['kendall'])}, "
          f"median ratio {summary['median_ratio']:.3g}")
    for name, (groups, unit, value) in joining.figure_summary(rows).items():
        print(f"  {name}: {value:.1f} {unit} ({groups} groups)")
    counts = joining.count_summary(rows)
    if counts:
        print("  counts, ours over measured: groups, equal, within 5 %, median ratio")
        for name, (groups, equal, near, ratio) in counts.items():
            print(f"    {name:22} {groups:4} {equal:7.1%} {near:7.1%} {ratio:8.3f}")


def print_worst(rows):
    print("\nfarthest from the measured time: predicted, measured, ratio; first stall predicted, measured")
    for r in joining.worst(rows):
        p, m = r["predicted"], r["measured"]
        shape = "x".join(map(str, r["grid"])) + " blocks of " + "x".join(map(str, r["block"]))
        print(f"  {r['run']} {r['kernel']} ({shape}): {p['seconds'] * 1e6:.3g} us, {m['seconds'] * 1e6:.3g} us, "
              f"{p['seconds'] / m['seconds']:.3g}; {joining.first_stall(p.get('stalls', {})) or '-'}, "
              f"{joining.first_stall(m.get('stalls', {})) or '-'}")


def main():
    options = arguments()
    try:
        sources, programs = building.read_list(options.list)
        unknown = set(options.programs) - {p["name"] for p in programs}
        if unknown:
            print(f"validate.py: {sorted(unknown)[0]} is in no list of {options.list}", file=sys.stderr)
            return 2
        chosen = [p for p in programs if (not options.programs or p["name"] in options.programs) and has_half(p, options.half)]
        if options.record:
            return record(chosen, options, sources)
        recorded, device = ({}, "the GPU at hand") if options.measure else measuring.kept(
            options.measured.read_text(), options.measured)
    except (joining.JoinError, OSError) as error:
        print(f"validate.py: {error}", file=sys.stderr)
        return 2
    if shutil.which(options.warpwright) is None:
        print(f"validate.py: {options.warpwright} was not found: name it with --warpwright", file=sys.stderr)
        return 2
    options.warpwright = str(pathlib.Path(shutil.which(options.warpwright)).resolve())
    options.predict = not options.bounds and offers(options.warpwright, "--predict")
    options.times = (["--predict"] if options.predict else
                     ["--bounds"] if offers(options.warpwright, "--bounds") else [])
    options.times += ["--no-db"] if offers(options.warpwright, "--no-db") else []
    options.work.mkdir(parents=True, exist_ok=True)
    rows, problems, measured_now = [], [], {}
    for program in chosen:
        more, failed = check(program, options, sources, recorded, measured_now)
        rows += more
        problems += failed
    if options.save:
        options.save.write_text(measuring.keep(measured_now, device))
    if options.json:
        options.json.write_text(json.dumps(rows, indent=1) + "\n")
    return report(rows, problems, device, options.summary)


def report(rows, problems, device, summary=False):
    print(f"Predicted by the emulated GPU against {device}")
    try:
        for half in building.HALVES:
            if part := [r for r in rows if r["half"] == half]:
                print_part(half, part)
        joining.time_summary(rows)
    except joining.JoinError as error:
        problems.append(str(error))
    if rows and not summary:
        print_worst(rows)
    if problems:
        print(f"\nnot compared ({len(problems)}):")
        for line in problems:
            print("  " + (line.split(":")[0] if summary else line))
    return 1 if problems else 0


if __name__ == "__main__":
    sys.exit(main())

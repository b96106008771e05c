#!/usr/bin/env python3
"""Builds and runs the public programs of hecbench.txt on the emulated GPU and says which are right (docs/run-coverage.md).

    run_programs.py HECBENCH_CHECKOUT --warpwright build/release/warpwright                       # clang and our headers
    run_programs.py HECBENCH_CHECKOUT --warpwright build/release/warpwright --route nvcc --nvcc .../bin/nvcc
    run_programs.py HECBENCH_CHECKOUT --warpwright build/release/warpwright --route static --nvcc .../bin/nvcc
    run_programs.py HECBENCH_CHECKOUT --warpwright build/release/warpwright --openmp              # times beside OpenMP's (openmp_twins.py)
    run_programs.py ... axpby backprop                                                            # these alone

hecbench.txt has a line for each program: name | arguments | what its own check prints when all is well (a regular
expression), or why it is not one of the hundred. All routes do what the program's Makefile does: "nvcc" calls make and
links the shared runtime, "static" calls make with nvcc as it comes (machine code for sm_90 with its PTX, the static
runtime) and starts the program by `warpwright run`, "clang" reads what make would do and gives the same files and macros
to `warpwright build`. One program at a time.
"""
import argparse
import pathlib
import re
import shlex
import sys

import openmp_twins
from checkout import clang_command, executable, first_error, read_list, run

HERE = pathlib.Path(__file__).resolve().parent
# What a self-check that found something wrong prints, whatever else the output says.
WRONG = re.compile(r"\bFAIL(ED|URE)?\b|mismatch(?!es? *[:=]? *0)|verification failed|not correct", re.IGNORECASE)


def says_right(text, check):
    """Returns whether a program's own check found all right; a pattern over the whole output (?s) says itself what must not be in it."""
    return (check.startswith("(?s)") or not WRONG.search(text)) and re.search(check, text) is not None


def build(name, folder, options, log):
    """Builds a program by `warpwright build`; returns its path and why there is none ("" where there is)."""
    target = (options.out / "clang" / name).resolve()
    sources, flags = clang_command(folder)
    if not sources:
        return target, "its Makefile names no source"
    target.parent.mkdir(parents=True, exist_ok=True)
    if options.keep and target.exists():
        return target, ""
    words = [options.warpwright, "build", *sources, "-o", str(target), *flags, *shlex.split(options.flags)]
    code, _ = run(words, folder, log, options.wall, cpu=600)
    return target, "" if code == 0 else first_error(log) if code is not None else "out of time"


def one(name, arguments, check, options, logs):
    folder = options.checkout / "src" / (name + "-cuda")
    if not (folder / "Makefile").is_file():
        return "no such program", (0.0, 0.0), ""
    program, usual = executable(folder)
    arguments = usual if arguments == "(its own)" else arguments
    build_log = logs / (name + ".build")
    if options.route == "clang":
        target, why = build(name, folder, options, build_log)
        if why:
            return "not built", (0.0, 0.0), why
        program = str(target)
    elif not (options.keep and (folder / program).exists()):
        nvcc = options.nvcc + (" -cudart shared" if options.route == "nvcc" else "")
        # Most Makefiles say -arch=$(ARCH), a few put sm_ before it.
        whole = "compute_90" if options.route == "nvcc" else "sm_90"
        arch = "90" if "sm_$(ARCH)" in (folder / "Makefile").read_text() else whole
        code, _ = run(["make", f"CC={nvcc}", f"NVCC={nvcc}", f"CXX={nvcc}", f"ARCH={arch}"], folder, build_log, options.wall, cpu=600)
        if code != 0:
            return "not built", (0.0, 0.0), first_error(build_log) if code is not None else "out of time"
    log = logs / (name + ".run")
    start, environment = [], {"LD_LIBRARY_PATH": options.runtime}
    if options.route == "static":
        start, environment = [options.warpwright, "run", "--quiet", "--no-db"], {}
    code, seconds = run([*start, program, *shlex.split(arguments)], folder, log, options.wall, environment, options.seconds)
    text = log.read_text(errors="replace")
    ours = next((l for l in text.splitlines() if "warpwright:" in l), "")[:160]
    if code is None:
        return "time", seconds, ours
    if code != 0:
        return "wrong", seconds, f"exit code {code}; {ours}"
    if check.startswith("- "):
        return "ends", seconds, ours
    if ours and "not supported" in ours:
        return "wrong", seconds, ours
    if not says_right(text, check):
        return "wrong", seconds, "its check fails; " + ours
    return "right", seconds, ours


def main():
    parse = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parse.add_argument("checkout", type=pathlib.Path)
    parse.add_argument("programs", nargs="*")
    parse.add_argument("--list", type=pathlib.Path, help="of programs, arguments and checks; without it hecbench.txt, with --openmp openmp.txt")
    parse.add_argument("--openmp", action="store_true", help="time the kernels, counters on, against the program's OpenMP twin on the host")
    parse.add_argument("--cores", type=int, default=1, help="with --openmp: on how many processors both run")
    parse.add_argument("--rounds", type=int, default=3, help="with --openmp: how often, of which the least time counts")
    parse.add_argument("--json", help="with --openmp: a file for the times")
    parse.add_argument("--warpwright", default="warpwright")
    parse.add_argument("--runtime", help="the folder of libcudart.so.13; without it the one beside the warpwright program")
    parse.add_argument("--route", choices=("clang", "nvcc", "static"), default="clang")
    parse.add_argument("--nvcc", default="nvcc")
    parse.add_argument("--flags", default="", help="further options for warpwright build")
    parse.add_argument("--out", type=pathlib.Path, default=pathlib.Path("programs-out"))
    parse.add_argument("--seconds", type=int, default=900, help="how many seconds of processor time a program may take")
    parse.add_argument("--wall", type=int, default=3600, help="how many seconds in all a program or a build may take")
    parse.add_argument("--keep", action="store_true", help="do not build again what has been built")
    options = parse.parse_intermixed_args()
    options.checkout = options.checkout.resolve()
    options.warpwright = str(pathlib.Path(options.warpwright).resolve()) if "/" in options.warpwright else options.warpwright
    options.runtime = options.runtime or str(pathlib.Path(options.warpwright).parent / "cudart13")
    options.list = options.list or HERE / ("openmp.txt" if options.openmp else "hecbench.txt")
    if options.openmp:
        return openmp_twins.compare(options, build, says_right)
    programs = read_list(options.list)
    logs = options.out / "log" / options.route
    logs.mkdir(parents=True, exist_ok=True)
    counts = {}
    with open(options.out / (options.route + ".tsv"), "a") as results:
        for name in options.programs or programs:
            arguments, check = programs.get(name, ("(its own)", "PASS"))
            if options.programs == [] and check.startswith("- "):
                continue
            outcome, seconds, why = one(name, arguments, check, options, logs)
            counts[outcome] = counts.get(outcome, 0) + 1
            results.write(f"{name}\t{outcome}\t{seconds[1]:.1f}\t{arguments}\t{why}\t{seconds[0]:.1f}\n")
            results.flush()
            print(f"{name:28} {outcome:10} {seconds[0]:6.1f} s of processor time, {seconds[1]:6.1f} s in all  {why}", flush=True)
    print(", ".join(f"{n} {what}" for what, n in sorted(counts.items(), key=lambda c: -c[1])))
    return 0


if __name__ == "__main__":
    sys.exit(main())

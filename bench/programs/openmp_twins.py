"""Times public programs on the emulated GPU, with all counters, against their OpenMP twins of the same suite on the host.

Both programs time their kernels themselves by the host's clock and print the same lines ("Average kernel execution time ..."), so what is
compared is those times' sum; a pair whose numbers of such lines differ is an error, as is a program whose own check fails. Both run on
the same cores, one after the other in each round, and the least of the rounds counts. The twin is compiled by
`g++ -O3 -march=native -fopenmp`, whose target regions run on the host.
"""
import json
import os
import pathlib
import re
import shlex
import statistics
import sys

from checkout import SOURCES, executable, first_error, makefile, read_list, run

UNITS = {"s": 1.0, "sec": 1.0, "secs": 1.0, "seconds": 1.0, "ms": 1e-3, "us": 1e-6, "ns": 1e-9}
NUMBER = r"(?<![\w.])(?P<{}>\d[\d.]*(?:[eE][-+]?\d+)?)"
UNIT = r"(?P<{}>seconds|secs?|ms|us|ns|s)\b"
# "time ...: 3.2 (ms)", where other numbers may stand before it ("time of kernel 2, block size 64: 3.2 (ms)"), or "time (ms): 3.2".
TIME = re.compile(rf"time.*?(?:{NUMBER.format('a')}\s*[\[(]?{UNIT.format('in_a')}|\({UNIT.format('in_b')}\)\s*[:=]\s*{NUMBER.format('b')})", re.IGNORECASE)
# Times of the host's own work, which both programs do alike.
HOST = re.compile(r"\b(CPU|host|reference|serial)\b", re.IGNORECASE)


def line_time(line):
    """Returns the seconds of the first time in a line that is not the host's, or nothing."""
    found, begin = list(TIME.finditer(line)), 0
    for i, match in enumerate(found):
        last = i + 1 == len(found)
        if not HOST.search(line, begin, len(line) if last else match.end()):
            number, unit = match.group("a", "in_a") if match.group("a") else match.group("b", "in_b")
            return float(number) * UNITS[unit.lower()]
        begin = match.end()
    return None


def kernel_times(text):
    """Returns the seconds of each line in which a program says how long its kernels took."""
    return [time for time in map(line_time, text.splitlines()) if time is not None]


def twin_words(folder):
    """Returns the sources of a twin, and the macros and folders of headers that its Makefile gives the compiler."""
    sources, flags = [], []
    for line in makefile(folder):
        try:
            words = shlex.split(line)
        except ValueError:
            continue
        for i, word in enumerate(words):
            if word.startswith(("-D", "-I", "-std=")) and word != "-D__STRICT_ANSI__":
                word = word + words[i + 1] if word in ("-D", "-I") else word
                flags += [word] if word not in flags else []
            elif word.endswith(SOURCES) and word not in sources:
                sources.append(word)
    return sources, flags


def build_twin(name, folder, options, log):
    """Builds a twin; returns its path and why there is none ("" where there is)."""
    target = (options.out / "openmp" / name).resolve()
    target.parent.mkdir(parents=True, exist_ok=True)
    if options.keep and target.exists():
        return target, ""
    sources, flags = twin_words(folder)
    if not sources:
        return target, "its Makefile names no source"
    words = ["g++", "-O3", "-march=native", "-fopenmp", *flags, *sources, "-o", str(target), "-lm"]
    code, _ = run(words, folder, log, options.wall, cpu=600)
    return target, "" if code == 0 else "its twin: " + (first_error(log) if code is not None else "out of time")


def timed(words, folder, log, options, environment):
    """Runs a program on the first so many processors; returns its output and what went wrong ("" if nothing did)."""
    processors = sorted(os.sched_getaffinity(0))[: options.cores]
    code, _ = run(words, folder, log, options.wall, environment, options.seconds, processors)
    wrong = "out of time" if code is None else f"exit code {code}" if code else ""
    return log.read_text(errors="replace"), wrong


def pair(name, arguments, check, options, build, judge):
    """Builds and times a program and its twin; returns the two sums of seconds and why there are none ("" where there are)."""
    ours_folder, twin_folder = (options.checkout / "src" / f"{name}-{kind}" for kind in ("cuda", "omp"))
    for folder in (ours_folder, twin_folder):
        if not (folder / "Makefile").is_file():
            return 0.0, 0.0, f"there is no {folder.name}"
    logs = options.out / "log"
    ours, why = build(name, ours_folder, options, logs / "clang" / (name + ".build"))
    twin, twin_why = build_twin(name, twin_folder, options, logs / "openmp" / (name + ".build"))
    if why or twin_why:
        return 0.0, 0.0, why or twin_why
    words = shlex.split(executable(ours_folder)[1] if arguments == "(its own)" else arguments)
    started = [options.warpwright, "run", "--quiet", "--no-db", "--predict=off", "--host-clock=real", str(ours), *words]
    sides = {"ours": (started, ours_folder, {}), "twin": ([str(twin), *words], twin_folder, {"OMP_NUM_THREADS": str(options.cores)})}
    least = {}
    for turn in range(options.rounds + 1):  # the first fills the cache of compiled code and the system's of files
        for side, (command, folder, environment) in sides.items():
            text, wrong = timed(command, folder, logs / f"{name}.{side}", options, environment)
            wrong = wrong or ("" if judge(text, check) else "its check fails")
            times = kernel_times(text)
            if wrong or sum(times) <= 0:
                return 0.0, 0.0, f"{side}: {wrong or 'it says no time'}"
            if turn and (side not in least or sum(times) < sum(least[side])):
                least[side] = times
    if len(least["ours"]) != len(least["twin"]):
        return 0.0, 0.0, f"it says {len(least['ours'])} times, its twin {len(least['twin'])}"
    return sum(least["ours"]), sum(least["twin"]), ""


def compare(options, build, judge):
    """Prints a line for each program of the list and the geometric mean; returns the exit code."""
    for kind in ("clang", "openmp"):
        (options.out / "log" / kind).mkdir(parents=True, exist_ok=True)
    programs, rows = read_list(options.list), []
    unknown = [name for name in options.programs if name not in programs]
    if unknown:
        print(f"run_programs.py: error: {options.list} has no {unknown[0]}", file=sys.stderr)
        return 2
    print(f"| program, {options.cores} core{'s' if options.cores > 1 else ''} | ours, ms | OpenMP, ms | times as fast |\n|---|---|---|---|")
    for name in options.programs or programs:
        arguments, check = programs[name]
        ours, twin, why = pair(name, arguments, check, options, build, judge)
        rows.append({"program": name, "arguments": arguments, "ours_s": ours, "openmp_s": twin, "error": why})
        print(f"| {name} | {ours * 1e3:.3g} | {twin * 1e3:.3g} | {twin / ours:.2f} |" if not why else f"| {name} | {why} | | |", flush=True)
    ratios = [r["openmp_s"] / r["ours_s"] for r in rows if not r["error"]]
    if ratios:
        print(f"\nGeometric mean of {len(ratios)}: {statistics.geometric_mean(ratios):.2f}; below 0.5: {sum(r < 0.5 for r in ratios)}; least {min(ratios):.2f}.")
    if options.json:
        pathlib.Path(options.json).write_text(json.dumps(rows, indent=1) + "\n")
    return 1 if len(ratios) < len(rows) or not rows else 0

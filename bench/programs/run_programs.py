#!/usr/bin/env python3
"""Builds and runs the public programs of hecbench.txt on the emulated GPU and says which are right (docs/run-coverage.md).

    run_programs.py HECBENCH_CHECKOUT --warpwright build/release/warpwright                       # clang and our headers
    run_programs.py HECBENCH_CHECKOUT --warpwright build/release/warpwright --route nvcc --nvcc .../bin/nvcc
    run_programs.py HECBENCH_CHECKOUT --warpwright build/release/warpwright --route static --nvcc .../bin/nvcc
    run_programs.py ... axpby backprop                                                            # these alone

hecbench.txt has a line for each program: name | arguments | what its own check prints when all is well (a regular
expression), or why it is not one of the hundred. All routes do what the program's Makefile does: "nvcc" calls make and
links the shared runtime, "static" calls make with nvcc as it comes (machine code for sm_90 with its PTX, the static
runtime) and starts the program by `warpwright run`, "clang" reads what make would do and gives the same files and macros
to `warpwright build`. One program at a time.
"""
import argparse
import os
import pathlib
import re
import resource
import shlex
import subprocess
import sys
import time

HERE = pathlib.Path(__file__).resolve().parent
SOURCES = (".cu", ".cpp", ".cc", ".c", ".cxx")
# What a self-check that found something wrong prints, whatever else the output says.
WRONG = re.compile(r"\bFAIL(ED|URE)?\b|mismatch(?!es? *[:=]? *0)|verification failed|not correct", re.IGNORECASE)


def read_list(path):
    programs = {}
    for line in path.read_text().splitlines():
        if line.strip() and not line.startswith("#"):
            name, arguments, check = (f.strip() for f in line.split(" | ", 2))
            programs[name] = (arguments, check)
    return programs


def makefile(folder, target=None):
    """Returns the commands of a Makefile, which are not run."""
    words = ["make", "-n"] + ([] if target else ["-B"]) + ([target] if target else [])
    words += ["CC=nvcc", "NVCC=nvcc", "CXX=nvcc", "ARCH=compute_90", "LAUNCHER="]
    text = subprocess.run(words, cwd=folder, capture_output=True, text=True).stdout
    return text.replace("\\\n", " ").splitlines()


def clang_command(folder):
    """Returns the words for `warpwright build` that stand for what the Makefile gives nvcc."""
    sources, flags = [], []

    def add(flag):
        if flag not in flags:
            flags.append(flag)

    for line in makefile(folder):
        try:
            words = shlex.split(line)
        except ValueError:
            continue
        if not words or pathlib.Path(words[0]).name != "nvcc":
            continue
        i = 1
        while i < len(words):
            w = words[i]
            i += 1
            if w in ("-o", "-arch", "-gencode"):
                i += 1
            elif w in ("-dc", "--device-c"):
                add("--compile-flag=-rdc=true")
            elif w == "-x":
                add("--compile-flag=-x")
                add("--compile-flag=" + words[i])
                i += 1
            elif w in ("-I", "-D"):
                add(w + words[i])
                i += 1
            elif w in ("-Xcompiler", "-Xptxas", "--compiler-options"):
                if w != "-Xptxas" and words[i].startswith(("-f", "-D", "-m")):
                    add("--compile-flag=" + words[i])
                i += 1
            elif w.startswith(("-I", "-D")):
                add(w)
            elif w.startswith(("-l", "-L", "-std=", "--std=", "-use_fast_math", "--use_fast_math", "-f", "-rdc", "--default-stream", "-default-stream")):
                add("--compile-flag=" + w.replace("--std", "-std"))
                if w.endswith("default-stream"):
                    add("--compile-flag=" + words[i])
                    i += 1
            elif w.endswith(SOURCES) and w not in sources:
                sources.append(w)
    return sources, flags


def limits(cpu):
    def set_limits():
        resource.setrlimit(resource.RLIMIT_CPU, (cpu, cpu + 2))
        resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
    return set_limits


def run(words, folder, log, options, environment=None, cpu=None):
    """Runs a command; returns its exit code (None: out of time), and seconds of processor time (if it ended) and in all."""
    start = time.time()
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    with open(log, "wb") as out:
        process = subprocess.Popen(words, cwd=folder, stdout=out, stderr=subprocess.STDOUT, stdin=subprocess.DEVNULL,
                                   env={**os.environ, **(environment or {})}, preexec_fn=limits(cpu or options.seconds),
                                   start_new_session=True)
        try:
            code = process.wait(timeout=options.wall)
        except subprocess.TimeoutExpired:
            os.killpg(process.pid, 9)
            process.wait()
            code = None
    if code in (-9, -24, 137, 152):
        code = None
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    return code, (after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime, time.time() - start)


def executable(folder):
    for line in makefile(folder, "run"):
        found = re.search(r"(?:^|&&|\s)(\./[\w./-]+)([^&]*)", line)
        if found:
            return found.group(1), found.group(2).strip()
    return "./main", ""


def first_error(log):
    lines = log.read_text(errors="replace").splitlines()
    for pattern in (r"error|No rule|undefined", r"\S"):
        for line in lines:
            if re.search(pattern, line):
                return line.strip()[:160]
    return ""


def one(name, arguments, check, options, logs):
    folder = options.checkout / "src" / (name + "-cuda")
    if not (folder / "Makefile").is_file():
        return "no such program", (0.0, 0.0), ""
    program, usual = executable(folder)
    arguments = usual if arguments == "(its own)" else arguments
    build_log = logs / (name + ".build")
    if options.route == "clang":
        target = (options.out / "clang" / name).resolve()
        sources, flags = clang_command(folder)
        if not sources:
            return "not built", (0.0, 0.0), "its Makefile names no source"
        target.parent.mkdir(parents=True, exist_ok=True)
        if not (options.keep and target.exists()):
            code, _ = run([options.warpwright, "build", *sources, "-o", str(target), *flags, *shlex.split(options.flags)], folder, build_log, options, cpu=600)
            if code != 0:
                return "not built", (0.0, 0.0), first_error(build_log) if code is not None else "out of time"
        program = str(target)
    elif not (options.keep and (folder / program).exists()):
        nvcc = options.nvcc + (" -cudart shared" if options.route == "nvcc" else "")
        # Most Makefiles say -arch=$(ARCH), a few put sm_ before it.
        whole = "compute_90" if options.route == "nvcc" else "sm_90"
        arch = "90" if "sm_$(ARCH)" in (folder / "Makefile").read_text() else whole
        code, _ = run(["make", f"CC={nvcc}", f"NVCC={nvcc}", f"CXX={nvcc}", f"ARCH={arch}"], folder, build_log, options, cpu=600)
        if code != 0:
            return "not built", (0.0, 0.0), first_error(build_log) if code is not None else "out of time"
    log = logs / (name + ".run")
    start, environment = [], {"LD_LIBRARY_PATH": options.runtime}
    if options.route == "static":
        start, environment = [options.warpwright, "run", "--quiet", "--no-db"], {}
    code, seconds = run([*start, program, *shlex.split(arguments)], folder, log, options, environment)
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
    # A pattern over the whole output (?s) says itself what must not be in it.
    if (not check.startswith("(?s)") and WRONG.search(text)) or not re.search(check, text):
        return "wrong", seconds, "its check fails; " + ours
    return "right", seconds, ours


def main():
    parse = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parse.add_argument("checkout", type=pathlib.Path)
    parse.add_argument("programs", nargs="*")
    parse.add_argument("--list", type=pathlib.Path, default=HERE / "hecbench.txt")
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

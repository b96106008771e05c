"""Reads a checkout of HeCBench: its list, what its Makefiles would do, and how its programs are run."""
import os
import pathlib
import re
import resource
import shlex
import subprocess
import time

SOURCES = (".cu", ".cpp", ".cc", ".c", ".cxx")


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


def limits(cpu, processors=None):
    def set_limits():
        if processors:
            os.sched_setaffinity(0, processors)
        resource.setrlimit(resource.RLIMIT_CPU, (cpu, cpu + 2))
        resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
    return set_limits


def run(words, folder, log, wall, environment=None, cpu=900, processors=None):
    """Runs a command, on some processors alone where these are given.

    Returns its exit code (None: out of time), and seconds of processor time (if it ended) and in all.
    """
    start = time.time()
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    with open(log, "wb") as out:
        process = subprocess.Popen(words, cwd=folder, stdout=out, stderr=subprocess.STDOUT, stdin=subprocess.DEVNULL,
                                   env={**os.environ, **(environment or {})}, preexec_fn=limits(cpu, processors),
                                   start_new_session=True)
        try:
            code = process.wait(timeout=wall)
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

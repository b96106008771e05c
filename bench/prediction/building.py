"""Fetches and builds the programs that programs/*.toml list. Nothing of them is kept in this repository."""
import pathlib
import subprocess
import sys
import tomllib

import joining

HERE = pathlib.Path(__file__).resolve().parent
sys.path.append(str(HERE.parent / "programs"))
import run_programs  # noqa: E402  (what a Makefile of HeCBench would do)

FLAGS = ["-O3", "-std=c++17", "-gencode", "arch=compute_90,code=[sm_90,compute_90]", "-cudart", "shared", "-lineinfo", "-w"]
HALVES = ("development", "validation", "fresh", "unseen", "blind", "held_out")
KEYS = {"name", "source", "folder", "files", "include", "flags", "replace", "sizes_before", "half", "development", "about",
        "runs", "launches"}


def read_list(folder):
    """Reads the TOML files of a folder: sources by name, and programs. An error names the file and the program.

    A file without a [source] lists programs of this repository.
    """
    sources, programs, seen = {}, [], set()
    paths = sorted(folder.glob("*.toml"))
    if not paths:
        raise joining.JoinError(f"{folder} has no lists of programs (*.toml)")
    for path in paths:
        try:
            data = tomllib.loads(path.read_text())
        except (OSError, tomllib.TOMLDecodeError) as error:
            raise joining.JoinError(f"{path}: {error}") from None
        source = data.get("source")
        if source:
            sources[source["name"]] = source
        for program in data.get("program", []):
            program["source"] = source["name"] if source else None
            check(program, seen, path)
            programs.append(program)
    return sources, programs


def check(program, seen, path):
    def fail(what):
        raise joining.JoinError(f"{path}: {program.get('name', 'a program without a name')}: {what}")

    if not program.get("name") or program["name"] in seen:
        fail("it needs a name of its own")
    seen.add(program["name"])
    if unknown := set(program) - KEYS:
        fail(f"unknown key {sorted(unknown)[0]}")
    if program.get("half") not in HALVES and "development" not in program:
        fail("half must be one of " + ", ".join(HALVES))
    if not program.get("runs"):
        fail("it has no runs")


def half_of(program, kernel):
    """Returns the half that a kernel is in: its program's, or its own where the program lists kernels by name."""
    if "development" in program:
        return "development" if joining.base_key(kernel) in program["development"] else "validation"
    return program["half"]


def runs_of(program):
    """Returns the ids of a program's runs with the arguments and the macros of each."""
    for number, words in enumerate(program["runs"]):
        sized = "sizes_before" in program
        yield f"{program['name']}.{number}", ([] if sized else words.split()), (words.split() if sized else [])


def call(words, folder, what, limit=900):
    try:
        done = subprocess.run(words, cwd=folder, capture_output=True, text=True, timeout=limit, stdin=subprocess.DEVNULL)
    except FileNotFoundError:
        raise joining.JoinError(f"{what}: {words[0]} was not found") from None
    except subprocess.TimeoutExpired:
        raise joining.JoinError(f"{what}: it took more than {limit} s") from None
    if done.returncode:
        said = [line for line in (done.stderr or done.stdout).splitlines() if "error" in line.lower()] or ["no message"]
        raise joining.JoinError(f"{what}: exit code {done.returncode}: {said[0].strip()}")


def fetch(source, folder):
    """Makes a checkout of a source at its commit, and returns its folder. fill() fills the folders that are needed."""
    if not (folder / ".git").exists():
        folder.parent.mkdir(parents=True, exist_ok=True)
        call(["git", "clone", "--filter=blob:none", "--no-checkout", source["repo"], str(folder)], None,
             f"fetching {source['repo']}")
        call(["git", "sparse-checkout", "init", "--cone"], folder, "fetching")


def fill(source, folder, wanted):
    """Fills a folder of a checkout with what the commit has, whatever was replaced there before."""
    call(["git", "sparse-checkout", "add", *wanted], folder, f"fetching {wanted[0]}")
    call(["git", "checkout", "--force", source["commit"]], folder, f"fetching {wanted[0]}")
    call(["git", "checkout", source["commit"], "--", *wanted], folder, f"fetching {wanted[0]}")


def replace(program, folder):
    """Replaces text in the program's sources: sizes and repetitions that no argument sets."""
    paths = [p for p in folder.iterdir() if p.suffix in run_programs.SOURCES + (".h", ".cuh")]
    for old, new in program.get("replace", []):
        hits = [p for p in paths if old in p.read_text(errors="surrogateescape")]
        if not hits:
            raise joining.JoinError(f"building: no source has '{old}', which the list replaces")
        for path in hits:
            path.write_text(path.read_text(errors="surrogateescape").replace(old, new), errors="surrogateescape")


def build(program, macros, sources, work, nvcc):
    """Builds the program for these macros, unless that was done before, and returns its path."""
    name = program["name"] + "".join("-" + m for m in macros)
    binary = work / "bin" / name
    if binary.exists():
        return binary
    binary.parent.mkdir(parents=True, exist_ok=True)
    if program["source"] is None:
        root = HERE
    else:
        root = work / "sources" / program["source"]
        fetch(sources[program["source"]], root)
        fill(sources[program["source"]], root, [program["folder"], *program.get("include", [])])
    folder = root / program.get("folder", ".")
    if program["source"] is not None:
        replace(program, folder)
    flags = program.get("flags", []) + [f"-I{root / i}" for i in program.get("include", [])]
    files = program.get("files")
    if files is None:
        files, made = run_programs.clang_command(folder)
        flags += [nvcc_flag(f) for f in made]
    if macros:
        files = [sized(program, folder, macros)]
    call([nvcc, *FLAGS, *flags, *files, "-o", str(binary)], folder, "building")
    return binary


def sized(program, folder, macros):
    """Makes a copy of the one source file that defines the macros before the header with their usual values."""
    path = folder / program["files"][0]
    text, mark = path.read_text(), f'#include "{program["sizes_before"]}"'
    if mark not in text:
        raise joining.JoinError(f"building: {path.name} has no line {mark}")
    defines = "".join("#define {} {}\n".format(*m.split("=")) for m in macros)
    copy = path.with_name("sized_" + path.name)
    copy.write_text(text.replace(mark, defines + mark))
    return copy.name


def nvcc_flag(flag):
    flag = str(flag).removeprefix("--compile-flag=")
    return "-Xcompiler=" + flag if flag.startswith(("-f", "-m")) else flag



#!/usr/bin/env python3
"""Compiles kernels with our compiler and with nvcc, runs both on the emulated GPU and compares what is counted."""
import argparse
import concurrent.futures
import json
import os
import pathlib
import subprocess
import sys
import tempfile
import tomllib

HERE = pathlib.Path(__file__).resolve().parent
ROOT = HERE.parent.parent
sys.path[:0] = [str(HERE), str(HERE.parent / "prediction")]
import figures  # noqa: E402


class CompareError(Exception):
    """Something could not be compared; the message is one line."""


def call(words, what, folder=ROOT, limit=600):
    try:
        done = subprocess.run(words, cwd=folder, capture_output=True, text=True, timeout=limit, stdin=subprocess.DEVNULL)
    except FileNotFoundError:
        raise CompareError(f"{what}: {words[0]} was not found") from None
    except subprocess.TimeoutExpired:
        raise CompareError(f"{what}: it took more than {limit} s") from None
    if done.returncode:
        said = (done.stderr.strip() or done.stdout.strip() or "no message").splitlines()
        raise CompareError(f"{what}: exit code {done.returncode}: {said[0]}")
    return done.stdout


def launches(path):
    """Returns the kernels of the list, each with its file and macros. An unknown key is an error."""
    found = []
    for entry in tomllib.loads(path.read_text())["file"]:
        for kernel in entry["kernels"]:
            if unknown := set(kernel) - {"name", "grid", "block", "shared", "args"}:
                raise CompareError(f"{path.name}: {kernel['name']}: unknown key {sorted(unknown)[0]}")
            found.append({**kernel, "path": entry["path"], "defines": entry.get("defines", [])})
    return found


def launched(kernel, source, defines, options):
    words = [options.warpwright, "launch", source, "--kernel", kernel["name"], "--grid", kernel["grid"], "--block",
             kernel["block"], "--shared", str(kernel.get("shared", 0)), "--model", options.model, "--ptxas", "off",
             "--json", "-"]
    words += [f"-D{d}" for d in defines]
    for argument in kernel["args"]:
        words += ["--arg", argument]
    record = json.loads(call(words, kernel["name"]))["records"][0]
    if record.get("error"):
        raise CompareError(f"{kernel['name']}: {record['error']}")
    return figures.figures_of(record["counts"], record.get("predicted"))


def compare_kernel(kernel, options, work):
    macros = [f"-D{d}" for d in kernel["defines"]]
    ptx = pathlib.Path(work) / f"{kernel['name']}.ptx"
    call([options.nvcc, "-w", "-ptx", "-lineinfo", "-std=c++17", f"-arch={options.arch}", *macros, kernel["path"], "-o",
          str(ptx)], f"{kernel['name']} by nvcc")
    arch = options.arch.replace("compute_", "sm_")
    ours = launched(kernel, kernel["path"], kernel["defines"], options)
    return {"kernel": kernel["name"], "arch": arch, "ours": ours, "theirs": launched(kernel, str(ptx), [], options)}


def compare_program(program, options, sources, building):
    """Returns the rows of one program of bench/prediction's lists: a row for each kernel, of the grid with most work."""
    rows = {}
    run_id, arguments, macros = next(building.runs_of(program))
    sides = {}
    known = {row["kernel"]: row for row in json.loads(options.theirs.read_text())} if options.theirs else None
    for side, compiler in (("ours", options.ours), ("theirs", options.nvcc))[:1 if known else 2]:
        binary = building.build(program, macros, sources, options.work / side, compiler)
        profile = options.work / f"{run_id}.{side}.json"
        folder = options.work / side / "sources" / (program["source"] or "") / program.get("folder", ".")
        call([options.warpwright, "run", "--quiet", "--model", options.model, "--ptxas", "off", "--json", str(profile),
              str(binary), "--", *arguments], f"{run_id} {side}", folder if folder.exists() else ROOT, 900)
        sides[side] = {(k["name"], str(k["grid"]), str(k["block"])): k for k in json.loads(profile.read_text())["kernels"]}
    for key, ours in sides["ours"].items() if known else ():
        had = known.get(f"{program['name']}: {key[0]} {key[1]}")
        if had and had.get("block", key[2]) == key[2] and ours.get("counts"):
            rows[key[0]] = {**had, "ours": figures.figures_of(ours["counts"], ours.get("predicted"))}
    for key, ours in sides["ours"].items() if not known else ():
        theirs = sides["theirs"].get(key)
        if theirs and ours.get("counts") and theirs.get("counts"):
            row = {"kernel": f"{program['name']}: {key[0]} {key[1]}", "block": key[2], "arch": "compute_90",
                   "ours": figures.figures_of(ours["counts"], ours.get("predicted")),
                   "theirs": figures.figures_of(theirs["counts"], theirs.get("predicted"))}
            had = rows.get(key[0])
            if not had or row["theirs"]["instructions"] > had["theirs"]["instructions"]:
                rows[key[0]] = row
    return list(rows.values())


def of_programs(options):
    import building  # fetching and building programs is bench/prediction's
    sources, programs = building.read_list(HERE.parent / "prediction" / "programs")
    rows = []
    for program in programs:
        if program["name"] in options.programs or ("all" in options.programs and program["name"] in public()):
            try:
                rows += compare_program(program, options, sources, building)
            except (CompareError, building.joining.JoinError) as error:
                print(f"left out: {program['name']}: {error}", file=sys.stderr)
    return rows


def public():
    """Returns the names of the programs whose kernels are compared."""
    lines = (HERE / "programs.txt").read_text().splitlines()
    return [name for line in lines if not line.startswith("#") for name in line.split()]


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("programs", nargs="*", help="programs of bench/prediction, or all; none: the kernels of texts")
    parser.add_argument("--warpwright", default=str(ROOT / "build/release/warpwright"))
    parser.add_argument("--nvcc", default="nvcc")
    parser.add_argument("--ours", default=str(ROOT / "toolchain/warpwright-nvcc"), help="our stand-in for nvcc")
    parser.add_argument("--theirs", type=pathlib.Path,
                        help="nvcc's side of programs as that file has it (one that --save wrote); nvcc is not called")
    parser.add_argument("--model", default="h100")
    parser.add_argument("--arch", default="compute_80")
    parser.add_argument("--only", action="append", default=[], help="kernels of this name alone")
    parser.add_argument("--jobs", type=int, default=1)
    parser.add_argument("--work", type=pathlib.Path, default=pathlib.Path("frontends-work"))
    parser.add_argument("--save", type=pathlib.Path, help="keep the figures there")
    parser.add_argument("--table", action="store_true", help="print ours over theirs for each kernel")
    options = parser.parse_args()
    os.environ["WARPWRIGHT_NVCC"] = "none"  # our stand-in calls nvcc where there is one
    os.environ["PATH"] = f"{pathlib.Path(options.warpwright).resolve().parent}:{os.environ['PATH']}"
    options.work = options.work.resolve()
    failed = 0
    if options.programs:
        rows = of_programs(options)
    else:
        rows = []
        wanted = [k for k in launches(HERE / "kernels.toml") if not options.only or k["name"] in options.only]
        with tempfile.TemporaryDirectory() as work, concurrent.futures.ThreadPoolExecutor(options.jobs) as pool:
            for job in [pool.submit(compare_kernel, kernel, options, work) for kernel in wanted]:
                try:
                    rows.append(job.result())
                except CompareError as error:
                    failed += 1
                    print(f"left out: {error}", file=sys.stderr)
    if not rows:
        print("nothing was compared", file=sys.stderr)
        return 1
    print("\n".join(figures.table(rows) if options.table else figures.summary(rows)))
    if options.save:
        options.save.write_text("[\n" + ",\n".join(json.dumps(row) for row in rows) + "\n]\n")
    return 1 if failed else 0


if __name__ == "__main__":
    try:
        sys.exit(main())
    except CompareError as error:
        sys.exit(f"compare.py: {error}")

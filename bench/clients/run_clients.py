#!/usr/bin/env python3
"""Runs the test-suites of Python packages that use CUDA, unmodified, on the emulated GPU.

    bench/clients/run_clients.py --work FOLDER --warpwright build/release/warpwright [--client numba,triton] [--sample 500]

Everything is kept in FOLDER: a virtual environment with the packages of clients.toml, and their suites. A suite comes
with the package, or from the repository that clients.toml names: it is cloned, or found as FOLDER/suites/NAME if that is
there. One process of pytest collects a suite, draws a sample (always the same one) and runs it, in a worker that is
replaced when it crashes, until all is done or the time is over. FOLDER/NAME.json gets the outcome of each test; the table
is printed, and after it the reasons that stand most often behind what did not pass.

Outcomes: passed; failed; not supported (the driver said so); crashed (the process ended); late (over the limit).
Skipped tests are counted beside them, and are in no percentage; so are those that the time did not suffice for.
"""

import argparse
import collections
import json
import os
import pathlib
import random
import re
import shutil
import signal
import subprocess
import sys
import tomllib
import venv

HERE = pathlib.Path(__file__).resolve().parent


def run(words, **options):
    return subprocess.run(words, text=True, **options)


def environment(work, packages):
    """Makes the virtual environment, installs the packages that it lacks, and returns its interpreter."""
    folder = work / "venv"
    if not folder.exists():
        venv.create(folder, with_pip=True)
    run([folder / "bin/pip", "install", "-q", "pytest", "pytest-timeout", "pytest-xdist", *packages], check=True)
    return folder / "bin/python"


def suite_of(work, name, client, python):
    """Returns the folder of a client's tests."""
    own = work / "suites" / name
    if own.exists():
        return own / client.get("folder", "")
    if "module" in client:
        found = run([python, "-c", f"import {client['module']} as m; print(m.__path__[0])"], capture_output=True)
        if found.returncode:
            sys.exit(f"{name}: its tests are not in the package: {found.stderr.strip().splitlines()[-1]}")
        return pathlib.Path(found.stdout.strip())
    run(["git", "clone", "-q", "--depth", "1", "--branch", client["tag"], client["git"], own], check=True)
    return own / client.get("folder", "")


def files_of(folder, client):
    """Returns what pytest is given: the files of the suite or its modules, or a sample of them if clients.toml says so."""
    files = [str(f.relative_to(folder)) for pattern in client["files"] for f in sorted(folder.glob(pattern))]
    if not files:
        sys.exit(f"the folder {folder} has no tests {client['files']}")
    if len(files) > client.get("sample_files", len(files)):
        files = sorted(random.Random(14).sample(files, client["sample_files"]))
    if client.get("modules"):
        files = [client["module"] + "." + pathlib.Path(f).stem for f in files]
    return files


def run_suite(words, folder, environ, seconds, log):
    """Runs pytest, for so many seconds at most; what it prints goes to the log."""
    with open(log, "w", encoding="utf-8") as out:
        process = subprocess.Popen(words, cwd=folder, env=environ, stdout=out, stderr=subprocess.STDOUT, start_new_session=True)
        try:
            process.wait(timeout=seconds or None)
            return True
        except subprocess.TimeoutExpired:
            os.killpg(process.pid, signal.SIGKILL)
            process.wait()
            return False


def read_outcomes(file):
    """Returns the outcome of each test: the first that is not "passed" stands."""
    out = {}
    if file.exists():
        for line in file.read_text(encoding="utf-8").splitlines():
            name, kind, why = json.loads(line)
            if out.get(name, ("passed",))[0] == "passed":
                out[name] = (kind, why)
    return out


def classes(outcomes):
    """Returns why tests did not pass, the most frequent reason first, without what differs from test to test."""
    count = collections.Counter()
    for kind, why in outcomes.values():
        if kind not in ("passed", "skipped"):
            text = why.strip().splitlines()[-1] if why.strip() else ""
            count[f"{kind}: " + re.sub(r"0x[0-9a-f]+|\d+(\.\d+)?", "N", text.removeprefix("E "))[:110].strip()] += 1
    return count.most_common(8)


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--work", type=pathlib.Path, required=True)
    parser.add_argument("--warpwright", type=pathlib.Path, required=True)
    parser.add_argument("--client", default="", help="names of clients in clients.toml, joined by commas; without it all of them")
    parser.add_argument("--sample", type=int, default=0, help="how many tests of each suite run; 0: as many as clients.toml says")
    parser.add_argument("--seconds", type=int, default=60, help="how many seconds one test may take")
    parser.add_argument("--minutes", type=float, default=0, help="how many minutes one suite may take; 0: any time")
    parser.add_argument("--continue", dest="more", action="store_true", help="go on with a run that was stopped; the outcomes in FOLDER are kept")
    parser.add_argument("--python", type=pathlib.Path, help="an interpreter that has the packages; nothing is installed then")
    a = parser.parse_args()
    work, warpwright = a.work.resolve(), a.warpwright.resolve()
    work.mkdir(parents=True, exist_ok=True)
    clients = tomllib.loads((HERE / "clients.toml").read_text())
    chosen = a.client.split(",") if a.client else list(clients)
    unknown = [name for name in chosen if name not in clients]
    if unknown:
        sys.exit(f"there is no client '{unknown[0]}' in clients.toml; it has {', '.join(clients)}")
    print(f"{'suite':<14}{'run':>6}{'passed':>8}{'failed':>8}{'not supported':>15}{'crashed':>9}{'late':>6}{'skipped':>9}{'passed %':>10}")
    for name in chosen:
        client = clients[name]
        # Not resolved: the name of a virtual environment's interpreter is what makes it one.
        python = a.python.absolute() if a.python else environment(work, client["packages"])
        folder = suite_of(work, name, client, python)
        environ = {**os.environ, "PYTHONPATH": f"{HERE}:{os.environ.get('PYTHONPATH', '')}", **client.get("environment", {})}
        found, log = work / f"{name}.outcomes", work / f"{name}.log"
        # A copy: a worker that replaces another must find the same tests as that one.
        known = work / f"{name}.known"
        if a.more and found.exists():
            shutil.copyfile(found, known)
        else:
            found.unlink(missing_ok=True)
            known.write_text("")
        # The tests run under `warpwright run`, which leaves their output and exit code alone. --tb=native: for other forms
        # pytest parses the file of tests, at which Python 3.11 fails now and then ("AST constructor recursion depth mismatch").
        words = [str(warpwright), "run", "--quiet", "--no-db", str(python), "-m", "pytest", "-p", "no:cacheprovider", "-p", "outcomes", "-q", "--tb=native",
                 *client.get("options", []), "-n", "1", "--max-worker-restart", "1000", "--timeout", str(a.seconds),
                 "--outcomes", str(found), "--known", str(known), "--draw", str(a.sample or client.get("sample", 0)),
                 "--continue-on-collection-errors", *files_of(folder, client)]
        if "leave_out" in client:
            words[words.index("--draw"):words.index("--draw")] = ["--leave-out", client["leave_out"]]
        complete = run_suite(words, folder, environ, a.minutes * 60, log)
        outcomes = read_outcomes(found)
        if not outcomes:
            print(f"{name}: no test ran; the end of {log}:\n{log.read_text()[-1000:]}", flush=True)
            continue
        count = collections.Counter(kind for kind, _ in outcomes.values())
        ran = sum(count.values()) - count["skipped"]
        print(f"{name:<14}{ran:>6}{count['passed']:>8}{count['failed']:>8}{count['not supported']:>15}{count['crashed']:>9}"
              f"{count['late']:>6}{count['skipped']:>9}{100 * count['passed'] / max(1, ran):>10.1f}"
              f"{'' if complete else '  (ended by the time)'}", flush=True)
        for why, times in classes(outcomes):
            print(f"    {times:>4}  {why}", flush=True)
        (work / f"{name}.json").write_text(json.dumps(outcomes, indent=1))


if __name__ == "__main__":
    main()

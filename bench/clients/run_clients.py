#!/usr/bin/env python3
"""Runs the test-suites of Python packages that use CUDA, unmodified, on the emulated GPU.

    bench/clients/run_clients.py --work FOLDER --warpwright build/release/warpwright [--client numba,triton] [--sample 500]

Everything is kept in FOLDER: a virtual environment with the packages of clients.toml, and their suites. A suite comes
with the package, or from the repository that clients.toml names: it is cloned, or found as FOLDER/suites/NAME if that is
there. The tests of a suite are collected, a sample of them is drawn (always the same one), and each file runs in
processes of its own under a time limit. FOLDER/NAME.json gets the outcome of each test; the table is printed.

Outcomes: passed; failed; not supported (the driver said so); crashed (the process ended); late (over the limit).
Skipped tests are counted beside them, and are in no percentage.
"""

import argparse
import collections
import json
import os
import pathlib
import random
import re
import subprocess
import sys
import tomllib
import venv
import xml.etree.ElementTree

HERE = pathlib.Path(__file__).resolve().parent
NOT_SUPPORTED = re.compile(r"NOT_SUPPORTED|cudaErrorNotSupported|is not supported by the emulated|LTO-IR")


def run(words, **options):
    return subprocess.run(words, text=True, **options)


def environment(work, packages):
    """The virtual environment, with the packages that are missing in it."""
    folder = work / "venv"
    if not folder.exists():
        venv.create(folder, with_pip=True)
    run([folder / "bin/pip", "install", "-q", "pytest", "pytest-timeout", "pytest-xdist", *packages], check=True)
    return folder / "bin/python"


def suite_of(work, name, client, python):
    """The folder of a client's tests."""
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


def words_of(client, python):
    return [str(python), "-m", "pytest", "-p", "no:cacheprovider", "-q", *client.get("options", [])]


def collect(folder, client, python, environ):
    """The names of all tests, by file."""
    files = [str(f.relative_to(folder)) for pattern in client["files"] for f in sorted(folder.glob(pattern))]
    if client.get("modules"):
        files = [client["module"] + "." + pathlib.Path(f).stem for f in files]
    if not files:
        sys.exit(f"there are no tests {client['files']} in {folder}")
    listed = run([*words_of(client, python), "--collect-only", "--continue-on-collection-errors", *files], cwd=folder, env=environ,
                 capture_output=True, timeout=1200)
    names = [line for line in listed.stdout.splitlines() if "::" in line and not line.startswith(("ERROR", " "))]
    if not names:
        sys.exit(f"no test was collected: {(listed.stdout + listed.stderr)[-500:]}")
    skip = re.compile(client["leave_out"]) if "leave_out" in client else None
    return [n for n in names if not (skip and skip.search(n))]


def outcome(case):
    """The outcome of one test of a JUnit report, and its reason."""
    for tag in ("failure", "error"):
        found = case.find(tag)
        if found is not None:
            text = (found.get("message") or "") + (found.text or "")
            if "crashed while running" in text:
                return "crashed", text[:300]
            if "Timeout" in text or "Timeout" in (found.get("message") or ""):
                return "late", text[:300]
            last = next((line for line in reversed(text.splitlines()) if line.startswith("E ")), text[-300:])
            return ("not supported" if NOT_SUPPORTED.search(text) else "failed"), last[:300]
    return ("skipped" if case.find("skipped") is not None else "passed"), ""


def run_tests(names, folder, client, python, environ, work, seconds):
    """One process for these tests; a worker that crashes is replaced, and its test is named."""
    report = work / "report.xml"
    report.unlink(missing_ok=True)
    limit = seconds * len(names) + 120
    words = [*words_of(client, python), "-n", "1", "--timeout", str(seconds), f"--junitxml={report}", *names]
    try:
        run(words, cwd=folder, env=environ, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL, timeout=limit)
    except subprocess.TimeoutExpired:
        pass
    out = {}
    if report.exists():
        for case in xml.etree.ElementTree.parse(report).getroot().iter("testcase"):
            out[f"{case.get('classname')}::{case.get('name')}"] = outcome(case)
    return out, max(0, len(names) - len(out))


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--work", type=pathlib.Path, required=True)
    parser.add_argument("--warpwright", type=pathlib.Path, required=True)
    parser.add_argument("--client", default="", help="names of clients.toml, joined by commas; all without it")
    parser.add_argument("--sample", type=int, default=0, help="tests of each suite; 0: as clients.toml says")
    parser.add_argument("--seconds", type=int, default=60, help="that one test may take")
    parser.add_argument("--python", type=pathlib.Path, help="an interpreter that has the packages; none are installed")
    a = parser.parse_args()
    work, warpwright = a.work.resolve(), a.warpwright.resolve()
    work.mkdir(parents=True, exist_ok=True)
    clients = tomllib.loads((HERE / "clients.toml").read_text())
    chosen = a.client.split(",") if a.client else list(clients)
    unknown = [name for name in chosen if name not in clients]
    if unknown:
        sys.exit(f"there is no client {unknown[0]}; there are {', '.join(clients)}")
    print(f"{'suite':<14}{'run':>6}{'passed':>8}{'failed':>8}{'not supported':>15}{'crashed':>9}{'late':>6}{'skipped':>9}{'passed %':>10}")
    for name in chosen:
        client = clients[name]
        python = a.python or environment(work, client["packages"])
        folder = suite_of(work, name, client, python)
        environ = {**os.environ, **client.get("environment", {})}
        # The tests run under `warpwright run`, which leaves their output and exit code alone.
        launcher = work / "python"
        launcher.write_text(f'#!/bin/sh\nexec "{warpwright}" run --quiet "{python}" "$@"\n')
        launcher.chmod(0o755)
        names = collect(folder, client, launcher, environ)
        size = a.sample or client.get("sample", 0)
        if size and len(names) > size:
            names = sorted(random.Random(14).sample(names, size), key=names.index)
        by_file = collections.defaultdict(list)
        for n in names:
            by_file[n.split("::")[0]].append(n)
        outcomes, lost = {}, 0
        for tests in by_file.values():
            for k in range(0, len(tests), 200):
                done, missing = run_tests(tests[k:k + 200], folder, client, launcher, environ, work, a.seconds)
                outcomes.update(done)
                lost += missing
        count = collections.Counter(o for o, _ in outcomes.values())
        count["late"] += lost
        ran = sum(count.values()) - count["skipped"]
        print(f"{name:<14}{ran:>6}{count['passed']:>8}{count['failed']:>8}{count['not supported']:>15}{count['crashed']:>9}"
              f"{count['late']:>6}{count['skipped']:>9}{100 * count['passed'] / max(1, ran):>10.1f}", flush=True)
        (work / f"{name}.json").write_text(json.dumps(outcomes, indent=1))


if __name__ == "__main__":
    main()

#!/usr/bin/env python3
"""Runs a sample of PyTorch's own test_torch.py, test_nn.py and test_ops.py on device cuda, and counts how their tests end.

    warpwright run --quiet --no-db python3 bench/clients/torch_suite.py --tests pytorch/test [--sample 1500] [--jobs 2]

The folder is `test` of PyTorch's sources, of the installed version or near to it: what the tests stand on
(torch.testing._internal) comes with the wheel. Python needs expecttest, hypothesis and numpy besides. Each file gives a
third of the sample, drawn by a digest of seed and name, so that it is the same one on each machine. Of test_ops.py the
float32 tests are drawn that ask for no gradient; of all files those for device cuda that ask for one GPU.

Each job is a process that loads one file and runs its tests one by one; it is replaced when it crashes, when a test takes
longer than --seconds or more than --memory, and when the device does not work after a test that failed. Outcomes are kept in --state, a line of
JSON each; with --more, tests that stand there are not run again. --compare names such a file of another device (a real GPU:
the same command without `warpwright run`): a test that did not pass there says nothing of this one, and is left out.

Outcomes: passed; failed; late; crashed (the process ended). Skipped tests and those that the suite itself expects to fail
are counted beside them, and are in no percentage; so are those that the time did not suffice for.
"""
import argparse
import ast
import collections
import hashlib
import importlib
import importlib.util
import json
import os
import pathlib
import queue
import re
import select
import signal
import subprocess
import sys
import threading
import time

FILES = ("test_torch", "test_nn", "test_ops")
SAMPLE = 1500
LEFT_OUT = {"test_ops": re.compile(r"backward|forward_ad|_grad(_|$)")}
SEVERAL = re.compile(r"multi_?gpu|multi_?device|cross_device|parallel", re.IGNORECASE)
OUTCOMES = ("passed", "failed", "late", "crashed")


def wanted(file, name):
    """Says whether a test is one that may be drawn."""
    owner, method = name.split(".")
    if SEVERAL.search(method) or not ("CUDA" in owner or "cuda" in method):
        return False
    return file != "test_ops" or (method.endswith("_cuda_float32") and not LEFT_OUT[file].search(method))


def drawn(file, names, count, seed, without=None):
    names = [n for n in names if wanted(file, n)]
    if without is not None:
        before = set(drawn(file, names, SAMPLE // len(FILES), without))
        names = [n for n in names if n not in before]
    return sorted(names, key=lambda n: hashlib.sha256(f"{seed} {file} {n}".encode()).hexdigest())[:count]


# --- a job's process: loads a file, reads names, answers each with a line of JSON

def reason(error):
    """Says why a test failed: the innermost cause, its first lines."""
    while error.__cause__ is not None:
        error = error.__cause__
    text = str(error).split("\nTo execute this test")[0].strip()
    return f"{type(error).__name__}: {text}"


def complete(folder, file):
    """Takes names that the file imports of torch.testing._internal, and the wheel no longer has, from the sources that the file is of."""
    for node in ast.walk(ast.parse((folder / (file + ".py")).read_text(encoding="utf-8"))):
        if not isinstance(node, ast.ImportFrom) or not (node.module or "").startswith("torch.testing._internal."):
            continue
        module = importlib.import_module(node.module)
        lacking = [a.name for a in node.names if a.name != "*" and not hasattr(module, a.name)]
        if lacking:
            older = importlib.util.spec_from_file_location("older_" + file, folder.parent / (node.module.replace(".", "/") + ".py"))
            source = importlib.util.module_from_spec(older)
            older.loader.exec_module(source)
            for name in lacking:
                setattr(module, name, getattr(source, name))


def load(folder, file):
    os.environ.setdefault("PYTORCH_TESTING_DEVICE_ONLY_FOR", "cuda")
    sys.argv = [file + ".py"]
    sys.path.insert(0, str(folder))
    complete(folder, file)
    found = importlib.util.spec_from_file_location(file, folder / (file + ".py"))
    module = importlib.util.module_from_spec(found)
    sys.modules[file] = module
    found.loader.exec_module(module)
    return module


def run_test(unittest, module, name):
    """Runs one test; returns its outcome and the reason."""
    owner, method = name.split(".")
    ends = []

    class Result(unittest.TestResult):
        def addSuccess(self, test):
            super().addSuccess(test)
            ends.append(("passed", ""))

        def addError(self, test, err):
            super().addError(test, err)
            ends.append(("failed", reason(err[1])))

        def addFailure(self, test, err):
            super().addFailure(test, err)
            ends.append(("failed", reason(err[1])))

        def addSubTest(self, test, subtest, err):
            super().addSubTest(test, subtest, err)
            if err is not None:
                ends.append(("failed", reason(err[1])))

        def addSkip(self, test, why):
            super().addSkip(test, why)
            ends.append(("skipped", why))

        def addExpectedFailure(self, test, err):
            super().addExpectedFailure(test, err)
            ends.append(("skipped", "is expected to fail: " + reason(err[1])))

        def addUnexpectedSuccess(self, test):
            super().addUnexpectedSuccess(test)
            ends.append(("failed", "passes, but is expected to fail"))

    suite = unittest.TestSuite([getattr(module, owner)(method)])
    suite.run(Result())
    return next((e for e in ends if e[0] == "failed"), ends[0] if ends else ("failed", "ended without an outcome"))


def work(folder, file, answers):
    import unittest

    module = load(folder, file)
    import torch

    names = [f"{key}.{method}" for key, owner in vars(module).items()
             if isinstance(owner, type) and issubclass(owner, unittest.TestCase) and owner.__module__ == file
             for method in unittest.defaultTestLoader.getTestCaseNames(owner)]

    def answer(value):
        answers.write(json.dumps(value) + "\n")
        answers.flush()

    answer(names)
    for line in sys.stdin:
        name = line.strip()
        print(f"--- {name}", file=sys.stderr, flush=True)
        kind, why = run_test(unittest, module, name)
        usable = True
        if kind == "failed":
            try:
                torch.cuda.synchronize()
                torch.ones(1, device="cuda").add(1).item()
            except Exception:
                usable = False
        answer([kind, why[:1500], usable])
        if not usable:
            return


# --- the process that hands out the tests

class Job:
    """A process for the tests of one file."""

    def __init__(self, options, file, log):
        read, write = os.pipe()
        self.process = subprocess.Popen(
            [sys.executable, __file__, "--tests", str(options.tests), "--worker", file, "--answers", str(write)], stdin=subprocess.PIPE, stdout=log,
            stderr=log, pass_fds=[write], text=True, start_new_session=True)
        os.close(write)
        self._answers, self._rest, self._most = read, b"", options.memory << 20
        self.names = self.answer(600)

    def _resident(self):
        """Reads how many bytes of memory the process has."""
        try:
            return int(pathlib.Path(f"/proc/{self.process.pid}/statm").read_text(encoding="ascii").split()[1]) * os.sysconf("SC_PAGE_SIZE")
        except (OSError, IndexError):
            return 0

    def answer(self, seconds):
        """Waits for a line. Returns None if the process ended, and raises TimeoutError past a limit."""
        end = time.monotonic() + seconds
        while b"\n" not in self._rest:
            if not select.select([self._answers], [], [], 0.5)[0]:
                if time.monotonic() > end:
                    raise TimeoutError(f"longer than {seconds:.0f} s")
                if self._resident() > self._most:
                    raise TimeoutError(f"more than {self._most >> 20} MiB of memory")
                continue
            piece = os.read(self._answers, 1 << 16)
            if not piece:
                return None
            self._rest += piece
        line, _, self._rest = self._rest.partition(b"\n")
        return json.loads(line)

    def run(self, name, seconds):
        """Runs a test: its outcome, the reason, and whether the process is of further use."""
        try:
            self.process.stdin.write(name + "\n")
            self.process.stdin.flush()
            found = self.answer(seconds)
        except TimeoutError as limit:
            return "late", str(limit), False
        except BrokenPipeError:
            found = None
        if found is None:
            code = self.process.wait()
            return "crashed", f"ended by {signal.Signals(-code).name}" if code < 0 else f"ended with code {code}", False
        return tuple(found)

    def end(self):
        try:
            os.killpg(self.process.pid, signal.SIGKILL)
        except ProcessLookupError:
            pass
        self.process.wait()
        os.close(self._answers)


class Run:
    """The queues of the files, and what came of their tests."""

    def __init__(self, options):
        self.options, self.lock = options, threading.Lock()
        self.outcomes, self.queues, self.drawn = {}, {}, threading.Event()
        self.end = time.monotonic() + options.minutes * 60 if options.minutes else float("inf")
        self.sample, self.not_loaded = {}, {}

    def known(self):
        if self.options.more and self.options.state.exists():
            for line in self.options.state.read_text(encoding="utf-8").splitlines():
                name, kind, why = json.loads(line)
                self.outcomes[name] = (kind, why)

    def draw(self, file, names):
        chosen = drawn(file, names, self.options.sample // len(FILES), self.options.seed, self.options.without)
        if self.options.only:
            chosen = [n for n in (names if self.options.any else chosen) if wanted(file, n) and re.search(self.options.only, f"{file}::{n}")]
        with self.lock:
            self.sample[file] = chosen
            tests = self.queues[file] = queue.SimpleQueue()
            for n in chosen:
                if f"{file}::{n}" not in self.outcomes:
                    tests.put(n)

    def note(self, file, name, kind, why):
        with self.lock:
            self.outcomes[f"{file}::{name}"] = (kind, why)
            with open(self.options.state, "a", encoding="utf-8") as out:
                out.write(json.dumps([f"{file}::{name}", kind, why]) + "\n")

    def job(self, number):
        with open(f"{self.options.state}.log{number}", "w", encoding="utf-8") as log:
            for k in range(len(FILES)):
                self.file(FILES[(number + k) % len(FILES)], log)

    def file(self, file, log):
        """Runs tests of a file until none is left."""
        job, failures = None, 0
        try:
            while time.monotonic() < self.end and failures < 3:
                if job is None:
                    if file in self.queues and self.queues[file].empty():
                        return
                    try:
                        job = Job(self.options, file, log)
                    except TimeoutError:
                        failures += 1
                        continue
                    if job.names is None:
                        failures += 1
                        self.not_loaded[file] = log.name
                        job.end()
                        job = None
                        continue
                    failures = 0
                    with self.lock:
                        first = file not in self.queues
                        if first:
                            self.queues[file] = queue.SimpleQueue()
                    if first:
                        self.draw(file, job.names)
                try:
                    name = self.queues[file].get_nowait()
                except queue.Empty:
                    return
                kind, why, usable = job.run(name, self.options.seconds)
                self.note(file, name, kind, why)
                if not usable:
                    job.end()
                    job = None
        finally:
            if job is not None:
                job.end()

    def go(self):
        threads = [threading.Thread(target=self.job, args=(n,)) for n in range(self.options.jobs)]
        for t in threads:
            t.start()
        for t in threads:
            t.join()


def normal(why):
    """Leaves out of a reason what differs from test to test."""
    lines = [line for line in why.strip().splitlines() if line.strip()]
    text = " ".join(lines[:1])
    return re.sub(r"0x[0-9a-f]+|\d+(\.\d+)?(e-?\d+)?", "N", text)[:140].strip()


def table(sample, outcomes, elsewhere=None):
    """Lists the counts for each file, and the reasons that stand most often behind what did not pass."""
    lines = [f"{'file':<12}{'drawn':>7}{'run':>6}" + "".join(f"{kind:>9}" for kind in OUTCOMES) + f"{'skipped':>9}{'not run':>9}{'passed %':>10}"]
    total, reasons = collections.Counter(), collections.Counter()
    for file in [*FILES, "all"]:
        count = total if file == "all" else collections.Counter()
        for name in sample.get(file, ()):
            full = f"{file}::{name}"
            kind, why = outcomes.get(full, ("not run", ""))
            if elsewhere is not None and kind in OUTCOMES and elsewhere.get(full, ("",))[0] != "passed":
                kind = "skipped"
            count[kind] += 1
            if kind in OUTCOMES[1:]:
                reasons[f"{kind}: {normal(why)}"] += 1
        if file != "all":
            total.update(count)
        ran = sum(count[kind] for kind in OUTCOMES)
        lines.append(f"{file:<12}{sum(count.values()):>7}{ran:>6}" + "".join(f"{count[kind]:>9}" for kind in OUTCOMES)
                     + f"{count['skipped']:>9}{count['not run']:>9}{100 * count['passed'] / max(1, ran):>10.1f}")
    return lines + [f"    {times:>4}  {why}" for why, times in reasons.most_common(40)]


def read(file):
    with open(file, encoding="utf-8") as lines:
        return {name: (kind, why) for name, kind, why in map(json.loads, lines)}


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--tests", type=pathlib.Path, required=True, help="PyTorch's folder `test`")
    parser.add_argument("--sample", type=int, default=SAMPLE, help="how many tests are drawn")
    parser.add_argument("--seed", type=int, default=30)
    parser.add_argument("--without", type=int, metavar="SEED", help=f"draws none of the {SAMPLE} tests that this seed draws")
    parser.add_argument("--jobs", type=int, default=2)
    parser.add_argument("--seconds", type=float, default=60, help="how long one test may take")
    parser.add_argument("--memory", type=int, default=6000, help="how many MiB of memory a process may have")
    parser.add_argument("--minutes", type=float, default=0, help="how long all may take; 0: any time")
    parser.add_argument("--only", default="", help="of the sample, tests whose FILE::CLASS.NAME has this regular expression")
    parser.add_argument("--any", action="store_true", help="with --only: of all tests, not of the sample")
    parser.add_argument("--state", type=pathlib.Path, default=pathlib.Path("torch_suite.outcomes"))
    parser.add_argument("--more", action="store_true")
    parser.add_argument("--compare", type=pathlib.Path)
    parser.add_argument("--worker", help=argparse.SUPPRESS)
    parser.add_argument("--answers", type=int, help=argparse.SUPPRESS)
    options = parser.parse_args()
    options.tests = options.tests.resolve()
    missing = [f for f in FILES if not (options.tests / (f + ".py")).exists()]
    if missing:
        parser.error(f"the folder {options.tests} has no {missing[0]}.py: name `test` of PyTorch's sources")
    if options.worker:
        with os.fdopen(options.answers, "w", encoding="utf-8") as answers:
            work(options.tests, options.worker, answers)
        return 0
    if not options.more:
        options.state.unlink(missing_ok=True)
    run = Run(options)
    run.known()
    run.go()
    for file, log in run.not_loaded.items():
        print(f"{file}.py could not be loaded; the end of {log} says why", file=sys.stderr)
    print("\n".join(table(run.sample, run.outcomes, read(options.compare) if options.compare else None)), flush=True)
    return 0 if run.sample else 2


if __name__ == "__main__":
    sys.exit(main())

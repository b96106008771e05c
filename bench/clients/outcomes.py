"""This is a plugin of pytest for run_clients.py: it draws a sample of the tests that were collected, always the same one, and writes the
outcome of each test to a file as soon as it is known, so that a run that is ended leaves what it has.

    pytest -p outcomes --outcomes FILE [--draw 500] [--leave-out REGEX] [--known FILE] [-n 1]
"""

import hashlib
import json
import re

NOT_SUPPORTED = re.compile(r"NOT_SUPPORTED|cudaErrorNotSupported|is not supported by the emulated|LTO-IR|cuobjdump|nvdisasm")


def pytest_addoption(parser):
    group = parser.getgroup("outcomes")
    group.addoption("--outcomes", default="", help="the file to which outcomes are appended, a line of JSON each")
    group.addoption("--draw", type=int, default=0, help="tests to run; 0: all")
    group.addoption("--leave-out", default="", help="tests whose names match are left out")
    group.addoption("--known", default="", help="outcomes of an earlier run: tests that are drawn and stand there are not run again")


def pytest_collection_modifyitems(config, items):
    leave_out, most = config.getoption("--leave-out"), config.getoption("--draw")
    kept = [i for i in items if not (leave_out and re.search(leave_out, i.nodeid))]
    if most and len(kept) > most:
        # By a digest of the name: every process of the run draws the same ones.
        chosen = set(sorted((hashlib.sha256(i.nodeid.encode()).hexdigest(), i.nodeid) for i in kept)[:most])
        names = {name for _, name in chosen}
        kept = [i for i in kept if i.nodeid in names]
    if known := config.getoption("--known"):
        with open(known, encoding="utf-8") as lines:
            before = {json.loads(line)[0] for line in lines}
        kept = [i for i in kept if i.nodeid not in before]
    config.hook.pytest_deselected(items=[i for i in items if i not in set(kept)])
    items[:] = kept


def outcome(report):
    """Returns the outcome of a test by one of its reports, and the reason; None where another report decides."""
    text = str(report.longrepr or "")
    if report.outcome == "failed":
        if "crashed while running" in text:
            return "crashed", text[-300:]
        if "Timeout" in text and ("Timeout >" in text or "Timeout (>" in text):
            return "late", text[-300:]
        crash = getattr(report.longrepr, "reprcrash", None)
        why = " ".join(crash.message.split()) if crash else text[-300:]
        return ("not supported" if NOT_SUPPORTED.search(text) else "failed"), why[:300]
    if report.outcome == "skipped":
        # An expected failure is the suite's own judgement of its package.
        return "skipped", text[-200:]
    return ("passed", "") if report.when == "call" else None


def pytest_configure(config):
    if config.getoption("--outcomes") and not hasattr(config, "workerinput"):
        config.pluginmanager.register(Writer(config.getoption("--outcomes")), "outcomes-writer")


class Writer:
    """Listens in the process that hears of all tests. A file that cannot be collected counts as one test."""

    def __init__(self, file):
        self._file = file

    def _write(self, name, found):
        with open(self._file, "a", encoding="utf-8") as out:
            out.write(json.dumps([name, *found]) + "\n")

    def pytest_runtest_logreport(self, report):
        if (found := outcome(report)) is not None:
            self._write(report.nodeid, found)

    def pytest_collectreport(self, report):
        if report.failed:
            last = next((line for line in reversed(str(report.longrepr).splitlines()) if line.startswith("E ")), "")
            self._write(report.nodeid, ("failed", f"not collected: {last}"[:300]))

"""This module is the pytest plugin: it runs the kernels of tests on an emulated GPU.

    pytest --warpwright=h200                     the whole session runs on the emulated GPU: Numba, CuPy, ww.Module
    pytest --warpwright-models h200,a100,v100    the same tests once per device model
    pytest --warpwright-checkers=memory,race     which checkers watch ("none": no checker, and times are predicted)

    def test_saxpy(gpu):
        gpu.module("saxpy.cu")["saxpy"][4, 256](np.float32(2), x, y, 1000)
        gpu.expect(global_load_sectors=250, shared_bank_conflicts=0)

What a checker finds in a test that uses `gpu` fails the test, at the kernel's source line.
"""

from __future__ import annotations

import json
import os
import subprocess
import sys
import tempfile
from typing import TYPE_CHECKING, Any, Callable, Generator, Optional, Union

import pytest

from ._errors import Error, Finding

if TYPE_CHECKING:
    from ._launch import Counts, Launches
    from ._module import Module
    from ._session import check, profile

_REPORTS = "--warpwright-reports-to"


def pytest_addoption(parser: Any) -> None:
    group = parser.getgroup("warpwright", "kernels on an emulated GPU")
    group.addoption("--warpwright", nargs="?", const="h200", default=None, metavar="MODEL",
                    help="run CUDA on the emulated GPU with this device model (h200 if none is named)")
    group.addoption("--warpwright-models", default=None, metavar="A,B,..",
                    help="run all tests once per device model, each in a process of its own")
    group.addoption("--warpwright-checkers", default="all", metavar="LIST",
                    help="the checkers that watch tests with the fixture gpu: all, none, or some of memory,init,race,sync")
    group.addoption(_REPORTS, default=None, metavar="FILE",
                    help="for the plugin itself: the file to which the process of one model reports")


def pytest_configure(config: Any) -> None:
    config.addinivalue_line("markers", "warpwright(checkers=...): the checkers that watch this test's launches")
    model = config.getoption("--warpwright")
    if config.getoption("--warpwright-models"):
        if model:
            raise pytest.UsageError("--warpwright and --warpwright-models cannot be given together: the second one names "
                                    "all models")
        config.pluginmanager.register(_Models(config), "warpwright-models")
        return
    if model:
        from ._session import activate

        try:
            # Before any test module is imported, so that what it imports finds this device.
            activate(model)
        except Error as e:
            raise pytest.UsageError(f"warpwright: {e}") from None
    if config.getoption(_REPORTS):
        config.pluginmanager.register(_Reporter(config), "warpwright-reporter")


class CountError(AssertionError):
    """A count is not as expected. The message names the source lines that have most of it."""


class Gpu:
    """The emulated GPU in a test: the fixture `gpu`.

    launches  all launches of the test so far (Launches), those of Numba, CuPy, ... too
    findings  what the checkers found in them (a list of Finding), warnings included
    counts    the sum of each count over all launches (Counts)
    """

    def __init__(self, recording: "profile", checking: "Optional[check]") -> None:
        self._recording, self._checking = recording, checking

    def module(self, source: Any, **options: Any) -> "Module":
        """Returns ww.Module(source, **options)."""
        from ._module import Module

        return Module(source, **options)

    def array(self, values: Any, dtype: Any = None) -> Any:
        """Returns a copy of `values` in device memory, with `dtype` if one is given, as ww.array does."""
        import warpwright

        return warpwright.array(values, dtype)

    def empty(self, shape: Any, dtype: Any = "float32") -> Any:
        """Returns an array of `shape` and `dtype` whose elements were never written, as ww.empty does."""
        import warpwright

        return warpwright.empty(shape, dtype)

    @property
    def launches(self) -> "Launches":
        """All launches of the test so far, those of other libraries too."""
        return self._recording.take()

    @property
    def findings(self) -> "list[Finding]":
        """What the checkers found so far, warnings included; empty where none watches."""
        return self._checking.take() if self._checking else []

    @property
    def counts(self) -> "Counts":
        """The sum of each count over all launches."""
        return self.launches.counts

    def expect(self, kernel: str = "", **counts: Union[int, float, range, "Callable[[Any], bool]"]) -> None:
        """Fails the test with a CountError where a launch has not the counts that are expected.

            gpu.expect("sum", shared_bank_conflicts=0, barriers=range(1, 9), branch_efficiency=lambda x: x > 0.9)

        kernel  the launches whose kernel's name contains this text are compared, each alone
        counts  by key (docs/counters.md) a number that the count must equal, a range that it must be in, or a function
                that returns whether the value is right; a quotient that a launch does not have is None
        """
        __tracebackhide__ = True  # a failure is shown at the test's own line
        for key, wanted in counts.items():
            if callable(wanted):
                self._each(kernel, key, wanted, "the test's function refuses it")
            elif isinstance(wanted, range):
                self._each(kernel, key, wanted.__contains__, f"it should be in {wanted}")
            else:
                self._each(kernel, key, wanted.__eq__, f"it should be {wanted}")

    def at_most(self, kernel: str = "", **counts: Union[int, float]) -> None:
        """Fails the test with a CountError where a launch has more: `gpu.at_most(global_load_sectors_per_request=4)`.

        kernel  the launches whose kernel's name contains this text are compared, each alone
        counts  by key the most that is right; a quotient that a launch does not have (no such request) is within every limit
        """
        __tracebackhide__ = True  # a failure is shown at the test's own line
        for key, most in counts.items():
            self._each(kernel, key, lambda v, most=most: v is None or v <= most, f"it should be at most {most}")

    def at_least(self, kernel: str = "", **counts: Union[int, float]) -> None:
        """Fails the test with a CountError where a launch has less: `gpu.at_least(global_efficiency=0.9)`.

        kernel  the launches whose kernel's name contains this text are compared, each alone
        counts  by key the least that is right; a quotient that a launch does not have is within every limit
        """
        __tracebackhide__ = True  # a failure is shown at the test's own line
        for key, least in counts.items():
            self._each(kernel, key, lambda v, least=least: v is None or v >= least, f"it should be at least {least}")

    def _each(self, kernel: str, key: str, holds: "Callable[[Any], bool]", words: str) -> None:
        __tracebackhide__ = True  # a failure is shown at the test's own line
        chosen = self.launches.kernel(kernel)
        if not len(chosen):
            there = ", ".join(sorted({l.kernel for l in self.launches}))
            raise CountError(f"there was no launch of a kernel '{kernel}'" + (f", only of {there}" if there else ""))
        known = {k for l in chosen for k in l.counts}
        for launch in chosen:
            if launch.error:
                raise CountError(f"{launch.kernel} ended early, so it has no counts to compare: {launch.error}")
            if key not in known:
                launch.counts[key]  # raises, with keys that are near
            value = launch.counts.get(key)
            if holds(value):
                continue
            out = f"{launch.kernel}: {key} is {value}, {words}"
            # Lines have no quotients: those of what is divided are shown.
            of_lines = {k for l in launch.lines for k in l.counts}
            counted = max((k for k in of_lines if key.startswith(k)), key=len, default=key)
            lines = [l for l in launch.lines if l.counts.get(counted)]
            for l in sorted(lines, key=lambda l: -l.counts[counted])[:3]:
                name = "" if counted == key else f" {counted}"
                out += f"\n  {l.file}:{l.line}: {l.counts[counted]}{name}  {l.text}"
            raise CountError(out)


@pytest.fixture
def gpu(request: Any) -> "Generator[Gpu, None, None]":
    """The emulated GPU of this session (a Gpu), with the launches of this test alone. A finding fails the test."""
    from ._session import check, ensure_active, profile

    ensure_active()
    marker = request.node.get_closest_marker("warpwright")
    checkers = (marker.kwargs.get("checkers") if marker else None) or request.config.getoption("--warpwright-checkers")
    checking = None if checkers == "none" else check(checkers, raises=False)
    with profile() as recording:
        if checking is None:
            yield Gpu(recording, None)
            return
        with checking:
            made = Gpu(recording, checking)
            request.node._warpwright_gpu = made
            yield made


class FindingsError(Exception):
    """A test has findings; pytest shows them instead of the test's own source."""

    def __init__(self, findings: "list[Finding]") -> None:
        self.findings = findings
        super().__init__("; ".join(str(f) for f in findings))


@pytest.hookimpl(hookwrapper=True)
def pytest_pyfunc_call(pyfuncitem: Any) -> Any:
    outcome = yield
    made = getattr(pyfuncitem, "_warpwright_gpu", None)
    if made is None or outcome.excinfo is not None:
        return
    wrong = [f for f in made.findings if f.severity == "error"]
    if wrong:
        _fail(outcome, FindingsError(wrong))


def _fail(outcome: Any, error: Exception) -> None:
    """Replaces the outcome of a hook by an exception."""
    if hasattr(outcome, "force_exception"):
        outcome.force_exception(error)
    else:  # pluggy before 1.1, which Debian 12 has
        outcome._excinfo = (type(error), error, None)


@pytest.hookimpl(hookwrapper=True)
def pytest_runtest_makereport(item: Any, call: Any) -> Any:
    outcome = yield
    report = outcome.get_result()
    if call.excinfo is None:
        return
    error = call.excinfo.value
    found = error.findings if isinstance(error, (FindingsError, Finding)) else []
    if found:
        report.longrepr = _located(found)


def _located(findings: "list[Finding]") -> Any:
    """Makes what pytest shows of a failure: the source line, what was found there, and the place for the summary."""
    import linecache

    from _pytest._code.code import ExceptionChainRepr, ReprEntry, ReprFileLocation, ReprTraceback

    entries = []
    for f in findings:
        text = linecache.getline(f.file, f.line).rstrip("\n")
        lines = ([f">   {text}"] if text else []) + [f"E   {f.what}"]
        other = f.raw.get("other") or {}
        if other.get("line"):
            lines.append(f"E   and {other.get('file')}:{other['line']}: {other.get('access', '')}")
        made = (f.raw.get("allocation") or {}).get("at") or {}
        if made.get("line"):
            lines.append(f"E   allocated at {made.get('file')}:{made['line']}")
        if f.hint:
            lines.append(f"E   what to do: {f.hint}")
        entries.append(ReprEntry(lines, None, None, ReprFileLocation(f.file or "?", f.line, f.kind), "long"))
    crash = ReprFileLocation(findings[0].file or "?", findings[0].line, findings[0].what)
    return ExceptionChainRepr([(ReprTraceback(entries, None, "long"), crash, None)])


def pytest_report_header(config: Any) -> Optional[str]:
    if config.getoption("--warpwright-models"):
        return f"warpwright: each test runs on {config.getoption('--warpwright-models')}"
    from . import _session

    if _session._device is None:
        return None
    return (f"warpwright: {_session._device.title}, emulated; checkers: "
            f"{config.getoption('--warpwright-checkers')}")


class _Reporter:
    """Writes the reports of one model's process as lines of JSON, for the process that started it."""

    def __init__(self, config: Any) -> None:
        self._config = config
        self._file = open(config.getoption(_REPORTS), "w", encoding="utf-8")  # noqa: SIM115

    def pytest_runtest_logreport(self, report: Any) -> None:
        data = self._config.hook.pytest_report_to_serializable(config=self._config, report=report)
        self._file.write(json.dumps(data, default=str) + "\n")
        self._file.flush()

    pytest_collectreport = pytest_runtest_logreport


class _Models:
    """Runs the collected tests once per model, each in a process of its own: a process has one device model."""

    def __init__(self, config: Any) -> None:
        self._config = config
        self._models = [m for m in config.getoption("--warpwright-models").split(",") if m]
        if not self._models:
            raise pytest.UsageError("--warpwright-models names no model: give names joined by commas, as in h200,a100")

    @pytest.hookimpl(tryfirst=True)
    def pytest_runtestloop(self, session: Any) -> bool:
        if session.testsfailed and not self._config.option.continue_on_collection_errors:
            raise session.Interrupted(f"there were {session.testsfailed} errors during collection")
        if self._config.option.collectonly:
            return True
        wanted = [item.nodeid for item in session.items]
        session.testscollected = len(wanted) * len(self._models)  # of which the progress is a part
        for model in self._models:
            if wanted:
                self._run(session, model, wanted)
        return True

    def _words(self) -> "list[str]":
        """Returns the command line without what names models or tests: the process gets the tests that were collected."""
        given = list(self._config.invocation_params.args)
        tests = set(map(str, self._config.option.file_or_dir or []))
        out, skip = [], False
        for word in map(str, given):
            if skip:
                skip = False
            elif word == "--warpwright-models":
                skip = True
            elif not word.startswith("--warpwright-models=") and word not in tests:
                out.append(word)
        return out

    def _run(self, session: Any, model: str, wanted: "list[str]") -> None:
        with tempfile.TemporaryDirectory() as folder:
            path = os.path.join(folder, "reports")
            command = [sys.executable, "-m", "pytest", *self._words(), f"--warpwright={model}", f"{_REPORTS}={path}",
                       f"--rootdir={self._config.rootpath}", *wanted]
            done = subprocess.run(command, cwd=self._config.invocation_params.dir, capture_output=True, text=True,
                                  errors="replace")
            try:
                with open(path, encoding="utf-8") as lines:
                    reports = [json.loads(line) for line in lines]
            except OSError:
                reports = []
        told = set()
        for data in reports:
            report = self._config.hook.pytest_report_from_serializable(config=self._config, data=data)
            if not isinstance(report, pytest.TestReport):  # of a collection, which this process has made too
                continue
            told.add(report.nodeid)
            report.nodeid += f"[{model}]"
            report.location = (report.location[0], report.location[1], report.location[2] + f"[{model}]")
            if report.when == "setup":
                self._config.hook.pytest_runtest_logstart(nodeid=report.nodeid, location=report.location)
            self._config.hook.pytest_runtest_logreport(report=report)
            if report.when == "teardown":
                self._config.hook.pytest_runtest_logfinish(nodeid=report.nodeid, location=report.location)
        missing = [n for n in wanted if n not in told]
        # A process that ended early (-x, a crash) leaves tests out: that is said, never passed over.
        if missing and done.returncode not in (0, 1):
            last = (done.stderr.strip() or done.stdout.strip() or f"exit code {done.returncode}").splitlines()[-1]
            raise session.Failed(f"the process for {model} ended early ({last}); {len(missing)} tests did not run")

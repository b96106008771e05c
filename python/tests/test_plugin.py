"""The pytest plugin, by pytester: in processes of their own, as people start it."""

import pytest

KERNELS = r'''
import numpy as np, pytest
import warpwright as ww
SOURCE = r"""
__global__ void copy(int* to, const int* from) { to[threadIdx.x] = from[threadIdx.x]; }
__global__ void race(int* x) {
    __shared__ int word;
    word = threadIdx.x / 32;  // two warps
    __syncthreads();
    x[threadIdx.x] = word;
}
"""
'''


@pytest.fixture
def session(pytester):
    def run(tests, *words):
        pytester.makepyfile(test_kernels=KERNELS + tests)
        plugin = () if has_entry_point() else ("-p", "warpwright.pytest_plugin")
        return pytester.runpytest_subprocess(*plugin, "-p", "no:cacheprovider", *words)

    return run


def has_entry_point():
    from importlib.metadata import entry_points

    found = entry_points()
    chosen = found.select(group="pytest11") if hasattr(found, "select") else found.get("pytest11", [])
    return any(e.value == "warpwright.pytest_plugin" for e in chosen)


def test_findings_fail_the_test_at_their_line(session):
    result = session(r'''
def test_copy(gpu):
    gpu.module(SOURCE)["copy"][1, 64](np.zeros(64, np.int32), np.ones(64, np.int32))

def test_race(gpu):
    gpu.module(SOURCE)["race"][1, 64](np.zeros(64, np.int32))

@pytest.mark.warpwright(checkers="memory")
def test_race_unwatched(gpu):
    gpu.module(SOURCE)["race"][1, 64](np.zeros(64, np.int32))
''')
    result.assert_outcomes(passed=2, failed=1)
    line = next(n for n, l in enumerate(KERNELS.strip().split("\n"), 1) if "two warps" in l)
    result.stdout.fnmatch_lines(["*word = threadIdx.x / 32;  // two warps*", f"*test_kernels.py:{line}: race-shared*",
                                 "*FAILED*test_race*race-shared*"])


def test_counts_are_expected(session):
    result = session(r'''
def run(gpu):
    gpu.module(SOURCE)["copy"][1, 64](np.zeros(64, np.int32), np.ones(64, np.int32))

def test_right(gpu):
    run(gpu)
    assert len(gpu.launches) == 1
    gpu.expect("copy", global_load_sectors=8, barriers=range(1), branch_efficiency=lambda x: x is None or x == 1)
    gpu.at_most(shared_bank_conflicts=0, global_load_sectors_per_request=4)
    gpu.at_least(global_efficiency=0.99)

def test_wrong(gpu):
    run(gpu)
    gpu.expect(global_load_sectors=9)

def test_above(gpu):
    run(gpu)
    gpu.at_most(global_load_sectors=7)

def test_quotient(gpu):
    run(gpu)
    gpu.at_most(global_load_sectors_per_request=2)

def test_no_such_kernel(gpu):
    run(gpu)
    gpu.expect("other", barriers=0)

def test_no_such_count(gpu):
    run(gpu)
    gpu.expect(global_load_sector=1)
''')
    result.assert_outcomes(passed=1, failed=5)
    result.stdout.no_fnmatch_line("*pytest_plugin.py:*")
    result.stdout.fnmatch_lines(["*global_load_sectors is 8, it should be 9*", "*test_kernels.py:*: 8*",
                                 "*global_load_sectors is 8, it should be at most 7*",
                                 "*global_load_sectors_per_request is 4*, it should be at most 2*", "*test_kernels.py:*: 8 global_load_sectors*", "*there was no launch of a kernel 'other', only of copy*",
                                 "*no count 'global_load_sector'*"])


def test_the_whole_session_runs_on_a_model(session):
    result = session(r'''
import ctypes
name = ctypes.create_string_buffer(100)  # at import already
ctypes.CDLL("libcuda.so.1").cuDeviceGetName(name, 100, 0)

def test_model(gpu):
    launch = gpu.module(SOURCE)["copy"][1, 64](np.zeros(64, np.int32), np.ones(64, np.int32))
    assert launch.model == "v100" and b"V100" in name.value
    assert launch.time > 0
''', "--warpwright=v100", "--warpwright-checkers=none")
    result.assert_outcomes(passed=1)
    result.stdout.fnmatch_lines(["warpwright: *V100*"])


def test_a_matrix_of_models(session):
    result = session(r'''
def test_model(gpu, request):
    launch = gpu.module(SOURCE)["copy"][1, 64](np.zeros(64, np.int32), np.ones(64, np.int32))
    assert launch.model != "v100"

def test_other():
    pass
''', "--warpwright-models=h200,v100", "-v")
    result.assert_outcomes(passed=3, failed=1)
    result.stdout.fnmatch_lines(["*test_model[[]h200[]] PASSED*", "*test_model[[]v100[]] FAILED*",
                                 "*assert 'v100' != 'v100'*"])
    # The progress is a part of the tests on all models.
    result.stdout.fnmatch_lines(["*test_model[[]h200[]] PASSED*[[] 25%]*", "*test_other[[]v100[]] PASSED*[[]100%]*"])


def test_a_model_that_does_not_exist_ends_the_session(session):
    for word in ("--warpwright=h2000", "--warpwright-models=h2000"):
        result = session("def test_nothing(): pass\n", word)
        assert result.ret != 0
        assert "h2000" in result.stdout.str() + result.stderr.str()

"""Checkers and recordings."""

import numpy as np
import pytest

import warpwright as ww

RACE = r"""
__global__ void race(int* x) {
    __shared__ int word;
    word = threadIdx.x / 32;
    __syncthreads();
    x[threadIdx.x] = word;
}
__global__ void copy(int* to, const int* from) { to[threadIdx.x] = from[threadIdx.x]; }
__global__ void add(int* to, const int* from) { to[threadIdx.x] += from[threadIdx.x]; }
"""


@pytest.fixture(scope="module")
def module():
    return ww.Module(RACE, name="race.cu")


def test_a_race_is_raised_at_its_line(module):
    x = np.zeros(64, np.int32)
    module["race"][1, 64](x)  # nothing looks
    with pytest.raises(ww.Finding) as e, ww.check() as c:
        module["race"][1, 64](x)
    assert (e.value.kind, e.value.file, e.value.line) == ("race-shared", "race.cu", 4)
    assert e.value.severity == "error" and e.value.launch.counts.barriers == 2
    assert c.findings and c.findings[0].kind == "race-shared"
    module["race"][1, 64](x)


def test_correct_kernels_pass(module):
    to, source = np.zeros(64, np.int32), np.arange(64, dtype=np.int32)
    with ww.check() as c:
        checked = module["copy"][1, 64](to, source)
    assert not c.findings
    np.testing.assert_array_equal(to, source)
    assert dict(checked.counts) == dict(module["copy"][1, 64](to, source).counts)
    assert checked.time is None and checked.unpredicted


def test_memory_that_was_never_written(module):
    x = np.zeros(64, np.int32)
    before = ww.empty(64, np.int32)
    with ww.check(raises=False) as c:
        module["add"][1, 64](x, before)
        assert not c.take()
        module["add"][1, 64](x, ww.empty(64, np.int32))
        assert [f.kind for f in c.take()] == ["uninitialised"]


def test_bounds_are_those_of_the_array(module):
    with pytest.raises(ww.Finding, match="out-of-bounds"), ww.check("memory"):
        module["copy"][1, 64](np.zeros(64, np.int32), np.zeros(63, np.int32))


def test_checks_do_not_nest_and_know_their_words():
    with ww.check(raises=False):
        with pytest.raises(ww.UsageError, match="under way already"):
            with ww.check():
                pass
    with pytest.raises(ww.UsageError, match="nonsense"):
        with ww.check("nonsense"):
            pass
    with ww.check():
        pass


def test_profile_has_every_launch(module):
    x = np.zeros(64, np.int32)
    module["race"][1, 64](x)
    with ww.profile() as p:
        assert len(p.take()) == 0
        module["race"][1, 64](x)
        module["copy"][1, 32](x, x)
        assert len(p.take()) == 2
        module["copy"][2, 32](x, x)
    assert [l.kernel for l in p.launches] == ["race", "copy", "copy"]
    assert len(p.launches.kernel("copy")) == 2
    assert p.time > 0 and p.bound > 0
    assert p.counts["barriers"] == sum(l.counts.barriers for l in p)
    assert "3 launches" in repr(p) and "copy" in p._repr_html_()


def test_recordings_may_overlap(module):
    x = np.zeros(64, np.int32)
    with ww.profile() as outer:
        module["copy"][1, 32](x, x)
        with ww.profile() as inner:
            module["copy"][1, 32](x, x)
    assert (len(outer), len(inner)) == (2, 1)

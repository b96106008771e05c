"""Tensors in the host's memory, handed to kernels as Triton's launcher does it."""

import ctypes as c

import numpy as np
import pytest

import warpwright as ww

PTX = rb"""
.version 8.0
.target sm_90
.address_size 64
.visible .entry put(.param .u64 to, .param .u32 count)
{
    .reg .b32 %r<4>;
    .reg .b64 %rd<4>;
    .reg .pred %p1;
    ld.param.u64 %rd1, [to];
    ld.param.u32 %r1, [count];
    mov.u32 %r2, %tid.x;
    setp.ge.u32 %p1, %r2, %r1;
    @%p1 bra END;
    mul.wide.u32 %rd2, %r2, 4;
    add.u64 %rd3, %rd1, %rd2;
    st.global.u32 [%rd3], %r2;
END:
    ret;
}
.visible .entry race(.param .u64 to)
{
    .reg .b32 %r<2>;
    .reg .b64 %rd<2>;
    ld.param.u64 %rd1, [to];
    mov.u32 %r1, %tid.x;
    st.global.u32 [%rd1], %r1;
    ret;
}
"""


class Storage:
    def __init__(self, array):
        self.array = array

    def data_ptr(self):
        return self.array.ctypes.data

    def nbytes(self):
        return self.array.nbytes


class Tensor:
    """What a launcher asks of a tensor of PyTorch."""

    def __init__(self, array, first=0):
        self.array, self.first = array, first

    def data_ptr(self):
        return self.array.ctypes.data + 4 * self.first

    def untyped_storage(self):
        return Storage(self.array)


class Launcher:
    def __init__(self):
        ww.activate()
        # Triton's launcher is in C, and has the interpreter's lock.
        self.cuda = c.PyDLL("libcuda.so.1")
        context, module = c.c_void_p(), c.c_void_p()
        assert self.cuda.cuInit(0) == 0
        assert self.cuda.cuDevicePrimaryCtxRetain(c.byref(context), 0) == 0
        assert self.cuda.cuCtxSetCurrent(context) == 0
        assert self.cuda.cuModuleLoadData(c.byref(module), PTX) == 0
        self.module = module

    def __call__(self, name, threads, tensor, *numbers):
        function, pointer = c.c_void_p(), c.c_uint64()
        assert self.cuda.cuModuleGetFunction(c.byref(function), self.module, name.encode()) == 0
        device_pointer = 3
        assert self.cuda.cuPointerGetAttribute(c.byref(pointer), device_pointer, c.c_uint64(tensor.data_ptr())) == 0
        values = [pointer] + [c.c_uint32(n) for n in numbers]
        arguments = (c.c_void_p * len(values))(*(c.addressof(v) for v in values))
        one = self.cuda.cuLaunchKernel(function, 1, 1, 1, threads, 1, 1, 0, None, arguments, None)
        return one or self.cuda.cuCtxSynchronize()


@pytest.fixture(scope="module")
def launch():
    return Launcher()


def test_results_are_there_with_and_without_checkers(launch):
    for checked in (False, True):
        x = Tensor(np.zeros(64, np.int32))
        if checked:
            with ww.check() as found:
                assert launch("put", 64, x, 64) == 0
            assert not found.findings
        else:
            assert launch("put", 64, x, 64) == 0
        np.testing.assert_array_equal(x.array, np.arange(64))


def test_a_view_reaches_its_storage(launch):
    view = Tensor(np.zeros(64, np.int32), first=60)
    with ww.check() as found:
        assert launch("put", 4, view, 4) == 0
    assert not found.findings
    np.testing.assert_array_equal(view.array[60:], np.arange(4))
    with ww.check(raises=False) as found:
        launch("put", 5, view, 5)
        assert [f.kind for f in found.take()] == ["out-of-bounds"]


def test_accesses_outside_are_found(launch):
    around = np.zeros(128, np.int32)
    short = Tensor(around[:60])
    with ww.check(raises=False) as found:
        launch("put", 64, short, 64)
        kinds = [f.kind for f in found.take()]
    assert kinds == ["out-of-bounds"]
    assert not around[60:].any()


def test_races_are_found(launch):
    x = Tensor(np.zeros(4, np.int32))
    with ww.check(raises=False) as found:
        launch("race", 64, x)
        assert {f.kind for f in found.take()} & {"race-global", "race-lanes"}

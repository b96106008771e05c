"""Modules, arguments of launches, and what a launch gives."""

import ctypes

import numpy as np
import pytest

import warpwright as ww


def test_a_launch_changes_arrays_in_place_and_counts(saxpy):
    x, y = np.arange(1000, dtype=np.float32), np.ones(1000, np.float32)
    launch = saxpy[4, 256](2, x, y, 1000)
    np.testing.assert_array_equal(y, 1 + 2 * np.arange(1000))
    assert launch.kernel == "saxpy" and launch.grid == (4, 1, 1) and launch.block == (256, 1, 1)
    # 1000 words of two arrays, in sectors of 8 words: 125 each; 32 warps have a thread below 1000.
    assert launch.counts.global_load_sectors == 250
    assert launch.counts["global_store_sectors"] == 125
    assert launch.counts["global_store_requests"] == 32
    assert launch.bound.seconds > 0 and launch.bound.binds
    assert launch.time > 0
    assert launch.occupancy["fraction"] > 0
    line = next(l for l in launch.lines if l.counts["global_store_requests"])
    assert line.line == 4 and "y[i] += a * x[i]" in line.text
    assert "saxpy" in launch._repr_html_() and "predicted" in repr(launch)


def test_what_holds_a_launch_back_is_told():
    strided = ww.Module("""extern "C" __global__ void strided(const float* x, float* y, int s) {
        int i = blockIdx.x * blockDim.x + threadIdx.x;
        y[i] = x[i * s];
    }""", name="strided.cu")["strided"]
    n = 1 << 18
    launch = strided[n // 256, 256](np.zeros(n * 16, np.float32), np.zeros(n, np.float32), 16)
    first = launch.causes[0]
    assert first.cause == "uncoalesced_load" and 0.08 < first.share < 1 and first.line == 3
    assert first.evidence["sectors_per_request"] == 32 and first.evidence["needed"] == 4
    assert "32 sectors" in first.says and "64 bytes apart" in first.fix
    assert "uncoalesced_load" in repr(first) and first.fix in launch._repr_html_().replace("&#x27;", "'")
    assert [c.share for c in launch.causes] == sorted((c.share for c in launch.causes), reverse=True)


def test_counts_name_what_is_near(saxpy):
    launch = saxpy[1, 32](1.0, np.zeros(32, np.float32), np.zeros(32, np.float32), 32)
    with pytest.raises(KeyError, match="did you mean .*global_load_sectors"):
        launch.counts["global_load_sector"]
    with pytest.raises(AttributeError):
        launch.counts.no_such_thing


def test_scalars_take_the_parameters_type(saxpy):
    x, y = np.ones(32, np.float32), np.zeros(32, np.float32)
    for a, n in ((3, 32), (3.0, np.int32(32)), (np.float32(3), ctypes.c_int(32)), (np.array(3, np.float32), True * 32)):
        y[:] = 0
        saxpy[1, 32](a, x, y, n)
        assert (y == 3).all()


@pytest.mark.parametrize("arguments, message", [
    (lambda x: (1, x, x), "takes 4 arguments, 3 given"),
    (lambda x: (1, x, x, 1.5), "argument 3 .* is a float"),
    (lambda x: (1, x, x, 1 << 40), "does not fit into 32 bits"),
    (lambda x: (np.float64(1), x, x, 1), "8 bytes, its parameter .* has 4"),
    (lambda x: (1, x[::2], x, 1), "argument 1 .* gaps .*ascontiguousarray"),
    (lambda x: (1, [1.0], x, 1), "argument 1 .* has the type list"),
    (lambda x: (1, np.array([None]), x, 1), "array of Python objects"),
])
def test_arguments_that_do_not_fit_are_named(saxpy, arguments, message):
    with pytest.raises(ww.UsageError, match=message):
        saxpy[1, 1](*arguments(np.zeros(4, np.float32)))


def test_arrays_whose_elements_have_another_size_are_refused(saxpy):
    x, y = np.ones(32, np.float32), np.ones(32, np.float32)
    for wrong, name in ((x.astype(np.float64), "float64"), (np.ones(32, np.int64), "int64"), (np.ones(32, "f2"), "float16")):
        with pytest.raises(ww.UsageError, match=f"argument 1 .* is an array of {name}, and 'x' is const float\\*, whose "
                           "elements have 4 bytes .*float32"):
            saxpy[1, 32](1, wrong, y, 32)
        with pytest.raises(ww.UsageError, match="argument 1"):
            saxpy[1, 32](1, ww.array(wrong), y, 32)
    # Bytes are raw memory, and a complex number is two numbers.
    saxpy[1, 32](1, x.view(np.uint8), y, 32)
    saxpy[1, 32](1, x.view(np.complex64), y, 32)
    assert (y == 3).all()


def test_pointers_of_unknown_types_take_every_array():
    k = ww.Module('struct S { double a; };\n__global__ void f(S* s, void* v, char* c) { s->a = 1; }')["f"]
    s = np.zeros(1, np.float64)
    k[1, 1](s, np.zeros(1, np.int64), np.zeros(1, np.float32))
    assert s[0] == 1


def test_shapes_that_are_none_are_refused(saxpy):
    for shape in (0, (1, 2, 3, 4), "4", -1):
        with pytest.raises(ww.UsageError):
            saxpy[shape, 32]
    with pytest.raises(ww.UsageError, match="a grid and a block"):
        saxpy[4]
    with pytest.raises(ww.LimitError):
        saxpy[1, 4096](1, np.zeros(1, np.float32), np.zeros(1, np.float32), 1)


def test_read_only_arrays_are_not_written(saxpy):
    x = np.ones(32, np.float32)
    y = np.ones(32, np.float32)
    y.flags.writeable = False
    with pytest.raises(ww.UsageError, match="argument 2, which is read-only"):
        saxpy[1, 32](1, x, y, 32)
    assert (y == 1).all()
    x.flags.writeable = False
    z = np.zeros(32, np.float32)
    saxpy[1, 32](1, x, z, 32)
    assert (z == 1).all()


def test_views_and_overlapping_arrays(saxpy):
    whole = np.ones(100, np.float32)
    saxpy[1, 64](1, whole[:50], whole[50:], 50)
    assert (whole[:50] == 1).all() and (whole[50:] == 2).all()
    matrix = np.asfortranarray(np.ones((8, 4), np.float32))
    saxpy[1, 32](1, np.ones(32, np.float32), matrix, 32)
    assert (matrix == 2).all()


def test_device_arrays_and_their_interface(saxpy):
    x = ww.array(np.full(64, 2, np.float32))
    y = ww.empty(64)
    y.set(np.zeros(64))
    saxpy[1, 64](1, x, y, 64)
    assert (y.get() == 2).all() and (np.asarray(y) == 2).all()

    class Foreign:
        __cuda_array_interface__ = x.__cuda_array_interface__

    saxpy[1, 64](1, Foreign(), y, 64)
    assert (y.get() == 4).all()


def test_dlpack_of_the_host(saxpy):
    class Tensor:
        def __init__(self, array):
            self.array = array

        def __dlpack__(self, **options):
            return self.array.__dlpack__(**options)

        def __dlpack_device__(self):
            return (1, 0)

    y = np.zeros(32, np.float32)
    saxpy[1, 32](1, Tensor(np.ones(32, np.float32)), Tensor(y), 32)
    assert (y == 1).all()


def test_templates_are_instantiated_when_asked_for():
    module = ww.Module(r"""
template <class T, int N> __global__ void scale(T* x) { x[threadIdx.x] *= N; }
namespace inner { template <class T> __global__ void fill(T* x, T value) { x[threadIdx.x] = value; } }
__global__ void plain(int* x) { x[threadIdx.x] = 1; }
""")
    assert module.kernels == ["plain"]
    x = np.ones(32, np.float32)
    module["scale<float, 16>"][1, 32](x)
    assert (x == 16).all()
    i = np.ones(32, np.int64)
    module["scale<long long, 3>"][1, 32](i)
    module["inner::fill<float>"][1, 32](x, 7)
    assert (i == 3).all() and (x == 7).all()
    assert set(module.kernels) >= {"plain", "scale<float, 16>"}
    with pytest.raises(ww.Error, match="no_such"):
        module["no_such<float>"]
    with pytest.raises(ww.CompileError, match="plain"):
        module["no_such"]


def test_dynamic_shared_memory():
    module = ww.Module(r"""
__global__ void reverse(int* x) {
    extern __shared__ int tile[];
    tile[threadIdx.x] = x[threadIdx.x];
    __syncthreads();
    x[threadIdx.x] = tile[blockDim.x - 1 - threadIdx.x];
}
""")
    x = np.arange(64, dtype=np.int32)
    launch = module.reverse[1, 64, 256](x)
    np.testing.assert_array_equal(x, np.arange(64)[::-1])
    assert launch.counts.barriers == 2
    module.reverse.launch(1, 64, x, shared=100000)  # more than 48 KiB needs no word of its own
    with pytest.raises(ww.LimitError):
        module.reverse[1, 64, 1 << 20](x)


def test_what_kernels_print(capsys):
    module = ww.Module('#include <cstdio>\n__global__ void hello() { printf("hello from %d\\n", threadIdx.x); }\n')
    launch = module["hello"][1, 2]()
    assert launch.output == "hello from 0\nhello from 1\n" == capsys.readouterr().out


def test_sources_that_do_not_compile_are_located():
    with pytest.raises(ww.CompileError) as e:
        ww.Module("__global__ void f(int* x) {\n    x[0] = nonsense;\n}\n", name="f.cu")
    assert (e.value.file.split("/")[-1], e.value.line) == ("f.cu", 2) and "nonsense" in str(e.value)
    with pytest.raises(ww.CompileError) as e:
        ww.Module(".version 8.0\n.target sm_80\nnonsense\n")
    assert e.value.line == 3
    with pytest.raises(ww.UsageError, match="there is no file 'none.cu'"):
        ww.Module("none.cu")


def test_messages_name_the_python_file_in_which_a_source_stands():
    module = ww.Module(r"""
__global__ void beyond(int* x) {
    x[threadIdx.x + 100000] = 1;  // the line that is named
}
""")
    with pytest.raises(ww.KernelFault) as e:
        module["beyond"][1, 32](np.zeros(32, np.int32))
    assert e.value.file.endswith("test_launch.py")
    lines = open(__file__).read().split("\n")
    assert "the line that is named" in lines[e.value.line - 1]
    assert e.value.cause and e.value.launch.error


def test_a_fault_leaves_the_device_working(saxpy):
    bad = ww.Module(".version 8.0\n.target sm_80\n.address_size 64\n.visible .entry bad() {\n.reg .b64 %rd<2>;\n"
                    ".reg .b32 %r<2>;\nmov.u64 %rd1, 16;\nmov.u32 %r1, 1;\nst.global.u32 [%rd1], %r1;\nret;\n}\n")
    with pytest.raises(ww.KernelFault, match="kernel.ptx:9"):
        bad["bad"][1, 1]()
    y = np.zeros(32, np.float32)
    saxpy[1, 32](1, np.ones(32, np.float32), y, 32)
    assert (y == 1).all()


@pytest.mark.parametrize("offset", [0, 16, 256])
def test_an_access_that_a_gpu_does_not_notice_is_a_warning(saxpy, offset):
    # Wherever the array lies: also at addresses that device memory could have.
    room = np.zeros(2 * 4096, np.uint8)
    start = -room.ctypes.data % 4096 + offset
    x = room[start:start + 128].view(np.float32)
    y = np.zeros(33, np.float32)
    with pytest.warns(ww.FindingWarning, match="saxpy.cu:4"):
        saxpy[1, 64](1, x, y, 33)


def test_a_file_and_its_options(tmp_path):
    file = tmp_path / "fill.cu"
    file.write_text("__global__ void fill(int* x) { x[threadIdx.x] = VALUE; }\n")
    x = np.zeros(32, np.int32)
    ww.Module(file, options=["-DVALUE=7"])["fill"][1, 32](x)
    assert (x == 7).all()
    ptx = tmp_path / "fill.ptx"
    ptx.write_text(ww.Module(str(file), options=["-DVALUE=8"]).ptx)
    ww.Module(str(ptx))["fill"][1, 32](x)
    assert (x == 8).all()

"""What happens when packages are imported: hooks in their order, autotuners with one launch for each configuration."""
import importlib
import json
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest

import warpwright as ww

FOLDER = Path(__file__).resolve().parents[2] / "toolchain" / "python"
TESTING = ("def do_bench(fn, warmup=25, rep=100, grad_to_none=None, quantiles=None, return_mode='mean'):\n"
           "    raise AssertionError('not replaced')\n")
SCALE = "extern \"C\" __global__ void scale(float* x, int n) { for (int i = threadIdx.x; i < n; i += blockDim.x) x[i] *= 2; }"


@pytest.fixture
def package(tmp_path, monkeypatch):
    """A package with a module that begins as Triton's does."""
    ww.activate()
    monkeypatch.syspath_prepend(str(FOLDER))
    monkeypatch.syspath_prepend(str(tmp_path))
    (tmp_path / "made_up_tuner.py").write_text(TESTING)
    yield importlib.import_module("warpwright_imports"), importlib.import_module("warpwright_autotune")
    sys.modules.pop("made_up_tuner", None)


def test_hooks_run_around_the_import_and_at_once_where_it_was(package):
    imports, _ = package
    seen = []
    imports.when("made_up_tuner", lambda module: seen.append(module.__name__), lambda: seen.append("before"))
    assert seen == []
    module = importlib.import_module("made_up_tuner")
    assert seen == ["before", "made_up_tuner"]
    imports.when("made_up_tuner", lambda again: seen.append(again is module))
    assert seen[-1] is True


def test_a_configuration_is_launched_once_and_has_its_predicted_time(package, capfd):
    _, autotune = package
    module = importlib.import_module("made_up_tuner")
    autotune._of_triton(module)
    kernel = ww.Module(SCALE)["scale"]
    x, calls = ww.array(np.ones(4096, np.float32)), []

    def run(n):
        calls.append(n)
        kernel[1, 128](x, n)

    short, long = (module.do_bench(lambda n=n: run(n)) for n in (128, 4096))
    assert calls == [128, 4096]
    assert 0 < short < long
    # Launches of one kernel are simulated together, so later times of the same launch may differ a little.
    assert module.do_bench(lambda: run(128), quantiles=(0.5, 0.2)) == pytest.approx([short, short], rel=0.2)
    assert module.do_bench(lambda: run(128), return_mode="all") == pytest.approx([short], rel=0.2)
    assert capfd.readouterr().err.count("launched once") == 1


def test_a_finding_in_a_kernel_of_a_library_is_told_at_the_line_that_launched_it(tmp_path):
    """`check` names the program's line, and the kernel's beside it: an index of 9 in a tensor of 4."""
    from warpwright import _native

    program = tmp_path / "program.py"
    program.write_text(f'''
import ctypes as c, struct
cuda = c.CDLL("libcuda.so.1")
device, context, module, kernel = c.c_int(), c.c_void_p(), c.c_void_p(), c.c_void_p()
cuda.cuInit(0); cuda.cuDeviceGet(c.byref(device), 0)
cuda.cuDevicePrimaryCtxRetain(c.byref(context), device); cuda.cuCtxSetCurrent(context)
cuda.cuModuleLoad(c.byref(module), b"{_native.folder() / 'aten' / 'unary_f32.ptx'}")
cuda.cuModuleGetFunction(c.byref(kernel), module, b"exp_f32")
memory = c.c_uint64()
cuda.cuMemAlloc_v2(c.byref(memory), c.c_size_t(64)); cuda.cuMemsetD8_v2(memory, 0, c.c_size_t(64))
text = struct.pack("<QQq4d", memory.value, memory.value, 17, 0, 0, 0, 0)
data, size = c.create_string_buffer(text), c.c_size_t(len(text))
extra = (c.c_void_p * 5)(1, c.addressof(data), 2, c.addressof(size), 0)
def launch():
    return cuda.cuLaunchKernel(kernel, 1, 1, 1, 32, 1, 1, 0, None, None, extra)  # the line
launch()
cuda.cuCtxSynchronize()
''')
    out = subprocess.run([_native.program(), "check", sys.executable, program.name], cwd=tmp_path, capture_output=True,
                         text=True, timeout=120)
    line = next(n for n, text in enumerate(program.read_text().splitlines(), 1) if "# the line" in text)
    said = "".join(out.stderr.split())  # lines are broken anywhere
    assert f"atprogram.py:{line}:launchofexp_f32" in said, out.stderr
    assert "akernelofWarpwright's" in said and "error[out-of-bounds]" in said, out.stderr


def test_memory_that_a_program_keeps_until_it_ends_is_no_leak(tmp_path):
    """Python's objects live until the process ends. (In a C++ program it is a leak: tests/check/programs/leak.cu.)"""
    from warpwright import _native

    (tmp_path / "kept.py").write_text('''
import ctypes as c
cuda = c.CDLL("libcudart.so.12")
kept = c.c_void_p()
assert cuda.cudaMalloc(c.byref(kept), c.c_size_t(4096)) == 0
print("kept")
''')
    out = subprocess.run([_native.program(), "check", "--json", "found.json", sys.executable, "kept.py"], cwd=tmp_path,
                         capture_output=True, text=True, timeout=120)
    assert "kept" in out.stdout, out.stderr
    found = [f["kind"] for f in json.loads((tmp_path / "found.json").read_text())["findings"]]
    assert found == [], out.stderr

"""Import, activation, and what cannot work: each is one clear line. In processes of their own."""

import importlib.metadata
import os
import re
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

import warpwright as ww


def run(code, **environment):
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True,
                          env={**os.environ, **environment})
    return done.stdout + done.stderr


def test_importing_loads_next_to_nothing():
    out = run("import sys; before = set(sys.modules); import warpwright; print(sorted(set(sys.modules) - before))")
    assert out.strip() == "['__future__', 'warpwright']"
    out = run("import sys, warpwright as ww; ww.activate(); print('numpy' in sys.modules, 'ctypes' in sys.modules)")
    assert out.strip() == "False True"


BINDINGS = """
import ctypes
make = ctypes.PYFUNCTYPE(ctypes.py_object, ctypes.c_void_p, ctypes.c_char_p, ctypes.c_void_p)(
    ("PyCapsule_New", ctypes.pythonapi))
NAME = ctypes.c_char_p(b"cudaError_t (int *)")
own = ctypes.CFUNCTYPE(ctypes.c_int, ctypes.c_void_p)(lambda pointer: 500)
address = ctypes.cast(own, ctypes.c_void_p)
__pyx_capi__ = {"_cudaGetDeviceCount": make(address, NAME, None), "_cudaOfNoVersion": make(address, NAME, None)}
"""

CALL_BINDINGS = """
import ctypes
import warpwright as ww
ww.activate()
from cuda.bindings._bindings import cyruntime
pointer_of = ctypes.PYFUNCTYPE(ctypes.c_void_p, ctypes.py_object, ctypes.c_char_p)(
    ("PyCapsule_GetPointer", ctypes.pythonapi))
for name, capsule in cyruntime.__pyx_capi__.items():
    function = ctypes.CFUNCTYPE(ctypes.c_int, ctypes.c_void_p)(pointer_of(capsule, cyruntime.NAME.value))
    count = ctypes.c_int(-1)
    print(name, function(ctypes.addressof(count)), count.value)
"""


def test_jax_learns_the_model_that_was_activated(tmp_path):
    folder = tmp_path / "jax_plugins" / "xla_cuda13"
    folder.mkdir(parents=True)
    for package in (folder, folder.parent):
        (package / "__init__.py").write_text("")
    (folder / "xla_cuda_plugin.so").write_bytes(b"\0xla_gpu_enable_cub_radix_sort\0")
    for model, flags in (("h200", "--xla_gpu_enable_cub_radix_sort=false"), ("rtx5090", "")):
        out = run(f"import os, warpwright as ww; ww.activate('{model}'); import warpwright_jax; warpwright_jax._before(); "
                  "print(os.environ.get('XLA_FLAGS', ''))", PYTHONPATH=str(tmp_path), XLA_FLAGS="")
        assert out.strip() == flags


def test_nvidias_bindings_of_the_runtime_lead_to_ours(tmp_path):
    folder = tmp_path / "cuda" / "bindings" / "_bindings"
    folder.mkdir(parents=True)
    for package in (folder, folder.parent, folder.parent.parent):
        (package / "__init__.py").write_text("")
    (folder / "cyruntime.py").write_text(BINDINGS)
    out = run(CALL_BINDINGS, PYTHONPATH=str(tmp_path))
    assert out.splitlines() == ["_cudaGetDeviceCount 0 1", "_cudaOfNoVersion 500 -1"]


def test_a_process_has_one_model():
    out = run("import warpwright as ww; print(ww.activate('v100')); print(ww.activate()); print(ww.activate('V100'))\n"
              "try: ww.activate('a100')\nexcept ww.UsageError as e: print(e)")
    lines = out.strip().split("\n")
    assert lines[0] == lines[1] == lines[2] and "V100" in lines[0]
    assert "already runs on the model v100" in lines[3]


def test_a_model_that_does_not_exist():
    out = run("import warpwright as ww\ntry: ww.activate('h2000')\nexcept ww.Error as e: print('told:', e)")
    assert out.startswith("told:") and "h2000" in out and out.count("\n") == 1


def test_settings_are_not_inherited():
    out = run("import os, warpwright as ww; ww.activate('a100', threads=1); print('WARPWRIGHT_MODEL' in os.environ)")
    assert out.strip() == "False"


def test_a_fork_says_what_to_do():
    out = run("import os, sys, warpwright as ww; ww.activate()\n"
              "pid = os.fork()\n"
              "if pid == 0:\n"
              "    try: ww.empty(3)\n"
              "    except ww.UsageError as e: print(e); sys.stdout.flush()\n"
              "    os._exit(0)\n"
              "os.waitpid(pid, 0); print(ww.empty(3))")
    lines = out.strip().split("\n")
    assert "forked" in lines[0] and "spawn" in lines[0]
    assert lines[1].startswith("<DeviceArray")


def test_a_second_driver_is_refused(tmp_path):
    # Any library will do: it is known by its name.
    other = tmp_path / "libcuda.so.1"
    import _ctypes

    shutil.copy(_ctypes.__file__, other)
    out = run(f"import ctypes; ctypes.CDLL({str(other)!r})\nimport warpwright as ww\n"
              "try: ww.activate()\nexcept ww.UsageError as e: print(e)")
    assert str(other) in out and "before anything that uses CUDA is imported" in out


def test_clients_find_our_libraries():
    out = run("import ctypes, os, warpwright as ww; ww.activate('a100')\n"
              "cuda = ctypes.CDLL('libcuda.so.1'); n = ctypes.c_int()\n"
              "print(cuda.cuInit(0), cuda.cuDeviceGetCount(ctypes.byref(n)), n.value)\n"
              "name = ctypes.create_string_buffer(100); cuda.cuDeviceGetName(name, 100, 0); print(name.value.decode())\n"
              "rt = ctypes.CDLL('libcudart.so.13'); p = ctypes.c_void_p()\n"
              "print(rt.cudaMalloc(ctypes.byref(p), 1000), os.path.exists(os.environ['NUMBA_CUDA_DRIVER']))")
    lines = out.strip().split("\n")
    assert lines[0] == "0 0 1" and "A100" in lines[1] and lines[2] == "0 True"


def test_launches_of_the_driver_library_are_recorded_and_checked():
    out = run(r'''
import ctypes, warpwright as ww
ww.activate()
cuda = ctypes.CDLL("libcuda.so.1")
text = b""".version 8.0
.target sm_80
.address_size 64
.visible .entry lonely() {
.shared .align 4 .b32 word;
.reg .b32 %r<2>;
mov.u32 %r1, %tid.x;
shr.u32 %r1, %r1, 5;
st.shared.u32 [word], %r1;
ret;
}
"""
context, module, function = ctypes.c_void_p(), ctypes.c_void_p(), ctypes.c_void_p()
assert cuda.cuInit(0) == 0 and cuda.cuDevicePrimaryCtxRetain(ctypes.byref(context), 0) == 0
assert cuda.cuCtxSetCurrent(context) == 0 and cuda.cuModuleLoadData(ctypes.byref(module), text) == 0
assert cuda.cuModuleGetFunction(ctypes.byref(function), module, b"lonely") == 0
def launch(): assert cuda.cuLaunchKernel(function, 2, 1, 1, 64, 1, 1, 0, None, None, None) == 0
with ww.profile() as p:
    launch()
    launch()
print([l.kernel for l in p], p.counts["shared_store_requests"])
try:
    with ww.check():
        launch()
except ww.Finding as e:
    print(e.kind, e.line)
launch()
ww.synchronize()
''')
    assert out.strip().split("\n") == ["['lonely', 'lonely'] 8", "race-shared 9"]


def test_without_the_library(tmp_path):
    import warpwright

    copy = tmp_path / "warpwright"
    shutil.copytree(os.path.dirname(warpwright.__file__), copy, ignore=shutil.ignore_patterns("_native", "__pycache__"))
    out = run("import warpwright as ww\ntry: ww.activate()\nexcept ww.MissingToolError as e: print(e)",
              PYTHONPATH=str(tmp_path), WARPWRIGHT_CUDART="")
    assert "libwarpwright_cuda.so was not found" in out


def test_without_the_compiler_ptx_still_runs():
    out = run("import warpwright as ww\n"
              "try: ww.Module('__global__ void f() {}')\nexcept ww.MissingToolError as e: print(e)\n"
              "print(ww.Module('.version 8.0\\n.target sm_80\\n.address_size 64\\n.visible .entry f() { ret; }\\n')"
              "['f'][1, 1]().kernel)", WARPWRIGHT_CLANG="/no/such/clang", WARPWRIGHT_CACHE="")
    lines = out.strip().split("\n")
    assert "clang" in lines[0] and lines[-1] == "f" and len(lines) == 2


@pytest.mark.parametrize("words", [["--version"], ["-m", "warpwright", "--version"]])
def test_the_program(words):
    command = [sys.executable, *words] if words[0] == "-m" else [shutil.which("warpwright"), *words]
    if command[0] is None:
        pytest.skip("the package is used from its sources: there is no script")
    assert subprocess.run(command, capture_output=True, text=True).stdout == f"warpwright {ww.__version__}\n"


def test_package_library_and_cmake_have_one_version():
    lists = Path(__file__).resolve().parents[2] / "CMakeLists.txt"
    version = re.search(r"^project\(warpwright VERSION (\S+)", lists.read_text(), re.M).group(1)
    assert ww.__version__ == version
    try:
        installed = importlib.metadata.version("warpwright")
    except importlib.metadata.PackageNotFoundError:
        pytest.skip("the package is used from its sources: it has no metadata")
    assert installed == version

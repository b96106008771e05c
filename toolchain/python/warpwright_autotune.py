"""Autotuners choose by predicted time (docs/python-packages.md): each configuration is launched once, since a model gives the
same answer every time, and no cache is cleared before, since the model's are cold at the start of each launch."""
import ctypes
import functools
import os
import sys

import warpwright_imports

_told = set()
_seconds = []


def tell(who):
    """Says once in a process whose times these are."""
    if who in _told:
        return
    _told.add(who)
    model = os.path.splitext(os.path.basename(os.environ.get("WARPWRIGHT_MODEL", "")))[0]
    by = "and without times the first is as good as any" if os.environ.get("WARPWRIGHT_CHECKERS") else \
        f"and the choice is that of predicted times{' on ' + model if model else ''} (no GPU measured them)"
    print(f"warpwright: {who}: each configuration is launched once, {by}", file=sys.stderr)


def _sum_of_times():
    if not _seconds:
        folder = warpwright_imports.library_folder()
        library = ctypes.CDLL(os.path.join(folder, "libwarpwright_cuda.so") if folder else "libcuda.so.1")
        _seconds.append(library.ww_record_seconds)
    value = ctypes.c_double()
    if _seconds[0](ctypes.byref(value)):
        raise RuntimeError("warpwright: the kernels' times cannot be read")
    return value.value


_NO_TIME = 1e-3  # milliseconds, of what launches no kernel that has a time


def milliseconds(call):
    """Calls a function once. Returns what its kernels take by the model."""
    begin = _sum_of_times()
    call()
    return (_sum_of_times() - begin) * 1e3 or _NO_TIME


def _as_asked(time, quantiles, return_mode):
    if quantiles is not None:
        return [time] * len(quantiles) if len(quantiles) > 1 else time
    return [time] if return_mode == "all" else time


def _do_bench(fn, warmup=25, rep=100, grad_to_none=None, quantiles=None, return_mode="mean", **ignored):
    """Stands for triton.testing.do_bench and those that are called alike."""
    tell("Triton's autotuning")
    for x in grad_to_none or ():
        x.grad = None
    return _as_asked(milliseconds(fn), quantiles, return_mode)


def _of_triton(testing):
    for name in ("do_bench", "do_bench_cudagraph", "do_bench_proton", "do_bench_cudagraph_proton"):
        if hasattr(testing, name):
            setattr(testing, name, functools.wraps(getattr(testing, name))(_do_bench))


def _benchmark_gpu(self, _callable, *positional, quantiles=None, return_mode="min", grad_to_none=None,
                   is_vetted_benchmarking=False, **ignored):
    tell("Inductor's autotuning")
    for x in grad_to_none or ():
        x.grad = None
    time = milliseconds(_callable)
    return time if quantiles is not None else _as_asked(time, None, return_mode)


def _of_inductor(benchmarking):
    for kind in vars(benchmarking).values():
        if isinstance(kind, type) and issubclass(kind, benchmarking.Benchmarker):
            for name in ("benchmark_gpu", "benchmark_gpu_with_cuda_graph"):
                if name in vars(kind):
                    setattr(kind, name, _benchmark_gpu)


def _of_inductor_by_profile(utils):
    def do_bench_using_profiling(fn, warmup=25, rep=100, is_vetted_benchmarking=False):
        tell("Inductor's autotuning")
        return milliseconds(fn)

    if hasattr(utils, "do_bench_using_profiling"):
        utils.do_bench_using_profiling = do_bench_using_profiling


def _of_kernel_tuner(core):
    make = core.DeviceInterface.__init__

    @functools.wraps(make)
    def init(self, *positional, **named):
        tell("Kernel Tuner")
        make(self, *positional, **named)
        self.iterations = 1

    core.DeviceInterface.__init__ = init


def add_to_xla(flag, value):
    """Adds a flag to XLA_FLAGS; returns False where that names it already: the program's own stands."""
    flags = os.environ.get("XLA_FLAGS", "")
    if flag in flags:
        return False
    os.environ["XLA_FLAGS"] = f"{flags} --{flag}={value}".strip()
    return True


def _before_xla():
    """Switches XLA's autotuning off: it needs kernels of its plug-in that are machine code, and has defaults without it."""
    if add_to_xla("xla_gpu_autotune_level", 0):
        print("warpwright: XLA: autotuning is off (XLA_FLAGS), its default algorithms are taken", file=sys.stderr)


def install():
    for name, after in (("triton.testing", _of_triton), ("torch._inductor.runtime.benchmarking", _of_inductor),
                        ("torch._inductor.utils", _of_inductor_by_profile), ("kernel_tuner.core", _of_kernel_tuner)):
        warpwright_imports.when(name, after)
    for name in ("jaxlib", "tensorflow"):
        if name not in sys.modules:
            warpwright_imports.when(name, lambda module: None, _before_xla)

"""Operators that the CPU computes over the device's memory: those for which there is no kernel. Each is named once on standard error."""
import atexit
import contextlib
import ctypes as c
import os
import sys

import torch

from . import checks, driver

_view = c.pythonapi.PyMemoryView_FromMemory
_view.restype, _view.argtypes = c.py_object, [c.c_void_p, c.c_ssize_t, c.c_int]
told = {}  # operator -> how often the host computed it


def tell(name, why=""):
    times = told.get(name, 0)
    told[name] = times + 1
    if times == 0:  # not to a stream that the program puts in the place of its own
        print(f"warpwright: torch: {name} is computed by the host, without counts{': ' + why if why else ''}", file=sys.__stderr__)


_process = [os.getpid()]


def tell_forked():
    """Says once in a forked child why its operators fail: PyTorch's own words are "initialization error"."""
    if _process[0] != os.getpid():
        _process[0] = os.getpid()
        print("warpwright: torch: this process was forked from one that had used the GPU, and cannot use it, as on a GPU (start it before, or by "
              "multiprocessing's \"spawn\")", file=sys.__stderr__)


@atexit.register
def report():
    """Says at the end how often the host computed which operator, beside the report of what the kernels did."""
    if told:
        print("warpwright: torch: computed by the host, without counts: " + ", ".join(
            f"{name} ({times} {'time' if times == 1 else 'times'})" for name, times in sorted(told.items())), file=sys.stderr)


def seen(t):
    """Shows the device's tensor as one of the CPU, over the same memory."""
    if t.layout != torch.strided:
        raise NotImplementedError(f"warpwright: torch: tensors of the layout {t.layout} are not supported on the emulated device")
    size, stride = t.shape, t.stride()
    n = t.numel()
    if n == 0:
        return torch.empty_strided(size, stride, dtype=t.dtype)
    span = 1 + sum((s - 1) * st for s, st in zip(size, stride))
    memory = _view(driver.at(t), span * t.element_size(), 0x200)
    out = torch.frombuffer(memory, dtype=t.dtype, count=span).as_strided(size, stride)
    out = out.conj() if t.is_conj() else out
    return torch._neg_view(out) if t.is_neg() else out


@contextlib.contextmanager
def _unfilled():
    """Makes tensors that are written at once: what fills new ones in deterministic mode may be the host's work itself."""
    before = torch._C._get_deterministic_fill_uninitialized_memory()
    if before:
        torch._C._set_deterministic_fill_uninitialized_memory(False)
    try:
        yield
    finally:
        if before:
            torch._C._set_deterministic_fill_uninitialized_memory(True)


def upload(t, device, like=None):
    """Copies a tensor of the CPU to the device, or into `like`."""
    if t.layout != torch.strided:
        raise NotImplementedError(f"warpwright: torch: tensors of the layout {t.layout} are not supported on the emulated device")
    if like is None:
        t = t.resolve_conj().resolve_neg()
        if t.numel() and sum((s - 1) * st for s, st in zip(t.shape, t.stride())) + 1 != t.numel():
            t = t.contiguous()
        like = torch.empty_strided(t.shape, t.stride(), dtype=t.dtype, device=device)
        if t.numel():
            driver.to_device(like.data_ptr(), driver.at(t), t.numel() * t.element_size(), like.device.index)
        return like
    if like.shape != t.shape:
        like.resize_(t.shape)
    from .copying import copy_  # itself: a fill may write to places that are one

    return copy_(like, t)


def _generator(device, generator):
    """Makes a generator of the CPU that follows the device's."""
    own = generator if generator is not None and generator.device.type == "cuda" else torch.cuda.default_generators[device]
    offset = own.get_offset()
    own.set_offset(offset + 4)
    return torch.Generator().manual_seed((own.initial_seed() * 0x9E3779B97F4A7C15 + offset) & 0x7FFFFFFFFFFFFFFF)


def _map(value, change):
    if isinstance(value, torch.Tensor):
        return change(value)
    if isinstance(value, (list, tuple)):
        return type(value)(_map(v, change) for v in value) if not hasattr(value, "_fields") else value
    return value


# Operators that take tensors of the CPU beside the device's.
_MIXED = ("index", "_index", "_ctc", "_segment", "segment", "set_", "copy", "_copy", "tensor_split", "_foreach")
_HALVES = (torch.float16, torch.bfloat16)


# The CPU's operators that round halves between their steps; a GPU's compute in float32 and round once.
_ROUNDS = ("grid_sampler",)


def _of_halves(overload, args, kwargs):
    """Calls an operator of the CPU; where it has none for halves, or rounds them on the way, in float32, as PyTorch's kernels for a GPU compute them."""
    try:
        if str(overload._schema.name)[6:].startswith(_ROUNDS) and any(isinstance(t, torch.Tensor) and t.dtype in _HALVES for t in args):
            raise NotImplementedError
        return overload(*args, **kwargs)
    except NotImplementedError:
        found = []
        _map([*args, *kwargs.values()], lambda t: found.append(t.dtype) if t.dtype in _HALVES else None)
        if not found:
            raise
        written = any(a.alias_info is not None for a in overload._schema.arguments)
        if written:
            raise

        def wide(t):
            return t.float() if t.dtype in _HALVES else t

        result = overload(*_map(args, wide), **{k: _map(v, wide) for k, v in kwargs.items()})
        return _map(result, lambda t: t.to(found[0]) if t.dtype == torch.float32 else t)


def compute(overload, args, kwargs, why=""):
    with _unfilled():
        return _compute(overload, args, kwargs, why)


def _compute(overload, args, kwargs, why):
    """Calls the operator with the CPU's tensors. What it writes and what it makes goes to the device as a copy does."""
    schema = overload._schema
    tell(str(schema.name).replace("aten::", "") + (f".{schema.overload_name}" if schema.overload_name else ""), why)
    if not str(schema.name)[6:].startswith(_MIXED):
        checks.same_device(str(schema.name)[6:], args, kwargs)
    device = None
    for value in [*args, *kwargs.values()]:
        for t in value if isinstance(value, (list, tuple)) else (value,):
            if isinstance(t, torch.Tensor) and t.device.type == "cuda":
                device = t.device
            elif isinstance(t, torch.device) and t.type == "cuda":
                device = t
    index = device.index if device is not None and device.index is not None else torch.cuda.current_device()
    device = torch.device("cuda", index)
    driver.wait(index)
    written, parameters = {}, schema.arguments

    def read(t):
        return seen(t) if t.device.type == "cuda" else t

    def write(t):
        if t.device.type != "cuda":
            return t
        twin = seen(t).clone(memory_format=torch.preserve_format)
        written[id(twin)] = (twin, t)
        return twin

    def turned(parameter, value):
        if isinstance(value, torch.device):
            return torch.device("cpu")
        if isinstance(value, torch.Generator) or (value is None and parameter.name == "generator"):
            return _generator(index, value)
        return _map(value, write if parameter.alias_info is not None and parameter.alias_info.is_write else read)

    given = {p.name: v for p, v in zip(parameters, args)}
    given.update(kwargs)
    call_args, call_kwargs = [], {}
    for p in parameters:
        if p.name not in given and p.name != "generator":
            continue
        value = turned(p, given.get(p.name))
        if p.kwarg_only or len(call_args) < list(parameters).index(p):
            call_kwargs[p.name] = value
        else:
            call_args.append(value)
    try:
        result = _of_halves(overload, call_args, call_kwargs)
    except NotImplementedError as missing:
        raise NotImplementedError(f"warpwright: torch: {schema.name} has no kernel on the emulated device, and PyTorch has none for the CPU: "
                                  + str(missing).partition("\n")[0]) from missing
    for twin, t in written.values():
        upload(twin, device, t)

    def back(t):
        return written[id(t)][1] if id(t) in written else upload(t, device) if t.device.type == "cpu" else t

    return _map(result, back)

"""Operators that make one element from the elements at the same place: kernels/aten/unary.cu, binary.cu, special.cu and copy.cu.

How a call runs is worked out once for the shapes, strides and types that it has, and kept: a second call looks it up.
"""
import threading
import warnings

import torch

from . import driver, walk
from .driver import NoKernel

_HALVES = (torch.float16, torch.bfloat16)
_flat = {(n, whole): driver.layout(f"Q{max(n, 1)}Qq4{'q' if whole else 'd'}") for n in range(4) for whole in (False, True)}
_strided = {(n, whole): driver.layout(f"Q{max(n, 1)}Qq4{'q' if whole else 'd'}{walk.layout_of(n + 1)}")
            for n in range(4) for whole in (False, True)}
_ZERO = (0, 0, 0, 0)
_plans = {}


def _scalars(scalars, whole):
    if not scalars:
        return _ZERO
    s = [int(x) if whole else float(x) for x in scalars]
    return (*s, *_ZERO[len(s):])


def _plan(file, name, kind, tensors, out):
    """Returns kernel, layout and values of the walk for tensors whose elements do not simply lie in the same order."""
    shape = out.shape
    strides = [out.stride(), *(walk.steps(shape, t.shape, t.stride()) for t in tensors if t is not None)]
    sizes, strides = walk.together(shape, strides)
    whole = kind not in ("f32", "f64", "f16", "bf16")
    arity = len(tensors)
    if len(sizes) <= 1 and all(s == [1] or not s for s in strides):
        return driver.kernel(file, kind, name), _flat[arity, whole], ()
    for k, t in enumerate(tensors):
        if t is None:
            strides.insert(k + 1, [0] * len(sizes))
    values = walk.values_of(sizes, strides)
    if values is None:
        raise NoKernel("more than six dimensions")
    return driver.kernel(file, kind, name + "/strided"), _strided[arity, whole], tuple(values)


def run(file, name, tensors, out, scalars=()):
    """Queues the kernel over `out`; the tensors are of the type it reckons in, and may be None: a number in the scalars."""
    n = out.numel()
    if n == 0:
        return out
    first = tensors[0] if tensors else out
    dtype = first.dtype
    present = [t for t in tensors if t is not None]
    key = (file, name, dtype, len(tensors), out.shape, out.stride(), *[(t.shape, t.stride()) for t in present])
    plan = _plans.get(key)
    if plan is None:
        kind = walk.KINDS.get(dtype)
        if kind is None:
            raise NoKernel(f"no kernel for {dtype}")
        kernel, layout, values = _plan(file, name, kind, tensors, out)
        plan = _plans[key] = (kernel, layout, values, kind not in ("f32", "f64", "f16", "bf16"))
        if len(_plans) > 20000:
            _plans.clear()
    kernel, layout, values, whole = plan
    to = out.data_ptr()  # before the others: it may have been a lazy clone of one of them
    pointers = [0 if t is None else driver.at(t) for t in tensors] or [0]
    driver.launch_elements(kernel, out.device.index, n, layout, to, *pointers, n, *_scalars(scalars, whole), *values)
    return out


def cast(t, dtype):
    """Returns the tensor in another type, in the same order of elements."""
    if t.dtype == dtype:
        return t
    return copy_into(torch.empty_like(t, dtype=dtype), t)


def copy_into(out, t):
    """Copies with steps and types; both are on the device."""
    if out.dtype.is_complex:  # by its parts
        parts = torch.view_as_real(out)
        if t.dtype.is_complex:
            copy_into(parts, torch.view_as_real(t))
        else:
            copy_into(parts.select(-1, 0), t)
            parts.select(-1, 1).zero_()
        return out
    if t.dtype.is_complex:
        t = torch.view_as_real(t).select(-1, 0)
    kind = walk.KINDS.get(out.dtype)
    if kind is None or t.dtype not in walk.KINDS:
        raise NoKernel(f"no kernel from {t.dtype} to {out.dtype}")
    return run("copy", "copy_" + kind, [t], out)


def _make(out_shape, dtype, tensors, device):
    for t in tensors:
        if t is not None and t.shape == out_shape and t.device == device:
            return torch.empty_like(t, dtype=dtype)
    return torch.empty(out_shape, dtype=dtype, device=device)


class _Kept(threading.local):
    """The tensor that an operator in place is of: it keeps its shape."""
    tensor = None


kept = _Kept()
_NAMES = {torch.float32: "Float", torch.float64: "Double", torch.float16: "Half", torch.bfloat16: "BFloat16", torch.int64: "Long", torch.int32: "Int",
          torch.int16: "Short", torch.int8: "Char", torch.uint8: "Byte", torch.bool: "Bool", torch.complex64: "ComplexFloat",
          torch.complex128: "ComplexDouble", torch.complex32: "ComplexHalf"}


def type_name(dtype):
    """Names a type as PyTorch's messages do."""
    return _NAMES.get(dtype, str(dtype))


def fit(into, shape, dtype):
    """Makes an `out` ready for a result: resizes it, with PyTorch's warning if it had elements. Raises where its type cannot take the result, and
    where an operator in place would change its tensor's shape."""
    if into.dtype != dtype and not torch.can_cast(dtype, into.dtype):
        raise RuntimeError(f"result type {type_name(dtype)} can't be cast to the desired output type {type_name(into.dtype)}")
    if into.shape != shape:
        if into is kept.tensor:
            raise RuntimeError(f"output with shape {list(into.shape)} doesn't match the broadcast shape {list(shape)}")
        if into.numel():
            warnings.warn(f"An output with one or more elements was resized since it had shape {list(into.shape)}, which does not match the required "
                          f"output shape {list(shape)}. This behavior is deprecated, and in a future PyTorch release outputs will not be resized "
                          "unless they have zero elements. You can explicitly reuse an out tensor t by resizing it, inplace, to zero elements with "
                          "t.resize_(0).", stacklevel=2)
        into.resize_(shape)


def place(into, shape, dtype):
    """Returns the tensor that a result goes to, if it can be written at once; an `out` of another shape is resized."""
    if into is None:
        return None
    fit(into, shape, dtype)
    return into if into.dtype == dtype else None


def into_place(result, into):
    if into is None or result is into:
        return result
    fit(into, result.shape, result.dtype)
    into.copy_(result)
    return into


def apply(file, name, inputs, dtype, result, scalars=(), into=None):
    """Runs the operator on inputs brought to `dtype`, with a result of the type `result`. An input may be a Python number or a tensor of the
    CPU with one element: two-place kernels take it as a scalar, for others it becomes a tensor."""
    device = next(t.device for t in inputs if isinstance(t, torch.Tensor) and t.device.type == "cuda")
    if file == "special" and dtype in _HALVES:
        wide = apply(file, name, inputs, torch.float32, torch.float32 if result == dtype else result, scalars)
        return into_place(cast(wide, result), into)
    tensors = []
    for t in inputs:
        number = not isinstance(t, torch.Tensor)
        if number or (t.device.type == "cpu" and t.dim() == 0):
            t = t if number else t.item()
            if len(inputs) == 2 and tensors and tensors[0] is not None and dtype in walk.KINDS:
                scalars = [*scalars, 0, 0, 0][:3] + [t]
                tensors.append(None)
                continue
            t = torch.full((), t, dtype=dtype, device=device)
        elif t.device != device:
            raise RuntimeError(f"Expected all tensors to be on the same device, but found at least two devices, {device} and {t.device}!")
        tensors.append(t if t.dtype == dtype else cast(t, dtype))
    shape = tensors[0].shape
    for t in tensors:
        if t is not None and t.shape != shape:
            shape = torch.Size(walk.broadcast([t.shape for t in tensors if t is not None]))
            break
    resized = into is not None and into.shape != shape
    out = place(into, shape, result)
    if resized:  # its steps follow the arguments', as a new tensor's do
        into.as_strided_(shape, _make(shape, result, tensors, device).stride())
    if out is None:
        out = _make(shape, result, tensors, device)
    if file == "special" and not (out.is_contiguous() and all(t is None or (t.shape == shape and t.is_contiguous()) for t in tensors)):
        tensors = [t if t is None else t.expand(shape).contiguous() for t in tensors]
        flat = out if out.is_contiguous() else torch.empty(shape, dtype=result, device=device)
        run(file, name, tensors, flat, scalars)
        return into_place(flat, into if into is not None else out) if flat is not out else into_place(out, into)
    run(file, name, tensors, out, scalars)
    return into_place(out, into)


def floating(dtype):
    return dtype if dtype.is_floating_point or dtype.is_complex else torch.get_default_dtype()


def needs_kernel(dtype):
    if dtype not in walk.KINDS:
        raise NoKernel(f"no kernel for {dtype}")
    return dtype


def unary(name, file="unary", kind="float"):
    """Makes an operator of a kind: "float" (whole numbers become floating-point ones), "same", "test" (a truth value)."""

    def operator(x, *scalars, into=None):
        dtype = needs_kernel(floating(x.dtype) if kind == "float" else x.dtype)
        return apply(file, name, [x], dtype, torch.bool if kind == "test" else dtype, scalars, into)

    return operator


def binary(name, file="binary", kind="same"):
    """Makes an operator of a kind: "same", "float" or "test" (a truth value)."""

    def operator(a, b, *scalars, into=None):
        dtype = torch.result_type(a, b)
        if kind == "float":
            dtype = floating(dtype)
        needs_kernel(dtype)
        return apply(file, name, [a, b], dtype, torch.bool if kind == "test" else dtype, scalars, into)

    return operator

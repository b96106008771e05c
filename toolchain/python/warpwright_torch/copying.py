"""Copies between tensors of the device and of the CPU, fills, and what is made of copies: cat, flip, where."""
import math

import torch

from . import driver, pointwise, walk

_where = driver.layout("QQQQq" + walk.layout_of(4))


def _to_device(out, t, non_blocking):
    t = t.resolve_conj().resolve_neg()
    if t.dtype != out.dtype:
        t = t.to(out.dtype)
    if t.shape != out.shape:
        t = t.expand(out.shape)
    if out.is_contiguous():
        whole, t = out, t.contiguous()
    elif t.stride() == out.stride() and t.is_contiguous(memory_format=torch.channels_last):
        whole = out
    else:
        whole, t = torch.empty(out.shape, dtype=out.dtype, device=out.device), t.contiguous()
    driver.to_device(whole.data_ptr(), driver.at(t), t.numel() * t.element_size(), out.device.index, non_blocking and t.is_pinned())
    if whole is not out:
        copy_(out, whole)


def _to_host(out, t, non_blocking):
    if t.shape != out.shape:
        t = t.expand(out.shape)
    t = t.contiguous()
    straight = out.is_contiguous() and out.dtype == t.dtype
    whole = out if straight else torch.empty(t.shape, dtype=t.dtype)
    driver.to_host(whole.data_ptr(), driver.at(t), t.numel() * t.element_size(), t.device.index, straight and non_blocking and out.is_pinned())
    if not straight:
        out.copy_(whole)


def resolved(t):
    """Returns the tensor itself, or what it is where it is only marked as a conjugate or a negative."""
    if t.is_conj():
        t = torch.conj_physical(t.conj())
    return torch.neg(torch._neg_view(t)) if t.is_neg() else t


def copy_(self, src, non_blocking=False):
    if self is src:
        return self
    if not isinstance(src, torch.Tensor):  # a number, as the dispatcher hands on a tensor that was made of one
        return fill_(self, src)
    if self.is_conj():
        copy_(self.conj(), src.conj())
        return self
    if self.is_neg():
        copy_(torch._neg_view(self), torch._neg_view(src))
        return self
    if src.device.type == "cuda":
        src = resolved(src)
    if self.numel() == 0:
        torch.broadcast_to(src, self.shape)  # or says why not
        return self
    if src.device.type == "cpu":
        _to_device(self, src, non_blocking)
    elif self.device.type == "cpu":
        _to_host(self, src, non_blocking)
    elif src.device != self.device:
        _to_device(self, src.cpu(), False)
    elif src.dtype == self.dtype and src.shape == self.shape and src.is_contiguous() and self.is_contiguous():
        driver.inside(self.data_ptr(), driver.at(src), src.numel() * src.element_size(), self.device.index)
    else:
        if src.shape != self.shape:
            src = src.expand(self.shape)
        _walk(self, src)
    return self


def _walk(out, t):
    """Copies with steps; of more dimensions than a kernel walks, part by part."""
    try:
        pointwise.copy_into(out, t)
    except driver.NoKernel:
        if out.dim() <= walk.DIMS:
            raise
        for part, source in zip(out.unbind(0), t.unbind(0)):
            _walk(part, source)


def fill_(self, value):
    if isinstance(value, torch.Tensor):
        if value.dim():
            raise RuntimeError(f"fill_ only supports 0-dimension value tensor but got tensor with {value.dim()} dimensions.")
        if value.device.type == "cuda":
            return copy_(self, value)
        value = value.item()
    if isinstance(value, float) and not math.isfinite(value) and not (self.dtype.is_floating_point or self.dtype.is_complex):
        if value == value and self.dtype != torch.bool:
            raise RuntimeError(f"value cannot be converted to type {self.dtype} without overflow")
        value = True if self.dtype == torch.bool else torch.iinfo(self.dtype).min  # what a cast of NaN gives
    signed = _SIGNED.get(self.dtype)
    if signed is not None and not isinstance(value, complex):
        bits = 8 * self.element_size()
        fill_(self.view(signed), (int(value) + (1 << bits - 1)) % (1 << bits) - (1 << bits - 1))
        return self
    if self.dtype not in walk.KINDS or isinstance(value, complex):
        raise driver.NoKernel(f"no kernel for {self.dtype}")
    return pointwise.run("unary", "fill", [], self, (value,)) if self.dtype not in (torch.int16, torch.int8) else copy_(
        self, torch.full((), value, dtype=self.dtype))


_SIGNED = {torch.uint16: torch.int16, torch.uint32: torch.int32, torch.uint64: torch.int64}


def zero_(self):
    if self.dtype in walk.KINDS or self.dtype in _SIGNED:
        return fill_(self, 0)
    raise driver.NoKernel(f"no kernel for {self.dtype}")


def where(condition, a, b, *, into=None):
    dtype = a.dtype if a.dtype == b.dtype else torch.result_type(a, b)
    device = next(t.device for t in (condition, a, b) if t.is_cuda)
    if condition.dtype not in (torch.bool, torch.uint8):
        raise RuntimeError(f"where expected condition to be a boolean tensor, but got a tensor with dtype {condition.dtype}")
    tensors = [t if t.is_cuda else t.to(device) for t in (condition, a, b)]
    tensors[1:] = [t if t.dtype == dtype else pointwise.cast(t, dtype) for t in tensors[1:]]
    return _walked("where", _where, tensors, dtype, (), into)


_walks = {}


def _walked(name, layout, tensors, dtype, scalars, into):
    """Queues a kernel of copy.cu over the common shape of tensors, for a result of the type `dtype`."""
    key = (name, dtype, *[(t.shape, t.stride()) for t in tensors])
    plan = _walks.get(key)
    if plan is None:
        if len(_walks) > 20000:
            _walks.clear()
        kernel = driver.kernel("copy", pointwise_kind(dtype), name)
        shape = torch.Size(walk.broadcast([t.shape for t in tensors]))
        plan = _walks[key] = kernel, shape, {}
    kernel, shape, walks = plan
    out = pointwise.place(into, shape, dtype)
    if out is None:
        out = torch.empty(shape, dtype=dtype, device=tensors[0].device)
    n = out.numel()
    if n:
        stride = out.stride()
        values = walks.get(stride)
        if values is None:
            sizes, strides = walk.together(shape, [stride, *(walk.steps(shape, t.shape, t.stride()) for t in tensors)])
            values = walk.values_of(sizes, strides)
            if values is None:
                raise driver.NoKernel("more than six dimensions")
            walks[stride] = values
        driver.launch_elements(kernel, out.device.index, n, layout, out.data_ptr(), *map(driver.at, tensors), n, *scalars, *values)
    return pointwise.into_place(out, into)


def pointwise_kind(dtype):
    kind = walk.KINDS.get(dtype)
    if kind is None:
        raise driver.NoKernel(f"no kernel for {dtype}")
    return kind


_masked_fill = {number: driver.layout("QQQq" + number + walk.layout_of(3)) for number in "qd"}


def _plain(value, dtype):
    """Says whether a number is one that a kernel may write as it stands: others are made a tensor, which refuses what does not fit."""
    if dtype.is_floating_point:
        return isinstance(value, (int, float)) and abs(value) <= torch.finfo(dtype).max or value in (float("inf"), float("-inf"))
    if dtype == torch.bool:
        return isinstance(value, int) and 0 <= value <= 1
    return isinstance(value, int) and dtype in walk.KINDS and torch.iinfo(dtype).min <= value <= torch.iinfo(dtype).max


def masked_fill(self, mask, value, *, into=None):
    if not isinstance(value, torch.Tensor):
        if _plain(value, self.dtype) and mask.dtype == torch.bool and mask.is_cuda:
            number = "d" if self.dtype.is_floating_point else "q"
            return _walked("masked_fill", _masked_fill[number], [mask, self], self.dtype, (value,), into)
        value = torch.full((), value, dtype=self.dtype, device=self.device)
    elif value.dtype != self.dtype:
        value = value.to(self.dtype)
    return where(mask, value, self, into=into)


_PARTS = 16
_parts = driver.layout(f"QIIii{_PARTS}I{_PARTS}Q")
_joins = {}


def _join(tensors, dim):
    """Plans how a kernel puts tensors together that lie in one piece each: kernel, shape, values of the launch. None where it cannot."""
    first = tensors[0].shape
    rank = len(first)
    kind = {1: "u8", 2: "f16", 4: "f32", 8: "f64"}.get(tensors[0].element_size())  # elements are only moved
    if kind is None or rank == 0 or any(len(t.shape) != rank or t.shape[:dim] != first[:dim] or t.shape[dim + 1:] != first[dim + 1:] for t in tensors):
        return None
    inner, row, ends = math.prod(first[dim + 1:]), 0, []
    for t in tensors:
        row += t.shape[dim] * inner
        ends.append(row)
    n = math.prod(first[:dim]) * row
    if not 0 < n < 1 << 32:
        return None
    shape = torch.Size((*first[:dim], row // inner, *first[dim + 1:]))
    return driver.kernel("copy", kind, "cat"), shape, (n, row, len(tensors), 0, *ends, *[row] * (_PARTS - len(ends)))


def _cat_at_once(tensors, dim):
    """Puts tensors together by one kernel; None where they are not such that it can."""
    if len(tensors) > _PARTS:
        return None
    dtype, device = tensors[0].dtype, tensors[0].device
    for t in tensors:
        if t.dtype != dtype or not t.is_contiguous() or t.device != device or t.is_conj() or t.is_neg():
            return None
    key = (dim, dtype, *[t.shape for t in tensors])
    if key not in _joins:
        if len(_joins) > 20000:
            _joins.clear()
        rank = tensors[0].dim()
        _joins[key] = _join(tensors, dim % rank) if rank and -rank <= dim < rank else None
    plan = _joins[key]
    if plan is None:
        return None
    kernel, shape, values = plan
    out = torch.empty(shape, dtype=dtype, device=device)
    driver.launch_elements(kernel, device.index, values[0], _parts, out.data_ptr(), *values, *map(driver.at, tensors), *[0] * (_PARTS - len(tensors)))
    return out


def cat(tensors, dim=0, *, into=None):
    out = _cat_at_once(tensors, dim) if into is None else None
    if out is not None:
        return out
    used = [t for t in tensors if not (t.dim() == 1 and t.numel() == 0)]
    dtype = tensors[0].dtype
    for t in tensors[1:]:
        dtype = torch.promote_types(dtype, t.dtype)
    if into is not None and into.dtype != dtype:
        dtype = into.dtype
    if not used:
        return pointwise.into_place(torch.empty(0, dtype=dtype, device=tensors[0].device), into)
    dim = dim % used[0].dim() if used[0].dim() else 0
    for t in used[1:]:
        if t.dim() != used[0].dim() or any(a != b for d, (a, b) in enumerate(zip(t.shape, used[0].shape)) if d != dim):
            raise RuntimeError(f"Sizes of tensors must match except in dimension {dim}. Expected size {list(used[0].shape)} but got size "
                               f"{list(t.shape)} for tensor number {used.index(t)} in the list.")
    shape = list(used[0].shape)
    shape[dim] = sum(t.shape[dim] for t in used)
    out = pointwise.place(into, torch.Size(shape), dtype)
    if out is None:
        channels = all(t.dim() == 4 and t.is_contiguous(memory_format=torch.channels_last) and not t.is_contiguous() for t in used)
        out = torch.empty(shape, dtype=dtype, device=used[0].device,
                          memory_format=torch.channels_last if channels else torch.contiguous_format)
    at = 0
    for t in used:
        if t.numel():
            copy_(out.narrow(dim, at, t.shape[dim]), t)
        at += t.shape[dim]
    return pointwise.into_place(out, into)


def flip(self, dims, *, into=None):
    dims = {d % max(self.dim(), 1) for d in dims}
    out = torch.empty_like(self)
    if self.numel():
        kind = pointwise_kind(self.dtype)
        step = [-s if d in dims else s for d, s in enumerate(self.stride())]
        first = driver.at(self) + sum((self.shape[d] - 1) * self.stride(d) for d in dims if self.dim()) * self.element_size()
        sizes, strides = walk.together(self.shape, [out.stride(), step])
        values = walk.values_of(sizes, strides)
        if values is None:
            raise driver.NoKernel("more than six dimensions")
        layout = pointwise._strided[1, kind not in ("f32", "f64", "f16", "bf16")]
        driver.launch_elements(driver.kernel("copy", kind, f"copy_{kind}/strided"), self.device.index, self.numel(), layout, out.data_ptr(), first,
                               self.numel(), 0, 0, 0, 0, *values)
    return pointwise.into_place(out, into)


def roll(self, shifts, dims=(), *, into=None):
    if not dims:
        return pointwise.into_place(roll(self.reshape(-1), shifts, [0]).view(self.shape), into)
    out = self
    for shift, d in zip(shifts, dims):
        size = out.shape[d]
        k = shift % size if size else 0
        out = cat([out.narrow(d, size - k, k), out.narrow(d, 0, size - k)], d) if k else out
    return pointwise.into_place(out.clone() if out is self else out, into)


_triangle = driver.layout("QQqIIqii")


def triangle(upper):
    def operator(self, diagonal=0, *, into=None):
        if self.dim() < 2:
            raise RuntimeError(f"tri{'u' if upper else 'l'}: input tensor must have at least 2 dimensions")
        t, n = self.contiguous(), self.numel()
        kernel = driver.kernel("copy", pointwise_kind(t.dtype), "triangle")
        if n >= 1 << 32:
            raise driver.NoKernel("too many elements")
        straight = into is not None and into.shape == t.shape and into.dtype == t.dtype and into.is_contiguous()
        out = into if straight else torch.empty_like(t)
        if n:
            driver.launch_elements(kernel, t.device.index, n, _triangle, out.data_ptr(), driver.at(t), n, *t.shape[-2:], diagonal, int(upper), 0)
        return pointwise.into_place(out, into)

    return operator


def arange(start, end, step=1, *, into):
    kind = pointwise_kind(into.dtype)
    whole = not into.dtype.is_floating_point
    if step == 0 or (step > 0) != (end >= start) and end != start:
        raise RuntimeError("upper bound and lower bound inconsistent with step sign" if step else "step must be nonzero")
    n = -((start - end) // step) if all(isinstance(v, int) for v in (start, end, step)) else math.ceil((end - start) / step)
    if into.numel() != n:
        into.resize_(n)
    out = into if into.is_contiguous() else torch.empty(n, dtype=into.dtype, device=into.device)
    if n:
        number = int if whole else float
        driver.launch_elements(driver.kernel("unary", kind, "arange"), into.device.index, n, _range[whole], out.data_ptr(), n, number(start),
                               number(step))
    return pointwise.into_place(out.view(into.shape) if out is not into else out, into)


_range = {whole: driver.layout("Qq" + ("qq" if whole else "dd")) for whole in (False, True)}


def eye(n, m=None, *, into):
    m = n if m is None else m
    into.resize_((n, m))
    into.zero_()
    into.diagonal().fill_(1)
    return into

"""Reductions (kernels/aten/reduce.cu), and what is made of them."""
import torch

from . import driver, pointwise, walk
from .copying import pointwise_kind

_layout = driver.layout("QQQqqdd" + walk.layout_of(1) + walk.layout_of(1))


def _dims(t, dim):
    if dim is None or (isinstance(dim, (list, tuple)) and not dim):
        return list(range(t.dim()))
    dims = [dim] if isinstance(dim, int) else list(dim)
    rank = max(t.dim(), 1)
    for d in dims:
        if not -rank <= d < rank:
            raise IndexError(f"Dimension out of range (expected to be in range of [{-rank}, {rank - 1}], but got {d})")
    dims = [d % rank for d in dims]
    if len(set(dims)) != len(dims):
        raise RuntimeError(f"dim {dims[0]} appears multiple times in the list of dims")
    return [d for d in dims if d < t.dim()]


def _shape(t, dims, keepdim):
    return [1 if d in dims else s for d, s in enumerate(t.shape) if keepdim or d not in dims]


_plans = {}


def _plan(name, t, dims, keepdim):
    """Works out how a reduction over dims runs: the result's shape, the kernel, its grid, and the values of the launch behind the pointers."""
    kind = pointwise_kind(t.dtype)
    dims = _dims(t, dims)
    kept, reduced = 1, 1
    for d, size in enumerate(t.shape):
        if d in dims:
            reduced *= size
        else:
            kept *= size
    shape = torch.Size(_shape(t, dims, keepdim))
    if not kept:
        return shape, None, 0, (kept, reduced), ()
    strides, order = t.stride(), range(t.dim() - 1, -1, -1)
    outer, inner = [walk.values_of(*walk.join([t.shape[d] for d in part], [[strides[d] for d in part]]))
                    for part in ([d for d in order if d not in dims], [d for d in order if d in dims])]
    if outer is None or inner is None:
        raise driver.NoKernel("more than six dimensions")
    by_block = reduced >= 64 and (kept < 2048 or inner[8] == 1)
    kernel = driver.kernel("reduce", kind, name + ("/block" if by_block else "/thread"))
    return shape, kernel, kept if by_block else (kept + 255) // 256, (kept, reduced), (*outer, *inner)


def reduce(name, t, dim, keepdim, result, s=(0.0, 0.0), second=None, first=True):
    """Reduces t over dims; returns the result, or it and a second one of the type `second`."""
    key = name, t.dtype, t.shape, t.stride(), tuple(dim) if isinstance(dim, (list, tuple)) else dim, keepdim
    plan = _plans.get(key)
    if plan is None:
        if len(_plans) > 20000:
            _plans.clear()
        plan = _plans[key] = _plan(name, t, dim, keepdim)
    shape, kernel, grid, sizes, walks = plan
    device = t.device
    out = torch.empty(shape, dtype=result, device=device) if first else None
    other = torch.empty(shape, dtype=second, device=device) if second is not None else None
    if kernel is not None:
        driver.launch(kernel, device.index, grid, 256, _layout, 0 if out is None else out.data_ptr(), 0 if other is None else other.data_ptr(),
                      driver.at(t), *sizes, *map(float, s), *walks)
    return (out, other) if second is not None else out


def _parts(t, dims):
    """Cuts a large tensor that lies in one piece and is reduced to one number into rows, whose results are reduced again."""
    n = t.numel()
    if n >= 16384 and len(dims) == t.dim() and t.is_contiguous() and t.dtype not in (torch.float16, torch.bfloat16):
        rows = 256
        while n % rows:
            rows //= 2
        if rows > 1:
            return t.view(rows, n // rows)
    return None


def _twice(name, t, dims, keepdim, result, s=(1.0, 0.0)):
    parts = _parts(t, dims)
    if parts is None or result != t.dtype:
        return reduce(name, t, dims, keepdim, result, s)
    out = reduce(name, reduce(name, parts, 1, False, result, (1.0, 0.0)), 0, False, result, s)
    return out.view(_shape(t, dims, keepdim))


def _summed(t, dtype):
    """Returns the type of a sum, and the tensor in a type that there is a kernel for."""
    result = dtype or (t.dtype if t.dtype.is_floating_point or t.dtype.is_complex else torch.int64)
    if result.is_complex or t.dtype.is_complex:
        raise driver.NoKernel(f"no kernel for {result}")
    if result.is_floating_point and t.dtype != result:
        t = pointwise.cast(t, result)
    elif result == torch.int64 and t.dtype in (torch.int16, torch.int8):
        t = pointwise.cast(t, result)
    return t, result


def sum(self, dim=None, keepdim=False, *, dtype=None, into=None):
    t, result = _summed(self, dtype or (into.dtype if into is not None else None))
    if not result.is_floating_point and result != torch.int64:
        t, kept = pointwise.cast(t, torch.int64), result
        return pointwise.into_place(pointwise.cast(_twice("sum", t, _dims(t, dim), keepdim, torch.int64), kept), into)
    return pointwise.into_place(_twice("sum", t, _dims(t, dim), keepdim, result), into)


def mean(self, dim=None, keepdim=False, *, dtype=None, into=None):
    t = pointwise.cast(self, dtype) if dtype else self
    if not t.dtype.is_floating_point:
        raise driver.NoKernel(f"mean of {t.dtype}") if t.dtype.is_complex else RuntimeError(
            f"mean(): could not infer output dtype. Input dtype must be either a floating point or complex dtype. Got: {t.dtype}")
    dims = _dims(t, dim)
    n = 1
    for d in dims:
        n *= t.shape[d]
    return pointwise.into_place(_twice("sum", t, dims, keepdim, t.dtype, (1.0 / n if n else float("nan"), 0.0)), into)


def prod(self, dim=None, keepdim=False, *, dtype=None, into=None):
    t, result = _summed(self, dtype)
    return pointwise.into_place(reduce("prod", t, _dims(t, dim), keepdim, result), into)


def truth(name):
    def operator(self, dim=None, keepdim=False, *, into=None):
        # an answer of bytes to bytes
        out = reduce(name, self, _dims(self, dim), keepdim, torch.bool)
        return pointwise.into_place(out if self.dtype != torch.uint8 else pointwise.cast(out, torch.uint8), into)

    return operator


def _not_empty(t, dims, name):
    if any(t.shape[d] == 0 for d in dims):
        raise IndexError(f"{name}(): Expected reduction dim to be specified for input.numel() == 0. Specify the reduction dim with the 'dim' argument.")


def extreme(name):
    def operator(self, dim=(), keepdim=False, *, into=None):
        dims = _dims(self, dim)
        _not_empty(self, dims, "a" + name)
        return pointwise.into_place(_twice(name, self, dims, keepdim, self.dtype), into)

    return operator


def extreme_at(name):
    def operator(self, dim, keepdim=False, *, into=None):
        dims = _dims(self, dim)
        _not_empty(self, dims, name)
        out = reduce(name, self, dims, keepdim, self.dtype, second=torch.int64)
        return tuple(pointwise.into_place(o, i) for o, i in zip(out, into or (None, None)))

    return operator


def where_extreme(name):
    def operator(self, dim=None, keepdim=False, *, into=None):
        dims = _dims(self, dim)
        _not_empty(self, dims, "arg" + name)
        if dim is None and not self.is_contiguous():
            self = self.contiguous()
        out = reduce(name, self, dims, keepdim, None, second=torch.int64, first=False)[1]
        if dim is None and keepdim:
            out = out.view([1] * self.dim())
        return pointwise.into_place(out, into)

    return operator


def aminmax(self, *, dim=None, keepdim=False, into=None):
    out = extreme("min")(self, dim if dim is not None else (), keepdim), extreme("max")(self, dim if dim is not None else (), keepdim)
    return tuple(pointwise.into_place(o, i) for o, i in zip(out, into or (None, None)))


def vector_norm(self, ord=2, dim=None, keepdim=False, *, dtype=None, into=None):
    t = pointwise.cast(self, dtype) if dtype else self
    if not t.dtype.is_floating_point:
        raise driver.NoKernel(f"a norm of {t.dtype}")
    return pointwise.into_place(reduce("norm", t, _dims(t, dim), keepdim, t.dtype, (float(ord), 0.0)), into)


def norm(self, p=None, dim=(), keepdim=False, dtype=None, *, into=None):
    return vector_norm(self, 2 if p is None else p, dim, keepdim, dtype=dtype, into=into)


def variance(root, with_mean=False):
    def operator(self, dim=None, *args, correction=1, keepdim=False, unbiased=None, into=None):
        if not self.dtype.is_floating_point:
            raise driver.NoKernel(f"a variance of {self.dtype}")
        correction = 1 if correction is None else correction
        out = reduce("var", self, _dims(self, dim), keepdim, self.dtype, (float(correction), float(root)),
                     second=self.dtype if with_mean else None)
        return out if with_mean else pointwise.into_place(out, into)

    return operator

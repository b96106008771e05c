"""Elements by index (kernels/aten/index.cu)."""
import torch

from . import driver, pointwise, walk
from .copying import copy_, masked_fill

_INDICES = 4
_indexed = driver.layout("QQqii4Q4q4q" + walk.layout_of(2 + _INDICES))
_gathered = driver.layout("QQQqqq" + walk.layout_of(3))
_BY_SIZE = {1: "u8", 2: "f16", 4: "f32", 8: "f64"}  # elements are only moved
_ADDED = {torch.float32: "f32", torch.float64: "f64", torch.int64: "i64", torch.int32: "i32"}
_WIDE = {torch.float16: torch.float32, torch.bfloat16: torch.float32, torch.int16: torch.int32, torch.int8: torch.int32,
         torch.uint8: torch.int32, torch.bool: torch.int32}


def _moved(t):
    kind = _BY_SIZE.get(t.element_size())
    if kind is None:
        raise driver.NoKernel(f"no kernel moves {t.dtype}")
    return kind


def _long(t):
    return pointwise.cast(t, torch.int64)


# ---- advanced indexing -------------------------------------------------------------------------------------------------------------

def _expanded(self, indices):
    """Returns the index tensors, truth values as the places where they are, and the dimension that each is for."""
    if self.device.type != "cuda":
        raise RuntimeError(f"indices should be either on cpu or on the same device as the indexed tensor ({self.device})")
    out, dims, d = [], [], 0
    for index in indices:
        if index is None:
            d += 1
            continue
        if index.device.type == "cpu":
            index = index.to(self.device)
        if index.dtype in (torch.bool, torch.uint8):
            for k, size in enumerate(index.shape):
                if size != self.shape[d + k]:
                    raise IndexError(f"The shape of the mask {list(index.shape)} at index {k} does not match the shape of the indexed "
                                     f"tensor {list(self.shape)} at index {d + k}")
            for part in index.nonzero().unbind(1):
                out.append(part)
                dims.append(d)
                d += 1
            continue
        if index.dtype not in (torch.int64, torch.int32):
            raise IndexError("tensors used as indices must be long, int, byte or bool tensors")
        out.append(_long(index))
        dims.append(d)
        d += 1
    if d > self.dim():
        raise IndexError(f"too many indices for tensor of dimension {self.dim()}")
    return out, dims


def _indexing(self, indices):
    """Returns the shape of the result, steps in self, index tensors as (tensor, steps), sizes and strides of what they index."""
    index, dims = _expanded(self, indices)
    if len(index) > _INDICES:
        raise driver.NoKernel("more than four index tensors")
    try:
        common = list(walk.broadcast([i.shape for i in index])) if index else []
    except RuntimeError:
        raise IndexError("shape mismatch: indexing tensors could not be broadcast together with shapes "
                         + ", ".join(str(list(i.shape)) for i in index)) from None
    together = not dims or dims == list(range(dims[0], dims[0] + len(dims)))
    at = dims[0] if together and dims else 0
    rest = [d for d in range(self.dim()) if d not in dims]
    before = [d for d in rest if d < at] if together else []
    after = [d for d in rest if d not in before]
    shape = [self.shape[d] for d in before] + common + [self.shape[d] for d in after]
    step = [self.stride(d) for d in before] + [0] * len(common) + [self.stride(d) for d in after]
    used = [(i, [0] * len(before) + walk.steps(common, i.shape, i.stride()) + [0] * len(after)) for i in index]
    if any(self.shape[d] == 0 for d in dims) and 0 not in shape:
        raise IndexError(f"index is out of bounds for dimension with size 0")
    return shape, step, used, [self.shape[d] for d in dims], [self.stride(d) for d in dims]


def _run_indexed(name, kind, to, source, shape, own, other, used, sizes, strides):
    n = 1
    for s in shape:
        n *= s
    if n == 0:
        return
    blank = [0] * len(shape)
    all_steps = [own, other, *(s for _, s in used), *([blank] * (_INDICES - len(used)))]
    values = walk.values_of(*walk.together(shape, all_steps))
    if values is None:
        raise driver.NoKernel("more than six dimensions")
    rest = [0] * (_INDICES - len(used))
    driver.launch_elements(driver.kernel("index", kind, name), to.device.index, n, _indexed, to.data_ptr(), driver.at(source), n, len(used), 0,
                           *[driver.at(i) for i, _ in used], *rest, *sizes, *rest, *strides, *rest, *values)


_plans = {}


def _plan(self, indices):
    """Plans an indexing by tensors of whole numbers, for their shapes and strides: kernel, shape, elements, number of index tensors, values of the
    launch behind their pointers. None where index tensors want work of their own first."""
    key = [self.dtype, self.shape, self.stride()]
    for i in indices:
        if i is None:
            key.append(None)
        elif i.dtype == torch.int64 and i.is_cuda:
            key.append((i.shape, i.stride()))
        else:
            return None
    key = tuple(key)
    plan = _plans.get(key)
    if plan is None:
        if len(_plans) > 20000:
            _plans.clear()
        kind = _moved(self)
        shape, step, used, sizes, strides = _indexing(self, indices)
        out = torch.empty(shape, dtype=self.dtype, device="meta")
        blank, rest = [0] * len(shape), [0] * (_INDICES - len(used))
        values = walk.values_of(*walk.together(shape, [list(out.stride()), step, *(s for _, s in used), *[blank] * len(rest)]))
        if values is None:
            raise driver.NoKernel("more than six dimensions")
        plan = _plans[key] = driver.kernel("index", kind, "index"), out.shape, out.numel(), len(used), (*rest, *sizes, *rest, *strides, *rest, *values)
    return plan


def chosen(self, indices, *, into=None):
    plan = _plan(self, indices) if self.is_cuda else None
    if plan is not None:
        kernel, shape, n, count, values = plan
        device = self.device
        out = torch.empty(shape, dtype=self.dtype, device=device)
        if n:
            driver.launch_elements(kernel, device.index, n, _indexed, out.data_ptr(), driver.at(self), n, count, 0,
                                   *[driver.at(i) for i in indices if i is not None], *values)
        return pointwise.into_place(out, into)
    kind = _moved(self)
    shape, step, used, sizes, strides = _indexing(self, indices)
    out = torch.empty(shape, dtype=self.dtype, device=self.device)
    _run_indexed("index", kind, out, self, shape, list(out.stride()), step, used, sizes, strides)
    return pointwise.into_place(out, into)


def _fill_where(self, indices, mask, value):
    """Puts one value where a mask of some dimensions is true: the host need not learn how many places those are."""
    first = next(d for d, i in enumerate(indices) if i is not None)
    if first + mask.dim() > self.dim() or tuple(self.shape[first:first + mask.dim()]) != tuple(mask.shape):
        _expanded(self, indices)  # says what does not match
    mask = mask.reshape([*mask.shape, *[1] * (self.dim() - first - mask.dim())])
    return masked_fill(self, mask, value.reshape(()), into=self)


def index_put_(self, indices, values, accumulate=False, unsafe=False):
    if accumulate and self.dtype not in _ADDED:
        wide = _WIDE.get(self.dtype)
        if wide is None:
            raise driver.NoKernel(f"no kernel adds {self.dtype}")
        return copy_(self, index_put_(pointwise.cast(self, wide), indices, values.to(wide), True))
    if not accumulate and values.numel() == 1 and values.dtype == self.dtype:
        masks = [i for i in indices if i is not None]
        if len(masks) == 1 and masks[0].dtype == torch.bool and masks[0].dim() and masks[0].is_cuda and not values.is_conj() and self.dtype in walk.KINDS:
            return _fill_where(self, indices, masks[0], values)
    if torch._C._get_deterministic_algorithms():
        raise driver.NoKernel("elements put one after the other, for deterministic algorithms")
    kind = _ADDED[self.dtype] if accumulate else _moved(self)
    shape, step, used, sizes, strides = _indexing(self, indices)
    if values.device.type == "cpu":
        values = values.to(self.device)
    if values.dtype != self.dtype:
        raise RuntimeError(f"Index put requires the source and destination dtypes match, got {self.dtype} for the destination and "
                           f"{values.dtype} for the source.")
    while values.dim() > len(shape) and values.shape[0] == 1:
        values = values.squeeze(0)
    own = walk.steps(shape, values.shape, values.stride())
    if list(walk.broadcast([shape, values.shape])) != shape:
        raise RuntimeError(f"shape mismatch: value tensor of shape {list(values.shape)} cannot be broadcast to indexing result of shape {shape}")
    _run_indexed("index_add" if accumulate else "index_put", kind, self, values, shape, own, step, used, sizes, strides)
    return self


def _at(self, dim, index):
    return [None] * (dim % max(self.dim(), 1)) + [index]


def index_select(self, dim, index, *, into=None):
    if self.dim() == 0:
        return pointwise.into_place(self.clone(), into)
    rank = index.dim()
    if rank > 1:
        raise IndexError("index_select(): Index is supposed to be a vector")
    return chosen(self, _at(self, dim, index if rank else index.reshape(1)), into=into)


def index_add(self, dim, index, source, *, alpha=1, into=None):
    out = self if into is self else self.clone()
    if self.dim() == 0:
        raise driver.NoKernel("a tensor without dimensions")
    index_put_(out, _at(self, dim, index), source if alpha == 1 else source * alpha, True)
    return pointwise.into_place(out, into)


def index_copy(self, dim, index, source, *, into=None):
    out = self if into is self else self.clone()
    if self.dim() == 0:
        raise driver.NoKernel("a tensor without dimensions")
    return pointwise.into_place(index_put_(out, _at(self, dim, index), source), into)


def index_fill(self, dim, index, value):
    if self.dim() == 0:
        raise driver.NoKernel("a tensor without dimensions")
    if isinstance(value, complex) and not self.dtype.is_complex:
        raise RuntimeError("index_fill_(): Converting complex Scalar to non-complex type is not supported")
    value = value.to(self.dtype) if isinstance(value, torch.Tensor) else torch.full((), value, dtype=self.dtype, device=self.device)
    return index_put_(self, _at(self, dim, index), value)


def embedding(weight, indices, padding_idx=-1, scale_grad_by_freq=False, sparse=False):
    if weight.dim() != 2:
        raise RuntimeError("'weight' must be 2-D")
    if indices.dtype not in (torch.int64, torch.int32):
        raise RuntimeError(f"Expected tensor for argument #1 'indices' to have one of the following scalar types: Long, Int; but got {indices.type()} "
                           "instead (while checking arguments for embedding)")
    return chosen(weight, [indices])


def embedding_backward(grad_output, indices, num_weights, padding_idx, scale_grad_by_freq):
    if scale_grad_by_freq:
        raise driver.NoKernel("scale_grad_by_freq")
    width = grad_output.shape[-1]
    out = torch.zeros((num_weights, width), dtype=grad_output.dtype, device=grad_output.device)
    grad = grad_output.reshape(-1, width)
    if padding_idx >= 0:
        grad = masked_fill(grad, (indices.reshape(-1) == padding_idx).unsqueeze(1), 0)
    return index_put_(out, [indices.reshape(-1)], grad, True) if indices.numel() else out


# ---- gather and scatter ------------------------------------------------------------------------------------------------------------

def _run_gathered(name, kind, to, source, own, other, index, dim):
    if index.numel() == 0:
        return
    index = _long(index)
    rank = index.dim()
    other_step = [0 if d == dim else other.stride(d) for d in range(rank)] if other.dim() else [0] * rank
    own_step = list(own.stride()) if own.dim() else [0] * rank
    values = walk.values_of(*walk.together(index.shape, [list(index.stride()), own_step, other_step]))
    if values is None:
        raise driver.NoKernel("more than six dimensions")
    size, step = (other.shape[dim], other.stride(dim)) if other.dim() else (1, 1)
    driver.launch_elements(driver.kernel("index", kind, name), to.device.index, index.numel(), _gathered, to.data_ptr(), driver.at(source),
                           driver.at(index), index.numel(), size, step, *values)


def gather(self, dim, index, *, sparse_grad=False, into=None):
    kind = _moved(self)
    dim = dim % max(self.dim(), 1)
    if index.dtype not in (torch.int64, torch.int32):
        raise RuntimeError("gather(): Expected dtype int32/int64 for index")
    if max(self.dim(), 1) != max(index.dim(), 1):
        raise RuntimeError("Index tensor must have the same number of dimensions as input tensor")
    out = torch.empty(index.shape, dtype=self.dtype, device=self.device)
    _run_gathered("gather", kind, out, self, out, self, index, dim)
    return pointwise.into_place(out, into)


def scatter(self, dim, index, src, *, reduce=None, into=None):
    if reduce is not None and reduce != "add":
        raise driver.NoKernel(f"reduce={reduce}")
    if reduce == "add":
        if not isinstance(src, torch.Tensor):
            src = torch.full_like(index, src, dtype=self.dtype)
        return scatter_add(self, dim, index, src, into=into)
    kind = _moved(self)
    out = self if into is self else self.clone(memory_format=torch.contiguous_format)
    dim = dim % max(self.dim(), 1)
    if not isinstance(src, torch.Tensor):
        src = torch.full((), src, dtype=self.dtype, device=self.device).expand(index.shape)
    if src.dtype != self.dtype:
        raise RuntimeError("scatter(): Expected self.dtype to be equal to src.dtype")
    _run_gathered("scatter", kind, out, src, src, out, index, dim)
    return pointwise.into_place(out, into)


def scatter_add(self, dim, index, src, *, into=None):
    if self.dtype not in _ADDED:
        wide = _WIDE.get(self.dtype)
        if wide is None:
            raise driver.NoKernel(f"no kernel adds {self.dtype}")
        out = scatter_add(pointwise.cast(self, wide), dim, index, pointwise.cast(src, wide))
        return pointwise.into_place(pointwise.cast(out, self.dtype), into)
    out = self if into is self else self.clone(memory_format=torch.contiguous_format)
    _run_gathered("scatter_add", _ADDED[self.dtype], out, src, src, out, index, dim % max(self.dim(), 1))
    return pointwise.into_place(out, into)

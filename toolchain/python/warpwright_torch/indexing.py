"""Elements by index (kernels/aten/index.cu) and in order (kernels/aten/order.cu)."""
import torch

from . import driver, pointwise, walk
from .copying import copy_, masked_fill, pointwise_kind

_INDICES = 4
_indexed = driver.layout("QQqii4Q4q4q" + walk.layout_of(2 + _INDICES))
_gathered = driver.layout("QQQqqq" + walk.layout_of(3))
_scan = driver.layout("QQqq")
_sort = driver.layout("QQQii")
_step = driver.layout("QQqqqqqii")
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
    driver.launch_elements(driver.kernel("index", kind, name), to.device.index, n, _indexed, to.data_ptr(), source.data_ptr(), n, len(used), 0,
                           *[i.data_ptr() for i, _ in used], *rest, *sizes, *rest, *strides, *rest, *values)


def index(self, indices, *, into=None):
    kind = _moved(self)
    shape, step, used, sizes, strides = _indexing(self, indices)
    out = torch.empty(shape, dtype=self.dtype, device=self.device)
    _run_indexed("index", kind, out, self, shape, list(out.stride()), step, used, sizes, strides)
    return pointwise.into_place(out, into)


def index_put_(self, indices, values, accumulate=False, unsafe=False):
    if accumulate and self.dtype not in _ADDED:
        wide = _WIDE.get(self.dtype)
        if wide is None:
            raise driver.NoKernel(f"no kernel adds {self.dtype}")
        return copy_(self, index_put_(pointwise.cast(self, wide), indices, values.to(wide), True))
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
    if index.dim() > 1:
        raise IndexError("index_select(): Index is supposed to be a vector")
    return pointwise.into_place(globals()["index"](self, _at(self, dim, index.reshape(-1))), into)


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
    value = value.to(self.dtype) if isinstance(value, torch.Tensor) else torch.full((), value, dtype=self.dtype, device=self.device)
    return index_put_(self, _at(self, dim, index), value)


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

def _run_gathered(name, kind, to, source, own, other, index, dim, strides_of):
    if index.numel() == 0:
        return
    index = _long(index)
    rank = index.dim()
    other_step = [0 if d == dim else other.stride(d) for d in range(rank)] if other.dim() else [0] * rank
    own_step = list(own.stride()) if own.dim() else [0] * rank
    if name != "gather":
        own_step = own_step[:rank]
    values = walk.values_of(*walk.together(index.shape, [list(index.stride()), own_step, other_step]))
    if values is None:
        raise driver.NoKernel("more than six dimensions")
    size, step = (other.shape[dim], other.stride(dim)) if other.dim() else (1, 1)
    driver.launch_elements(driver.kernel("index", kind, name), to.device.index, index.numel(), _gathered, to.data_ptr(), source.data_ptr(),
                           index.data_ptr(), index.numel(), size, step, *values)


def gather(self, dim, index, *, sparse_grad=False, into=None):
    kind = _moved(self)
    dim = dim % max(self.dim(), 1)
    if index.dtype not in (torch.int64, torch.int32):
        raise RuntimeError("gather(): Expected dtype int32/int64 for index")
    if max(self.dim(), 1) != max(index.dim(), 1):
        raise RuntimeError("Index tensor must have the same number of dimensions as input tensor")
    out = torch.empty(index.shape, dtype=self.dtype, device=self.device)
    _run_gathered("gather", kind, out, self, out, self, index, dim, None)
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
    _run_gathered("scatter", kind, out, src, src, out, index, dim, None)
    return pointwise.into_place(out, into)


def scatter_add(self, dim, index, src, *, into=None):
    if self.dtype not in _ADDED:
        wide = _WIDE.get(self.dtype)
        if wide is None:
            raise driver.NoKernel(f"no kernel adds {self.dtype}")
        out = scatter_add(pointwise.cast(self, wide), dim, index, pointwise.cast(src, wide))
        return pointwise.into_place(pointwise.cast(out, self.dtype), into)
    out = self if into is self else self.clone(memory_format=torch.contiguous_format)
    _run_gathered("scatter_add", _ADDED[self.dtype], out, src, src, out, index, dim % max(self.dim(), 1), None)
    return pointwise.into_place(out, into)


# ---- order -------------------------------------------------------------------------------------------------------------------------

def scan(name):
    def operator(self, dim, *, dtype=None, into=None):
        result = dtype or (into.dtype if into is not None else None) or (
            self.dtype if self.dtype.is_floating_point or self.dtype.is_complex else torch.int64)
        t = pointwise.cast(self, result).contiguous()
        out = torch.empty_like(t)
        if t.numel():
            dim = dim % t.dim() if t.dim() else 0
            size, inner = (t.shape[dim] if t.dim() else 1), 1
            for s in t.shape[dim + 1:]:
                inner *= s
            driver.launch(driver.kernel("order", pointwise_kind(result), name), t.device.index, t.numel() // size, 256, _scan, out.data_ptr(),
                          t.data_ptr(), size, inner)
        return pointwise.into_place(out, into)

    return operator


def _sorted_long(rows, kind, descending):
    """Sorts rows of any length by steps over the whole, in memory of the next power of two."""
    size, width = rows.shape[-1], 2048
    while width < size:
        width *= 2
    n = rows.numel() // size
    value, index = torch.zeros((n, width), dtype=rows.dtype, device=rows.device), torch.empty((n, width), dtype=torch.int64, device=rows.device)
    value[:, :size].copy_(rows.view(n, size))
    index.copy_(torch.arange(width, device=rows.device))
    step, run = driver.kernel("order", kind, "sort_step"), 2
    while run <= width:
        gap = run // 2
        while gap:
            driver.launch_elements(step, rows.device.index, n * width // 2, _step, value.data_ptr(), index.data_ptr(), n * width // 2, width, size,
                                   run, gap, int(descending), 0)
            gap //= 2
        run *= 2
    return [t[:, :size].contiguous().view(rows.shape) for t in (value, index)]


def _largest(t, k, dim, largest):
    """Finds the k first of long rows: of each 1,024 of a row the first k, and so on with those."""
    rows = t.movedim(dim, -1)
    index = None
    while rows.shape[-1] > 1024:
        size = rows.shape[-1]
        short = size % 1024
        best, at = _sorted(rows[..., :size - short].unflatten(-1, (-1, 1024)), -1, largest)
        best, at = best[..., :k], at[..., :k] + torch.arange(size // 1024, device=t.device).unsqueeze(1) * 1024
        best, at = best.flatten(-2), at.flatten(-2)
        if short:
            best = torch.cat([best, rows[..., size - short:]], -1)
            at = torch.cat([at, torch.arange(size - short, size, device=t.device).expand(*rows.shape[:-1], short)], -1)
        index = at if index is None else index.gather(-1, at)
        rows = best
    value, at = _sorted(rows, -1, largest)
    at = at[..., :k] if index is None else index.gather(-1, at[..., :k])
    return value[..., :k].movedim(-1, dim).contiguous(), at.movedim(-1, dim).contiguous()


def _sorted(t, dim, descending):
    if t.dim() == 0:
        return t.clone(), torch.zeros_like(t, dtype=torch.int64)
    narrow = t.dtype if t.dtype in (torch.uint8, torch.int8, torch.int16, torch.bool) else None
    t = t.to(torch.int32) if narrow else t
    kind, dim = pointwise_kind(t.dtype), dim % t.dim()
    size = t.shape[dim]
    rows = t.movedim(dim, -1).contiguous()
    if size > 1024:
        value, index = _sorted_long(rows, kind, descending)
        return (value.to(narrow) if narrow else value).movedim(-1, dim).contiguous(), index.movedim(-1, dim).contiguous()
    value, index = torch.empty_like(rows), torch.empty_like(rows, dtype=torch.int64)
    if rows.numel():
        width = 32
        while width * 2 < size and width < 256:
            width *= 2
        driver.launch(driver.kernel("order", kind, "sort"), t.device.index, rows.numel() // size, width, _sort, value.data_ptr(), index.data_ptr(),
                      rows.data_ptr(), size, int(descending))
    value = value.to(narrow) if narrow else value
    return value.movedim(-1, dim).contiguous(), index.movedim(-1, dim).contiguous()


def sort(self, *args, stable=None, dim=-1, descending=False, into=None):
    if args:
        dim, descending = (*args, descending)[:2] if len(args) < 3 else args[1:]
    out = _sorted(self, dim, descending)
    return tuple(pointwise.into_place(o, i) for o, i in zip(out, into or (None, None)))


def topk(self, k, dim=-1, largest=True, sorted=True, *, into=None):
    if self.dim() and not 0 <= k <= self.shape[dim]:
        raise RuntimeError("selected index k out of range")
    long = self.dim() and self.shape[dim] > 1024 and k <= 256 and self.dtype in (torch.float32, torch.float64, torch.float16, torch.bfloat16)
    out = _largest(self, k, dim, largest) if long else _sorted(self, dim, largest)
    if self.dim() and not long:
        out = [o.narrow(dim, 0, k).contiguous() for o in out]
    return tuple(pointwise.into_place(o, i) for o, i in zip(out, into or (None, None)))


def _places(mask):
    """Lists where a mask of one dimension is true; the host learns how many there are."""
    n = mask.numel()
    if n == 0:
        return torch.empty(0, dtype=torch.int64, device=mask.device)
    mask = (mask if mask.dtype == torch.bool else mask != 0).contiguous()
    sums = scan("cumsum")(mask, 0)
    out = torch.empty(int(sums[-1].item()), dtype=torch.int64, device=mask.device)
    driver.launch_elements(driver.kernel("order", "i64", "compact"), mask.device.index, n, _scan, out.data_ptr(), mask.data_ptr(), n,
                           sums.data_ptr())
    return out


def nonzero(self, *, into=None):
    flat, columns = _places(self.reshape(-1)), []
    for size in reversed(self.shape):
        columns.append(flat % size)
        flat = torch.div(flat, size, rounding_mode="floor")
    n = flat.shape[0]
    out = torch.stack(columns[::-1], 1) if columns else torch.empty((n, 0), dtype=torch.int64, device=self.device)
    return pointwise.into_place(out, into)


def masked_select(self, mask, *, into=None):
    if mask.dtype != torch.bool:
        raise RuntimeError("masked_select: expected BoolTensor for mask")
    shape = walk.broadcast([self.shape, mask.shape])
    return pointwise.into_place(self.expand(shape).reshape(-1).index_select(0, _places(mask.expand(shape).reshape(-1))), into)


def masked_scatter_(self, mask, source):
    places = _places(mask.expand(self.shape).reshape(-1))
    if source.numel() < places.numel():
        raise RuntimeError("masked_scatter: expected the number of elements of the source to be at least the number of true elements")
    flat = self if self.is_contiguous() else self.contiguous()
    index_put_(flat.view(-1), [places], source.reshape(-1)[:places.numel()])
    return self if flat is self else copy_(self, flat)


def take(self, index, *, into=None):
    return pointwise.into_place(self.reshape(-1).index_select(0, index.reshape(-1)).view(index.shape), into)

"""Running sums, rows in order, and where a mask is true (kernels/aten/order.cu)."""
import torch

from . import driver, pointwise, walk
from .copying import copy_, pointwise_kind
from .indexing import index_put_

_scan = driver.layout("QQqq")
_sort = driver.layout("QQQii")
_step = driver.layout("QQqqqqqii")


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
                          driver.at(t), size, inner)
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
    size, last = t.shape[dim], dim == t.dim() - 1
    rows = (t if last else t.movedim(dim, -1)).contiguous()
    if size > 1024:
        value, index = _sorted_long(rows, kind, descending)
        return (value.to(narrow) if narrow else value).movedim(-1, dim).contiguous(), index.movedim(-1, dim).contiguous()
    value, index = torch.empty_like(rows), torch.empty_like(rows, dtype=torch.int64)
    n = rows.numel()
    if n:
        width = 32
        while width * 2 < size and width < 256:
            width *= 2
        driver.launch(driver.kernel("order", kind, "sort"), t.device.index, n // size, width, _sort, value.data_ptr(), index.data_ptr(),
                      driver.at(rows), size, int(descending))
    value = value.to(narrow) if narrow else value
    if last:
        return value, index
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
    driver.launch_elements(driver.kernel("order", "i64", "compact"), mask.device.index, n, _scan, out.data_ptr(), driver.at(mask), n,
                           driver.at(sums))
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

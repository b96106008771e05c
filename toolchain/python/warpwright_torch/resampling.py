"""Tensors made larger or smaller along their last dimensions: each step is a product with a matrix of weights, one row for
each element of the result, and its backward formula the product with the matrix turned. The products are cuBLAS's."""
import functools
import math

import torch

from . import driver
from .pointwise import cast, into_place
from .rows import kept_type


def _cubic(x, a=-0.75):
    """Weighs the element that is x away, by Keys' cubic convolution."""
    x = abs(x)
    return ((a + 2) * x - (a + 3)) * x * x + 1 if x <= 1 else (((x - 5) * x + 8) * x - 4) * a if x < 2 else 0.0


def _row(mode, k, size, wanted, align, scale):
    """Lists the elements of which the k-th of the result is made, with their weights."""
    if mode == "area":
        first, end = k * size // wanted, -(-(k + 1) * size // wanted)
        return [(i, 1 / (end - first)) for i in range(first, end)]
    step = ((size - 1) / (wanted - 1) if wanted > 1 else 0.0) if align else 1 / scale if scale else size / wanted
    if mode in ("nearest", "exact"):
        return [(min(int((k + 0.5) * step if mode == "exact" else k * step), size - 1), 1.0)]
    at = k * step if align else (k + 0.5) * step - 0.5
    if mode == "linear":
        at = max(at, 0.0)
        first = min(int(at), size - 1)
        part = min(at - first, 1.0)
        return [(first, 1 - part), (min(first + 1, size - 1), part)]
    first = math.floor(at)
    return [(min(max(i, 0), size - 1), _cubic(at - i)) for i in range(first - 1, first + 3)]


_LARGEST = 1 << 23  # elements of a matrix of weights: most are zero, and a long line's would not fit in memory


@functools.lru_cache(maxsize=256)
def _weights(mode, size, wanted, align, scale, dtype, device):
    if size * wanted > _LARGEST:
        raise driver.NoKernel(f"lines of {size} and {wanted} elements")
    matrix = [[0.0] * size for _ in range(wanted)]
    for k in range(wanted):
        for i, weight in _row(mode, k, size, wanted, align, scale):
            matrix[k][i] += weight
    return torch.tensor(matrix, dtype=torch.float64).to(dtype).to(device)


def _along(t, d, matrix):
    """Multiplies the matrix with each line of a contiguous tensor along a dimension."""
    rows, columns = matrix.shape
    inner = math.prod(t.shape[d + 1:])
    shape = (*t.shape[:d], rows, *t.shape[d + 1:])
    if inner == 1:
        return torch.mm(t.reshape(-1, columns), matrix.t()).view(shape)
    outer = math.prod(t.shape[:d])
    return torch.bmm(matrix.expand(outer, rows, columns), t.reshape(outer, columns, inner)).view(shape)


def _resampled(t, mode, small, large, align, scales, backward):
    if not t.dtype.is_floating_point:
        raise driver.NoKernel(f"no kernel for {t.dtype}")
    out, rank = cast(t, kept_type(t.dtype)).contiguous(), len(large)
    if 0 in t.shape or 0 in small:
        raise driver.NoKernel("no elements")
    for d, (size, wanted) in enumerate(zip(small, large)):
        if size == wanted and mode != "cubic" and not (scales[d] and scales[d] != 1):
            continue
        matrix = _weights(mode, size, wanted, align, scales[d], out.dtype, out.device)
        out = _along(out, t.dim() - rank + d, matrix.t().contiguous() if backward else matrix)
    return cast(out, t.dtype) if out is not t else t.clone()


def _read(mode, rank, args):
    """Returns whether corners are aligned, and the scales, of an operator's last arguments."""
    align = bool(args[0]) if mode in ("linear", "cubic") and args else False
    scales = list(args[1:] if mode in ("linear", "cubic") else args)
    return align, (scales + [None] * rank)[:rank]


def upsample(mode, rank):
    def operator(self, output_size, *args, into=None):
        align, scales = _read(mode, rank, args)
        return into_place(_resampled(self, mode, self.shape[-rank:], output_size, align, scales, False), into)

    return operator


def upsample_backward(mode, rank):
    def operator(grad_output, output_size, input_size, *args, into=None):
        align, scales = _read(mode, rank, args)
        return into_place(_resampled(grad_output, mode, input_size[-rank:], output_size, align, scales, True), into)

    return operator


def adaptive_average(rank):
    def operator(self, output_size, *, into=None):
        return into_place(_resampled(self, "area", self.shape[-rank:], output_size, False, [None] * rank, False), into)

    return operator


def adaptive_average_backward(rank):
    def operator(grad_output, self, *, into=None):
        small, large = self.shape[-rank:], grad_output.shape[-rank:]
        return into_place(_resampled(grad_output, "area", small, large, False, [None] * rank, True), into)

    return operator

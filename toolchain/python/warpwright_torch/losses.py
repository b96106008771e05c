"""Loss functions."""
import math

import torch

from . import driver, pointwise
from .copying import pointwise_kind
from .pointwise import apply, into_place, needs_kernel

_NONE, _MEAN, _SUM = 0, 1, 2


def _reduced(out, reduction, into=None):
    return into_place(out if reduction == _NONE else out.mean() if reduction == _MEAN else out.sum(), into)


def loss(name, file="binary"):
    def operator(self, target, reduction=_MEAN, parameter=1.0, *, into=None):
        dtype = needs_kernel(torch.result_type(self, target))
        return _reduced(apply(file, name, [self, target], dtype, dtype, (parameter,)), reduction, into)

    return operator


def loss_backward(name, file="binary", factor=1.0):
    def operator(grad_output, self, target, reduction, parameter=1.0, *, into=None):
        dtype = needs_kernel(self.dtype)
        share = factor / self.numel() if reduction == _MEAN and self.numel() else factor
        return apply(file, name, [grad_output, self, target], dtype, dtype, (share, parameter), into)

    return operator


def bce(self, target, weight=None, reduction=_MEAN, *, into=None):
    dtype = needs_kernel(self.dtype)
    out = apply("special", "bce", [self, target], dtype, dtype)
    return _reduced(out if weight is None else out * weight, reduction, into)


def bce_backward(grad_output, self, target, weight=None, reduction=_MEAN, *, into=None):
    dtype = needs_kernel(self.dtype)
    share = 1.0 / self.numel() if reduction == _MEAN and self.numel() else 1.0
    out = apply("special", "bce_backward", [grad_output, self, target], dtype, dtype, (share,))
    return into_place(out if weight is None else out * weight, into)


_of_classes = driver.layout("QQQQQQqqqqii")


def _classes(name, self, target, weight, ignore_index, to, total, grad, mean, each):
    """Queues a kernel of classes.cu over nll_loss's self (N, C, ...), or (C), and its targets."""
    t, target = self.contiguous(), pointwise.cast(target, torch.int64).contiguous()
    weight = None if weight is None else pointwise.cast(weight.contiguous(), t.dtype)
    classes, inner = t.shape[0 if t.dim() == 1 else 1], math.prod(t.shape[2:])
    n, kernel = target.numel(), driver.kernel("classes", pointwise_kind(t.dtype), name)
    grid = (n + 255) // 256 if name != "nll" else 1
    if grid:
        driver.launch(kernel, t.device.index, grid, 256, _of_classes, to.data_ptr(), *[0 if x is None else driver.at(x) for x in (
            total, t, grad, weight, target)], n, classes, inner, ignore_index, int(mean), int(each))


def nll_loss(self, target, weight, reduction, ignore_index, *, into=None):
    whole = {"dtype": self.dtype, "device": self.device}
    if reduction == _NONE:
        out = torch.empty(target.shape if self.dim() > 1 else (), **whole), torch.zeros((), **whole)
        _classes("nll_each", self, target, weight, ignore_index, out[0], None, None, False, True)
    else:
        out = torch.empty((), **whole), torch.empty((), **whole)
        _classes("nll", self, target, weight, ignore_index, *out, None, reduction != _SUM, False)
    return tuple(into_place(o, i) for o, i in zip(out, into or (None, None)))


def nll_loss_backward(grad_output, self, target, weight, reduction, ignore_index, total_weight, *, into=None):
    out = torch.zeros_like(self, memory_format=torch.contiguous_format)
    grad, total = [pointwise.cast(t.contiguous(), self.dtype) for t in (grad_output, total_weight)]
    _classes("nll_backward", self, target, weight, ignore_index, out, total, grad, reduction == _MEAN, reduction == _NONE)
    return into_place(out, into)

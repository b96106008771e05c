"""Loss functions."""
import torch

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


def _classes(self, target, weight, ignore_index):
    """Returns, for nll_loss of self (N, C, ...), the targets as an index along dimension 1, and their weights: 0 where they do not count."""
    kept = target != ignore_index
    safe = torch.where(kept, target, torch.zeros((), dtype=target.dtype, device=target.device))
    one = torch.ones((), dtype=self.dtype, device=self.device)
    weights = torch.where(kept, one if weight is None else weight[safe], torch.zeros((), dtype=self.dtype, device=self.device))
    return safe.unsqueeze(1 if self.dim() > 1 else 0), weights


def nll_loss(self, target, weight, reduction, ignore_index, *, into=None):
    if self.dim() == 1:
        out = nll_loss(self.unsqueeze(0), target.reshape(1), weight, reduction, ignore_index)
        out = (out[0].reshape(()), out[1])
    else:
        index, weights = _classes(self, target, weight, ignore_index)
        each = -(self.gather(1, index).squeeze(1) * weights)
        each = torch.where(weights != 0, each, torch.zeros((), dtype=self.dtype, device=self.device))
        total = weights.sum()
        if reduction == _NONE:
            out = each, torch.zeros((), dtype=self.dtype, device=self.device)
        else:
            out = each.sum() if reduction == _SUM else each.sum() / total, total
    return tuple(into_place(o, i) for o, i in zip(out, into or (None, None)))


def nll_loss_backward(grad_output, self, target, weight, reduction, ignore_index, total_weight, *, into=None):
    if self.dim() == 1:
        out = nll_loss_backward(grad_output.reshape(1) if reduction == _NONE else grad_output, self.unsqueeze(0), target.reshape(1), weight,
                                reduction, ignore_index, total_weight)
        return into_place(out.squeeze(0), into)
    index, weights = _classes(self, target, weight, ignore_index)
    each = -weights * (grad_output / total_weight if reduction == _MEAN else grad_output)
    return into_place(torch.zeros_like(self).scatter_(1, index, each.unsqueeze(1)), into)

"""Softmax, and norms of rows, of groups and of channels (kernels/aten/rows.cu)."""
import torch

from . import driver, pointwise
from .copying import pointwise_kind

_softmax = driver.layout("QQQqq")
_norm = driver.layout("QQQQQQqdii")
_norm_back = driver.layout("QQQQQQqii")
_norm_weight = driver.layout("QQQQQQqqii")


def _width(n):
    width = 32
    while width < n and width < 256:
        width *= 2
    return width


def _pointer(t):
    return 0 if t is None else driver.at(t)


def _rows(name, t, grad, dim):
    out = torch.empty_like(t, memory_format=torch.contiguous_format)
    if t.numel():
        kind = pointwise_kind(t.dtype)
        dim = dim % t.dim() if t.dim() else 0
        size = t.shape[dim] if t.dim() else 1
        inner = 1
        for s in t.shape[dim + 1:]:
            inner *= s
        driver.launch(driver.kernel("rows", kind, name), t.device.index, t.numel() // size, _width(size), _softmax, out.data_ptr(),
                      driver.at(t), _pointer(grad), size, inner)
    return out


def softmax(name):
    def operator(self, dim, half_to_float=False, *, into=None):
        t = self.float() if half_to_float else self
        return pointwise.into_place(_rows(name, t.contiguous(), None, dim), into)

    return operator


def softmax_backward(name):
    def operator(grad_output, output, dim, input_dtype, *, into=None):
        out = _rows(name, output.contiguous(), pointwise.cast(grad_output.contiguous(), output.dtype), dim)
        return pointwise.into_place(pointwise.cast(out, input_dtype), into)

    return operator


def kept_type(dtype):
    return torch.float32 if dtype in (torch.float16, torch.bfloat16) else dtype


_plans = {}


def _plan(shape, dtype, size):
    """Works out how rows of `size` elements are normed: kernel, grid and block, the types of the rows and of their figures."""
    rows = shape.numel() // size if size else 0
    kernel = driver.kernel("rows", pointwise_kind(dtype), "norm_rows")
    if len(_plans) > 20000:
        _plans.clear()
    found = _plans[shape, dtype, size] = kernel, rows, _width(size), kept_type(dtype)
    return found


def norm_rows(x, size, weight, bias, eps, centred, shape=None):
    """Norms x in rows of `size` elements. Returns it, the mean of each row (None without centring) and 1 / its deviation, of a shape."""
    if not x.is_contiguous():
        x = x.contiguous()
    dtype, device = x.dtype, x.device
    kernel, rows, width, wide = _plans.get((x.shape, dtype, size)) or _plan(x.shape, dtype, size)
    if shape is None:
        shape = (rows,)
    out = torch.empty_like(x)
    mean = torch.empty(shape, dtype=wide, device=device) if centred else None
    rstd = torch.empty(shape, dtype=wide, device=device)
    if weight is not None and not (weight.dtype == dtype and weight.is_contiguous()):
        weight = pointwise.cast(weight.contiguous(), dtype)
    if bias is not None and not (bias.dtype == dtype and bias.is_contiguous()):
        bias = pointwise.cast(bias.contiguous(), dtype)
    if rows:
        driver.launch(kernel, device.index, rows, width, _norm, out.data_ptr(), mean.data_ptr() if centred else 0, rstd.data_ptr(), driver.at(x),
                      _pointer(weight), _pointer(bias), size, eps, int(centred), 0)
    return out, mean, rstd


def norm_rows_backward(grad, x, size, mean, rstd, weight, mask, centred):
    grad, x = grad.contiguous(), x.contiguous()
    kind = pointwise_kind(x.dtype)
    rows = x.numel() // size if size else 0
    wide = kept_type(x.dtype)
    mean, rstd = [None if t is None else pointwise.cast(t.contiguous(), wide) for t in (mean, rstd)]
    weight = None if weight is None else pointwise.cast(weight.contiguous(), x.dtype)
    to_x = to_weight = to_bias = None
    if mask[0]:
        to_x = torch.empty_like(x)
        if rows:
            driver.launch(driver.kernel("rows", kind, "norm_rows_backward"), x.device.index, rows, _width(size), _norm_back, to_x.data_ptr(),
                          driver.at(grad), driver.at(x), _pointer(mean), driver.at(rstd), _pointer(weight), size, int(centred), 0)
    if mask[1] or mask[2]:
        make = torch.empty if rows else torch.zeros
        to_weight = make(size, dtype=x.dtype, device=x.device) if mask[1] else None
        to_bias = make(size, dtype=x.dtype, device=x.device) if mask[2] else None
        if rows:
            driver.launch_elements(driver.kernel("rows", kind, "norm_weight_backward"), x.device.index, size, _norm_weight, _pointer(to_weight),
                                   _pointer(to_bias), driver.at(grad), driver.at(x), _pointer(mean), driver.at(rstd), size, rows,
                                   int(centred), 0)
    return to_x, to_weight, to_bias


def _size(shape):
    n = 1
    for s in shape:
        n *= s
    return n


def _of_rows(x, normalized_shape):
    shape, n = x.shape, len(normalized_shape)
    return (*shape[:len(shape) - n], *(1,) * n)


def layer_norm(input, normalized_shape, weight, bias, eps):
    return norm_rows(input, _size(normalized_shape), weight, bias, eps, True, _of_rows(input, normalized_shape))


def layer_norm_backward(grad_out, input, normalized_shape, mean, rstd, weight, bias, output_mask):
    x, w, b = norm_rows_backward(grad_out, input, _size(normalized_shape), mean.reshape(-1), rstd.reshape(-1), weight, output_mask, True)
    return x, None if w is None else w.view(list(normalized_shape)), None if b is None else b.view(list(normalized_shape))


def rms_norm(input, normalized_shape, weight=None, eps=None):
    if eps is None:
        eps = torch.finfo(kept_type(input.dtype)).eps
    out, _, rstd = norm_rows(input, _size(normalized_shape), weight, None, eps, False, _of_rows(input, normalized_shape))
    return out, rstd


def rms_norm_backward(grad_out, input, normalized_shape, rstd, weight, output_mask):
    x, w, _ = norm_rows_backward(grad_out, input, _size(normalized_shape), None, rstd.reshape(-1), weight, [*output_mask, False], False)
    return x, None if w is None else w.view(list(normalized_shape))


def _channels(t, rank):
    return None if t is None else t.view([1, -1] + [1] * (rank - 2))


def group_norm(input, weight, bias, N, C, HxW, group, eps):
    out, mean, rstd = norm_rows(input, C // group * HxW, None, None, eps, True)
    for f, w in ((torch.mul, weight), (torch.add, bias)):
        if w is not None:
            out = f(out, _channels(w, input.dim()))
    return out, mean.view(N, group).to(input.dtype), rstd.view(N, group).to(input.dtype)


def group_norm_backward(grad_out, input, mean, rstd, weight, N, C, HxW, group, output_mask):
    rank, size = input.dim(), C // group * HxW
    g = grad_out if weight is None else grad_out * _channels(weight, rank)
    to_x = to_weight = to_bias = None
    if output_mask[0]:
        to_x = norm_rows_backward(g, input, size, mean.reshape(-1), rstd.reshape(-1), None, (True, False, False), True)[0].view(input.shape)
    if output_mask[1] or output_mask[2]:
        rows = (N * group, size)
        y = ((input.reshape(rows) - mean.reshape(-1, 1)) * rstd.reshape(-1, 1)).view(N, C, HxW)
        flat = grad_out.reshape(N, C, HxW)
        to_weight = (flat * y).sum((0, 2)) if output_mask[1] else None
        to_bias = flat.sum((0, 2)) if output_mask[2] else None
    return to_x, to_weight, to_bias


def batch_norm(input, weight, bias, running_mean=None, running_var=None, training=True, momentum=0.1, eps=1e-5, *, into=None):
    rank = input.dim()
    dims = [d for d in range(rank) if d != 1]
    wide = kept_type(input.dtype)
    if training:
        var, mean = torch.var_mean(input.to(wide), dims, correction=0)
        rstd = torch.rsqrt(var + eps)
        n = input.numel() // max(input.shape[1], 1)
        if running_mean is not None:
            running_mean.mul_(1 - momentum).add_(mean.to(running_mean.dtype), alpha=momentum)
        if running_var is not None:
            running_var.mul_(1 - momentum).add_(var.to(running_var.dtype), alpha=momentum * n / max(n - 1, 1))
    else:
        mean, rstd = running_mean.to(wide), torch.rsqrt(running_var.to(wide) + eps)
    scale = rstd if weight is None else rstd * weight
    out = (input.to(wide) - _channels(mean, rank)) * _channels(scale, rank)
    if bias is not None:
        out = out + _channels(bias, rank)
    saved = (mean, rstd) if training else (mean.new_empty(0), mean.new_empty(0))
    result = (out.to(input.dtype), *saved)
    return tuple(pointwise.into_place(o, i) for o, i in zip(result, into)) if into else result


def batch_norm_without_running(input, weight, bias, training, momentum, eps, *, into=None):
    return batch_norm(input, weight, bias, None, None, training, momentum, eps, into=into)


def batch_norm_backward(grad_out, input, weight, running_mean, running_var, save_mean, save_invstd, train, eps, output_mask):
    rank = input.dim()
    dims = [d for d in range(rank) if d != 1]
    wide = kept_type(input.dtype)
    mean, rstd = (save_mean, save_invstd) if train else (running_mean.to(wide), torch.rsqrt(running_var.to(wide) + eps))
    g, n = grad_out.to(wide), input.numel() // max(input.shape[1], 1)
    y = (input.to(wide) - _channels(mean, rank)) * _channels(rstd, rank)
    to_bias, to_weight, to_x = g.sum(dims), (g * y).sum(dims), None
    if output_mask[0]:
        scale = rstd if weight is None else rstd * weight
        inner = g - _channels(to_bias / n, rank) - y * _channels(to_weight / n, rank) if train else g
        to_x = (inner * _channels(scale, rank)).to(input.dtype)
    return to_x, to_weight if output_mask[1] else None, to_bias if output_mask[2] else None

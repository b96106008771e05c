"""Convolutions and pooling: windows of a tensor are a view with overlapping steps, which the kernels of copies and reductions read;
the products of a convolution are cuBLAS's."""
import torch

from . import driver, reducing
from .copying import pointwise_kind
from .pointwise import into_place, type_name


def _pair(value, rank=2):
    value = [value] if isinstance(value, int) else list(value)
    return value * rank if len(value) == 1 else value


def _flat_only(t):
    """Lets two dimensions through: a third is the host's."""
    if t.dim() != 4 or not t.dtype.is_floating_point:
        raise driver.NoKernel("other than two dimensions of floating-point numbers")


def _padded(t, padding, value=0.0, beyond=(0, 0)):
    """Surrounds the last two dimensions; below and to the right of the padding `beyond` more."""
    (ph, pw), (bh, bw) = padding, beyond
    if not ph and not pw and not bh and not bw:
        return t.contiguous()
    n, c, h, w = t.shape
    out = torch.full((n, c, h + 2 * ph + bh, w + 2 * pw + bw), value, dtype=t.dtype, device=t.device)
    out[:, :, ph:ph + h, pw:pw + w].copy_(t)
    return out


def _out_size(size, kernel, stride, dilation):
    return [(s - d * (k - 1) - 1) // st + 1 for s, k, st, d in zip(size, kernel, stride, dilation)]


def _windows(t, kernel, stride, dilation):
    """Views t (contiguous, padded) as windows: (n, c, kernel's height and width, output's height and width)."""
    n, c, h, w = t.shape
    size = _out_size((h, w), kernel, stride, dilation)
    return t.as_strided((n, c, *kernel, *size), (c * h * w, h * w, dilation[0] * w, dilation[1], stride[0] * w, stride[1]))


def _columns(x, kernel, stride, padding, dilation, groups):
    """Copies the windows to (n, groups, c / groups * kernel, output)."""
    view = _windows(_padded(x, padding), kernel, stride, dilation)
    n, c, kh, kw, oh, ow = view.shape
    return view.contiguous().view(n, groups, c // groups * kh * kw, oh * ow), (oh, ow)


def _forward(x, weight, stride, padding, dilation, groups):
    columns, size = _columns(x, weight.shape[2:], stride, padding, dilation, groups)
    n, o = x.shape[0], weight.shape[0]
    parts = [torch.bmm(weight[g * (o // groups):(g + 1) * (o // groups)].reshape(1, o // groups, -1).expand(n, -1, -1), columns[:, g])
             for g in range(groups)]
    return (parts[0] if groups == 1 else torch.cat(parts, 1)).view(n, o, *size)


def _to_input(grad, weight, shape, stride, padding, dilation, groups):
    """Adds what each output gives back to the elements of its window."""
    n, o, oh, ow = grad.shape
    kh, kw = weight.shape[2:]
    g = grad.reshape(n, groups, o // groups, oh * ow)
    parts = [torch.bmm(weight[k * (o // groups):(k + 1) * (o // groups)].reshape(1, o // groups, -1).transpose(1, 2).expand(n, -1, -1),
                       g[:, k]) for k in range(groups)]
    columns = (parts[0] if groups == 1 else torch.cat(parts, 1)).view(n, shape[1], kh, kw, oh, ow)
    ph, pw = padding
    out = torch.zeros((n, shape[1], shape[2] + 2 * ph, shape[3] + 2 * pw), dtype=grad.dtype, device=grad.device)
    for i in range(kh):
        for j in range(kw):
            at = out[:, :, i * dilation[0]:i * dilation[0] + (oh - 1) * stride[0] + 1:stride[0],
                     j * dilation[1]:j * dilation[1] + (ow - 1) * stride[1] + 1:stride[1]]
            at.add_(columns[:, :, i, j])
    return out[:, :, ph:ph + shape[2], pw:pw + shape[3]].contiguous()


def _to_weight(grad, x, weight_shape, stride, padding, dilation, groups):
    columns, size = _columns(x, weight_shape[2:], stride, padding, dilation, groups)
    n, o = x.shape[0], weight_shape[0]
    columns = columns[..., :grad.shape[2] * grad.shape[3]] if size == tuple(grad.shape[2:]) else columns.view(
        n, groups, -1, *size)[..., :grad.shape[2], :grad.shape[3]].reshape(n, groups, columns.shape[2], -1)
    g = grad.reshape(n, groups, o // groups, -1)
    parts = [torch.bmm(g[:, k], columns[:, k].transpose(1, 2)).sum(0) for k in range(groups)]
    return (parts[0] if groups == 1 else torch.cat(parts, 0)).view(weight_shape)


def _two_dimensions(tensors, *lists):
    """Makes one dimension two, of which the first has one element."""
    if tensors[0].dim() != 3:
        return tensors, lists, False
    fill = (1, 0, 1, 0)
    return [None if t is None else t.unsqueeze(2) for t in tensors], [[f, *_pair(v, 1)] for f, v in zip(fill, lists)], True


def convolution(input, weight, bias, stride, padding, dilation, transposed, output_padding, groups):
    (x, w), (stride, padding, dilation, output_padding), line = _two_dimensions((input, weight), *(
        list(v) for v in (stride, padding, dilation, output_padding)))
    _flat_only(x)
    if any(s == 0 for s in x.shape):
        raise driver.NoKernel("no elements")
    stride, padding, dilation, output_padding = map(_pair, (stride, padding, dilation, output_padding))
    if transposed:
        size = [(x.shape[2 + d] - 1) * stride[d] - 2 * padding[d] + dilation[d] * (w.shape[2 + d] - 1) + output_padding[d] + 1 for d in (0, 1)]
        out = _to_input(x, w, (x.shape[0], w.shape[1] * groups, *size), stride, padding, dilation, groups)
    else:
        out = _forward(x, w, stride, padding, dilation, groups)
    if bias is not None:
        out.add_(bias.view(1, -1, 1, 1))
    return out.squeeze(2) if line else out


def convolution_backward(grad_output, input, weight, bias_sizes, stride, padding, dilation, transposed, output_padding, groups, output_mask):
    (g, x, w), (stride, padding, dilation, output_padding), line = _two_dimensions((grad_output, input, weight), *(
        list(v) for v in (stride, padding, dilation, output_padding)))
    _flat_only(x)
    if any(s == 0 for s in (*x.shape, *g.shape)):
        raise driver.NoKernel("no elements")
    stride, padding, dilation = map(_pair, (stride, padding, dilation))
    to_x = to_w = to_b = None
    if transposed:
        if output_mask[0]:
            to_x = _forward(g, w, stride, padding, dilation, groups)[:, :, :x.shape[2], :x.shape[3]].contiguous()
        if output_mask[1]:
            to_w = _to_weight(x, g, w.shape, stride, padding, dilation, groups)
    else:
        if output_mask[0]:
            to_x = _to_input(g, w, x.shape, stride, padding, dilation, groups)
        if output_mask[1]:
            to_w = _to_weight(g, x, w.shape, stride, padding, dilation, groups)
    if output_mask[2]:
        to_b = g.sum((0, 2, 3))
    return tuple(t.squeeze(2) if line and t is not None and k < 2 else t for k, t in enumerate((to_x, to_w, to_b)))


def _pool_size(size, kernel, stride, padding, dilation, ceil_mode):
    out = []
    for s, k, st, p, d in zip(size, kernel, stride, padding, dilation):
        n = s + 2 * p - d * (k - 1) - 1
        o = (n + st - 1 if ceil_mode else n) // st + 1
        out.append(o - 1 if ceil_mode and (o - 1) * st >= s + p else o)
    return out


def _pooled(self, kernel_size, stride, padding, dilation, ceil_mode):
    kernel, padding, dilation = _pair(kernel_size), _pair(padding), _pair(dilation)
    stride = _pair(stride) if stride else kernel
    x = self.unsqueeze(0) if self.dim() == 3 else self
    _flat_only(x)
    size = _pool_size(x.shape[2:], kernel, stride, padding, dilation, ceil_mode)
    if 0 in x.shape:
        raise driver.NoKernel("no elements")
    beyond = [max(0, (o - 1) * st + d * (k - 1) + 1 - s - 2 * p)
              for o, st, d, k, s, p in zip(size, stride, dilation, kernel, x.shape[2:], padding)]
    return x, kernel, stride, padding, dilation, size, beyond


_max_pool = driver.layout("QQQq4i8i")


def max_pool(self, kernel_size, stride=(), padding=0, dilation=1, ceil_mode=False, *, into=None):
    x, kernel, stride, padding, dilation, (oh, ow), _ = _pooled(self, kernel_size, stride, padding, dilation, ceil_mode)
    n, c, h, w = x.shape
    x, device = x.contiguous(), x.device
    kernel_of = driver.kernel("windows", pointwise_kind(x.dtype), "max_pool")
    value = torch.empty((n, c, oh, ow), dtype=x.dtype, device=device)
    index, elements = torch.empty_like(value, dtype=torch.int64), n * c * oh * ow
    if elements >= 1 << 32:
        raise driver.NoKernel("too many elements")
    driver.launch_elements(kernel_of, device.index, elements, _max_pool, value.data_ptr(), index.data_ptr(), driver.at(x), elements, h, w, oh, ow,
                           *kernel, *stride, *padding, *dilation)
    out = [t.squeeze(0) if self.dim() == 3 else t for t in (value, index)]
    return tuple(into_place(o, i) for o, i in zip(out, into or (None, None)))


def max_pool_backward(grad_output, self, kernel_size, stride, padding, dilation, ceil_mode, indices, *, into=None):
    if not self.dtype.is_floating_point:
        raise driver.NoKernel("whole numbers")
    flat = [*self.shape[:-2], -1]
    out = torch.zeros_like(self, memory_format=torch.contiguous_format)
    out.view(flat).scatter_add_(-1, indices.reshape(flat), grad_output.reshape(flat))
    return into_place(out, into)


def _shares(x, kernel, stride, padding, size, count_include_pad, divisor):
    """Returns one over the number of elements that each window counts, as a tensor for the output's last two dimensions."""
    counts = []
    for s, k, st, p, o in zip(x.shape[2:], kernel, stride, padding, size):
        low, high = (0, s + 2 * p) if count_include_pad else (p, p + s)
        counts.append([min(i * st + k, high) - max(i * st, low) for i in range(o)])
    whole = kernel[0] * kernel[1]
    if divisor or all(c == k for line, k in zip(counts, kernel) for c in line):
        return 1.0 / (divisor or whole)
    lines = [torch.tensor([1.0 / c for c in line], dtype=torch.float64).to(x.dtype).to(x.device) for line in counts]
    return lines[0].unsqueeze(1) * lines[1]


def avg_pool(self, kernel_size, stride=(), padding=0, ceil_mode=False, count_include_pad=True, divisor_override=None, *, into=None):
    x, kernel, stride, padding, _, size, beyond = _pooled(self, kernel_size, stride, padding, 1, ceil_mode)
    view = _windows(_padded(x, padding, 0.0, beyond), kernel, stride, (1, 1))[..., :size[0], :size[1]].permute(0, 1, 4, 5, 2, 3)
    share = _shares(x, kernel, stride, padding, size, count_include_pad, divisor_override)
    even = isinstance(share, float)
    out = reducing.reduce("sum", view, (4, 5), False, x.dtype, (share if even else 1.0, 0.0))
    if not even:
        out = out * share
    return into_place(out.squeeze(0) if self.dim() == 3 else out, into)


def avg_pool_backward(grad_output, self, kernel_size, stride, padding, ceil_mode, count_include_pad, divisor_override, *, into=None):
    x, kernel, stride, padding, _, (oh, ow), beyond = _pooled(self, kernel_size, stride, padding, 1, ceil_mode)
    n, c, h, w = x.shape
    g = grad_output.reshape(n, c, oh, ow) * _shares(x, kernel, stride, padding, (oh, ow), count_include_pad, divisor_override)
    out = torch.zeros((n, c, h + 2 * padding[0] + beyond[0], w + 2 * padding[1] + beyond[1]), dtype=x.dtype, device=x.device)
    for i in range(kernel[0]):
        for j in range(kernel[1]):
            out[:, :, i:i + (oh - 1) * stride[0] + 1:stride[0], j:j + (ow - 1) * stride[1] + 1:stride[1]].add_(g)
    return into_place(out[:, :, padding[0]:padding[0] + h, padding[1]:padding[1] + w].contiguous().view(self.shape), into)


def upsample_nearest(rank, exact=False):
    def operator(self, output_size, *scales, into=None):
        if not self.dtype.is_floating_point and self.dtype != torch.uint8:
            raise NotImplementedError(f"\"upsample_nearest{rank}d_out_frame\" not implemented for '{type_name(self.dtype)}'")
        out = self
        for d in range(rank):
            size, wanted = self.shape[2 + d], output_size[d]
            scale = 1 / scales[d] if d < len(scales) and scales[d] else size / wanted
            at = [min(int((k + 0.5) * scale if exact else k * scale), size - 1) for k in range(wanted)]
            out = out.index_select(2 + d, torch.tensor(at, device=self.device))
        return into_place(out, into)

    return operator


def _places(mode, low, high, size):
    """Lists the element of a line that stands in each place of the padded one."""
    at = range(-low, size + high)
    return tuple(min(max(k, 0), size - 1) if mode == "replication" else abs(k) if k < size else 2 * (size - 1) - k for k in at)


def pad(mode, rank):
    """Makes reflection_pad and replication_pad: elements chosen by index along each dimension."""
    def operator(self, padding, *, into=None):
        out = self
        for d in range(rank):
            low, high, size = padding[2 * d], padding[2 * d + 1], self.shape[-1 - d]
            if mode == "reflection" and (low >= size or high >= size):
                raise RuntimeError(f"Padding size should be less than the corresponding input dimension, but got: padding ({low}, {high}) at "
                                   f"dimension {self.dim() - 1 - d} of input {list(self.shape)}")
            at = _places(mode, low, high, size)
            out = out.index_select(self.dim() - 1 - d, torch.tensor(at, device=self.device))
        return into_place(out, into)

    return operator


def pad_backward(mode, rank):
    """Adds up along each dimension what came from the same element."""
    def operator(grad_output, self, padding, *, into=None):
        out = grad_output
        for d in range(rank):
            at, dim = _places(mode, padding[2 * d], padding[2 * d + 1], self.shape[-1 - d]), self.dim() - 1 - d
            shape = list(out.shape)
            shape[dim] = self.shape[dim]
            zero = torch.zeros(shape, dtype=out.dtype, device=out.device)
            out = zero.index_add_(dim, torch.tensor(at, device=out.device), out)
        return into_place(out, into)

    return operator

"""Random numbers in PyTorch's order (kernels/aten/random.cu), from the device's own generator: a seed, and how far it has come."""
import torch

from . import driver, pointwise, walk
from .copying import pointwise_kind

_random = driver.layout("QqQQddqq")
_dropout = driver.layout("QQQqQQdii")


def _grid(n, device):
    """As many blocks of 256 threads as the device holds, at most one for each 256 elements."""
    properties = torch.cuda.get_device_properties(device)
    most = properties.multi_processor_count * (properties.max_threads_per_multi_processor // 256)
    return min(most, (n + 255) // 256)


def _take(n, device, generator, each, grid):
    """Returns seed and offset, and moves the generator on by what a thread draws."""
    own = generator if generator is not None else torch.cuda.default_generators[device]
    offset = own.get_offset()
    own.set_offset(offset + ((n - 1) // (256 * grid * each) + 1) * 4)
    return own.initial_seed() & 0xFFFFFFFFFFFFFFFF, offset


def _fill(name, out, generator, s=(0.0, 0.0), k=(0, 0), each=None):
    n = out.numel()
    if n == 0:
        return out
    kind = pointwise_kind(out.dtype)
    flat = out if out.is_contiguous() else torch.empty(out.shape, dtype=out.dtype, device=out.device)
    device = out.device.index
    grid = _grid(n, device)
    # the unrolled kernel makes four numbers in a turn, or two of 64 bits; the grid is for single elements
    seed, offset = _take(n, device, generator, each or (2 if out.dtype == torch.float64 else 4), grid)
    driver.launch(driver.kernel("random", kind, name), device, grid, 256, _random, flat.data_ptr(), n, seed, offset, *map(float, s), *k)
    return pointwise.into_place(flat, out)


def uniform_(self, low=0.0, high=1.0, generator=None, **named):
    low, high = named.get("from", low), named.get("to", high)
    if low > high:
        raise RuntimeError(f"uniform_ expects to return a [from, to) range, but found from={low} > to={high}")
    return _fill("uniform", self, generator, (low, high))


def normal_(self, mean=0.0, std=1.0, generator=None):
    if std < 0:
        raise RuntimeError(f"normal expects std >= 0.0, but found std {std}")
    return _fill("normal", self, generator, (mean, std))


def exponential_(self, lambd=1.0, generator=None):
    if lambd <= 0:
        raise RuntimeError(f"exponential_ expects lambda > 0.0, but found lambda={lambd}")
    return _fill("exponential", self, generator, (lambd, 0.0))


def bernoulli_(self, p=0.5, generator=None):
    if isinstance(p, torch.Tensor):
        draw = torch.empty(self.shape, dtype=torch.float32, device=self.device)
        _fill("uniform", draw, generator, (0.0, 1.0))
        return pointwise.into_place((draw < p.to(self.device)).to(self.dtype), self)
    if not 0 <= p <= 1:
        raise RuntimeError(f"bernoulli_ expects p to be in [0, 1], but got p={p}")
    if self.dtype in (torch.bool, torch.uint8, torch.int8, torch.int16):
        return pointwise.into_place(bernoulli_(torch.empty(self.shape, dtype=torch.int32, device=self.device), p, generator).to(self.dtype), self)
    return _fill("bernoulli", self, generator, (p, 0.0))


def bernoulli(self, p=None, *, generator=None, into=None):
    out = torch.empty_like(self) if into is None else into
    return bernoulli_(out, self if p is None else p, generator)


_RANGES = {torch.float32: 2**24 + 1, torch.float64: 2**53 + 1, torch.float16: 2**11 + 1, torch.bfloat16: 2**8 + 1, torch.int64: 2**63,
           torch.int32: 2**31, torch.int16: 2**15, torch.int8: 2**7, torch.uint8: 2**8, torch.bool: 2}


def random_(self, *args, generator=None, **named):
    low, high = named.get("from", 0), named.get("to", None)
    if len(args) == 1:
        high = args[0]
    elif len(args) == 2:
        low, high = args
    if high is None:
        high = _RANGES[self.dtype] if "from" not in named and len(args) < 2 else 2**63
    if low >= high:
        raise RuntimeError(f"random_ expects 'from' to be less than 'to', but got from={low} >= to={high}")
    target = self
    if self.dtype in (torch.bool, torch.uint8, torch.int8, torch.int16):
        target = torch.empty(self.shape, dtype=torch.int32, device=self.device)
    span = (high - low) & 0xFFFFFFFFFFFFFFFF
    _fill("random", target, generator, k=(low, span if span < 2**63 else span - 2**64), each=4 if 0 < span < 2**28 else 2)
    return self if target is self else pointwise.into_place(target.to(self.dtype), self)


def dropout(input, p, train=None):
    if not train and train is not None or input.numel() == 0:
        return input.clone(), torch.ones_like(input, dtype=torch.bool)
    t = input.contiguous()
    kind, n, device = pointwise_kind(t.dtype), t.numel(), t.device.index
    wide = n % 4 == 0
    grid = _grid((n + 3) // 4 if wide else n, device)
    seed, offset = _take(n, device, None, 4, grid)
    out, mask = torch.empty_like(t), torch.empty_like(t, dtype=torch.bool)
    driver.launch(driver.kernel("random", kind, "dropout"), device, grid, 256, _dropout, out.data_ptr(), mask.data_ptr(), t.data_ptr(), n, seed,
                  offset, 1.0 - p, int(wide), 0)
    return out, mask


def dropout_backward(grad_output, mask, scale):
    return grad_output * mask * scale


def randperm(n, *, generator=None, into):
    into.resize_(n)
    if n > 1024:
        raise driver.NoKernel("more than 1,024 elements")
    key = _fill("uniform", torch.empty(n, device=into.device), generator, (0.0, 1.0))
    return pointwise.into_place(key.argsort(), into)

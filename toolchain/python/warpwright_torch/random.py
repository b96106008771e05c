"""Random numbers in PyTorch's order (kernels/aten/random.cu), from the device's own generator: a seed, and how far it has come."""
import functools
import math

import torch

from . import driver, pointwise
from .copying import pointwise_kind

_random = driver.layout("QqQQddqq")
_dropout = driver.layout("QQQqQQdii")


@functools.lru_cache(None)
def _most_blocks(device):
    properties = torch.cuda.get_device_properties(device)
    return properties.multi_processor_count * (properties.max_threads_per_multi_processor // 256)


def _grid(n, device):
    """Counts as many blocks of 256 threads as the device holds, at most one for each 256 elements."""
    return min(_most_blocks(device), (n + 255) // 256)


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
        return _bernoulli_each(self, p, generator)
    if not 0 <= p <= 1:
        raise RuntimeError(f"bernoulli_ expects p to be in [0, 1], but got p={p}")
    if self.dtype in (torch.bool, torch.uint8, torch.int8, torch.int16):
        return pointwise.into_place(bernoulli_(torch.empty(self.shape, dtype=torch.int32, device=self.device), p, generator).to(self.dtype), self)
    return _fill("bernoulli", self, generator, (p, 0.0))


def _bernoulli_each(self, p, generator):
    out = torch.empty(self.shape, dtype=self.dtype if self.dtype.is_floating_point else torch.int32, device=self.device)
    p = p.to(device=self.device, dtype=torch.float32).expand(self.shape).contiguous()
    n = out.numel()
    if n:
        own = generator if generator is not None else torch.cuda.default_generators[out.device.index]
        offset = own.get_offset()
        own.set_offset(offset + 12)  # PyTorch asks for 10 numbers, and gets whole quads
        driver.launch_elements(driver.kernel("random", pointwise_kind(out.dtype), "bernoulli_each"), out.device.index, (n + 3) // 4, _dropout,
                               out.data_ptr(), 0, driver.at(p), n, own.initial_seed() & 0xFFFFFFFFFFFFFFFF, offset, 0.0, 0, 0)
    return pointwise.into_place(out, self)


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
    whole = not args and not named
    short = (whole and self.dtype not in (torch.int64, torch.float64)) or 0 < span < 2**28
    _fill("random", target, generator, (float(short), 0.0), (low, span if span < 2**63 else span - 2**64), 4 if short else 2)
    return self if target is self else pointwise.into_place(target.to(self.dtype), self)


def dropout(input, p, train=None):
    if not train and train is not None or input.numel() == 0:
        return input.clone(), torch.ones_like(input, dtype=torch.bool)
    t = input.contiguous()
    kind, n, device = pointwise_kind(t.dtype), t.numel(), t.device.index
    wide = 8 if t.element_size() == 2 else 4
    while n % wide:
        wide //= 2
    grid = _grid(n, device)
    seed, offset = _take(n, device, None, 4, grid)
    out, mask = torch.empty_like(t), torch.empty_like(t, dtype=torch.bool)
    driver.launch(driver.kernel("random", kind, "dropout"), device, grid, 256, _dropout, out.data_ptr(), mask.data_ptr(), driver.at(t), n, seed,
                  offset, 1.0 - p, wide, 0)
    return out, mask


def dropout_backward(grad_output, mask, scale):
    return grad_output * mask * scale


def log_normal_(self, mean=1.0, std=2.0, generator=None):
    return normal_(self, mean, std, generator).exp_()


_MASK = 0xFFFFFFFF


def _philox(counter, stream, seed):
    """Computes the same four numbers as kernels do."""
    c = [counter & _MASK, counter >> 32, stream & _MASK, stream >> 32]
    k0, k1 = seed & _MASK, seed >> 32
    for _ in range(10):
        p, q = 0xD2511F53 * c[0], 0xCD9E8D57 * c[2]
        c = [(q >> 32) ^ c[1] ^ k0, q & _MASK, (p >> 32) ^ c[3] ^ k1, p & _MASK]
        k0, k1 = (k0 + 0x9E3779B9) & _MASK, (k1 + 0xBB67AE85) & _MASK
    return c


def randperm(n, *, generator=None, into):
    """Puts the numbers in the order of random keys, of which as many bits are used as make equal ones rare; equal ones are shuffled."""
    into.resize_(n)
    if n == 0:
        return into
    bits = min(64, math.ceil(math.log2(n - (6 * n * n + 1) / (math.log(0.9) * 12))))
    wide = torch.int32 if bits <= 32 else torch.int64
    limits, device = torch.iinfo(wide), into.device
    keys = random_(torch.empty(n, dtype=wide, device=device), limits.min, limits.max, generator=generator)
    if bits not in (32, 64):
        keys = keys & ((1 << bits) - 1)
    keys, order = keys.sort(stable=True)
    own = generator if generator is not None else torch.cuda.default_generators[device.index]
    seed, offset = own.initial_seed() & 0xFFFFFFFFFFFFFFFF, own.get_offset()
    own.set_offset(offset + (n + 3) // 4 * 4)
    if n > 1 and bool((keys[1:] == keys[:-1]).any()):
        order = _shuffled(keys.cpu(), order.cpu(), seed, offset).to(device)
    return pointwise.into_place(order, into)


def _shuffled(keys, order, seed, offset):
    keys, order, first = keys.tolist(), order.tolist(), 0
    while first < len(keys):
        end = first + 1
        while end < len(keys) and keys[end] == keys[first]:
            end += 1
        for drawn, i in enumerate(range(end - first - 1, 0, -1)):
            r = _philox(offset // 4 + drawn // 4, first, seed)[drawn % 4] % (i + 1)
            order[first + i], order[first + r] = order[first + r], order[first + i]
        first = end
    return torch.tensor(order)

"""Pointwise operators whose arguments need a word."""
import torch

from . import driver
from .pointwise import apply, floating, into_place, needs_kernel, unary


def gelu(self, *, approximate="none", into=None):
    return unary("gelu_tanh" if approximate == "tanh" else "gelu", kind="same")(_floats(self), into=into)


def gelu_backward(grad_output, self, *, approximate="none", into=None):
    return _backward("gelu_tanh_backward" if approximate == "tanh" else "gelu_backward")(grad_output, self, into=into)


def _floats(t):
    if not t.dtype.is_floating_point:
        raise driver.NoKernel(f"no kernel for {t.dtype}")
    return t


def _backward(name, file="binary"):
    def operator(grad_output, self, *scalars, into=None):
        dtype = needs_kernel(torch.promote_types(grad_output.dtype, self.dtype))
        return apply(file, name, [grad_output, self], dtype, dtype, scalars, into)

    return operator


backward = _backward


def clamp(self, min=None, max=None, *, into=None):
    tensors = [t for t in (min, max) if isinstance(t, torch.Tensor)]
    if min is None and max is None:
        raise RuntimeError("torch.clamp: At least one of 'min' or 'max' must not be None")
    if tensors:
        out = self
        if min is not None:
            out = torch.maximum(out, min if isinstance(min, torch.Tensor) else torch.full_like(out, min))
        if max is not None:
            out = torch.minimum(out, max if isinstance(max, torch.Tensor) else torch.full_like(out, max))
        return into_place(out, into)
    dtype = self.dtype
    for bound in (min, max):
        if bound is not None:
            dtype = torch.promote_types(dtype, torch.result_type(self, bound))
    needs_kernel(dtype)
    if any(isinstance(b, float) and b != b for b in (min, max)):
        return into_place(torch.full_like(self, float("nan"), dtype=dtype), into)
    low, high = (float("-inf"), float("inf")) if dtype.is_floating_point else (torch.iinfo(dtype).min, torch.iinfo(dtype).max)
    limit = lambda b, other: other if b is None else b if dtype.is_floating_point else builtin_clip(int(b), low, high)
    return apply("unary", "clamp", [self], dtype, dtype, (limit(min, low), limit(max, high)), into)


def builtin_clip(x, low, high):
    return low if x < low else high if x > high else x


def clamp_min(self, min, *, into=None):
    return clamp(self, min, None, into=into)


def clamp_max(self, max, *, into=None):
    return clamp(self, None, max, into=into)


def hardtanh(self, min_val=-1, max_val=1, *, into=None):
    return clamp(self, min_val, max_val, into=into)


def hardtanh_backward(grad_output, self, min_val, max_val, *, into=None):
    return _backward("hardtanh_backward", "special")(grad_output, self, min_val, max_val, into=into)


def with_defaults(name, *defaults, file="special"):
    """Makes a function of a tensor and numbers."""
    def operator(self, *scalars, into=None):
        _floats(self)
        return apply(file, name, [self], needs_kernel(self.dtype), self.dtype, (*scalars, *defaults[len(scalars):]), into)

    return operator


def elu_backward(grad_output, alpha, scale, input_scale, is_result, self_or_result, *, into=None):
    return _backward("elu_backward", "special")(grad_output, self_or_result, alpha, scale, input_scale, float(is_result), into=into)


def leaky_relu_backward(grad_output, self, negative_slope, self_is_result=False, *, into=None):
    return _backward("leaky_relu_backward")(grad_output, self, negative_slope, into=into)


def log_sigmoid(self, *, into=None):
    out = with_defaults("log_sigmoid")(self), torch.empty(0, dtype=self.dtype, device=self.device)
    return tuple(into_place(o, i) for o, i in zip(out, into or (None, None)))


def log_sigmoid_backward(grad_output, self, buffer=None, *, into=None):
    return _backward("log_sigmoid_backward", "special")(grad_output, self, into=into)


def logit(self, eps=None, *, into=None):
    dtype = needs_kernel(floating(self.dtype))
    return apply("special", "logit", [self], dtype, dtype, (-1.0 if eps is None else eps,), into)


def nan_to_num(self, nan=None, posinf=None, neginf=None, *, into=None):
    if not _real(self).dtype.is_floating_point:
        return into_place(self.clone(), into)
    limits = torch.finfo(self.dtype)
    values = (0.0 if nan is None else nan, limits.max if posinf is None else posinf, limits.min if neginf is None else neginf)
    return apply("special", "nan_to_num", [self], needs_kernel(self.dtype), self.dtype, values, into)


def round(self, *, decimals=0, into=None):
    if decimals:
        raise driver.NoKernel("decimals")
    return same_whole("round")(self, into=into)


def same_whole(name):
    """Makes floor, ceil and their like, of which whole numbers stay."""
    def operator(self, *, into=None):
        if not self.dtype.is_floating_point:
            if self.dtype.is_complex:
                raise driver.NoKernel("complex")
            return into_place(self.clone(), into)
        return apply("unary", name, [self], needs_kernel(self.dtype), self.dtype, (), into)

    return operator


def abs(self, *, into=None):
    return into_place(self.clone(), into) if self.dtype in (torch.bool, torch.uint8) else unary("abs", kind="same")(self, into=into)


def sign(self, *, into=None):
    return into_place(self.clone(), into) if self.dtype == torch.bool else unary("sign", kind="same")(self, into=into)


def bitwise_not(self, *, into=None):
    return unary("logical_not" if self.dtype == torch.bool else "bitwise_not", kind="same")(self, into=into)


def isfinite_family(name):
    def operator(self, *, into=None):
        if not self.dtype.is_floating_point:
            raise driver.NoKernel(f"no kernel for {self.dtype}")
        return apply("unary", name, [self], needs_kernel(self.dtype), torch.bool, (), into)

    return operator


def added(name):
    def operator(self, other, *positional, alpha=1, into=None):
        dtype = needs_kernel(torch.result_type(self, other))
        alpha = positional[0] if positional else alpha
        if dtype == torch.bool and name != "add":
            raise RuntimeError("Subtraction, the `-` operator, with a bool tensor is not supported. If you are trying to invert a mask, use the "
                               "`~` or `logical_not()` operator instead.")
        if not dtype.is_floating_point and isinstance(alpha, float):
            raise RuntimeError("For integral input tensors, argument alpha must not be a floating point number.")
        return apply("binary", name, [self, other], dtype, dtype, (alpha,), into)

    return operator


def div(self, other, *, rounding_mode=None, into=None):
    dtype = torch.result_type(self, other)
    if rounding_mode is None:
        dtype = needs_kernel(floating(dtype))
        return apply("binary", "div", [self, other], dtype, dtype, (), into)
    needs_kernel(dtype)
    file = "special" if dtype.is_floating_point and rounding_mode == "floor" else "binary"
    return apply(file, "div_" + rounding_mode, [self, other], dtype, dtype, (), into)


def floor_divide(self, other, *, into=None):
    return div(self, other, rounding_mode="floor", into=into)


def by_type(name):
    """Takes one kernel for whole numbers (binary.cu), another for others (special.cu)."""
    def operator(self, other, *, into=None):
        dtype = needs_kernel(torch.result_type(self, other))
        return apply("special" if dtype.is_floating_point else "binary", name, [self, other], dtype, dtype, (), into)

    return operator


def pow(self, exponent, *, into=None):
    dtype = needs_kernel(torch.result_type(self, exponent))
    if isinstance(exponent, torch.Tensor) or not isinstance(self, torch.Tensor):
        if not isinstance(self, torch.Tensor):
            self = torch.full((), self, dtype=dtype, device=exponent.device)
        return by_type("pow")(self, exponent, into=into)
    if exponent == 2 and dtype != torch.bool:
        return apply("unary", "square", [self], dtype, dtype, (), into)
    if dtype.is_floating_point:
        short = {0.5: "sqrt", -0.5: "rsqrt", -1: "reciprocal"}.get(exponent)
        if short:
            return apply("unary", short, [self], dtype, dtype, (), into)
        return apply("special", "pow_scalar", [self], dtype, dtype, (exponent,), into)
    if exponent < 0:
        raise RuntimeError("Integers to negative integer powers are not allowed.")
    return by_type("pow")(self, torch.full((), exponent, dtype=dtype, device=self.device), into=into)


def three(name):
    def operator(self, tensor1, tensor2, *, value=1, into=None):
        dtype = torch.promote_types(torch.result_type(self, tensor1), torch.result_type(self, tensor2))
        if name == "addcdiv" and not dtype.is_floating_point:
            raise driver.NoKernel("whole numbers")
        return apply("binary", name, [self, tensor1, tensor2], needs_kernel(dtype), dtype, (value,), into)

    return operator


def lerp(self, end, weight, *, into=None):
    dtype = needs_kernel(self.dtype)
    if isinstance(weight, torch.Tensor):
        return apply("binary", "lerp", [self, end, weight], dtype, dtype, (), into)
    return apply("binary", "lerp_scalar", [self, end], dtype, dtype, (weight,), into)


def equal(self, other):
    if self.shape != other.shape:
        return False
    return self.numel() == 0 or bool(torch.eq(self, other).all().item())


def infinite(value):
    def operator(self, *, into=None):
        return into_place(torch.eq(self, value), into)

    return operator


def glu(self, dim=-1, *, into=None):
    if self.shape[dim] % 2:
        raise RuntimeError(f"Halving dimension must be even, but dimension {dim} is size {self.shape[dim]}")
    a, b = _floats(self).chunk(2, dim)
    return into_place(a * torch.sigmoid(b), into)


def glu_backward(grad_output, self, dim, *, into=None):
    a, b = self.chunk(2, dim)
    s = torch.sigmoid(b)
    return into_place(torch.cat([grad_output * s, grad_output * a * s * (1 - s)], dim), into)


def prelu(self, weight):
    return torch.where(_floats(self) > 0, self, self * weight)


def prelu_backward(grad_output, self, weight):
    zero = torch.zeros((), dtype=self.dtype, device=self.device)
    return torch.where(_floats(self) > 0, grad_output, weight * grad_output), torch.where(self > 0, zero, self * grad_output)


def sgn(self, *, into=None):
    return sign(_real(self), into=into)


def _real(t):
    if t.dtype.is_complex:
        raise driver.NoKernel("complex numbers")
    return t


def nansum(self, dim=None, keepdim=False, *, dtype=None, into=None):
    zero = torch.zeros((), dtype=self.dtype, device=self.device)
    return into_place(torch.where(self == self, self, zero).sum(dim if dim else list(range(self.dim())), keepdim, dtype=dtype), into)


def count_nonzero(self, dim=None):
    return torch.ne(self, 0).sum(dim if dim is not None and dim != [] else list(range(self.dim())))


def trace(self):
    return self.diagonal().sum()

"""What PyTorch refuses before an operator runs: arguments that its meta function does not take, tensors of another device, and operators whose
result depends on the order of threads where the program asked for deterministic algorithms."""
import warnings

import torch

from . import driver

_seen = {}


def _key(value):
    if isinstance(value, torch.Tensor):
        return value.shape, value.dtype, value.is_cuda, value.stride()
    if isinstance(value, (list, tuple)):
        return tuple(value) if value and type(value[0]) in (int, bool) else tuple(map(_key, value))
    return type(value), value


def _meta(value):
    if isinstance(value, torch.Tensor):
        return torch.empty_strided(value.shape, value.stride(), dtype=value.dtype, device="meta")
    if isinstance(value, (list, tuple)):
        return type(value)(map(_meta, value))
    return value


def _tensors(values):
    for value in values:
        if isinstance(value, torch.Tensor):
            yield value
        elif isinstance(value, (list, tuple)):
            yield from _tensors(value)


def same_device(name, args, kwargs):
    """Raises where a tensor with dimensions is the CPU's beside one of the device."""
    elsewhere = one = None
    for t in _tensors([*args, *kwargs.values()]):
        if t.device.type == "cuda":
            one = t
        elif t.device.type == "cpu" and t.dim():
            elsewhere = t
    if one is not None and elsewhere is not None:
        raise RuntimeError(f"Expected all tensors to be on the same device, but got a tensor is on cpu, different from other tensors on {one.device} "
                           f"(when checking argument in method wrapper_CUDA_{name})")


def _strides(results):
    """Lists the strides of an operator's results; None for those that are no tensors, or of which strides say nothing."""
    return tuple(t.stride() if isinstance(t, torch.Tensor) and t.layout == torch.strided and t.numel() > 1 else None
                 for t in (results if isinstance(results, (list, tuple)) else (results,)))


def _strided(t, stride):
    """Returns a result with the strides that PyTorch's would have (channels last, ...)."""
    if stride is None or t is None or t.stride() == stride or all(a == b for a, b, n in zip(t.stride(), stride, t.shape) if n > 1):
        return t
    return torch.empty_strided(t.shape, stride, dtype=t.dtype, device=t.device).copy_(t)


def outputs(written):
    """Raises where a result is to go to a tensor of the CPU."""
    for t in written:
        if t.device.type != "cuda":
            raise RuntimeError(f"Expected all tensors to be on the same device, but found at least two devices, cuda:0 and {t.device}!")


def arguments(overload, operator):
    """Puts before an operator the check of its arguments by its meta function, once for each kind of arguments; its results get the strides that the
    meta function says. Returns the operator itself where it has none."""
    name = overload.name()
    if not torch._C._dispatch_has_kernel_for_dispatch_key(name, "Meta"):
        return operator
    base, tensor = name.partition("::")[2].partition(".")[0], torch.Tensor

    def strides(args, kwargs):
        same_device(base, args, kwargs)
        try:
            return _strides(overload(*_meta(args), **{k: _meta(v) for k, v in kwargs.items()}))
        except (NotImplementedError, TypeError, AttributeError):  # not for these arguments
            return ()
        except AssertionError as refused:  # by a meta function in Python, where the operator itself has a check
            raise RuntimeError(str(refused)) from None

    def checked(*args, **kwargs):
        key = [name]
        for value in args:  # _key, without a call for each tensor
            key.append((value.shape, value.dtype, value.is_cuda, value.stride()) if isinstance(value, tensor) else _key(value))
        key = (*key, *map(_key, kwargs.items())) if kwargs else tuple(key)
        wanted = _seen.get(key)
        if wanted is None:
            if len(_seen) > 20000:
                _seen.clear()
            wanted = _seen[key] = strides(args, kwargs)
        result = operator(*args, **kwargs)
        if isinstance(result, tensor):
            return result if len(wanted) != 1 or result.stride() == wanted[0] else _strided(result, wanted[0])
        if isinstance(result, tuple) and len(wanted) == len(result):
            return tuple([t if s is None or t is None or t.stride() == s else _strided(t, s) for t, s in zip(result, wanted)])
        return result

    return checked


def _rows_of_floats(args, kwargs):
    t, dim = args[0], args[1] if len(args) > 1 else kwargs["dim"]
    dtype = kwargs.get("dtype") or t.dtype
    return (dtype.is_floating_point or dtype.is_complex) and t.dim() > 0 and t.numel() != t.shape[dim]


def _weighted(args, kwargs):
    return (args[1] if len(args) > 1 else kwargs.get("weights")) is not None


def _largest(place):
    def when(args, kwargs):
        return (args[place] if len(args) > place else kwargs.get("mode")) == 2

    return when


# operator -> what PyTorch's message calls it, and for which arguments
UNORDERED = {
    **{name: (name + "_cuda", None) for name in (
        "avg_pool3d_backward max_pool3d_with_indices_backward adaptive_max_pool2d_backward adaptive_max_pool3d_backward "
        "fractional_max_pool2d_backward fractional_max_pool3d_backward reflection_pad2d_backward replication_pad1d_backward "
        "replication_pad2d_backward replication_pad3d_backward grid_sampler_2d_backward grid_sampler_3d_backward").split()},
    **{name: (name + "_out_cuda", None) for name in (
        "upsample_linear1d_backward upsample_bilinear2d_backward upsample_bicubic2d_backward upsample_trilinear3d_backward "
        "reflection_pad1d_backward reflection_pad3d_backward").split()},
    **{f"_adaptive_avg_pool{n}d_backward": (f"adaptive_avg_pool{n}d_backward_cuda", None) for n in (2, 3)},
    **{f"max_unpool{n}d": (f"max_unpooling{n}d_forward_out", None) for n in (2, 3)},
    **{f"nll_loss2d_{way}": (f"nll_loss2d_{way}_out_cuda_template", None) for way in ("forward", "backward")},
    "_ctc_loss_backward": ("ctc_loss_backward_gpu", None), "_embedding_bag_backward": ("embedding_bag_backward_cuda_max", _largest(8)),
    "_embedding_bag_dense_backward": ("embedding_bag_backward_cuda_max", _largest(7)),
    "put_": ("put_", None), "histc": ("_histc_cuda", None), "bincount": ("_bincount_cuda", _weighted),
    "median.dim": ("median CUDA with indices output", None), "median.dim_values": ("median CUDA with indices output", None),
    "nanmedian.dim": ("median CUDA with indices output", None), "nanmedian.dim_values": ("median CUDA with indices output", None),
    "cumsum": ("cumsum_cuda_kernel", _rows_of_floats),
}


_SAME_PLACE = "refer to a single memory location. Please clone() the tensor before performing the operation."
_ON_EXPANDED = ("masked_fill_", "index_fill_", "index_put_", "_index_put_impl_")


# Where an argument may not be the tensor that is written to, either.
_NO_OVERLAP = ("index_", "_index_put_impl_", "put_", "scatter", "masked_scatter", "gather", "take")


def _dense(t):
    """Says whether a tensor's elements fill what lies between its first and its last."""
    return t.is_contiguous() or sum((n - 1) * s for n, s in zip(t.shape, t.stride())) + 1 == t.numel()


def _overlap(out, t):
    if t.device != out.device or not t.numel() or driver._base(t) != driver._base(out) or not _dense(t) or not _dense(out):
        return False
    one, other = t.storage_offset() * t.element_size(), out.storage_offset() * out.element_size()
    end, other_end = one + t.numel() * t.element_size(), other + out.numel() * out.element_size()
    if (one, end) == (other, other_end):
        return t.stride() != out.stride()
    return one < other_end and other < end


def apart(name, written, args):
    """Raises, as PyTorch's iterator of tensors does, where elements of a tensor that is written to share memory, or do so in part with an argument's."""
    for out in written:
        if not out.numel() or out.layout != torch.strided:
            continue
        if 0 in out.stride() and any(s == 0 and n > 1 for s, n in zip(out.stride(), out.shape)):
            if name in _ON_EXPANDED:
                warnings.warn(f"Use of {name} on expanded tensors is deprecated. Please clone() the tensor before performing this operation. This also "
                              "applies to advanced indexing e.g. tensor[mask] = scalar", stacklevel=3)
            else:
                raise RuntimeError(f"unsupported operation: more than one element of the written-to tensor {_SAME_PLACE}")
        for t in _tensors(args):
            if name.startswith(_NO_OVERLAP) if t is out else t.layout == torch.strided and _overlap(out, t):
                raise RuntimeError(f"unsupported operation: some elements of the input tensor and the written-to tensor {_SAME_PLACE}")


def ordered(name):
    """Makes the check that a program may use an operator of UNORDERED; None for others."""
    called, when = UNORDERED.get(name) or UNORDERED.get(name.partition(".")[0]) or (None, None)
    if called is None:
        return None

    def check(args, kwargs):
        if not torch._C._get_deterministic_algorithms() or (when is not None and not when(args, kwargs)):
            return
        text = f"{called} does not have a deterministic implementation, but you set 'torch.use_deterministic_algorithms(True"
        if torch._C._get_deterministic_algorithms_warn_only():
            warnings.warn(f"{text}, warn_only=True)'. You can file an issue at https://github.com/pytorch/pytorch/issues to help us prioritize adding "
                          "deterministic support for this operation.", stacklevel=2)
            return
        raise RuntimeError(f"{text})'. You can turn off determinism just for this operation, or you can use the 'warn_only=True' option, if that's "
                           "acceptable for your application. You can also file an issue at https://github.com/pytorch/pytorch/issues to help us "
                           "prioritize adding deterministic support for this operation.")

    return check

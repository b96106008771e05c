"""What PyTorch refuses before an operator runs: arguments that its meta function does not take, tensors of another device, and operators whose
result depends on the order of threads where the program asked for deterministic algorithms."""
import warnings

import torch

_seen = {}


def _key(value):
    if isinstance(value, torch.Tensor):
        return value.shape, value.dtype, value.device.type, value.stride()
    if isinstance(value, (list, tuple)):
        return tuple(map(_key, value))
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


def arguments(overload):
    """Makes the check of an operator's arguments by its meta function, once for each kind of arguments. None where it has none."""
    name = overload.name()
    if not torch._C._dispatch_has_kernel_for_dispatch_key(name, "Meta"):
        return None
    base = name.partition("::")[2].partition(".")[0]

    def check(args, kwargs):
        key = (name, _key(args), _key(list(kwargs.items())))
        if key in _seen:
            return
        same_device(base, args, kwargs)
        try:
            overload(*_meta(args), **{k: _meta(v) for k, v in kwargs.items()})
        except NotImplementedError:
            pass
        except AssertionError as refused:  # by a meta function in Python, where the operator itself has a check
            raise RuntimeError(str(refused)) from None
        if len(_seen) > 20000:
            _seen.clear()
        _seen[key] = True

    return check


def _floats(args, kwargs):
    dtype = kwargs.get("dtype") or args[0].dtype
    return dtype.is_floating_point or dtype.is_complex


def _weighted(args, kwargs):
    return (args[1] if len(args) > 1 else kwargs.get("weights")) is not None


def _largest(args, kwargs):
    return (args[6] if len(args) > 6 else kwargs.get("mode")) == 2


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
    "_ctc_loss_backward": ("ctc_loss_backward_gpu", None), "_embedding_bag_dense_backward": ("embedding_bag_backward_cuda_max", _largest),
    "put_": ("put_", None), "histc": ("_histc_cuda", None), "bincount": ("_bincount_cuda", _weighted), "kthvalue": ("kthvalue CUDA", None),
    "median.dim": ("median CUDA with indices output", None), "median.dim_values": ("median CUDA with indices output", None),
    "nanmedian.dim": ("median CUDA with indices output", None), "nanmedian.dim_values": ("median CUDA with indices output", None),
    "cumsum": ("cumsum_cuda_kernel", _floats),
}


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

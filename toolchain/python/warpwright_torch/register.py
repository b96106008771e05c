"""Gives the operators of PyTorch's CUDA backend their bodies, and decides at the first call of each how it is called."""
import sys
import warnings

import warpwright_versions

from . import walk

_keep = []


def all_operators(torch):
    """Registers a body for each operator: about 1,300, in some hundredths of a second. Their work begins when they are called."""
    if _keep:
        return
    walk.know(torch)
    warpwright_versions.tell("torch", torch.__version__)
    from . import foreach, table

    # Composite operators go the way of products and kernels: there is no cuDNN, and fused attention is machine code.
    _without_cudnn(torch)
    from torch.backends import mha

    getattr(mha, "set_fastpath_enabled", lambda on: None)(False)  # whole layers as one kernel, over nested tensors
    for kind in ("flash", "mem_efficient", "cudnn"):
        getattr(torch._C, f"_set_sdp_use_{kind}", lambda on: None)(False)
    library = torch._C._dispatch_library("IMPL", "aten", "CUDA", __file__, 1)
    names = {n.split("::", 1)[1] for n in torch._C._dispatch_get_registrations_for_dispatch_key("CUDA") if n.startswith("aten::")}
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # that there were bodies before
        for name in sorted(names | {b for b in table.BESIDES if torch._C._dispatch_has_kernel("aten::" + b)}):
            base = name.partition(".")[0]
            if base in table.NATIVE or (base.endswith("_") and base[:-1] in table.NATIVE):
                continue
            library.impl(name, "CUDA", foreach.body(torch, name) if base.startswith("_foreach_") else body(torch, name))
    _keep.append(library)


def _without_cudnn(torch):
    """Switches cuDNN off, and tells a program that switches it on that it stays so."""
    switch, told = torch._C._set_cudnn_enabled, []
    switch(False)

    def stay(on):
        if on and not told:
            told.append(True)
            print("warpwright: torch: cuDNN stays off (torch.backends.cudnn.enabled): operators are those of docs/pytorch.md", file=sys.__stderr__)

    torch._C._set_cudnn_enabled = stay
    enabled = vars(type(torch.backends.cudnn)).get("enabled")
    if enabled is not None:
        enabled.setter = stay


def _overload(torch, name):
    base, _, overload = name.partition(".")
    return getattr(getattr(torch.ops.aten, base), overload or "default")


def body(torch, name):
    """Makes what the dispatcher calls: at the first call it finds out what that is."""
    ready = []

    def operator(*args, **kwargs):
        if not ready:
            ready.append(_resolve(torch, name))
        return ready[0](*args, **kwargs)

    operator.__name__ = name
    return operator


def _resolve(torch, name):
    from . import checks, driver, host, pointwise, table
    from .driver import NoKernel

    base = name.partition(".")[0]
    overload = _overload(torch, name)
    outs = [a.name for a in overload._schema.arguments if a.is_out]
    in_place = False
    function = table.FUNCTIONS.get(name) or table.FUNCTIONS.get(base)
    if outs and function is None:
        function = table.FUNCTIONS.get(f"{base}.{_without_out(name)}")
    elif outs and _without_out(name):
        function = table.FUNCTIONS.get(f"{base}.{_without_out(name)}") or function
    if function is None and base.endswith("_"):
        function = table.FUNCTIONS.get(base[:-1])
        in_place = True
    test = checks.ordered(name)
    if function is None:
        first = overload._schema.arguments[:1]
        writes = not outs and base not in table.IDEMPOTENT and any(a.alias_info is not None and a.alias_info.is_write for a in first)

        def by_host(*args, **kwargs):
            if writes and isinstance(args[0], torch.Tensor):
                checks.apart(base, args[:1], args[1:])
            checks.outputs(kwargs[o] for o in outs if isinstance(kwargs.get(o), torch.Tensor))
            return host.compute(overload, args, kwargs)

        return _tested(test, by_host)
    if outs:
        def run(args, kwargs):
            given = {k: v for k, v in kwargs.items() if k not in outs}
            into = tuple(kwargs[o] for o in outs)
            checks.outputs(into)
            checks.apart(base, into, args)
            result = function(*args, **given, into=into if len(into) > 1 else into[0])
            return into if len(into) > 1 else into[0] if result is not None else None
    elif in_place:
        kept, whole = pointwise.kept, base not in table.IDEMPOTENT

        def run(args, kwargs):
            if whole:
                checks.apart(base, args[:1], args[1:])
            before, kept.tensor = kept.tensor, args[0]
            try:
                return function(*args, **kwargs, into=args[0])
            finally:
                kept.tensor = before
    elif base.endswith("_") and base not in table.IDEMPOTENT:
        def run(args, kwargs):
            checks.apart(base, args[:1], args[1:])
            return function(*args, **kwargs)
    else:
        def run(args, kwargs):
            return function(*args, **kwargs)

    several = torch.cuda.device_count() > 1

    def operator(*args, **kwargs):
        try:
            if several:
                with driver.Device(_device(torch, args, kwargs)):
                    return run(args, kwargs)
            return run(args, kwargs)
        except NoKernel as why:
            return host.compute(overload, args, kwargs, str(why))
        except RuntimeError:
            host.tell_forked()
            raise

    checked = base in table.CHECKED and not outs and not in_place
    return _tested(test, checks.arguments(overload, operator) if checked else operator)


def _tested(test, operator):
    """Puts a test of the arguments before an operator."""
    if test is None:
        return operator

    def tested(*args, **kwargs):
        test(args, kwargs)
        return operator(*args, **kwargs)

    return tested


def _without_out(name):
    """Names the overload whose result an `out` takes: dim for dim_max, Tensor for Tensor_out."""
    overload = name.partition(".")[2]
    for end in ("_max", "_min", "_out", "_values", "_mode_out"):
        if overload.endswith(end):
            return overload[:-len(end)]
    return ""


def _device(torch, args, kwargs):
    for value in [*args, *kwargs.values()]:
        for t in value if isinstance(value, (list, tuple)) else (value,):
            if isinstance(t, torch.Tensor) and t.device.type == "cuda":
                return t.device
    return torch.cuda.current_device()

"""Operators on lists of tensors, as optimizers use them: the operator of each tensor in turn."""


def body(torch, name):
    """Makes the body of _foreach_add_.Scalar and its like."""
    base, _, overload = name.partition(".")
    single = base[len("_foreach_"):]
    in_place = single.endswith("_")
    stem = single[:-1] if in_place else single
    ready = []

    def operator(*args, **kwargs):
        if not ready:
            ready.append(_special(torch, stem, in_place) or _of_each(torch, _operator(torch, stem), in_place))
        return ready[0](*args, **kwargs)

    operator.__name__ = name
    return operator


def _operator(torch, stem):
    for name in (stem, {"norm": "linalg_vector_norm", "minimum": "minimum"}.get(stem, stem)):
        found = getattr(torch, name, None) or getattr(torch.ops.aten, name, None)
        if found is not None:
            return found
    raise NotImplementedError(f"warpwright: torch: no operator for _foreach_{stem}")


def _of_each(torch, operator, in_place):
    def run(self, *args, **kwargs):
        lists = [a if isinstance(a, (list, tuple)) else [a] * len(self) for a in args]
        out = []
        for k, t in enumerate(self):
            more = {key: v[k] if isinstance(v, (list, tuple)) else v for key, v in kwargs.items()}
            result = operator(t, *[a[k] for a in lists], **more)
            out.append(t.copy_(result) if in_place else result)
        return None if in_place else out

    return run


def _special(torch, stem, in_place):
    """Makes those whose arguments are not the single operator's, and in-place forms that need no copy."""
    if stem == "zero":
        return lambda self: [t.zero_() for t in self] and None
    if stem == "copy":
        return lambda self, src, non_blocking=False: [t.copy_(s, non_blocking) for t, s in zip(self, src)] and None
    if stem == "max":
        return lambda self: [t.max() for t in self]
    if stem in ("addcmul", "addcdiv"):
        method = stem + ("_" if in_place else "")

        def run(self, tensor1, tensor2, value=1, **named):
            values = named.get("scalars", value)
            if isinstance(values, torch.Tensor):
                values = values.tolist()
            values = values if isinstance(values, (list, tuple)) else [values] * len(self)
            out = [getattr(t, method)(a, b, value=v) for t, a, b, v in zip(self, tensor1, tensor2, values)]
            return None if in_place else out

        return run
    if in_place and hasattr(torch.Tensor, stem + "_"):
        method = getattr(torch.Tensor, stem + "_")

        def run(self, *args, **kwargs):
            lists = [a if isinstance(a, (list, tuple)) else [a] * len(self) for a in args]
            for k, t in enumerate(self):
                more = {key: v[k] if isinstance(v, (list, tuple)) else v for key, v in kwargs.items()}
                method(t, *[a[k] for a in lists], **more)

        return run
    if stem == "norm":
        def run(self, ord=2, dtype=None):
            return [torch.linalg.vector_norm(t, ord, dtype=dtype) for t in self]

        return run
    return None

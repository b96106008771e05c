"""How kernels find the elements of tensors with any strides: dimensions put together and in order, as Walk in element.cuh has them."""
DIMS = 6
KINDS = {}  # dtype -> what the names of its kernels end with


def know(torch):
    KINDS.update({torch.float32: "f32", torch.float64: "f64", torch.float16: "f16", torch.bfloat16: "bf16", torch.int64: "i64",
                  torch.int32: "i32", torch.int16: "i16", torch.int8: "i8", torch.uint8: "u8", torch.bool: "b8"})


def broadcast(shapes):
    """Finds the common shape of tensors by PyTorch's rules."""
    rank = max(map(len, shapes))
    out = [1] * rank
    for shape in shapes:
        for d, size in enumerate(shape, rank - len(shape)):
            if size != 1:
                if out[d] not in (1, size):
                    raise RuntimeError(f"The size of tensor a ({out[d]}) must match the size of tensor b ({size}) at non-singleton "
                                       f"dimension {d}")
                out[d] = size
    return tuple(out)


def steps(shape, size, stride):
    """Lists the strides of a tensor that is broadcast to a shape."""
    rank = len(shape)
    lead = rank - len(size)
    return [0 if d < lead or (size[d - lead] == 1 and shape[d] != 1) else stride[d - lead] for d in range(rank)]


def together(shape, strides):
    """Drops dimensions of one element and joins those that follow each other in all tensors. Returns sizes and strides, the innermost
    dimension first: the order is that of the strides of the first tensor where that is free, so that neighbours are neighbours."""
    dims = [d for d in range(len(shape)) if shape[d] != 1]
    dims.sort(key=lambda d: ([abs(s[d]) or 1 << 62 for s in strides[:1]], -d))
    return join([shape[d] for d in dims], [[s[d] for d in dims] for s in strides])


def join(sizes, strides):
    """Does the same for dimensions that are in order, innermost first, and stay so."""
    out, steps_out = [], [[] for _ in strides]
    for k, size in enumerate(sizes):
        if size == 1:
            continue
        if out and all(s[k] == o[-1] * out[-1] for s, o in zip(strides, steps_out)):
            out[-1] *= size
            continue
        out.append(size)
        for s, o in zip(strides, steps_out):
            o.append(s[k])
    return out, steps_out


def layout_of(tensors):
    """Names the members of Walk<tensors>."""
    return f"ii{DIMS}I{DIMS * tensors}q"


def values_of(sizes, strides):
    """Lists them for struct.pack; None where there are too many dimensions for a kernel."""
    if len(sizes) > DIMS:
        return None
    rest = DIMS - len(sizes)
    values = [len(sizes), 0, *sizes, *([1] * rest)]
    for s in strides:
        values += [*s, *([0] * rest)]
    return values

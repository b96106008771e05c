"""Compares what cudnn_frontend computes over cuDNN's graphs with NumPy, over tensors that are drawn.

    warpwright run --quiet --bounds python3 bench/clients/cudnn_frontend.py [--seed N] [--only NAME]

It needs nvidia-cudnn-frontend and numpy. Prints a line for each result, its largest difference and whether that is small enough, and how many are not.
"""

import argparse
import ctypes
import math

import cudnn
import numpy as np

runtime = ctypes.CDLL("libcudart.so.13")
TYPES = {"float16": cudnn.data_type.HALF, "float32": cudnn.data_type.FLOAT, "int32": cudnn.data_type.INT32}
MODES = cudnn._compiled_module.convolution_mode
FLOAT, HALF = cudnn.data_type.FLOAT, cudnn.data_type.HALF
handle = cudnn.create_handle()
wrong = []


def to_device(array):
    array = np.ascontiguousarray(array)
    at = ctypes.c_void_p()
    assert runtime.cudaMalloc(ctypes.byref(at), ctypes.c_size_t(max(array.nbytes, 16))) == 0
    assert runtime.cudaMemcpy(at, array.ctypes.data_as(ctypes.c_void_p), ctypes.c_size_t(array.nbytes), 1) == 0
    return at.value


def to_host(at, shape, dtype):
    out = np.empty(shape, dtype)
    assert runtime.cudaDeviceSynchronize() == 0
    assert runtime.cudaMemcpy(out.ctypes.data_as(ctypes.c_void_p), ctypes.c_void_p(at), ctypes.c_size_t(out.nbytes), 2) == 0
    return out


class Graph:
    """A graph of the front end with the memory of its tensors."""

    def __init__(self, io=HALF):
        self.g = cudnn.pygraph(io_data_type=io, intermediate_data_type=FLOAT, compute_data_type=FLOAT, handle=handle)
        self.memory, self.outputs = {}, {}

    def tensor(self, array):
        strides = [s // array.itemsize for s in array.strides]
        t = self.g.tensor(name="t", dim=list(array.shape), stride=strides, data_type=TYPES[str(array.dtype)])
        self.memory[t] = to_device(array if array.flags.c_contiguous else array.transpose(0, 2, 3, 1))
        return t

    def number(self, x):
        t = self.g.tensor(name="n", dim=[1, 1, 1, 1], stride=[1, 1, 1, 1], data_type=FLOAT, is_pass_by_value=True)
        kept = np.full((1, 1, 1, 1), x, np.float32)
        self.outputs[id(kept)] = kept
        self.memory[t] = kept.ctypes.data
        return t

    def output(self, t, shape, dtype=np.float16, channels_last=False):
        t.set_output(True).set_data_type(TYPES[np.dtype(dtype).name])
        like = np.zeros(shape, dtype)
        if channels_last:
            like = channels_inner(like)
        t.set_dim(list(shape)).set_stride([s // like.itemsize for s in like.strides])
        self.memory[t] = to_device(np.zeros(shape, dtype))
        return lambda: self.read(t, shape, dtype, channels_last)

    def read(self, t, shape, dtype, channels_last):
        if not channels_last:
            return to_host(self.memory[t], shape, dtype)
        n, c, h, w = shape
        return to_host(self.memory[t], (n, h, w, c), dtype).transpose(0, 3, 1, 2)

    def run(self):
        self.g.validate()
        self.g.build_operation_graph()
        self.g.create_execution_plans([cudnn.heur_mode.A, cudnn.heur_mode.FALLBACK])
        self.g.check_support()
        self.g.build_plans()
        room = to_device(np.zeros(max(1, self.g.get_workspace_size()), np.uint8))
        self.g.execute(self.memory, room, handle=handle)


def channels_inner(a):
    return np.ascontiguousarray(a.transpose(0, 2, 3, 1)).transpose(0, 3, 1, 2)


def check(name, got, want, tolerance):
    off = float(np.max(np.abs(got.astype(np.float64) - want) / (1 + np.abs(want))))
    good = off <= tolerance
    if not good:
        wrong.append(name)
    print(f"{name:32} {off:.1e} {'ok' if good else 'WRONG'}", flush=True)


def convolved(x, w, pad, stride):
    n, _, height, width = x.shape
    k, _, r, s = w.shape
    padded = np.pad(x.astype(np.float64), ((0, 0), (0, 0), (pad, pad), (pad, pad)))
    p, q = (height + 2 * pad - r) // stride + 1, (width + 2 * pad - s) // stride + 1
    y = np.zeros((n, k, p, q))
    for a in range(r):
        for b in range(s):
            part = padded[:, :, a : a + p * stride : stride, b : b + q * stride : stride]
            y += np.einsum("nchw,kc->nkhw", part, w[:, :, a, b].astype(np.float64))
    return y


def convolution(draw):
    x, w, b = channels_inner(draw(2, 8, 9, 9)), channels_inner(draw(16, 8, 3, 3)), draw(1, 16, 1, 1)
    g = Graph()
    y = g.g.conv_fprop(image=g.tensor(x), weight=g.tensor(w), padding=[1, 1], stride=[2, 2], dilation=[1, 1])
    y = g.g.relu(input=g.g.bias(input=y, bias=g.tensor(b)))
    out = g.output(y, (2, 16, 5, 5), channels_last=True)
    g.run()
    check("convolution, bias, relu", out(), np.maximum(convolved(x, w, 1, 2) + b, 0), 3e-3)


def gradients(draw):
    x, w, dy = (draw(*s, dtype=np.float32) for s in ((2, 4, 7, 7), (6, 4, 3, 3), (2, 6, 7, 7)))
    both = [1, 1]
    g, h = Graph(FLOAT), Graph(FLOAT)
    dw = g.g.conv_wgrad(image=g.tensor(x), loss=g.tensor(dy), padding=both, stride=both, dilation=both)
    dx = h.g.conv_dgrad(loss=h.tensor(dy), filter=h.tensor(w), padding=both, stride=both, dilation=both)
    of_w, of_x = g.output(dw, w.shape, np.float32), h.output(dx, x.shape, np.float32)
    g.run()
    h.run()
    padded = np.pad(x.astype(np.float64), ((0, 0), (0, 0), (1, 1), (1, 1)))
    back = np.pad(dy.astype(np.float64), ((0, 0), (0, 0), (1, 1), (1, 1)))
    want_w, want_x = np.zeros(w.shape), np.zeros(x.shape)
    for a in range(3):
        for b in range(3):
            want_w[:, :, a, b] = np.einsum("nkhw,nchw->kc", dy, padded[:, :, a : a + 7, b : b + 7])
            want_x += np.einsum("nkhw,kc->nchw", back[:, :, 2 - a : 9 - a, 2 - b : 9 - b], w[:, :, a, b])
    check("gradient of the filter", of_w(), want_w, 1e-4)
    check("gradient of the image", of_x(), want_x, 1e-4)


def products_of(x, w, before, after, stride, dilation, groups, flipped):
    """Yields each place of y of a convolution with the elements of x, padded, and the filter's place that meet there."""
    (r, s), (k, c) = w.shape[2:], w.shape[:2]
    size = [(x.shape[2 + d] + before[d] + after[d] - dilation[d] * (w.shape[2 + d] - 1) - 1) // stride[d] + 1 for d in (0, 1)]
    for group in range(groups):
        of_x, of_y = slice(group * c, (group + 1) * c), slice(group * k // groups, (group + 1) * k // groups)
        for a in range(r):
            for b in range(s):
                rows, columns = (slice(at * dilation[d], at * dilation[d] + size[d] * stride[d], stride[d]) for d, at in ((0, a), (1, b)))
                place = (slice(None), of_x, rows, columns)
                yield of_y, place, (of_y, slice(None)) + ((r - 1 - a, s - 1 - b) if flipped else (a, b)), size


def convolution_forms(draw):
    """Checks padding, strides and dilation that differ by dimension and side, groups, filters turned about, channels inside."""
    before, after, stride, dilation = [2, 0], [1, 3], [2, 1], [1, 2]
    for groups, flipped, inner in ((1, False, False), (1, True, True), (2, False, False), (2, True, False)):
        x, w = draw(2, 8, 11, 10, dtype=np.float32), draw(12, 8 // groups, 3, 2, dtype=np.float32)
        padded = np.pad(x.astype(np.float64), ((0, 0), (0, 0), (before[0], after[0]), (before[1], after[1])))
        meet = list(products_of(x, w, before, after, stride, dilation, groups, flipped))
        y = np.zeros((2, 12, *meet[0][3]))
        for of_y, place, of_w, _ in meet:
            y[:, of_y] += np.einsum("nchw,kc->nkhw", padded[place], w[of_w])
        dy = draw(*y.shape, dtype=np.float32)
        of_x, of_w = np.zeros(padded.shape), np.zeros(w.shape)
        for of_y, place, at, _ in meet:
            of_x[place] += np.einsum("nkhw,kc->nchw", dy[:, of_y].astype(np.float64), w[at])
            of_w[at] += np.einsum("nkhw,nchw->kc", dy[:, of_y].astype(np.float64), padded[place])
        of_x = of_x[:, :, before[0] : before[0] + 11, before[1] : before[1] + 10]
        put = channels_inner if inner else lambda a: a
        mode = MODES.CONVOLUTION if flipped else MODES.CROSS_CORRELATION
        how = dict(pre_padding=before, post_padding=after, stride=stride, dilation=dilation, convolution_mode=mode)
        f, g, h = Graph(FLOAT), Graph(FLOAT), Graph(FLOAT)
        out = f.output(f.g.conv_fprop(image=f.tensor(put(x)), weight=f.tensor(put(w)), **how), y.shape, np.float32, channels_last=inner)
        dx = g.output(g.g.conv_dgrad(loss=g.tensor(put(dy)), filter=g.tensor(put(w)), **how), x.shape, np.float32, channels_last=inner)
        dw = h.output(h.g.conv_wgrad(image=h.tensor(put(x)), loss=h.tensor(put(dy)), **how), w.shape, np.float32, channels_last=inner)
        for graph in (f, g, h):
            graph.run()
        name = f"convolution of {groups}{' turned' * flipped}{' inner' * inner}"
        check(name, out(), y, 1e-4)
        check(name + " dx", dx(), of_x, 1e-4)
        check(name + " dw", dw(), of_w, 1e-3)


def product(draw):
    a, b, bias = draw(3, 40, 33), draw(3, 33, 70), draw(1, 1, 70)
    g = Graph()
    y = g.g.gelu(g.g.add(g.g.matmul(A=g.tensor(a), B=g.tensor(b)), g.tensor(bias)))
    out = g.output(y, (3, 40, 70), np.float32)
    g.run()
    x = a.astype(np.float64) @ b.astype(np.float64) + bias
    check("product, bias, gelu", out(), 0.5 * x * (1 + np.vectorize(math.erf)(x / math.sqrt(2))), 1e-3)


def layer_norm(draw):
    x, s, b, dy = draw(6, 50, 1, 1), draw(1, 50, 1, 1, dtype=np.float32), draw(1, 50, 1, 1, dtype=np.float32), draw(6, 50, 1, 1)
    wide = x.astype(np.float64)
    mean = wide.mean(axis=1, keepdims=True)
    inverse = 1 / np.sqrt(wide.var(axis=1, keepdims=True) + 1e-3)
    hat = (wide - mean) * inverse
    g = Graph()
    y, m, i = g.g.layernorm(norm_forward_phase=cudnn.norm_forward_phase.TRAINING, input=g.tensor(x), scale=g.tensor(s), bias=g.tensor(b), epsilon=g.number(1e-3))
    out, of_m, of_i = g.output(y, x.shape), g.output(m, (6, 1, 1, 1), np.float32), g.output(i, (6, 1, 1, 1), np.float32)
    g.run()
    check("layer norm", out(), hat * s + b, 3e-3)
    check("its mean", of_m(), mean, 1e-5)
    check("its deviation", of_i(), inverse, 1e-5)
    g = Graph()
    dx, ds, db = g.g.layernorm_backward(grad=g.tensor(dy), input=g.tensor(x), scale=g.tensor(s), mean=g.tensor(mean.astype(np.float32)), inv_variance=g.tensor(inverse.astype(np.float32)))
    of_x, of_s, of_b = g.output(dx, x.shape), g.output(ds, s.shape, np.float32), g.output(db, b.shape, np.float32)
    g.run()
    scaled = dy * s.astype(np.float64)
    want = inverse * (scaled - scaled.mean(axis=1, keepdims=True) - hat * (scaled * hat).mean(axis=1, keepdims=True))
    check("gradient of layer norm", of_x(), want, 3e-3)
    check("of its scale", of_s(), (dy * hat).sum(axis=0, keepdims=True), 1e-3)
    check("of its bias", of_b(), dy.astype(np.float64).sum(axis=0, keepdims=True), 1e-3)


def rms_norm(draw):
    x, s = draw(6, 50, 1, 1), draw(1, 50, 1, 1, dtype=np.float32)
    g = Graph()
    y, i = g.g.rmsnorm(norm_forward_phase=cudnn.norm_forward_phase.TRAINING, input=g.tensor(x), scale=g.tensor(s), epsilon=g.number(1e-3))
    out = g.output(y, x.shape)
    g.output(i, (6, 1, 1, 1), np.float32)
    g.run()
    wide = x.astype(np.float64)
    check("rms norm", out(), wide / np.sqrt((wide**2).mean(axis=1, keepdims=True) + 1e-3) * s, 3e-3)


def batch_norm(draw):
    x = draw(4, 8, 5, 5)
    s, b, old_mean = (draw(1, 8, 1, 1, dtype=np.float32) for _ in range(3))
    old_variance = np.abs(draw(1, 8, 1, 1, dtype=np.float32))
    g = Graph()
    y, *more = g.g.batchnorm(input=g.tensor(x), scale=g.tensor(s), bias=g.tensor(b), in_running_mean=g.tensor(old_mean), in_running_var=g.tensor(old_variance), epsilon=g.number(1e-3), momentum=g.number(0.1))
    out = g.output(y, x.shape)
    outputs = [g.output(t, s.shape, np.float32) for t in more]
    g.run()
    wide = x.astype(np.float64)
    mean, variance = wide.mean(axis=(0, 2, 3), keepdims=True), wide.var(axis=(0, 2, 3), keepdims=True)
    check("batch norm", out(), (wide - mean) / np.sqrt(variance + 1e-3) * s + b, 3e-3)
    check("its running mean", outputs[2](), 0.9 * old_mean + 0.1 * mean, 1e-4)
    check("its running variance", outputs[3](), 0.9 * old_variance + 0.1 * variance * 100 / 99, 1e-4)


def reduction(draw):
    x = draw(4, 8, 5, 5, dtype=np.float32)
    g = Graph(FLOAT)
    out = g.output(g.g.reduction(input=g.tensor(x), mode=cudnn.reduction_mode.ADD), (1, 8, 1, 1), np.float32)
    g.run()
    check("reduction", out(), x.astype(np.float64).sum(axis=(0, 2, 3), keepdims=True), 1e-4)


def attention(draw, causal=False, shared=1, biased=False, lengths=False):
    n, heads, rows, columns, d, scale = 2, 4, 20, 24, 16, 0.25
    q, k, v = draw(n, heads, rows, d), draw(n, heads // shared, columns, d), draw(n, heads // shared, columns, d)
    bias, do = draw(1, heads, rows, columns), draw(n, heads, rows, d)
    of_q, of_k = (np.array(x, np.int32).reshape(2, 1, 1, 1) for x in ((rows, 13), (columns, 11)))
    name = f"attention{' causal' * causal}{' shared' * (shared > 1)}{' bias' * biased}{' lengths' * lengths}"

    def options(g):
        out = {"use_causal_mask": True} if causal else {}
        if biased:
            out["bias"] = g.tensor(bias)
        if lengths:
            out.update(use_padding_mask=True, seq_len_q=g.tensor(of_q), seq_len_kv=g.tensor(of_k))
        return out

    wide_k, wide_v = (np.repeat(x.astype(np.float64), shared, 1) for x in (k, v))
    scores = q.astype(np.float64) @ wide_k.transpose(0, 1, 3, 2) * scale + (bias if biased else 0)
    if causal:
        scores = np.where(np.tril(np.ones((rows, columns), bool)), scores, -1e300)
    there = np.ones((n, 1, rows, 1), bool)
    for image in range(n if lengths else 0):
        scores[image, :, :, of_k[image, 0, 0, 0] :] = -1e300
        there[image, :, of_q[image, 0, 0, 0] :] = False
    largest = scores.max(-1, keepdims=True)
    e = np.exp(scores - largest)
    p, stats = e / e.sum(-1, keepdims=True), np.log(e.sum(-1, keepdims=True)) + largest
    p = p * there
    o, do = p @ wide_v, (do * there).astype(np.float16)
    g = Graph()
    y, s = g.g.sdpa(name="s", q=g.tensor(q), k=g.tensor(k), v=g.tensor(v), attn_scale=scale, generate_stats=True, **options(g))
    out, of_s = g.output(y, q.shape), g.output(s, (n, heads, rows, 1), np.float32)
    g.run()
    check(name, np.where(there, out(), 0), o, 4e-3)
    check(name + " stats", np.where(there, of_s(), 0), np.where(there, stats, 0), 2e-3)
    g = Graph()
    grads = g.g.sdpa_backward(name="b", q=g.tensor(q), k=g.tensor(k), v=g.tensor(v), o=g.tensor(o.astype(np.float16)), dO=g.tensor(do), stats=g.tensor(stats.astype(np.float32)), attn_scale=scale, **options(g))
    outputs = [g.output(t, x.shape) for t, x in zip(grads, (q, k, v))]
    g.run()
    back = do.astype(np.float64)
    ds = p * (back @ wide_v.transpose(0, 1, 3, 2) - (back * o).sum(-1, keepdims=True)) * scale
    joined = lambda x: x.reshape(n, heads // shared, shared, columns, d).sum(2)
    check(name + " dq", np.where(there, outputs[0](), 0), ds @ wide_k, 4e-3)
    check(name + " dk", outputs[1](), joined(ds.transpose(0, 1, 3, 2) @ q.astype(np.float64)), 4e-3)
    check(name + " dv", outputs[2](), joined(p.transpose(0, 1, 3, 2) @ back), 4e-3)


CASES = {
    "convolution": convolution,
    "gradients": gradients,
    "forms_of_convolution": convolution_forms,
    "product": product,
    "layer_norm": layer_norm,
    "rms_norm": rms_norm,
    "batch_norm": batch_norm,
    "reduction": reduction,
    "attention": attention,
    "attention_causal": lambda draw: attention(draw, causal=True),
    "attention_shared": lambda draw: attention(draw, causal=True, shared=2),
    "attention_bias": lambda draw: attention(draw, biased=True),
    "attention_lengths": lambda draw: attention(draw, lengths=True),
}


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--only")
    given = parser.parse_args()
    random = np.random.default_rng(given.seed)
    draw = lambda *shape, dtype=np.float16: random.standard_normal(shape).astype(np.float32).astype(dtype)
    for name, case in CASES.items():
        if given.only and given.only not in name:
            continue
        try:
            case(draw)
        except Exception as error:  # one graph that is refused says nothing of the others
            wrong.append(name)
            print(f"{name}: {error}", flush=True)
    print(f"{len(wrong)} wrong")
    raise SystemExit(bool(wrong))


if __name__ == "__main__":
    main()

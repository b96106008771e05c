"""Runs Triton kernels once each, for Nsight Compute to time, and keeps their PTX and arguments for compare.py.

    python3 cases.py FOLDER                  # PyTorch, Triton and a GPU are needed
"""
import json, pathlib, sys, torch, triton, triton.language as tl
OUT = pathlib.Path(sys.argv[1]); OUT.mkdir(parents=True, exist_ok=True)
log = []
torch.manual_seed(0)

@triton.jit
def t_add(x, y, o, n, B: tl.constexpr):
    i = tl.program_id(0) * B + tl.arange(0, B); m = i < n
    tl.store(o + i, tl.load(x + i, mask=m) + tl.load(y + i, mask=m), mask=m)

@triton.jit
def t_softmax(o, x, xs, os, cols, B: tl.constexpr):
    r = tl.program_id(0); i = tl.arange(0, B)
    v = tl.load(x + r * xs + i, mask=i < cols, other=-float('inf'))
    v = v - tl.max(v, 0); e = tl.exp(v)
    tl.store(o + r * os + i, e / tl.sum(e, 0), mask=i < cols)

@triton.jit
def t_matmul(a, b, c, M, N, K, sam, sak, sbk, sbn, scm, scn, BM: tl.constexpr, BN: tl.constexpr, BK: tl.constexpr, G: tl.constexpr):
    pid = tl.program_id(0); nm = tl.cdiv(M, BM); nn = tl.cdiv(N, BN)
    per = G * nn; g = pid // per; first = g * G; size = min(nm - first, G)
    pm = first + ((pid % per) % size); pn = (pid % per) // size
    om = (pm * BM + tl.arange(0, BM)) % M; on = (pn * BN + tl.arange(0, BN)) % N; ok = tl.arange(0, BK)
    ap = a + om[:, None] * sam + ok[None, :] * sak; bp = b + ok[:, None] * sbk + on[None, :] * sbn
    acc = tl.zeros((BM, BN), dtype=tl.float32)
    for k in range(0, tl.cdiv(K, BK)):
        x = tl.load(ap, mask=ok[None, :] < K - k * BK, other=0.0); y = tl.load(bp, mask=ok[:, None] < K - k * BK, other=0.0)
        acc = tl.dot(x, y, acc); ap += BK * sak; bp += BK * sbk
    cm = pm * BM + tl.arange(0, BM); cn = pn * BN + tl.arange(0, BN)
    tl.store(c + cm[:, None] * scm + cn[None, :] * scn, acc.to(c.dtype.element_ty), mask=(cm[:, None] < M) & (cn[None, :] < N))

@triton.jit
def t_layer_norm(x, y, w, b, mean, rstd, stride, N, eps, B: tl.constexpr):
    row = tl.program_id(0); y += row * stride; x += row * stride
    s = tl.zeros([B], dtype=tl.float32)
    for off in range(0, N, B):
        c = off + tl.arange(0, B); s += tl.load(x + c, mask=c < N, other=0.).to(tl.float32)
    mu = tl.sum(s, 0) / N
    v = tl.zeros([B], dtype=tl.float32)
    for off in range(0, N, B):
        c = off + tl.arange(0, B); d = tl.load(x + c, mask=c < N, other=0.).to(tl.float32); d = tl.where(c < N, d - mu, 0.); v += d * d
    r = 1 / tl.sqrt(tl.sum(v, 0) / N + eps)
    tl.store(mean + row, mu); tl.store(rstd + row, r)
    for off in range(0, N, B):
        c = off + tl.arange(0, B); m = c < N
        tl.store(y + c, (tl.load(x + c, mask=m, other=0.).to(tl.float32) - mu) * r * tl.load(w + c, mask=m) + tl.load(b + c, mask=m), mask=m)

@triton.jit
def t_dropout(x, o, n, p, seed, B: tl.constexpr):
    i = tl.program_id(0) * B + tl.arange(0, B); m = i < n
    v = tl.load(x + i, mask=m); keep = tl.rand(seed, i) > p
    tl.store(o + i, tl.where(keep, v / (1 - p), 0.0), mask=m)

@triton.jit
def t_rms_norm(x, y, w, stride, N, eps, B: tl.constexpr):
    row = tl.program_id(0); c = tl.arange(0, B); m = c < N
    v = tl.load(x + row * stride + c, mask=m, other=0.).to(tl.float32)
    r = tl.rsqrt(tl.sum(v * v, 0) / N + eps)
    tl.store(y + row * stride + c, (v * r * tl.load(w + c, mask=m)).to(y.dtype.element_ty), mask=m)

@triton.jit
def t_cross_entropy(x, t, o, stride, N, B: tl.constexpr):
    row = tl.program_id(0); x += row * stride
    m = -float('inf'); s = 0.0
    for off in range(0, N, B):
        c = off + tl.arange(0, B); v = tl.load(x + c, mask=c < N, other=-float('inf')).to(tl.float32)
        n = tl.maximum(m, tl.max(v, 0)); s = s * tl.exp(m - n) + tl.sum(tl.exp(v - n), 0); m = n
    tl.store(o + row, m + tl.log(s) - tl.load(x + tl.load(t + row)).to(tl.float32))

@triton.jit
def t_gelu(x, o, n, B: tl.constexpr):
    i = tl.program_id(0) * B + tl.arange(0, B); m = i < n
    v = tl.load(x + i, mask=m); tl.store(o + i, 0.5 * v * (1 + tl.erf(v * 0.70710678)), mask=m)

@triton.jit
def t_silu_mul(a, b, o, n, B: tl.constexpr):
    i = tl.program_id(0) * B + tl.arange(0, B); m = i < n
    v = tl.load(a + i, mask=m).to(tl.float32); tl.store(o + i, (v * tl.sigmoid(v) * tl.load(b + i, mask=m).to(tl.float32)).to(o.dtype.element_ty), mask=m)

@triton.jit
def t_rope(q, cos, sin, o, stride, H, D: tl.constexpr):
    r = tl.program_id(0); h = tl.program_id(1); i = tl.arange(0, D // 2); base = r * stride + h * D
    c = tl.load(cos + r * (D // 2) + i); s = tl.load(sin + r * (D // 2) + i)
    a = tl.load(q + base + i); b = tl.load(q + base + D // 2 + i)
    tl.store(o + base + i, a * c - b * s); tl.store(o + base + D // 2 + i, b * c + a * s)

@triton.jit
def t_embedding(ids, table, o, D, B: tl.constexpr):
    r = tl.program_id(0); i = tl.arange(0, B); m = i < D; row = tl.load(ids + r)
    tl.store(o + r * D + i, tl.load(table + row * D + i, mask=m), mask=m)

@triton.jit
def t_cumsum(x, o, N, B: tl.constexpr):
    r = tl.program_id(0); i = tl.arange(0, B); m = i < N
    tl.store(o + r * N + i, tl.cumsum(tl.load(x + r * N + i, mask=m, other=0.), 0), mask=m)

@triton.jit
def t_transpose(x, o, M, N, B: tl.constexpr):
    i = tl.program_id(0) * B + tl.arange(0, B); j = tl.program_id(1) * B + tl.arange(0, B)
    v = tl.load(x + i[:, None] * N + j[None, :]); tl.store(o + j[:, None] * M + i[None, :], tl.trans(v))

@triton.jit
def t_column_sum(x, o, M, N, BM: tl.constexpr, BN: tl.constexpr):
    j = tl.program_id(0) * BN + tl.arange(0, BN); acc = tl.zeros((BM, BN), dtype=tl.float32)
    for r in range(0, M, BM):
        i = r + tl.arange(0, BM); acc += tl.load(x + i[:, None] * N + j[None, :])
    tl.store(o + j, tl.sum(acc, 0))

@triton.jit
def t_argmax(x, o, N, B: tl.constexpr):
    r = tl.program_id(0); i = tl.arange(0, B)
    tl.store(o + r, tl.argmax(tl.load(x + r * N + i, mask=i < N, other=-float('inf')), 0))

@triton.jit
def t_quantise(x, o, s, N, B: tl.constexpr):
    r = tl.program_id(0); i = tl.arange(0, B); m = i < N
    v = tl.load(x + r * N + i, mask=m, other=0.); a = tl.max(tl.abs(v), 0) / 127.0
    tl.store(s + r, a); tl.store(o + r * N + i, (v / a).to(tl.int8), mask=m)

@triton.jit
def t_scatter_add(i, v, o, n, B: tl.constexpr):
    k = tl.program_id(0) * B + tl.arange(0, B); m = k < n
    tl.atomic_add(o + tl.load(i + k, mask=m), tl.load(v + k, mask=m), mask=m)

@triton.jit
def t_attention(q, k, v, o, sh, N, scale, BM: tl.constexpr, BN: tl.constexpr, D: tl.constexpr):
    pm = tl.program_id(0); h = tl.program_id(1); om = pm * BM + tl.arange(0, BM); on = tl.arange(0, BN); od = tl.arange(0, D)
    base = h * sh
    x = tl.load(q + base + om[:, None] * D + od[None, :])
    m = tl.zeros([BM], dtype=tl.float32) - float('inf'); l = tl.zeros([BM], dtype=tl.float32); acc = tl.zeros([BM, D], dtype=tl.float32)
    for s in range(0, N, BN):
        kk = tl.load(k + base + (s + on)[None, :] * D + od[:, None])
        qk = tl.dot(x, kk) * scale
        n = tl.maximum(m, tl.max(qk, 1)); p = tl.exp2(qk - n[:, None]); a = tl.exp2(m - n)
        l = l * a + tl.sum(p, 1); acc = acc * a[:, None]
        vv = tl.load(v + base + (s + on)[:, None] * D + od[None, :])
        acc = tl.dot(p.to(tl.float16), vv, acc); m = n
    tl.store(o + base + om[:, None] * D + od[None, :], (acc / l[:, None]).to(tl.float16))

@triton.jit
def t_matvec(a, x, y, M, N, BM: tl.constexpr, BN: tl.constexpr):
    i = tl.program_id(0) * BM + tl.arange(0, BM); acc = tl.zeros((BM, BN), dtype=tl.float32)
    for s in range(0, N, BN):
        j = s + tl.arange(0, BN); acc += tl.load(a + i[:, None] * N + j[None, :]) * tl.load(x + j)[None, :]
    tl.store(y + i, tl.sum(acc, 1))


@triton.jit
def t_matmul_bias(a, b, bias, c, M, N, K, BM: tl.constexpr, BN: tl.constexpr, BK: tl.constexpr, ACT: tl.constexpr):
    pm = tl.program_id(0); pn = tl.program_id(1); om = pm * BM + tl.arange(0, BM); on = pn * BN + tl.arange(0, BN)
    acc = tl.zeros((BM, BN), dtype=tl.float32)
    for k in range(0, K, BK):
        ok = k + tl.arange(0, BK)
        acc = tl.dot(tl.load(a + om[:, None] * K + ok[None, :]), tl.load(b + on[None, :] * K + ok[:, None]), acc)
    acc += tl.load(bias + on)[None, :]
    if ACT: acc = tl.where(acc > 0, acc, 0.01 * acc)
    tl.store(c + om[:, None] * N + on[None, :], acc.to(c.dtype.element_ty))

@triton.jit
def t_matmul_persistent(a, b, c, M, N, K, BM: tl.constexpr, BN: tl.constexpr, BK: tl.constexpr, PROGRAMS: tl.constexpr):
    nn = tl.cdiv(N, BN); tiles = tl.cdiv(M, BM) * nn
    for tile in tl.range(tl.program_id(0), tiles, PROGRAMS):
        om = tile // nn * BM + tl.arange(0, BM); on = tile % nn * BN + tl.arange(0, BN)
        acc = tl.zeros((BM, BN), dtype=tl.float32)
        for k in range(0, K, BK):
            ok = k + tl.arange(0, BK)
            acc = tl.dot(tl.load(a + om[:, None] * K + ok[None, :]), tl.load(b + ok[:, None] * N + on[None, :]), acc)
        tl.store(c + om[:, None] * N + on[None, :], acc.to(c.dtype.element_ty))

@triton.jit
def t_matmul_int8(a, b, c, M, N, K, BM: tl.constexpr, BN: tl.constexpr, BK: tl.constexpr):
    om = tl.program_id(0) * BM + tl.arange(0, BM); on = tl.program_id(1) * BN + tl.arange(0, BN)
    acc = tl.zeros((BM, BN), dtype=tl.int32)
    for k in range(0, K, BK):
        ok = k + tl.arange(0, BK)
        acc += tl.dot(tl.load(a + om[:, None] * K + ok[None, :]), tl.load(b + on[None, :] * K + ok[:, None]), out_dtype=tl.int32)
    tl.store(c + om[:, None] * N + on[None, :], acc)

@triton.jit
def t_matmul_packed(a, w, scale, c, M, N, K, BM: tl.constexpr, BN: tl.constexpr, BK: tl.constexpr):
    om = tl.program_id(0) * BM + tl.arange(0, BM); on = tl.program_id(1) * BN + tl.arange(0, BN)
    acc = tl.zeros((BM, BN), dtype=tl.float32)
    for k in range(0, K, BK):
        ok = k + tl.arange(0, BK)
        packed = tl.load(w + on[None, :] * (K // 8) + ok[:, None] // 8)
        x = ((packed >> ((ok[:, None] % 8) * 4)) & 15).to(tl.float16) - 8.0
        acc = tl.dot(tl.load(a + om[:, None] * K + ok[None, :]), x, acc)
    tl.store(c + om[:, None] * N + on[None, :], (acc * tl.load(scale + on)[None, :]).to(tl.float16))

@triton.jit
def t_bias_grad(x, o, M, N, BM: tl.constexpr, BN: tl.constexpr):
    i = tl.program_id(0) * BM + tl.arange(0, BM); j = tl.program_id(1) * BN + tl.arange(0, BN)
    tl.atomic_add(o + j, tl.sum(tl.load(x + i[:, None] * N + j[None, :]), 0))

@triton.jit
def t_dot(x, y, o, n, B: tl.constexpr):
    i = tl.program_id(0) * B + tl.arange(0, B); m = i < n
    tl.atomic_add(o, tl.sum(tl.load(x + i, mask=m, other=0.) * tl.load(y + i, mask=m, other=0.), 0))

@triton.jit
def t_histogram(x, o, n, B: tl.constexpr, BINS: tl.constexpr):
    i = tl.program_id(0) * B + tl.arange(0, B)
    tl.atomic_add(o + tl.arange(0, BINS), tl.histogram(tl.load(x + i), BINS))

@triton.jit
def t_group_norm(x, y, w, size, eps, B: tl.constexpr):
    g = tl.program_id(0); base = g * size
    s = tl.zeros([B], dtype=tl.float32); q = tl.zeros([B], dtype=tl.float32)
    for off in range(0, size, B):
        v = tl.load(x + base + off + tl.arange(0, B)).to(tl.float32); s += v; q += v * v
    mu = tl.sum(s, 0) / size; r = tl.rsqrt(tl.sum(q, 0) / size - mu * mu + eps); k = tl.load(w + g)
    for off in range(0, size, B):
        c = base + off + tl.arange(0, B); tl.store(y + c, (tl.load(x + c) - mu) * r * k)

@triton.jit
def t_softmax_backward(dy, y, dx, cols, B: tl.constexpr):
    r = tl.program_id(0); i = tl.arange(0, B); m = i < cols
    a = tl.load(y + r * cols + i, mask=m, other=0.); g = tl.load(dy + r * cols + i, mask=m, other=0.)
    tl.store(dx + r * cols + i, a * (g - tl.sum(a * g, 0)), mask=m)

@triton.jit
def t_sort(x, o, B: tl.constexpr):
    i = tl.program_id(0) * B + tl.arange(0, B)
    tl.store(o + i, tl.sort(tl.load(x + i)))

@triton.jit
def t_max_pool(x, o, W, OW, B: tl.constexpr):
    c = tl.program_id(1); i = tl.program_id(0) * B + tl.arange(0, B); m = i < OW * OW; r = i // OW; q = i % OW
    best = tl.zeros([B], dtype=tl.float32) - float('inf')
    for a in tl.static_range(2):
        for b in tl.static_range(2):
            best = tl.maximum(best, tl.load(x + c * W * W + (2 * r + a) * W + 2 * q + b, mask=m, other=-float('inf')))
    tl.store(o + c * OW * OW + i, best, mask=m)

@triton.jit
def t_decode(q, k, v, o, lse, N, part, scale, BN: tl.constexpr, D: tl.constexpr):
    h = tl.program_id(0); s = tl.program_id(1); d = tl.arange(0, D); x = tl.load(q + h * D + d)
    m = -float('inf'); l = 0.0; acc = tl.zeros([D], dtype=tl.float32)
    for at in range(s * part, (s + 1) * part, BN):
        n = at + tl.arange(0, BN); kk = tl.load(k + h * N * D + n[:, None] * D + d[None, :])
        qk = tl.sum(x[None, :].to(tl.float32) * kk.to(tl.float32), 1) * scale; new = tl.maximum(m, tl.max(qk, 0))
        p = tl.exp(qk - new); a = tl.exp(m - new); vv = tl.load(v + h * N * D + n[:, None] * D + d[None, :])
        acc = acc * a + tl.sum(p[:, None] * vv.to(tl.float32), 0); l = l * a + tl.sum(p, 0); m = new
    tl.store(o + (h * tl.num_programs(1) + s) * D + d, acc / l); tl.store(lse + h * tl.num_programs(1) + s, m + tl.log(l))

@triton.jit
def t_bag(ids, table, o, L, D, B: tl.constexpr):
    r = tl.program_id(0); i = tl.arange(0, B); acc = tl.zeros([B], dtype=tl.float32)
    for k in range(L): acc += tl.load(table + tl.load(ids + r * L + k) * D + i)
    tl.store(o + r * D + i, acc / L)

@triton.jit
def t_adam(p, g, m, v, n, lr, b1, b2, eps, B: tl.constexpr):
    i = tl.program_id(0) * B + tl.arange(0, B); k = i < n
    x = tl.load(g + i, mask=k); a = b1 * tl.load(m + i, mask=k) + (1 - b1) * x; b = b2 * tl.load(v + i, mask=k) + (1 - b2) * x * x
    tl.store(m + i, a, mask=k); tl.store(v + i, b, mask=k)
    tl.store(p + i, tl.load(p + i, mask=k) - lr * a / (tl.sqrt(b) + eps), mask=k)

def f32(*s): return torch.rand(*s, device='cuda', dtype=torch.float32)
def f16(*s): return torch.rand(*s, device='cuda', dtype=torch.float32).half()
def describe(a):
    if isinstance(a, torch.Tensor):
        d = {'dtype': str(a.dtype).split('.')[1], 'count': a.numel()}
        if not a.dtype.is_floating_point: d['max'] = int(a.max()) if a.numel() else 0
        return d
    return a
def run(fn, grid, args, consts, **options):
    k = fn[grid](*args, **consts, **options)
    torch.cuda.synchronize()
    name = f"{len(log):03d}_{fn.__name__ if hasattr(fn,'__name__') else fn.fn.__name__}"
    (OUT / (name + '.ptx')).write_text(k.asm['ptx'])
    md = k.metadata
    log.append({'name': name, 'set': 'second' if running_second else 'first', 'kernel': getattr(md, 'name', ''), 'grid': list(grid) + [1] * (3 - len(grid)), 'warps': getattr(md, 'num_warps', options.get('num_warps', 4)),
                'shared': getattr(md, 'shared', 0), 'args': [describe(a) for a in args], 'consts': consts, 'options': options})
def cdiv(a, b): return (a + b - 1) // b

cases = []
def case(f): cases.append(f); return f
@case
def _():
    for n in (98432, 4194304): run(t_add, (cdiv(n, 1024),), [f32(n), f32(n), f32(n), n], {'B': 1024})
@case
def _():
    for r, c in ((1823, 781), (4096, 2048), (256, 8192)): run(t_softmax, (r,), [f32(r, c), f32(r, c), c, c, c], {'B': triton.next_power_of_2(c)}, num_warps=8)
@case
def _():
    for n, bm, bn, bk, w, s in ((512, 64, 64, 32, 4, 3), (1024, 128, 128, 64, 8, 3), (1024, 128, 64, 32, 4, 4), (1024, 64, 32, 32, 4, 2), (768, 32, 32, 64, 2, 3)):
        run(t_matmul, (cdiv(n, bm) * cdiv(n, bn),), [f16(n, n), f16(n, n), f16(n, n), n, n, n, n, 1, n, 1, n, 1], {'BM': bm, 'BN': bn, 'BK': bk, 'G': 8}, num_warps=w, num_stages=s)
@case
def _():
    for n, bm, bn, bk, w, s in ((512, 64, 64, 32, 4, 2), (1024, 128, 64, 32, 4, 3), (512, 32, 64, 16, 4, 1)):
        run(t_matmul, (cdiv(n, bm) * cdiv(n, bn),), [f32(n, n), f32(n, n), f32(n, n), n, n, n, n, 1, n, 1, n, 1], {'BM': bm, 'BN': bn, 'BK': bk, 'G': 4}, num_warps=w, num_stages=s)
@case
def _():
    for r, c, b, w in ((1024, 4096, 1024, 4), (16, 65536, 4096, 8), (132, 20000, 2048, 8)): run(t_layer_norm, (r,), [f32(r, c), f32(r, c), f32(c), f32(c), f32(r), f32(r), c, c, 1e-5], {'B': b}, num_warps=w)
@case
def _():
    run(t_dropout, (cdiv(1 << 20, 1024),), [f32(1 << 20), f32(1 << 20), 1 << 20, 0.5, 123], {'B': 1024})
@case
def _():
    for r, c, w in ((2048, 4096, 8), (64, 16384, 16)): run(t_rms_norm, (r,), [f16(r, c), f16(r, c), f32(c), c, c, 1e-6], {'B': triton.next_power_of_2(c)}, num_warps=w)
@case
def _():
    for r, c, b in ((512, 32000, 4096), (32, 128000, 8192)): run(t_cross_entropy, (r,), [f32(r, c), torch.randint(0, c, (r,), device='cuda'), f32(r), c, c], {'B': b}, num_warps=8)
@case
def _():
    run(t_gelu, (cdiv(1 << 22, 1024),), [f32(1 << 22), f32(1 << 22), 1 << 22], {'B': 1024}); run(t_gelu, (256,), [f32(1 << 17), f32(1 << 17), 1 << 17], {'B': 512})
@case
def _(): run(t_silu_mul, (cdiv(1 << 22, 2048),), [f16(1 << 22), f16(1 << 22), f16(1 << 22), 1 << 22], {'B': 2048})
@case
def _(): run(t_rope, (1024, 16), [f32(1024, 16, 128), f32(1024, 64), f32(1024, 64), f32(1024, 16, 128), 16 * 128, 16], {'D': 128}, num_warps=1)
@case
def _(): run(t_embedding, (4096,), [torch.randint(0, 50000, (4096,), device='cuda'), f32(50000, 256), f32(4096, 256), 256], {'B': 256}, num_warps=1)
@case
def _(): run(t_cumsum, (512,), [f32(512, 4096), f32(512, 4096), 4096], {'B': 4096}, num_warps=4)
@case
def _(): run(t_transpose, (32, 32), [f32(2048, 2048), f32(2048, 2048), 2048, 2048], {'B': 64}, num_warps=8)
@case
def _(): run(t_column_sum, (32,), [f32(4096, 2048), f32(2048), 4096, 2048], {'BM': 32, 'BN': 64})
@case
def _(): run(t_argmax, (1024,), [f32(1024, 4000), torch.zeros(1024, device='cuda', dtype=torch.int32), 4000], {'B': 4096}, num_warps=4)
@case
def _(): run(t_quantise, (1024,), [f32(1024, 4096), torch.zeros(1024, 4096, device='cuda', dtype=torch.int8), f32(1024), 4096], {'B': 4096}, num_warps=8)
@case
def _(): run(t_scatter_add, (1024,), [torch.randint(0, 1 << 16, (1 << 20,), device='cuda', dtype=torch.int32), f32(1 << 20), f32(1 << 16), 1 << 20], {'B': 1024})
@case
def _():
    for h, n, bm, bn, d, w, s in ((8, 1024, 128, 64, 64, 4, 2), (4, 2048, 64, 64, 64, 4, 3), (16, 512, 64, 32, 128, 4, 2)):
        run(t_attention, (n // bm, h), [f16(h, n, d), f16(h, n, d), f16(h, n, d), f16(h, n, d), n * d, n, 0.18], {'BM': bm, 'BN': bn, 'D': d}, num_warps=w, num_stages=s)
@case
def _():
    run(t_matvec, (256,), [f32(4096, 4096), f32(4096), f32(4096), 4096, 4096], {'BM': 16, 'BN': 128}); run(t_matvec, (16,), [f32(512, 16384), f32(16384), f32(512), 512, 16384], {'BM': 32, 'BN': 128})

# Later cases, none of which any figure of the model was fitted to when they were first measured.
second = []
def later(f): second.append(f); return f
def i32(high, *s): return torch.randint(0, high, s, device='cuda', dtype=torch.int32)
def f16matmul(n, bm, bn, bk, w, s):
    run(t_matmul, (cdiv(n, bm) * cdiv(n, bn),), [f16(n, n), f16(n, n), f16(n, n), n, n, n, n, 1, n, 1, n, 1], {'BM': bm, 'BN': bn, 'BK': bk, 'G': 8}, num_warps=w, num_stages=s)
@later
def _():
    for n, bm, bn, bk, w, s in ((1024, 64, 128, 32, 4, 4), (1024, 128, 128, 32, 8, 3), (768, 32, 32, 32, 2, 2), (512, 64, 64, 64, 4, 1), (512, 16, 64, 32, 2, 3)):
        run(t_matmul, (cdiv(n, bm) * cdiv(n, bn),), [f32(n, n), f32(n, n), f32(n, n), n, n, n, n, 1, n, 1, n, 1], {'BM': bm, 'BN': bn, 'BK': bk, 'G': 4}, num_warps=w, num_stages=s)
@later
def _():
    for one in ((2048, 128, 256, 64, 8, 3), (512, 32, 32, 32, 2, 1), (1024, 64, 64, 64, 4, 5), (1000, 64, 64, 32, 4, 3)): f16matmul(*one)
@later
def _():
    for m, n, k, bm, bn, bk, w, s in ((1024, 1024, 512, 64, 64, 64, 4, 3), (128, 4096, 1024, 64, 64, 64, 4, 4), (2048, 512, 512, 128, 64, 32, 4, 1)):
        run(t_matmul_bias, (m // bm, n // bn), [f16(m, k), f16(n, k), f32(n), f16(m, n), m, n, k], {'BM': bm, 'BN': bn, 'BK': bk, 'ACT': True}, num_warps=w, num_stages=s)
@later
def _(): run(t_matmul_bias, (16, 8), [f32(1024, 512), f32(512, 512), f32(512), f32(1024, 512), 1024, 512, 512], {'BM': 64, 'BN': 64, 'BK': 32, 'ACT': False}, num_warps=4, num_stages=3)
@later
def _(): run(t_matmul_persistent, (132,), [f16(2048, 1024), f16(1024, 2048), f16(2048, 2048), 2048, 2048, 1024], {'BM': 128, 'BN': 128, 'BK': 64, 'PROGRAMS': 132}, num_warps=8, num_stages=3)
@later
def _(): run(t_matmul_int8, (16, 16), [torch.randint(0, 9, (1024, 1024), device='cuda', dtype=torch.int8), torch.randint(0, 9, (1024, 1024), device='cuda', dtype=torch.int8), i32(2, 1024, 1024), 1024, 1024, 1024], {'BM': 64, 'BN': 64, 'BK': 64}, num_warps=4, num_stages=3)
@later
def _(): run(t_matmul_packed, (4, 32), [f16(128, 2048), i32(1 << 30, 2048, 256), f32(2048), f16(128, 2048), 128, 2048, 2048], {'BM': 32, 'BN': 64, 'BK': 64}, num_warps=4, num_stages=3)
@later
def _():
    for r, c, bm, bn, w in ((8192, 512, 16, 64, 4), (2048, 8192, 64, 64, 8), (1024, 1024, 32, 32, 1), (16384, 256, 128, 16, 4)): run(t_column_sum, (c // bn,), [f32(r, c), f32(c), r, c], {'BM': bm, 'BN': bn}, num_warps=w)
@later
def _():
    for r, c, b, w in ((8, 131072, 8192, 16), (512, 1000, 1024, 4), (64, 8192, 2048, 4), (4096, 512, 512, 1)): run(t_layer_norm, (r,), [f32(r, c), f32(r, c), f32(c), f32(c), f32(r), f32(r), c, c, 1e-5], {'B': b}, num_warps=w)
@later
def _():
    for r, c in ((4096, 1024), (16384, 256)): run(t_bias_grad, (r // 64, c // 64), [f32(r, c), f32(c), r, c], {'BM': 64, 'BN': 64})
@later
def _():
    for n, b in ((1 << 22, 1024), (1 << 20, 4096)): run(t_dot, (n // b,), [f32(n), f32(n), f32(1), n], {'B': b})
@later
def _(): run(t_histogram, (512,), [i32(256, 1 << 20), i32(1, 256), 1 << 20], {'B': 2048, 'BINS': 256})
@later
def _():
    for g, s in ((32, 65536), (256, 16384), (8, 262144)): run(t_group_norm, (g,), [f32(g, s), f32(g, s), f32(g), s, 1e-5], {'B': 4096}, num_warps=8)
@later
def _(): run(t_softmax_backward, (2048,), [f32(2048, 2000), f32(2048, 2000), f32(2048, 2000), 2000], {'B': 2048})
@later
def _(): run(t_sort, (256,), [f32(256, 1024), f32(256, 1024)], {'B': 1024})
@later
def _(): run(t_max_pool, (16, 64), [f32(64, 256, 256), f32(64, 128, 128), 256, 128], {'B': 1024})
@later
def _():
    for h, n, parts in ((32, 2048, 8), (16, 4096, 1)): run(t_decode, (h, parts), [f16(h, 64), f16(h, n, 64), f16(h, n, 64), f32(h, parts, 64), f32(h, parts), n, n // parts, 0.125], {'BN': 64, 'D': 64})
@later
def _(): run(t_bag, (2048,), [i32(50000, 2048, 16), f32(50000, 128), f32(2048, 128), 16, 128], {'B': 128}, num_warps=1)
@later
def _(): run(t_adam, (2048,), [f32(1 << 21), f32(1 << 21), f32(1 << 21), f32(1 << 21), 1 << 21, 1e-3, 0.9, 0.999, 1e-8], {'B': 1024})
@later
def _(): run(t_cumsum, (64,), [f32(64, 16384), f32(64, 16384), 16384], {'B': 16384}, num_warps=8); run(t_transpose, (64, 64), [f32(2048, 2048), f32(2048, 2048), 2048, 2048], {'B': 32}, num_warps=4)
@later
def _(): run(t_scatter_add, (512,), [i32(512, 1 << 18), f32(1 << 18), f32(512), 1 << 18], {'B': 512}); run(t_embedding, (8192,), [torch.randint(0, 1000000, (8192,), device='cuda'), f32(1000000, 64), f32(8192, 64), 64], {'B': 64}, num_warps=1)
for c in cases + second:
    running_second = c in second
    try: c()
    except Exception as e: print('case failed:', repr(e)[:300], flush=True)
(OUT / 'cases.json').write_text(json.dumps({'triton': triton.__version__, 'torch': torch.__version__, 'device': torch.cuda.get_device_name(), 'cases': log}, indent=0))

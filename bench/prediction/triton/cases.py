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
    log.append({'name': name, 'kernel': getattr(md, 'name', ''), 'grid': list(grid) + [1] * (3 - len(grid)), 'warps': getattr(md, 'num_warps', options.get('num_warps', 4)),
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
for c in cases:
    try: c()
    except Exception as e: print('case failed:', repr(e)[:300], flush=True)
(OUT / 'cases.json').write_text(json.dumps({'triton': triton.__version__, 'torch': torch.__version__, 'device': torch.cuda.get_device_name(), 'cases': log}, indent=0))

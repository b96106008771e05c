"""Autotuners end: 40 configurations of a product of 512 x 512 in float16 are compared, and the best is taken.

    warpwright run --quiet --no-db --host-clock real python3 bench/clients/tuner_sweep.py [triton | inductor | kernel_tuner] [--size 512]

triton: `triton.autotune` over 40 configurations; inductor: torch.compile with max-autotune; kernel_tuner: 40 configurations of a tiled kernel
in CUDA C++ by Kernel Tuner (with CuPy). Each must give the right product. Tells the time by the clock and the processor's time, children's too.
"""
import argparse
import resource
import time

import numpy as np


def by_triton(size):
    import torch
    import triton
    import triton.language as tl

    configs = [triton.Config({"M": m, "N": n, "K": k}, num_warps=w, num_stages=s) for m in (32, 64, 128) for n in (32, 64, 128) for k in (32, 64)
               for w, s in ((4, 2), (8, 3), (4, 4))][:40]

    @triton.autotune(configs=configs, key=["size"])
    @triton.jit
    def product(a, b, c, size, M: tl.constexpr, N: tl.constexpr, K: tl.constexpr):
        rows, columns = tl.program_id(0) * M + tl.arange(0, M), tl.program_id(1) * N + tl.arange(0, N)
        inner = tl.arange(0, K)
        total = tl.zeros((M, N), tl.float32)
        for k in range(0, size, K):
            x = tl.load(a + rows[:, None] * size + k + inner[None, :])
            y = tl.load(b + (k + inner)[:, None] * size + columns[None, :])
            total = tl.dot(x, y, total)
        tl.store(c + rows[:, None] * size + columns[None, :], total.to(tl.float16))

    a, b = (torch.randn(size, size, device="cuda", dtype=torch.float16) for _ in range(2))
    c = torch.empty_like(a)
    product[lambda meta: (size // meta["M"], size // meta["N"])](a, b, c, size)
    torch.testing.assert_close(c.cpu(), a.cpu() @ b.cpu(), rtol=1e-2, atol=0.2)
    return f"{len(configs)} configurations; {product.best_config}"


def by_inductor(size):
    import torch

    a, b = (torch.randn(size, size, device="cuda", dtype=torch.float16) for _ in range(2))
    c = torch.compile(lambda a, b: torch.relu(a @ b), mode="max-autotune-no-cudagraphs")(a, b)
    torch.testing.assert_close(c.cpu(), torch.relu(a.cpu() @ b.cpu()), rtol=1e-2, atol=0.2)
    return "the choices of this version of Inductor"


KERNEL = """
extern "C" __global__ void product(const float* a, const float* b, float* c) {
    __shared__ float x[SIDE][TILE], y[TILE][block_size_x];
    const int column = blockIdx.x * block_size_x + threadIdx.x, row = blockIdx.y * SIDE;
    float sum[SIDE / block_size_y] = {};
    for (int k = 0; k < SIZE; k += TILE) {
        for (int i = threadIdx.y * block_size_x + threadIdx.x; i < SIDE * TILE; i += block_size_x * block_size_y)
            x[i / TILE][i % TILE] = a[(row + i / TILE) * SIZE + k + i % TILE];
        for (int i = threadIdx.y; i < TILE; i += block_size_y) y[i][threadIdx.x] = b[(k + i) * SIZE + column];
        __syncthreads();
        for (int i = 0; i < TILE; ++i)
            for (int r = 0; r < SIDE / block_size_y; ++r) sum[r] += x[threadIdx.y + r * block_size_y][i] * y[i][threadIdx.x];
        __syncthreads();
    }
    for (int r = 0; r < SIDE / block_size_y; ++r) c[(row + threadIdx.y + r * block_size_y) * SIZE + column] = sum[r];
}
"""


def by_kernel_tuner(size):
    import kernel_tuner

    a, b = (np.random.default_rng(k).standard_normal((size, size)).astype(np.float32) for k in range(2))
    c = np.zeros_like(a)
    choices = {"block_size_x": [16, 32, 64, 128], "block_size_y": [2, 4, 8, 16], "SIDE": [16, 32], "TILE": [16, 32], "SIZE": [size]}
    allowed = [lambda p: 64 <= p["block_size_x"] * p["block_size_y"] <= 1024, lambda p: p["SIDE"] >= p["block_size_y"]]
    results, _ = kernel_tuner.tune_kernel("product", KERNEL, (size, size), [a, b, c], choices, grid_div_x=["block_size_x"], grid_div_y=["SIDE"],
                                          restrictions=lambda p: all(f(p) for f in allowed), lang="cupy", answer=[None, None, a @ b], atol=1e-2,
                                          strategy="random_sample", strategy_options={"max_fevals": 40}, quiet=True)
    best = min((r for r in results if isinstance(r["time"], float)), key=lambda r: r["time"])
    return f"{len(results)} configurations; {best['time'] * 1e3:.1f} us by {[best[k] for k in choices]}"


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("tuner", nargs="?", default="triton", choices=("triton", "inductor", "kernel_tuner"))
    parser.add_argument("--size", type=int, default=512)
    options = parser.parse_args()
    start = time.clock_gettime(time.CLOCK_MONOTONIC)
    chosen = globals()["by_" + options.tuner](options.size)
    used = [resource.getrusage(who) for who in (resource.RUSAGE_SELF, resource.RUSAGE_CHILDREN)]
    print(f"{options.tuner}: {chosen}; {time.clock_gettime(time.CLOCK_MONOTONIC) - start:.1f} s by the clock, "
          f"{sum(u.ru_utime + u.ru_stime for u in used):.1f} s of processor time")


if __name__ == "__main__":
    main()

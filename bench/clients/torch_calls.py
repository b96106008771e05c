"""What an eager operator of PyTorch costs its caller on the emulated device, in us of the calling thread's processor time, PyTorch's part among it.

    warpwright run --quiet --no-db python3 bench/clients/torch_calls.py [NAME ...] [--above 40] [--profile NAME]

Each operator is called --calls times on small tensors, --turns times over; the least of the means is told, so that other work on the machine
counts little. The kernels run on other threads meanwhile and are waited for between the turns.
"""
import argparse
import cProfile
import pstats
import time

import torch
from torch.nn import functional as F


def cases():
    d = {"device": "cuda"}
    torch.manual_seed(0)
    a, b, out = torch.randn(64, 64, **d), torch.randn(64, 64, **d), torch.empty(64, 64, **d)
    image, filters = torch.randn(2, 8, 16, 16, **d), torch.randn(8, 8, 3, 3, **d)
    mask, rows = a > 0, torch.randint(0, 64, (32,), **d)
    places, labels, table = torch.randint(0, 64, (64, 64), **d), torch.randint(0, 64, (64,), **d), torch.randn(100, 64, **d)
    weight, bias, heads = torch.ones(64, **d), torch.zeros(64, **d), torch.randn(2, 2, 32, 16, **d)
    return {
        "copy": lambda: out.copy_(a), "mm": lambda: torch.mm(a, b), "relu": lambda: torch.relu(a), "add": lambda: a + b,
        "add in place": lambda: a.add_(b, alpha=1e-9), "mul": lambda: a * b, "mul by a number": lambda: a * 2.0, "exp": lambda: torch.exp(a),
        "compare": lambda: a < b, "cast": lambda: a.half(), "softmax": lambda: torch.softmax(a, 1), "rand": lambda: torch.rand(64, 64, **d),
        "dropout": lambda: F.dropout(a, 0.5), "sum": lambda: a.sum(), "sum of rows": lambda: a.sum(1), "mean": lambda: a.mean(),
        "mean of rows": lambda: a.mean(1), "max of rows": lambda: a.max(1), "argmax": lambda: a.argmax(1), "gather": lambda: a.gather(1, places),
        "where": lambda: torch.where(mask, a, b), "layer norm": lambda: F.layer_norm(a, (64,), weight, bias), "index": lambda: a[rows],
        "index_select": lambda: a.index_select(0, rows), "cat": lambda: torch.cat([a, b], 1), "embedding": lambda: F.embedding(labels, table),
        "sort": lambda: a.sort(1), "topk": lambda: a.topk(5, 1), "addmm": lambda: torch.addmm(bias, a, b), "linear": lambda: F.linear(a, b, bias),
        "masked_fill": lambda: a.masked_fill(mask, 0.0), "masked_fill of a row": lambda: a.masked_fill(mask[:1], float("-inf")),
        "cumsum": lambda: a.cumsum(1), "fill": lambda: out.fill_(1.0), "zeros": lambda: torch.zeros(64, 64, **d), "full": lambda: torch.full((64,), 2, **d),
        "arange": lambda: torch.arange(64, **d), "clamp": lambda: a.clamp(-1, 1), "gelu": lambda: F.gelu(a), "silu": lambda: F.silu(a),
        "bmm": lambda: torch.bmm(heads[0], heads[1].transpose(1, 2)), "transpose and copy": lambda: a.t().contiguous(), "pow": lambda: a**2,
        "addcmul in place": lambda: out.addcmul_(a, b, value=1e-9), "lerp in place": lambda: out.lerp_(a, 0.1), "sqrt": lambda: mask.float().sqrt(),
        "cross entropy": lambda: F.cross_entropy(a, labels), "mse_loss": lambda: F.mse_loss(a, b), "tril": lambda: a.tril(),
        "scatter": lambda: a.scatter(1, places, b), "index put": lambda: out.index_put_((rows,), a[:32]), "norm": lambda: torch.linalg.vector_norm(a),
        "var": lambda: a.var(1), "batch norm": lambda: F.batch_norm(image, None, None, training=True), "convolution": lambda: F.conv2d(image, filters),
        "max_pool2d": lambda: F.max_pool2d(image, 2), "attention": lambda: F.scaled_dot_product_attention(heads, heads, heads, is_causal=True),
        "stack": lambda: torch.stack([a, b]), "flip": lambda: a.flip(0), "any": lambda: mask.any(), "item": lambda: a[0, 0].item(),
    }


def least(call, calls, turns):
    for _ in range(20):
        call()
    best = float("inf")
    for _ in range(turns):
        torch.cuda.synchronize()
        before = time.thread_time()
        for _ in range(calls):
            call()
        best = min(best, (time.thread_time() - before) / calls)
    torch.cuda.synchronize()
    return best * 1e6


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("names", nargs="*")
    parser.add_argument("--calls", type=int, default=200)
    parser.add_argument("--turns", type=int, default=12)
    parser.add_argument("--above", type=float, default=0, help="tells only those above so many us")
    parser.add_argument("--profile", help="shows where the time of one operator goes")
    options = parser.parse_args()
    known = cases()
    with torch.no_grad():
        if options.profile:
            least(known[options.profile], options.calls, 2)
            profile = cProfile.Profile(time.thread_time)
            profile.enable()
            for _ in range(2000):
                known[options.profile]()
            profile.disable()
            pstats.Stats(profile).sort_stats("tottime").print_stats(25)
            return
        for name in options.names or known:
            us = least(known[name], options.calls, options.turns)
            if us > options.above:
                print(f"{name:<24}{us:7.1f} us", flush=True)


main()

"""What PyTorch's programs use besides operators, each tried once on the emulated device: compiled functions, graphs, streams, events, memory,
data loaders, extensions, several devices.

    warpwright run --quiet --no-db python3 bench/clients/torch_features.py [NAME ...]          all but the extensions, which take minutes
    warpwright run --quiet --no-db --devices 2 python3 bench/clients/torch_features.py two_devices data_parallel peers

Each prints a line: right, or how it ended. Results are compared with the CPU's, or with the same function without torch.compile.
"""
import argparse
import io
import sys
import time
import traceback

import torch
from torch import nn
from torch.nn import functional as F


def near(a, b, tolerance=1e-4):
    torch.testing.assert_close(a.detach().cpu(), b.detach().cpu(), rtol=tolerance, atol=tolerance)


def twins(make):
    """Returns the same module on the CPU and on the device."""
    torch.manual_seed(0)
    module = make()
    other = make().cuda()
    other.load_state_dict(module.state_dict())
    return module, other


# --- torch.compile

def compile_linear():
    _, model = twins(lambda: nn.Linear(32, 16))
    x = torch.randn(8, 32, device="cuda")
    near(torch.compile(model)(x), model(x))


def compile_backward():
    _, model = twins(lambda: nn.Sequential(nn.Linear(32, 64), nn.GELU(), nn.LayerNorm(64), nn.Linear(64, 8)))
    x, y, found = torch.randn(16, 32, device="cuda"), torch.randint(0, 8, (16,), device="cuda"), []
    for call in (model, torch.compile(model)):
        model.zero_grad()
        F.cross_entropy(call(x), y).backward()
        found.append([p.grad.clone() for p in model.parameters()])
    for a, b in zip(*found):
        near(a, b)


def compile_randn():
    x = torch.compile(lambda t: torch.randn_like(t) * 2 + 1)(torch.empty(64, 256, device="cuda"))
    assert abs(x.mean().item() - 1) < 0.1 and abs(x.std().item() - 2) < 0.1, (x.mean(), x.std())
    torch.manual_seed(3)
    dropped = torch.compile(lambda t: F.dropout(t, 0.25))(torch.ones(128, 128, device="cuda"))
    assert abs((dropped == 0).float().mean().item() - 0.25) < 0.02


def compile_sdpa():
    q, k, v = (torch.randn(2, 4, 64, 32, device="cuda", requires_grad=True) for _ in range(3))
    call = torch.compile(lambda q, k, v: F.scaled_dot_product_attention(q, k, v, is_causal=True))
    found = []
    for f in (call, lambda *a: F.scaled_dot_product_attention(*a, is_causal=True)):
        out = f(q, k, v)
        found.append([out, *torch.autograd.grad(out.square().sum(), (q, k, v))])
    for a, b in zip(*found):
        near(a, b, 1e-3)


def compile_max_autotune():
    a, b = torch.randn(64, 64, device="cuda"), torch.randn(64, 64, device="cuda")
    near(torch.compile(lambda a, b: torch.relu(a @ b), mode="max-autotune-no-cudagraphs")(a, b), torch.relu(a @ b), 1e-3)


def compile_reduce_overhead():
    _, model = twins(lambda: nn.Sequential(nn.Linear(16, 16), nn.ReLU(), nn.Linear(16, 4)))
    call = torch.compile(model, mode="reduce-overhead")
    with torch.no_grad():
        for _ in range(4):
            x = torch.randn(8, 16, device="cuda")
            near(call(x).clone(), model(x))


def compile_step():
    torch.manual_seed(0)
    model = nn.Linear(16, 4).cuda()
    optimizer = torch.optim.AdamW(model.parameters(), lr=1e-2)

    @torch.compile
    def step(x, y):
        optimizer.zero_grad()
        loss = F.mse_loss(model(x), y)
        loss.backward()
        optimizer.step()
        return loss

    x, y = torch.randn(32, 16, device="cuda"), torch.randn(32, 4, device="cuda")
    losses = [step(x, y).item() for _ in range(4)]
    assert losses == sorted(losses, reverse=True), losses


def compile_flex_attention():
    from torch.nn.attention.flex_attention import create_block_mask, flex_attention

    q, k, v = (torch.randn(1, 2, 128, 32, device="cuda") for _ in range(3))
    mask = create_block_mask(lambda b, h, i, j: i >= j, None, None, 128, 128, device="cuda")
    near(torch.compile(flex_attention)(q, k, v, block_mask=mask), F.scaled_dot_product_attention(q, k, v, is_causal=True), 1e-3)


# --- graphs, streams, events, memory

def graph():
    x, w = torch.randn(16, 16, device="cuda"), torch.randn(16, 16, device="cuda")
    side = torch.cuda.Stream()
    with torch.cuda.stream(side):
        torch.relu(x @ w)
    torch.cuda.current_stream().wait_stream(side)
    g = torch.cuda.CUDAGraph()
    with torch.cuda.graph(g):
        y = torch.softmax(torch.relu(x @ w), 1)
    for _ in range(3):
        x.copy_(torch.randn(16, 16))
        g.replay()
        near(y, torch.softmax(torch.relu(x.cpu() @ w.cpu()), 1))


def graph_of_training():
    model, twin = twins(lambda: nn.Sequential(nn.Linear(16, 32), nn.Tanh(), nn.Linear(32, 4)))
    own, other = torch.optim.SGD(model.parameters(), 0.1), torch.optim.SGD(twin.parameters(), 0.1)
    x, y = torch.randn(8, 16, device="cuda"), torch.randn(8, 4, device="cuda")
    side = torch.cuda.Stream()
    side.wait_stream(torch.cuda.current_stream())
    with torch.cuda.stream(side):
        F.mse_loss(twin(x), y).backward()
    torch.cuda.current_stream().wait_stream(side)
    other.zero_grad(set_to_none=True)
    g = torch.cuda.CUDAGraph()
    with torch.cuda.graph(g):
        loss = F.mse_loss(twin(x), y)
        loss.backward()
        other.step()
    twin.load_state_dict(model.state_dict())
    for _ in range(3):
        data, target = torch.randn(8, 16), torch.randn(8, 4)
        x.copy_(data), y.copy_(target)
        g.replay()
        own.zero_grad()
        F.mse_loss(model(data), target).backward()
        own.step()
    for a, b in zip(twin.parameters(), model.parameters()):
        near(a, b)


def graphed_callables():
    model = nn.Sequential(nn.Linear(16, 16), nn.ReLU()).cuda()
    x = torch.randn(4, 16, device="cuda", requires_grad=True)
    graphed = torch.cuda.make_graphed_callables(nn.Sequential(*model), (x,))
    data = torch.randn(4, 16, device="cuda", requires_grad=True)
    out = graphed(data)
    out.sum().backward()
    first = data.grad.clone()
    data.grad = None
    expected = torch.relu(F.linear(data, model[0].weight, model[0].bias))
    expected.sum().backward()
    near(out, expected)
    near(first, data.grad)


def streams():
    a = torch.randn(256, 256, device="cuda")
    one, two = torch.cuda.Stream(), torch.cuda.Stream(priority=-1)
    one.wait_stream(torch.cuda.current_stream())
    with torch.cuda.stream(one):
        b = a @ a
        b.record_stream(one)
    two.wait_stream(one)
    with torch.cuda.stream(two):
        assert torch.cuda.current_stream() == two
        c = b.sum()
    two.synchronize()
    assert one.query() and two.query()
    near(c, (a.cpu() @ a.cpu()).sum(), 1e-2)
    torch.cuda.ExternalStream(one.cuda_stream).synchronize()


def events():
    first, last = torch.cuda.Event(enable_timing=True), torch.cuda.Event(enable_timing=True)
    a = torch.randn(512, 512, device="cuda")
    first.record()
    a @ a
    last.record()
    last.synchronize()
    took = first.elapsed_time(last)
    assert 0.001 < took < 1, f"{took} ms for a product of 512"
    other = torch.cuda.Stream()
    other.wait_event(last)
    assert last.query()


def memory():
    torch.cuda.empty_cache()
    torch.cuda.reset_peak_memory_stats()
    before = torch.cuda.memory_allocated()
    t = torch.empty(1 << 20, device="cuda")
    assert torch.cuda.memory_allocated() - before == 4 << 20
    del t
    assert torch.cuda.memory_allocated() == before and torch.cuda.max_memory_allocated() - before == 4 << 20
    assert torch.cuda.memory_reserved() >= 4 << 20
    torch.cuda.empty_cache()
    free, total = torch.cuda.mem_get_info()
    assert 0 < free <= total == torch.cuda.get_device_properties(0).total_memory
    assert "Allocated memory" in torch.cuda.memory_summary() and torch.cuda.memory_stats() and torch.cuda.memory_snapshot() is not None
    torch.cuda.set_per_process_memory_fraction(0.5)
    try:
        torch.empty(int(total * 0.6), dtype=torch.uint8, device="cuda")
        raise AssertionError("more than the fraction")
    except torch.cuda.OutOfMemoryError:
        pass
    torch.cuda.set_per_process_memory_fraction(1.0)
    pool = torch.cuda.MemPool()
    with torch.cuda.use_mem_pool(pool):
        torch.ones(8, device="cuda")


def too_much_memory():
    try:
        torch.empty(1 << 50, dtype=torch.uint8, device="cuda")
    except torch.cuda.OutOfMemoryError:
        near(torch.ones(2, device="cuda"), torch.ones(2))
        return
    raise AssertionError("a PiB was given")


# --- data, files, types

class Numbers(torch.utils.data.Dataset):
    def __len__(self):
        return 40

    def __getitem__(self, k):
        return torch.full((3,), float(k)), k


def _loaded(**options):
    total = torch.zeros((), device="cuda")
    for x, k in torch.utils.data.DataLoader(Numbers(), batch_size=8, num_workers=2, **options):
        total += x.to("cuda", non_blocking=True).sum() + k.cuda().sum()
    assert total.item() == 4 * sum(range(40)), total


def data_loader():
    torch.ones(1, device="cuda")  # the device is in use before the workers begin
    _loaded()
    _loaded(pin_memory=True, persistent_workers=True)


def data_loader_spawn():
    _loaded(multiprocessing_context="spawn", pin_memory=True)


def saved():
    file = io.BytesIO()
    torch.save({"a": torch.arange(5, device="cuda")}, file)
    file.seek(0)
    there = torch.load(file)["a"]
    file.seek(0)
    here = torch.load(file, map_location="cpu")["a"]
    assert there.is_cuda and not here.is_cuda
    near(there, here)


def autocast():
    model, twin = twins(lambda: nn.Sequential(nn.Linear(16, 32), nn.ReLU(), nn.Linear(32, 4)))
    scaler, optimizer = torch.amp.GradScaler("cuda"), torch.optim.SGD(twin.parameters(), 0.1)
    x, y = torch.randn(8, 16), torch.randn(8, 4)
    for _ in range(2):
        optimizer.zero_grad()
        with torch.autocast("cuda", dtype=torch.float16):
            loss = F.mse_loss(twin(x.cuda()), y.cuda())
        scaler.scale(loss).backward()
        scaler.step(optimizer)
        scaler.update()
    expected = F.mse_loss(model(x), y)
    assert abs(loss.item() - expected.item()) < 0.2


def profiler():
    from torch.profiler import ProfilerActivity, profile

    with profile(activities=[ProfilerActivity.CPU, ProfilerActivity.CUDA]) as found:
        torch.relu(torch.randn(64, 64, device="cuda") @ torch.randn(64, 64, device="cuda")).sum().item()
    names = {e.key for e in found.key_averages()}
    assert any("relu" in n and "aten" not in n for n in names), names


def triton_kernel():
    import triton
    import triton.language as tl

    @triton.jit
    def add(x, y, out, n, BLOCK: tl.constexpr):
        at = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
        tl.store(out + at, tl.load(x + at, at < n) + tl.load(y + at, at < n), at < n)

    x, y, out = torch.rand(1000, device="cuda"), torch.rand(1000, device="cuda"), torch.empty(1000, device="cuda")
    add[(4,)](x, y, out, 1000, 256)
    near(out, x + y)


def func():
    model = nn.Linear(4, 3).cuda()
    x = torch.randn(5, 4, device="cuda")
    jacobian = torch.func.vmap(torch.func.jacrev(lambda t: torch.tanh(model(t))))(x)
    assert jacobian.shape == (5, 3, 4)
    twin = nn.Linear(4, 3)
    twin.load_state_dict(model.state_dict())
    near(jacobian, torch.func.vmap(torch.func.jacrev(lambda t: torch.tanh(twin(t))))(x.cpu()))


# --- extensions

CODE = """
#include <torch/extension.h>
#include <c10/cuda/CUDAStream.h>
__global__ void scaled(const float* x, float* y, float k, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) y[i] = k * x[i];
}
torch::Tensor scale(torch::Tensor x, double k) {
    auto y = torch::empty_like(x);
    const int n = x.numel();
    scaled<<<(n + 255) / 256, 256, 0, c10::cuda::getCurrentCUDAStream()>>>(x.data_ptr<float>(), y.data_ptr<float>(), k, n);
    return y;
}
"""


def load_inline():
    from torch.utils.cpp_extension import load_inline as load

    module = load("warpwright_scale", cpp_sources="torch::Tensor scale(torch::Tensor x, double k);", cuda_sources=CODE, functions=["scale"])
    x = torch.randn(1000, device="cuda")
    near(module.scale(x, 3.0), 3 * x)


def compile_kernel():
    if not hasattr(torch.cuda, "_compile_kernel"):
        return
    kernel = torch.cuda._compile_kernel(
        'extern "C" __global__ void twice(const float* x, float* y, int n) { int i = threadIdx.x; if (i < n) y[i] = 2 * x[i]; }', "twice")
    x, y = torch.randn(64, device="cuda"), torch.empty(64, device="cuda")
    kernel((1, 1, 1), (64, 1, 1), (x, y, 64))
    near(y, 2 * x)


# --- several devices

def two_devices():
    assert torch.cuda.device_count() >= 2, "--devices 2"
    a, b = torch.randn(32, 32, device="cuda:0"), torch.randn(32, 32, device="cuda:1")
    near(a @ b.to("cuda:0"), a.cpu() @ b.cpu())
    near(b.softmax(1) + 1, b.cpu().softmax(1) + 1)
    assert (b * 2).device.index == 1 and b.cuda().device.index == 0
    with torch.cuda.device(1):
        assert torch.randn(3, device="cuda").device.index == 1
    near(a.to("cuda:1").sort(1)[0], a.cpu().sort(1)[0])
    try:
        a + b
        raise AssertionError("tensors of two devices were added")
    except RuntimeError as refused:
        assert "same device" in str(refused), refused
    model = nn.ModuleList([nn.Linear(8, 16).to("cuda:0"), nn.Linear(16, 4).to("cuda:1")])
    x = torch.randn(5, 8)
    loss = model[1](F.gelu(model[0](x.to("cuda:0"))).to("cuda:1")).square().mean()
    loss.backward()
    grads = [p.grad.cpu() for p in model.parameters()]
    model.zero_grad()
    model.cpu()
    model[1](F.gelu(model[0](x))).square().mean().backward()
    for mine, p in zip(grads, model.parameters()):
        near(mine, p.grad)


def peers():
    assert torch.cuda.can_device_access_peer(0, 1)
    a = torch.randn(1000, device="cuda:0")
    side = torch.cuda.Stream("cuda:1")
    with torch.cuda.stream(side):
        b = a.to("cuda:1", non_blocking=True)
    side.synchronize()
    near(a, b)
    from torch.nn.parallel import comm

    near(comm.broadcast(a, (0, 1))[1], a)
    near(comm.reduce_add([a, b], 0), 2 * a)


def data_parallel():
    model, twin = twins(lambda: nn.Sequential(nn.Linear(8, 16), nn.ReLU(), nn.Linear(16, 4)))
    wide, x = nn.DataParallel(twin, [0, 1]), torch.randn(12, 8)
    out = wide(x.cuda())
    near(out, model(x))
    out.sum().backward()
    model(x).sum().backward()
    for a, b in zip(twin.parameters(), model.parameters()):
        near(a.grad, b.grad)


LATER = ("load_inline", "two_devices", "peers", "data_parallel")


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("names", nargs="*")
    parser.add_argument("--trace", action="store_true", help="shows where each failure comes from")
    options = parser.parse_args()
    after = globals()
    order = [n for n, v in after.items() if callable(v) and getattr(v, "__module__", "") == "__main__" and not isinstance(v, type)
             and not n.startswith("_") and n not in ("near", "twins", "main")]
    wrong = 0
    for name in options.names or [n for n in order if n not in LATER]:
        start = time.process_time()
        try:
            after[name]()
            torch.cuda.synchronize()
            outcome = "right"
        except Exception as e:
            wrong += 1
            outcome = f"{type(e).__name__}: {(str(e).strip().splitlines() or [''])[0][:200]}"
            if options.trace:
                traceback.print_exc()
        print(f"{name}: {outcome} ({time.process_time() - start:.1f} s)", flush=True)
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main())

"""PyTorch's operators on the emulated GPU against the CPU: a fixed sample of its own OpInfos, forward in float32.

    warpwright run --quiet python3 bench/clients/torch_operators.py [--ops 300] [--gradients] [--json FILE]

For use by hand: it needs PyTorch (CUDA wheel), numpy and expecttest. Samples of an operator: its first eight. Each operator has one line
where it fails; the sums come last. The tests of one process end with a crash: `--from N` goes on behind it.
"""
import argparse
import faulthandler
import json
import random
import signal
import sys
import time
import warnings

import torch


class Late(Exception):
    pass


def late(*_):
    raise Late("longer than its time")


def compare(a, b):
    if isinstance(b, torch.Tensor):
        if a.device.type != "cuda":
            raise AssertionError("the result is on the CPU")
        torch.testing.assert_close(a.cpu(), b.cpu(), rtol=2e-3, atol=2e-4, equal_nan=True, check_stride=False)
    elif isinstance(b, (list, tuple)):
        assert len(a) == len(b)
        for x, y in zip(a, b):
            compare(x, y)
    elif isinstance(b, (int, float, bool)):
        assert a == b or abs(a - b) < 1e-4, (a, b)


def to(device, value):
    if isinstance(value, torch.Tensor):
        return value.detach().to(device).requires_grad_(value.requires_grad)
    if isinstance(value, (list, tuple)) and not hasattr(value, "_fields"):
        return type(value)(to(device, v) for v in value)
    if isinstance(value, dict):
        return {k: to(device, v) for k, v in value.items()}
    if isinstance(value, (torch.device, str)) and str(value).startswith("cpu"):
        return torch.device(device)
    return value


def tensors_of(value):
    if isinstance(value, torch.Tensor):
        return [value]
    return [t for v in value for t in tensors_of(v)] if isinstance(value, (list, tuple)) else []


def run_one(op, count, gradients):
    """Compares count samples; returns how many there were."""
    done = 0
    for sample in op.sample_inputs("cpu", torch.float32, requires_grad=gradients):
        if done == count:
            break
        if sample.kwargs.get("dropout_p"):
            continue
        try:
            expected = op(sample.input, *sample.args, **sample.kwargs)
        except Exception:
            continue
        there = [to("cuda", v) for v in (sample.input, sample.args, sample.kwargs)]
        result = op(there[0], *there[1], **there[2])
        compare(result, expected)
        if gradients and op.supports_autograd:
            ours, theirs = [[t for t in tensors_of(v) if t.requires_grad] for v in (result, expected)]
            leaves = [[t for t in tensors_of([i, *a]) if t.requires_grad] for i, a in ((there[0], there[1]), (sample.input, sample.args))]
            if ours and leaves[0] and not any(t.is_complex() for t in theirs):
                grads = [torch.autograd.grad([t.sum() for t in outs], ins, allow_unused=True) for outs, ins in zip((ours, theirs), leaves)]
                compare([g for g in grads[0] if g is not None], [g for g in grads[1] if g is not None])
        done += 1
    return done


def main():
    options = argparse.ArgumentParser()
    options.add_argument("--ops", type=int, default=300)
    options.add_argument("--samples", type=int, default=8)
    options.add_argument("--from", type=int, default=0, dest="begin")
    options.add_argument("--only")
    options.add_argument("--gradients", action="store_true")
    options.add_argument("--limit", type=int, default=60, help="seconds for an operator")
    options.add_argument("--json")
    o = options.parse_args()
    warnings.simplefilter("ignore")
    faulthandler.enable()
    from torch.testing._internal.common_methods_invocations import op_db

    # What is random differs from the CPU's; of tensor_split an argument must stay on the CPU.
    left_out = "empty rand dropout normal bernoulli multinomial exponential uniform cauchy geometric rrelu multi_head sparse tensor_split".split()
    ops = sorted((op for op in op_db if torch.float32 in op.dtypes and torch.float32 in op.supported_dtypes("cuda")
                  and not any(w in op.full_name for w in left_out)), key=lambda op: op.full_name)
    ops = sorted(random.Random(30).sample(ops, min(o.ops, len(ops))), key=lambda op: op.full_name)
    if o.only:
        ops = [op for op in ops if op.full_name in o.only.split(",")]
    outcomes = {}
    signal.signal(signal.SIGALRM, late)
    for number, op in enumerate(ops):
        if number < o.begin:
            continue
        name, start = op.full_name, time.monotonic()
        signal.alarm(o.limit)
        try:
            torch.manual_seed(0)
            n = run_one(op, o.samples, o.gradients)
            outcomes[name] = "passed" if n else "no sample"
        except Exception as e:
            outcomes[name] = f"{type(e).__name__}: {str(e).strip().splitlines()[0] if str(e).strip() else ''}"
            print(f"{number} {name}: {outcomes[name][:200]}", flush=True)
        signal.alarm(0)
        if time.monotonic() - start > 20:
            print(f"{number} {name}: {time.monotonic() - start:.0f} s", flush=True)
    passed, without = [sum(v == kind for v in outcomes.values()) for kind in ("passed", "no sample")]
    print(f"{passed} of {len(outcomes)} operators pass, {without} have no sample")
    if o.json:
        with open(o.json, "w") as out:
            json.dump(outcomes, out, indent=0)
    return 0 if passed + without == len(outcomes) else 1


if __name__ == "__main__":
    sys.exit(main())

"""Compares PyTorch's own samples of its modules (torch.nn) on the device with the CPU: results, and gradients of inputs and
of weights.

    warpwright run --quiet python3 bench/clients/torch_modules.py [--modules 80] [--samples 2] [--only nn.Conv2d,...]
"""
import argparse
import copy
import random
import signal
import sys
import time
import warnings

import torch

from torch_operators import compare, late, tensors_of, to

_AS_IN_USE = ("Dropout", "RReLU", "Transformer", "MultiheadAttention")  # random in training
# Random always; a result that is no tensor; weights that come later.
_LEFT_OUT = ("FractionalMaxPool", "AdaptiveLogSoftmax", "Lazy")


def run_one(info, count):
    done = 0
    for sample in info.module_inputs_func(info, device="cpu", dtype=torch.float32, requires_grad=True, training=True):
        if done == count or sample.forward_input is None:
            continue
        torch.manual_seed(0)
        module = info.module_cls(*sample.constructor_input.args, **sample.constructor_input.kwargs)
        module.train(not any(w in info.name for w in _AS_IN_USE))
        twin = copy.deepcopy(module).to("cuda")
        args, kwargs = sample.forward_input.args, sample.forward_input.kwargs
        there = to("cuda", tuple(args)), to("cuda", dict(kwargs))
        expected, result = module(*args, **kwargs), twin(*there[0], **there[1])
        compare(result, expected)
        ours, theirs = [[t for t in tensors_of(v) if t.requires_grad] for v in (result, expected)]
        if theirs:
            for outs in (ours, theirs):
                torch.autograd.backward([t.sum() for t in outs])
            leaves = [[t for t in tensors_of(list(a)) if t.requires_grad] + list(m.parameters())
                      for a, m in ((there[0], twin), (args, module))]
            for a, b in zip(*leaves):
                if b.grad is not None:
                    compare(a.grad, b.grad)
        done += 1
    return done


def main():
    options = argparse.ArgumentParser()
    options.add_argument("--modules", type=int, default=80)
    options.add_argument("--samples", type=int, default=2)
    options.add_argument("--only")
    options.add_argument("--limit", type=int, default=60, help="seconds for a module")
    o = options.parse_args()
    warnings.simplefilter("ignore")
    from torch.testing._internal.common_modules import module_db

    infos = [i for i in module_db if not any(w in i.name for w in _LEFT_OUT)]
    infos = sorted(random.Random(30).sample(infos, min(o.modules, len(infos))), key=lambda i: i.name)
    if o.only:
        infos = [i for i in module_db if i.name in o.only.split(",")]
    signal.signal(signal.SIGALRM, late)
    right, without, start = 0, 0, time.process_time()
    for info in infos:
        signal.alarm(o.limit)
        try:
            n = run_one(info, o.samples)
            right, without = right + (n > 0), without + (n == 0)
        except Exception as e:
            print(f"{info.name}: {type(e).__name__}: {(str(e).strip().splitlines() or [''])[0][:200]}", flush=True)
        signal.alarm(0)
    print(f"{right} of {len(infos)} modules right, {without} without a sample; "
          f"{time.process_time() - start:.0f} s of processor time")
    return right + without != len(infos)


if __name__ == "__main__":
    sys.exit(main())

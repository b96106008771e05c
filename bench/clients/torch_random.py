"""PyTorch's random numbers on the emulated GPU against those of an H100 (torch_random.json).

    warpwright run --quiet python3 bench/clients/torch_random.py            compares
    python3 bench/clients/torch_random.py --record FILE                     records, on a real GPU

Of each case there are numbers at some places of two calls, and how far the generator has come after each. For use by hand.
"""
import argparse
import json
import sys
from pathlib import Path

import torch

PLACES = (0, 1, 2, 3, 4, 5, 7, 255, 256, 257, 1023, 1024, 1025, 4095)
D = {"device": "cuda"}
CASES = {
    "rand_f32": lambda n: torch.rand(n, **D), "rand_f64": lambda n: torch.rand(n, dtype=torch.float64, **D),
    "rand_f16": lambda n: torch.rand(n, dtype=torch.float16, **D), "rand_bf16": lambda n: torch.rand(n, dtype=torch.bfloat16, **D),
    "uniform_-2_5": lambda n: torch.empty(n, **D).uniform_(-2, 5), "randn_f32": lambda n: torch.randn(n, **D),
    "randn_f64": lambda n: torch.randn(n, dtype=torch.float64, **D), "randn_bf16": lambda n: torch.randn(n, dtype=torch.bfloat16, **D),
    "normal_3_2": lambda n: torch.empty(n, **D).normal_(3, 2), "randint_0_10": lambda n: torch.randint(0, 10, (n,), **D),
    "randint_big": lambda n: torch.randint(-2**40, 2**40, (n,), **D), "random_i32": lambda n: torch.empty(n, dtype=torch.int32, **D).random_(),
    "bernoulli_p_f32": lambda n: torch.empty(n, **D).bernoulli_(0.3),
    "bernoulli_tensor": lambda n: torch.bernoulli(torch.full((n,), 0.3, **D)),
    "dropout_f32": lambda n: torch.nn.functional.dropout(torch.ones(n, **D), 0.25),
    "dropout_native": lambda n: torch.native_dropout(torch.ones(n, **D), 0.25, True)[0],
    "dropout_bf16": lambda n: torch.native_dropout(torch.ones(n, dtype=torch.bfloat16, **D), 0.25, True)[0],
    "exponential": lambda n: torch.empty(n, **D).exponential_(1.5), "log_normal": lambda n: torch.empty(n, **D).log_normal_(0, 0.5),
    "randperm": lambda n: torch.randperm(n, **D), "linear_init": lambda n: torch.nn.Linear(n, n, **D).weight,
}
SIZES = (1, 10, 1000, 4096, 300001, 1500000)


def cases():
    for name in CASES:
        for n in (64,) if name == "linear_init" else SIZES[:5] if name == "randperm" else SIZES:
            yield name, n


def drawn(name, n):
    generator, out = torch.cuda.default_generators[0], {"name": name, "n": n, "offset": []}
    torch.manual_seed(1234)
    for call in ("first", "second"):
        flat = CASES[name](n).detach().reshape(-1)
        out["offset"].append(generator.get_offset())
        size = flat.numel()
        out["places"] = sorted({i for i in (*PLACES, size // 3, size // 2, size - 2, size - 1) if 0 <= i < size})
        out[call] = [flat[i].item() for i in out["places"]]
    return out


def main():
    options = argparse.ArgumentParser()
    options.add_argument("--record")
    given = options.parse_args()
    torch.cuda.init()
    if given.record:
        out = {"torch": torch.__version__, "device": torch.cuda.get_device_name(), "cases": [drawn(*c) for c in cases()]}
        Path(given.record).write_text("{" + f'"torch": "{out["torch"]}", "device": "{out["device"]}", "cases": [\n'
                                      + ",\n".join(json.dumps(c) for c in out["cases"]) + "\n]}\n")
        return 0
    golden = json.loads(Path(__file__).with_suffix(".json").read_text())
    known, wrong = {(c["name"], c["n"]): c for c in golden["cases"]}, 0
    for name, n in cases():
        want, have = known[name, n], drawn(name, n)
        near = all(abs(x - y) <= 1e-5 * max(1, abs(x)) for call in ("first", "second") for x, y in zip(want[call], have[call]))
        if not near or want["offset"] != have["offset"]:
            wrong += 1
            print(f"{name} of {n}: {'other numbers' if not near else 'the generator has come elsewhere'}")
    print(f"{len(known) - wrong} of {len(known)} cases are those of {golden['device']}, PyTorch {golden['torch']}")
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main())

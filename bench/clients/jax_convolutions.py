"""Compares the convolutions of warpwright_jax with XLA's own on the CPU, over forms drawn at random.

    JAX_PLATFORMS=cpu python3 bench/clients/jax_convolutions.py [COUNT]

The exit code is 1 where two results differ by more than rounding.
"""
import random
import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[2] / "toolchain" / "python"))

import jax  # noqa: E402
import numpy as np  # noqa: E402

import warpwright_jax  # noqa: E402

LARGEST = 1e-4
FORMS = {1: [("NCH", "OIH", "NCH"), ("HNC", "IHO", "CNH")],
         2: [("NCHW", "OIHW", "NCHW"), ("NHWC", "HWIO", "NHWC"), ("WNHC", "IOWH", "CNWH")],
         3: [("NCDHW", "OIDHW", "NCDHW"), ("NDHWC", "DHWIO", "NDHWC")]}


def one(draw, numbers):
    """Draws a convolution; returns the largest difference of both results, or None where XLA refuses it."""
    rank = draw.choice([1, 2, 2, 3])
    groups = draw.choice([1, 1, 2])
    batches = draw.choice([1, 2]) if groups == 1 else 1
    size, kernel = [draw.randint(4, 8) for _ in range(rank)], [draw.randint(1, 5) for _ in range(rank)]
    x = numbers.standard_normal((2 * batches, 2 * groups, *size)).astype(np.float32)
    w = numbers.standard_normal((4 * max(groups, batches), 2, *kernel)).astype(np.float32)
    how = dict(window_strides=tuple(draw.randint(1, 2) for _ in range(rank)),
               padding=[(draw.randint(-1, 2), draw.randint(-1, 2)) for _ in range(rank)],
               lhs_dilation=tuple(draw.randint(1, 2) for _ in range(rank)),
               rhs_dilation=tuple(draw.randint(1, 2) for _ in range(rank)),
               feature_group_count=groups, batch_group_count=batches)
    plain, spec = FORMS[rank][0], draw.choice(FORMS[rank])
    x, w = (np.transpose(a, [p.index(c) for c in s]) for a, p, s in zip((x, w), plain, spec))
    numbering = jax.lax.conv_dimension_numbers(x.shape, w.shape, spec)
    try:
        expected = jax.lax.conv_general_dilated(x, w, dimension_numbers=numbering, **how)
    except (TypeError, ValueError):
        return None
    got = warpwright_jax.convolution(jax.lax, x, w, dimension_numbers=numbering, **how)
    assert got.shape == expected.shape, (got.shape, expected.shape, how)
    return float(abs(got - expected).max()) if expected.size else 0.0


def main():
    draw, numbers = random.Random(1), np.random.default_rng(1)
    differences = [one(draw, numbers) for _ in range(int(sys.argv[1]) if len(sys.argv) > 1 else 40)]
    known = [d for d in differences if d is not None]
    print(f"{len(known)} convolutions, {len(differences) - len(known)} that XLA refuses; largest difference {max(known):.1e}")
    return 0 if max(known) < LARGEST else 1


sys.exit(main())

"""Compares JAX's functions of matrices, sorts and largest elements with NumPy's, single and in batches.

    warpwright run python3 bench/clients/jax_linalg.py

The exit code is 1 where one differs by more than rounding, or fails.
"""
import sys

import jax
import jax.numpy as jnp
import numpy as np

numbers = np.random.default_rng(0)
a = numbers.normal(size=(40, 4, 4)).astype(np.float32) + 4 * np.eye(4, dtype=np.float32)
y = numbers.normal(size=(40, 4, 2)).astype(np.float32)
s = a @ a.transpose(0, 2, 1)
x = numbers.normal(size=100000).astype(np.float32)
small = numbers.integers(0, 255, size=20000).astype(np.uint8)


def close(got, wanted, most=2e-3):
    np.testing.assert_allclose(got, wanted, rtol=most, atol=most)


def factors():
    q, r = jnp.linalg.qr(a)
    close(q @ r, a)
    close(np.asarray(q).transpose(0, 2, 1) @ np.asarray(q), np.broadcast_to(np.eye(4), a.shape))


def general_values():
    w, v = jnp.linalg.eig(a[:3])
    close(a[:3] @ np.asarray(v), np.asarray(v) * np.asarray(w)[:, None, :])


def updated():
    upper = jax.lax.linalg.cholesky_update(jnp.linalg.cholesky(s[0]).T, jnp.ones(4))
    close(upper.T @ upper, s[0] + 1, 1e-2)


CHECKS = {
    "solve": lambda: close(jnp.linalg.solve(a, y), np.linalg.solve(a, y)),
    "solve, one": lambda: close(jnp.linalg.solve(a[0], y[0]), np.linalg.solve(a[0], y[0])),
    "gradient of solve": lambda: close(jax.grad(lambda m: jnp.linalg.solve(m, y).sum())(jnp.asarray(a)),
                                       -np.linalg.solve(a.transpose(0, 2, 1), np.ones_like(y)) @
                                       np.linalg.solve(a, y).transpose(0, 2, 1)),
    "inv": lambda: close(jnp.linalg.inv(a), np.linalg.inv(a)),
    "det": lambda: np.testing.assert_allclose(jnp.linalg.det(a), np.linalg.det(a), rtol=2e-3),
    "qr": factors,
    "cholesky": lambda: close(jnp.linalg.cholesky(s), np.linalg.cholesky(s)),
    "cholesky_update": updated,
    "triangular_solve": lambda: close(jax.lax.linalg.triangular_solve(np.tril(a), y, left_side=True, lower=True),
                                      np.linalg.solve(np.tril(a), y)),
    "eigh": lambda: close(jnp.linalg.eigvalsh(s), np.linalg.eigvalsh(s)),
    "svd": lambda: close(jnp.linalg.svd(a, compute_uv=False), np.linalg.svd(a, compute_uv=False)),
    "eig": general_values,
    "sort": lambda: np.testing.assert_array_equal(jnp.sort(x), np.sort(x)),
    "sort of bytes": lambda: np.testing.assert_array_equal(jnp.sort(small), np.sort(small)),
    "argsort": lambda: np.testing.assert_array_equal(jnp.argsort(x), np.argsort(x, kind="stable")),
    "top_k": lambda: np.testing.assert_array_equal(jax.lax.top_k(jnp.asarray(x).reshape(10, -1), 8)[0],
                                                   -np.sort(-x.reshape(10, -1))[:, :8]),
    "approx_max_k": lambda: np.testing.assert_array_equal(jax.lax.approx_max_k(jnp.asarray(x), 8)[0], -np.sort(-x)[:8]),
}


def main():
    failed = 0
    for name, check in CHECKS.items():
        try:
            check()
            print(f"{name}: right", flush=True)
        except Exception as error:  # a function that stops is a result too
            failed += 1
            print(f"{name}: {str(error).strip().splitlines()[-1]}", flush=True)
    return int(failed > 0)


if __name__ == "__main__":
    sys.exit(main())

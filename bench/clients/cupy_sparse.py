"""Compares cupyx.scipy.sparse, which calls cuSPARSE, with SciPy over matrices that are drawn.

    warpwright run --quiet --model rtx5090 python3 bench/clients/cupy_sparse.py [--seed N] [--only NAME]

It needs cupy-cuda13x and scipy; CuPy has the PTX of its sorts for the rtx5090 alone. Prints a line for each operation that differs or fails, and how many are right.
"""

import argparse

import cupy
import cupyx.scipy.sparse as device_sparse
import cupyx.scipy.sparse.linalg as device_linalg
import numpy
import scipy.sparse as host_sparse
import scipy.sparse.linalg as host_linalg

FORMS = ("csr", "csc", "coo")
TYPES = ("float32", "float64", "complex64", "complex128")


def drawn(random, rows, columns, dtype, density=0.15):
    """Returns a matrix of SciPy's, by rows."""
    values = random.standard_normal((rows, columns))
    if dtype.startswith("complex"):
        values = values + 1j * random.standard_normal((rows, columns))
    values[random.random((rows, columns)) > density] = 0
    return host_sparse.csr_matrix(values.astype(dtype))


def dense(x):
    """Returns an array of the host, of whatever an operation gives."""
    if hasattr(x, "toarray"):
        x = x.toarray()
    return cupy.asnumpy(x)


def triangle(a, dtype):
    """Returns a lower triangle with a diagonal that is not small."""
    return host_sparse.csr_matrix(host_sparse.tril(a, -1) + host_sparse.identity(a.shape[0], dtype=dtype) * 3)


def with_duplicates(lib, a, xp):
    """Returns coordinates of which each is there twice, summed up."""
    c = a.tocoo()
    both = lib.coo_matrix((xp.concatenate([c.data, c.data]), (xp.concatenate([c.row, c.row]), xp.concatenate([c.col, c.col]))), c.shape)
    return both.tocsr()


def few_values(a):
    """Returns a copy without its zeros, of which some were made."""
    b = a.copy()
    b.data[::3] = 0
    b.eliminate_zeros()
    return b


def positive(a):
    """Returns a Hermitian matrix with positive eigenvalues."""
    return a @ a.conj().T + host_sparse.identity(a.shape[0], dtype=a.dtype) * 20


# Each takes the library, its linear algebra, its arrays, two square matrices, a vector and a dense matrix.
OPERATIONS = {
    "vector": lambda s, l, xp, a, b, x, m: a @ x,
    "matrix": lambda s, l, xp, a, b, x, m: a @ m,
    "transposed vector": lambda s, l, xp, a, b, x, m: a.T @ x,
    "transposed matrix": lambda s, l, xp, a, b, x, m: a.T @ m,
    "adjoint vector": lambda s, l, xp, a, b, x, m: a.conj().T @ x,
    "matrix by columns": lambda s, l, xp, a, b, x, m: a @ xp.asfortranarray(m),
    "sum": lambda s, l, xp, a, b, x, m: a.tocsr() + b.tocsr(),
    "difference": lambda s, l, xp, a, b, x, m: a.tocsr() - 2 * b.tocsr(),
    "product": lambda s, l, xp, a, b, x, m: a.tocsr() @ b.tocsr(),
    "product of three": lambda s, l, xp, a, b, x, m: a.tocsr() @ b.tocsr() @ a.tocsr(),
    "elements": lambda s, l, xp, a, b, x, m: a.tocsr().multiply(b.tocsr()),
    "dense": lambda s, l, xp, a, b, x, m: a.toarray(),
    "dense by columns": lambda s, l, xp, a, b, x, m: a.toarray(order="F"),
    "to csr": lambda s, l, xp, a, b, x, m: a.tocsr(),
    "to csc": lambda s, l, xp, a, b, x, m: a.tocsc(),
    "to coo": lambda s, l, xp, a, b, x, m: a.tocoo(),
    "from dense": lambda s, l, xp, a, b, x, m: s.csr_matrix(a.toarray()),
    "from dense by columns": lambda s, l, xp, a, b, x, m: s.csc_matrix(a.toarray()),
    "duplicates": lambda s, l, xp, a, b, x, m: with_duplicates(s, a, xp),
    "zeros": lambda s, l, xp, a, b, x, m: few_values(a.tocsr()),
    "power": lambda s, l, xp, a, b, x, m: a.tocsr() ** 3,
    "rows": lambda s, l, xp, a, b, x, m: a.tocsr()[3:17],
    "sum of rows": lambda s, l, xp, a, b, x, m: a.tocsr().sum(axis=1),
    "kronecker": lambda s, l, xp, a, b, x, m: s.kron(a.tocsr()[:4, :5], b.tocsr()[:3, :4]),
}


def compare(name, host, device, tolerance):
    """Returns whether both are the same within a tolerance, of the size of the largest element."""
    host, device = dense(host), dense(device)
    if host.shape != device.shape:
        print(f"{name}: shape {device.shape} for {host.shape}")
        return False
    error = abs(host - device).max(initial=0) / max(1, abs(host).max(initial=0))
    if not error <= tolerance:
        print(f"{name}: error {error:.2g}")
    return error <= tolerance


def solvers(random, dtype, tolerance):
    """Yields names and results of both for what solves systems."""
    n = 60
    a, x = drawn(random, n, n, dtype), random.standard_normal(n).astype(dtype)
    right = random.standard_normal((n, 4)).astype(dtype)
    t = triangle(a, dtype)
    for lower in (True, False):
        h = t if lower else host_sparse.csr_matrix(t.T)
        for b in (x, right):
            yield (
                f"triangle lower={lower} {b.ndim}D {dtype}",
                lambda: host_linalg.spsolve_triangular(h, b, lower=lower),
                lambda: device_linalg.spsolve_triangular(device_sparse.csr_matrix(h), cupy.asarray(b), lower=lower),
            )
    p = host_sparse.csr_matrix(positive(a))
    for solver in ("cg", "gmres"):
        yield (
            f"{solver} {dtype}",
            lambda: host_linalg.spsolve(p.astype("complex128").tocsc(), x),
            lambda: getattr(device_linalg, solver)(device_sparse.csr_matrix(p), cupy.asarray(x), rtol=tolerance / 10)[0],
        )


def main():
    """Runs all operations that are asked for."""
    parser = argparse.ArgumentParser()
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--only", default="")
    options = parser.parse_args()
    random = numpy.random.default_rng(options.seed)
    right = tried = 0

    def one(name, of_host, of_device, tolerance):
        nonlocal right, tried
        if options.only not in name:
            return
        tried += 1
        try:
            right += compare(name, of_host(), of_device(), tolerance)
        except Exception as e:  # told, and counted as wrong
            print(f"{name}: {type(e).__name__}: {str(e)[:200]}")

    for dtype in TYPES:
        tolerance = 2e-5 if dtype in ("float32", "complex64") else 1e-12
        for form in FORMS:
            n = int(random.integers(30, 70))
            a, b = drawn(random, n, n, dtype), drawn(random, n, n, dtype)
            x, m = random.standard_normal(n).astype(dtype), random.standard_normal((n, 7)).astype(dtype)
            h = a.asformat(form), b.asformat(form), x, m
            d = tuple(getattr(device_sparse, form + "_matrix")(s) for s in h[:2]) + (cupy.asarray(x), cupy.asarray(m))
            for name, run in OPERATIONS.items():
                one(f"{name} {form} {dtype}", lambda: run(host_sparse, host_linalg, numpy, *h), lambda: run(device_sparse, device_linalg, cupy, *d), tolerance)
        for name, of_host, of_device in solvers(random, dtype, tolerance):
            one(name, of_host, of_device, tolerance * 50)
    print(f"{right} of {tried} right")
    return int(right != tried)


if __name__ == "__main__":
    raise SystemExit(main())

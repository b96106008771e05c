"""JAX on the emulated GPU: what XLA would hand to cuDNN becomes products and slices, which it compiles itself, and what jaxlib and
XLA have kernels of machine code for is computed without them (docs/jax.md)."""
import ctypes
import importlib.util
import itertools
import mmap
import os
import re
import sys

import warpwright_autotune
import warpwright_imports

# Flags of XLA, and what in the plug-in tells that it has them, which take kernels of its own away that are machine code, or PTX for
# compute capability 12.0 alone: it compiles others for sorts and the largest elements.
_WITHOUT_OWN_KERNELS = (("xla_gpu_enable_cub_radix_sort", "xla_gpu_enable_cub_radix_sort", "false"),
                        ("xla_gpu_experimental_use_raft_select_k", "xla_gpu_experimental_use_raft_select_k", "false"),
                        ("xla_disable_hlo_passes", "topk-specializer", "topk-specializer"))
_OF_OWN_KERNELS = 12.0


def _positions(sizes):
    return itertools.product(*(range(n) for n in sizes))


def _prepared(lax, lhs, rhs, dimension_numbers, padding, lhs_dilation, feature_group_count, batch_group_count):
    """Returns the padded input as (group, image, channel, places...), the kernel as (group, output, channel, places...)."""
    x = lax.transpose(lhs, dimension_numbers.lhs_spec)
    w = lax.transpose(rhs, dimension_numbers.rhs_spec)
    around = [(low, high, step - 1) for (low, high), step in zip(padding, lhs_dilation)]
    x = lax.pad(x, lax.full((), 0, x.dtype), [(0, 0, 0), (0, 0, 0), *around])
    n, c, *space = x.shape
    groups = batch_group_count if batch_group_count > 1 else feature_group_count
    if batch_group_count > 1:
        x = x.reshape(groups, n // groups, c, *space)
    else:
        x = lax.transpose(x.reshape(n, groups, c // groups, *space), (1, 0, *range(2, x.ndim + 1)))
    return x, w.reshape(groups, w.shape[0] // groups, *w.shape[1:])


def _sum_of_slices(lax, x, w, out, strides, dilation, kind):
    """Adds up the products of each place of the kernel with the slice of the input that it meets."""
    total = None
    for at in _positions(w.shape[3:]):
        first = [k * d for k, d in zip(at, dilation)]
        end = [f + (n - 1) * s + 1 for f, n, s in zip(first, out, strides)]
        part = lax.slice(x, (0, 0, 0, *first), (*x.shape[:3], *end), (1, 1, 1, *strides))
        product = lax.dot_general(w[(..., *at)], part, (((2,), (2,)), ((0,), (0,))), preferred_element_type=kind)
        total = product if total is None else total + product
    return total  # (group, output, image, places...)


def _slice_for_each(lax, x, w, out, strides, dilation, kind):
    """Multiplies the whole kernel with each window: fewer products where the kernel is large and the result small."""
    size, parts = w.shape[3:], []
    rest = tuple(range(2, w.ndim))
    for at in _positions(out):
        first = [k * s for k, s in zip(at, strides)]
        end = [f + (n - 1) * d + 1 for f, n, d in zip(first, size, dilation)]
        part = lax.slice(x, (0, 0, 0, *first), (*x.shape[:3], *end), (1, 1, 1, *dilation))
        parts.append(lax.dot_general(w, part, ((rest, rest), ((0,), (0,))), preferred_element_type=kind)[..., None])
    whole = lax.concatenate(parts, 3)
    return whole.reshape(*whole.shape[:3], *out)


def convolution(lax, lhs, rhs, *, window_strides, padding, lhs_dilation, rhs_dilation, dimension_numbers, feature_group_count,
                batch_group_count, preferred_element_type=None, **ignored):
    """Computes lax.conv_general_dilated by products."""
    x, w = _prepared(lax, lhs, rhs, dimension_numbers, padding, lhs_dilation, feature_group_count, batch_group_count)
    out = [max(0, (n - (k - 1) * d - 1) // s + 1) for n, k, d, s in zip(x.shape[3:], w.shape[3:], rhs_dilation, window_strides)]
    kind = preferred_element_type or x.dtype
    groups, outputs, images = w.shape[0], w.shape[1], x.shape[1]
    if 0 in out or 0 in x.shape or 0 in w.shape:
        y = lax.full((groups, outputs, images, *out), 0, kind)
    else:
        few = len(list(_positions(w.shape[3:]))) <= len(list(_positions(out)))
        # What has 16 bits is added up in 32 and rounded once.
        wide = "float32" if str(kind) in ("float16", "bfloat16") else kind
        y = (_sum_of_slices if few else _slice_for_each)(lax, x, w, out, window_strides, rhs_dilation, wide)
        y = lax.convert_element_type(y, kind)
    y = lax.transpose(y, (2, 0, 1, *range(3, y.ndim))).reshape(images, groups * outputs, *out)
    spec = dimension_numbers.out_spec
    return lax.transpose(y, [spec.index(d) for d in range(len(spec))])


def permutation(jax, swaps, *, permutation_size):
    """Computes lax.linalg.lu_pivots_to_permutation, for which jaxlib has a kernel that is machine code."""
    def of_one(pivots):
        def step(i, order):
            j = pivots[i]
            one, other = order[i], order[j]
            return order.at[i].set(other).at[j].set(one)

        return jax.lax.fori_loop(0, pivots.shape[0], step, jax.lax.iota(pivots.dtype, permutation_size))

    for _ in swaps.shape[:-1]:
        of_one = jax.vmap(of_one)
    return of_one(swaps)


# Factors and solutions of many matrices: jaxlib and XLA list them for the libraries by kernels that are machine code.
_ONE_BY_ONE = ("lu_p", "geqrf_p", "householder_product_p", "ormqr_p", "cholesky_p", "triangular_solve_p")
# What jaxlib has a kernel of machine code for, while JAX has it written out too.
_AS_ON_OTHER_DEVICES = ("cholesky_update_p",)


def one_by_one(jax, primitive, *operands, **how):
    """Computes a function of the matrices of a batch one after the other; all operands have the same batch, the first matrices."""
    batch = operands[0].shape[:-2]
    flat = [x.reshape(-1, *x.shape[len(batch):]) for x in operands]
    results = jax.lax.map(lambda one: primitive.bind(*one, **how), tuple(flat))
    if primitive.multiple_results:
        return [r.reshape(*batch, *r.shape[1:]) for r in results]
    return results.reshape(*batch, *results.shape[1:])


def _rule_of(mlir, primitive, platform):
    """Finds how JAX lowers a primitive for a platform, or for all; None where this version keeps that elsewhere."""
    of_platform = getattr(mlir, "_platform_specific_lowerings", {}).get(platform, {})
    entry = of_platform.get(primitive) or getattr(mlir, "_lowerings", {}).get(primitive)
    return getattr(entry, "rule", entry)


def _lower_one_by_one(jax, mlir, primitive):
    own = _rule_of(mlir, primitive, "cuda")
    if own is None:
        return False
    loop = mlir.lower_fun(lambda *operands, **how: one_by_one(jax, primitive, *operands, **how),
                          multiple_results=primitive.multiple_results)

    def rule(context, *operands, **how):
        count = 1
        for n in context.avals_in[0].shape[:-2]:
            count *= n if isinstance(n, int) else 2
        return (loop if count > 1 else own)(context, *operands, **how)

    mlir.register_lowering(primitive, rule, platform="cuda")
    return True


def _lower_batches(jax, mlir, linalg):
    """Gives the functions of matrices that this version has lowerings that need no kernels of jaxlib's own."""
    for name in (*_ONE_BY_ONE, *_AS_ON_OTHER_DEVICES):
        primitive = getattr(linalg, name, None)
        if primitive is None:
            continue
        if name in _ONE_BY_ONE:
            done = _lower_one_by_one(jax, mlir, primitive)
        else:
            rule = _rule_of(mlir, primitive, None)
            done = rule is not None
            if done:
                mlir.register_lowering(primitive, rule, platform="cuda")
        if not done:
            print(f"warpwright: JAX: this version keeps what {name} becomes elsewhere: batches of it ask for kernels that cannot run here",
                  file=sys.stderr)


def _begin(jax):
    from jax.interpreters import mlir

    lax = jax.lax
    linalg = sys.modules.get("jax._src.lax.linalg")
    # (The names by which lowerings are found are in the module behind the public one.)
    _lower_batches(jax, sys.modules.get("jax._src.interpreters.mlir", mlir), linalg)
    for owner, name, function in (
            (lax, "conv_general_dilated_p", lambda lhs, rhs, **how: convolution(lax, lhs, rhs, **how)),
            (linalg, "lu_pivots_to_permutation_p", lambda swaps, **how: permutation(jax, swaps, **how))):
        primitive = getattr(owner, name, None)
        if primitive is None:
            print(f"warpwright: JAX: this version has no {name}: what needs it asks for kernels that cannot run here",
                  file=sys.stderr)
            continue
        mlir.register_lowering(primitive, mlir.lower_fun(function, multiple_results=False), platform="cuda")


def _plugin():
    """Finds JAX's plug-in for CUDA; None where there is none."""
    for name in ("jax_plugins.xla_cuda13", "jax_plugins.xla_cuda12"):
        try:
            spec = importlib.util.find_spec(name)
        except ModuleNotFoundError:
            return None
        if spec is not None and spec.origin:
            return os.path.join(os.path.dirname(spec.origin), "xla_cuda_plugin.so")
    return None


def _flags_of(plugin):
    """Returns these flags and their values as far as a plug-in has them: XLA ends the process at a flag that it does not know."""
    try:
        with open(plugin, "rb") as file, mmap.mmap(file.fileno(), 0, access=mmap.ACCESS_READ) as code:
            return [(flag, value) for flag, mark, value in _WITHOUT_OWN_KERNELS if code.find(mark.encode() + b"\0") >= 0]
    except (OSError, ValueError):  # not there, or empty
        return []


def _capability_of_device():
    """Asks the device of this process for its compute capability; 0 where the process has none yet."""
    folder = warpwright_imports.library_folder()
    if folder is None:
        return 0.0
    driver = ctypes.CDLL(os.path.join(folder, "cuda", "libcuda.so.1"))
    parts = []
    for attribute in (75, 76):  # CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_MAJOR, _MINOR
        value = ctypes.c_int()
        if driver.cuInit(0) or driver.cuDeviceGetAttribute(ctypes.byref(value), attribute, 0):
            return 0.0
        parts.append(value.value)
    return parts[0] + parts[1] / 10


def _capability():
    """Reads the model's compute capability from its file, which `run` names; after `activate()` the device is asked."""
    try:
        with open(os.environ.get("WARPWRIGHT_MODEL", ""), encoding="utf-8") as file:
            found = re.search(r"^\s*compute_capability\s*=\s*\"?([0-9.]+)", file.read(), re.MULTILINE)
    except OSError:
        return _capability_of_device()
    return float(found[1]) if found else 0.0


def _before():
    # Memory of the device is the host's: three quarters of an H200's in advance are more than most machines have.
    os.environ.setdefault("XLA_PYTHON_CLIENT_PREALLOCATE", "false")
    plugin = _plugin()
    if plugin is not None and _capability() < _OF_OWN_KERNELS:
        for flag, value in _flags_of(plugin):
            warpwright_autotune.add_to_xla(flag, value)


def install():
    warpwright_imports.when("jax", _begin, _before)

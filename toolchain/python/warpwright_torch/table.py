"""The one table of operators: an operator of ATen -> what computes it. docs/pytorch.md is made from it (`python3 -m warpwright_torch.table`).

KERNELS has the operators with kernels of ours, in groups: title, files of kernels/aten, and for each operator's name (without
overload; forms in place and with `out` follow from it) the function that launches them. A name that ends in _ is in place only.
NATIVE has those that stay as PyTorch has them: they launch no kernel of PyTorch's. Every other operator is computed by the host.
"""
from . import cells, copying, functions, indexing, losses, ordering, products, random, reducing, resampling, rows, windows
from .functions import added, backward, by_type, isfinite_family, same_whole, three, with_defaults
from .losses import loss, loss_backward
from .pointwise import binary, unary

_special = {name: unary(name, "special") for name in (
    "exp2 expm1 log2 log10 log1p sin cos tan asin acos atan sinh cosh asinh acosh atanh erf erfc").split()}
_float = {name: unary(name) for name in "exp log sqrt rsqrt reciprocal sigmoid tanh".split()}
_compare = {name: binary(name, kind="test") for name in "eq ne lt le gt ge logical_and logical_or logical_xor".split()}

KERNELS = (
    ("Functions of one tensor", "unary special", {
        **_float, **_special,
        **{name: same_whole(name) for name in ("floor", "ceil", "trunc")}, "round": functions.round,
        "neg": unary("neg", kind="same"), "relu": unary("relu", kind="same"), "abs": functions.abs, "sign": functions.sign,
        "bitwise_not": functions.bitwise_not, "logical_not": unary("logical_not", kind="test"), "isnan": isfinite_family("isnan"),
        "signbit": unary("signbit", "special", "test"), "clamp": functions.clamp, "clamp_min": functions.clamp_min, "clamp_max": functions.clamp_max,
        "frac": with_defaults("frac"), "silu": with_defaults("silu", file="unary"), "mish": with_defaults("mish"), "gelu": functions.gelu,
        "hardsigmoid": with_defaults("hardsigmoid"), "hardswish": with_defaults("hardswish"), "hardtanh": functions.hardtanh,
        "softplus": with_defaults("softplus", 1, 20), "softshrink": with_defaults("softshrink", 0.5),
        "hardshrink": with_defaults("hardshrink", 0.5), "elu": with_defaults("elu", 1, 1, 1),
        "leaky_relu": with_defaults("leaky_relu", 0.01, file="unary"), "threshold": unary("threshold", kind="same"),
        "isposinf": functions.infinite(float("inf")), "isneginf": functions.infinite(float("-inf")), "sgn": functions.sgn, "glu": functions.glu,
        "_prelu_kernel": functions.prelu, "log_sigmoid_forward": functions.log_sigmoid, "logit": functions.logit,
        "nan_to_num": functions.nan_to_num,
    }),
    ("Functions of two and three tensors", "binary special", {
        **_compare, "add": added("add"), "sub": added("sub"), "rsub": added("rsub"), "mul": binary("mul"), "div": functions.div,
        "floor_divide": functions.floor_divide, "remainder": by_type("remainder"), "fmod": by_type("fmod"), "pow": functions.pow,
        "maximum": binary("maximum"), "minimum": binary("minimum"), "fmax": binary("fmax", "special"), "fmin": binary("fmin", "special"),
        "atan2": binary("atan2", "special", "float"), "hypot": binary("hypot", "special"),
        "copysign": binary("copysign", "special", "float"), "xlogy": binary("xlogy", "special", "float"),
        "logaddexp": binary("logaddexp", "special", "float"), "bitwise_and": binary("bitwise_and"), "bitwise_or": binary("bitwise_or"),
        "bitwise_xor": binary("bitwise_xor"), "bitwise_left_shift": by_type("shift_left"), "bitwise_right_shift": by_type("shift_right"),
        "addcmul": three("addcmul"), "addcdiv": three("addcdiv"), "lerp": functions.lerp, "equal": functions.equal,
    }),
    ("Backward formulas", "binary special", {
        "sigmoid_backward": backward("sigmoid_backward"), "tanh_backward": backward("tanh_backward"),
        "threshold_backward": backward("threshold_backward"), "silu_backward": backward("silu_backward"),
        "gelu_backward": functions.gelu_backward, "leaky_relu_backward": functions.leaky_relu_backward, "elu_backward": functions.elu_backward,
        "hardtanh_backward": functions.hardtanh_backward, "hardsigmoid_backward": backward("hardsigmoid_backward", "special"),
        "hardswish_backward": backward("hardswish_backward", "special"), "softplus_backward": backward("softplus_backward", "special"),
        "softshrink_backward": backward("softshrink_backward", "special"), "mish_backward": backward("mish_backward", "special"),
        "log_sigmoid_backward": functions.log_sigmoid_backward, "glu_backward": functions.glu_backward,
        "_prelu_kernel_backward": functions.prelu_backward,
    }),
    ("Losses", "binary special classes reduce", {
        "mse_loss": loss("mse"), "mse_loss_backward": loss_backward("mse_backward", factor=2.0),
        "smooth_l1_loss": loss("smooth_l1", "special"), "smooth_l1_loss_backward": loss_backward("smooth_l1_backward", "special"),
        "huber_loss": loss("huber", "special"), "huber_loss_backward": loss_backward("huber_backward", "special"),
        "binary_cross_entropy": losses.bce, "binary_cross_entropy_backward": losses.bce_backward, "nll_loss_forward": losses.nll_loss,
        "nll_loss_backward": losses.nll_loss_backward, "nll_loss2d_forward": losses.nll_loss, "nll_loss2d_backward": losses.nll_loss_backward,
    }),
    ("Copies and fills", "copy unary", {
        "copy_": copying.copy_, "fill_": copying.fill_, "zero_": copying.zero_, "where": copying.where, "masked_fill": copying.masked_fill,
        "cat": copying.cat, "flip": copying.flip, "roll": copying.roll, "tril": copying.triangle(False), "triu": copying.triangle(True),
        "arange": copying.arange, "eye": copying.eye,
    }),
    ("Reductions", "reduce", {
        "sum": reducing.sum, "mean": reducing.mean, "prod": reducing.prod, "any": reducing.truth("any"), "all": reducing.truth("all"),
        "amax": reducing.extreme("max"), "amin": reducing.extreme("min"), "max": reducing.extreme("max"), "min": reducing.extreme("min"),
        "max.dim": reducing.extreme_at("max"), "min.dim": reducing.extreme_at("min"), "argmax": reducing.where_extreme("max"),
        "argmin": reducing.where_extreme("min"), "aminmax": reducing.aminmax, "linalg_vector_norm": reducing.vector_norm,
        "nansum": functions.nansum, "count_nonzero": functions.count_nonzero, "trace": functions.trace,
        "norm": reducing.norm, "var": reducing.variance(False), "std": reducing.variance(True),
        "var_mean": reducing.variance(False, True), "std_mean": reducing.variance(True, True),
    }),
    ("Softmax and norms", "rows reduce", {
        "_softmax": rows.softmax("softmax"), "_log_softmax": rows.softmax("log_softmax"),
        "_softmax_backward_data": rows.softmax_backward("softmax_backward"),
        "_log_softmax_backward_data": rows.softmax_backward("log_softmax_backward"),
        "native_layer_norm": rows.layer_norm, "native_layer_norm_backward": rows.layer_norm_backward,
        "_fused_rms_norm": rows.rms_norm, "_fused_rms_norm_backward": rows.rms_norm_backward,
        "native_group_norm": rows.group_norm, "native_group_norm_backward": rows.group_norm_backward,
        "native_batch_norm": rows.batch_norm, "_native_batch_norm_legit": rows.batch_norm,
        "_native_batch_norm_legit.no_stats": rows.batch_norm_without_running, "native_batch_norm_backward": rows.batch_norm_backward,
    }),
    ("Indexing", "index order", {
        "index": indexing.chosen, "_index_put_impl_": indexing.index_put_, "index_select": indexing.index_select,
        "index_add": indexing.index_add, "index_copy": indexing.index_copy, "index_fill_": indexing.index_fill,
        "embedding": indexing.embedding, "embedding_dense_backward": indexing.embedding_backward, "gather": indexing.gather, "scatter": indexing.scatter,
        "scatter_add": indexing.scatter_add, "nonzero": ordering.nonzero, "masked_select": ordering.masked_select,
        "masked_scatter_": ordering.masked_scatter_, "take": ordering.take,
    }),
    ("Running sums and order", "order", {
        "cumsum": ordering.scan("cumsum"), "cumprod": ordering.scan("cumprod"), "sort": ordering.sort, "topk": ordering.topk,
    }),
    ("Random numbers", "random", {
        "uniform_": random.uniform_, "normal_": random.normal_, "exponential_": random.exponential_, "bernoulli_": random.bernoulli_,
        "bernoulli": random.bernoulli, "random_": random.random_, "native_dropout": random.dropout,
        "log_normal_": random.log_normal_, "native_dropout_backward": random.dropout_backward, "randperm": random.randperm,
    }),
    ("Matrix products (cuBLAS), attention and recurrent cells", "binary unary reduce", {
        "addmm": products.addmm, "_addmm_activation": products.addmm_activation, "addmv": products.addmv, "addr": products.addr,
        "baddbmm": products.baddbmm, "addbmm": products.addbmm, "dot": products.dot, "vdot": products.dot,
        "_scaled_dot_product_efficient_attention": cells.attention,
        "_scaled_dot_product_efficient_attention_backward": cells.attention_backward, "_thnn_fused_lstm_cell": cells.lstm_cell,
        "_thnn_fused_lstm_cell_backward_impl": cells.lstm_cell_backward, "_thnn_fused_gru_cell": cells.gru_cell,
        "_thnn_fused_gru_cell_backward": cells.gru_cell_backward,
    }),
    ("Convolutions, pooling and padding of images", "copy reduce index windows", {
        "convolution": windows.convolution, "convolution_backward": windows.convolution_backward,
        "max_pool2d_with_indices": windows.max_pool, "max_pool2d_with_indices_backward": windows.max_pool_backward,
        "avg_pool2d": windows.avg_pool, "avg_pool2d_backward": windows.avg_pool_backward,
        **{f"{exact}upsample_nearest{'_exact' if exact else ''}{n}d": windows.upsample_nearest(n, bool(exact)) for exact in ("", "_") for n in (1, 2, 3)},
        **{f"{exact}upsample_nearest{'_exact' if exact else ''}{n}d_backward": resampling.upsample_backward("exact" if exact else "nearest", n)
           for exact in ("", "_") for n in (1, 2, 3)},
        **{name + end: make(mode, n) for name, mode, n in (
            ("upsample_linear1d", "linear", 1), ("upsample_bilinear2d", "linear", 2), ("upsample_trilinear3d", "linear", 3),
            ("upsample_bicubic2d", "cubic", 2)) for end, make in (("", resampling.upsample), ("_backward", resampling.upsample_backward))},
        **{f"_adaptive_avg_pool{n}d": resampling.adaptive_average(n) for n in (2, 3)},
        **{f"_adaptive_avg_pool{n}d_backward": resampling.adaptive_average_backward(n) for n in (2, 3)},
        **{f"{mode}_pad{n}d": windows.pad(mode, n) for mode in ("reflection", "replication") for n in (1, 2, 3)},
        **{f"{mode}_pad{n}d_backward": windows.pad_backward(mode, n) for mode in ("reflection", "replication") for n in (1, 2, 3)},
    }),
)

# By cuBLAS as PyTorch calls it, or without any kernel: memory, views, streams.
NATIVE = frozenset("""mm bmm empty empty_strided as_strided view _reshape_alias unfold resize_ set_ is_set_to record_stream _local_scalar_dense
    _efficientzerotensor view_as_real view_as_complex _cudnn_init_dropout_state channel_shuffle _nested_view_from_buffer
    _nested_compute_contiguous_strides_offsets _use_cudnn_ctc_loss _use_miopen_ctc_loss""".split())

# Not of the CUDA backend in PyTorch, but their common body would call its machine code, or takes longer.
BESIDES = ("copy_", "convolution", "convolution_backward", "embedding", "masked_fill.Scalar", "masked_fill.Tensor")

FUNCTIONS = {name: function for _, _, group in KERNELS for name, function in group.items()}


# Whoever writes the same values to one place several times does no harm.
IDEMPOTENT = frozenset(("fill_", "zero_", "threshold_"))

# Their arguments are checked by PyTorch's meta functions, whose errors are those of a GPU. (Of others a kernel's own rules say the same, or the
# values of a tensor decide.)
_BY_VALUES = frozenset("""index _index_put_impl_ index_fill_ nonzero masked_select masked_scatter_ take _scaled_dot_product_efficient_attention
    _scaled_dot_product_efficient_attention_backward""".split())
CHECKED = frozenset(name.partition(".")[0] for title, _, group in KERNELS for name in group if title in (
    "Losses", "Reductions", "Softmax and norms", "Indexing", "Running sums and order", "Matrix products (cuBLAS), attention and recurrent cells",
    "Convolutions, pooling and padding of images")) - _BY_VALUES | {"cat"}


def page():
    """Lists the groups as the table of docs/pytorch.md."""
    lines = ["| group | operators | files of `kernels/aten` |", "|---|---|---|"]
    for title, files, group in KERNELS:
        lines.append(f"| {title} | {', '.join(f'`{name}`' for name in group)} | {', '.join(f'`{f}`' for f in files.split())} |")
    return "\n".join(lines)


if __name__ == "__main__":
    print(page())

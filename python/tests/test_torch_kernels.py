"""The kernels of PyTorch's operators (kernels/aten) against numpy, and the table of operators: neither needs PyTorch."""

import struct
import sys
from pathlib import Path
from unittest import mock

import numpy as np
import pytest

import warpwright as ww
from warpwright import _native

REPOSITORY = Path(__file__).resolve().parents[2]
# torch.manual_seed(1234) on an H100 with PyTorch 2.11: rand(10) and randint(0, 10, (10,)), six of each
UNIFORM = [0.12720795, 0.81673628, 0.54399925, 0.66007906, 0.27205572, 0.97367024]
WHOLE = [2, 6, 5, 2, 6, 4]
KINDS = {np.dtype(np.float32): "f32", np.dtype(np.int64): "i64", np.dtype(np.float64): "f64"}


@pytest.fixture(scope="module")
def kernel():
    ww.activate()
    modules = {}

    def of(file, kind, name):
        key = f"{file}_{kind}"
        if key not in modules:
            modules[key] = ww.Module(str(_native.folder() / "aten" / f"{key}.ptx"))
        return modules[key][name]

    return of


@pytest.fixture(scope="module")
def operators():
    """The adapter's own files, over a PyTorch of which only the names are there."""
    ww.activate()
    sys.path.insert(0, str(REPOSITORY / "toolchain" / "python"))
    with mock.patch.dict(sys.modules, {"torch": mock.MagicMock()}):
        from warpwright_torch import table, walk

        yield table, walk
    sys.path.pop(0)
    for name in [n for n in sys.modules if n.startswith("warpwright_torch")]:
        del sys.modules[name]


def pack(layout, *values):
    return struct.pack("<" + layout, *values)


def flat(kernel, file, name, inputs, result, scalars=(0, 0, 0, 0), strided=None):
    """Runs a pointwise kernel; `strided` packs the walk."""
    kind = KINDS[inputs[0].dtype]
    arrays = [ww.array(a) for a in inputs]
    out = ww.array(np.zeros_like(result))
    number = "q" if kind == "i64" else "d"
    parameter = pack(f"Q{len(arrays)}Qq4{number}", out.ptr, *[a.ptr for a in arrays], result.size, *scalars)
    full = f"{name}_{kind}"
    if strided:
        parameter, full = parameter + strided, full + "_strided"
    kernel(file, kind, full)[(result.size + 255) // 256, 256](parameter)
    return out.get()


def test_functions_of_one_and_two_tensors(kernel):
    x, y = np.linspace(-3, 3, 700, dtype=np.float32), np.linspace(1, 2, 700, dtype=np.float32)
    np.testing.assert_allclose(flat(kernel, "unary", "tanh", [x], x), np.tanh(x), rtol=1e-5)
    np.testing.assert_allclose(flat(kernel, "binary", "add", [x, y], x, (0.5, 0, 0, 0)), x + np.float32(0.5) * y, rtol=1e-6)
    np.testing.assert_array_equal(flat(kernel, "binary", "lt", [x, y], np.zeros(700, bool)), x < y)


def test_tensors_are_broadcast_and_turned(kernel, operators):
    _, walk = operators
    a, b = np.arange(35, dtype=np.int64).reshape(7, 5), np.arange(5, dtype=np.int64)
    shape, steps = (5, 7), [(7, 1), (1, 5), (1, 0)]  # the result, a turned, b for each column
    sizes, strides = walk.together(shape, [list(s) for s in steps])
    walked = struct.pack("<" + walk.layout_of(3), *walk.values_of(sizes, strides))
    out = flat(kernel, "binary", "mul", [a, b], np.zeros(shape, np.int64), (0, 0, 0, 0), walked)
    np.testing.assert_array_equal(out, a.T * b[:, None])


def test_dimensions_are_put_together(operators):
    _, walk = operators
    assert walk.together((2, 3, 4), [[12, 4, 1], [12, 4, 1]]) == ([24], [[1], [1]])
    assert walk.together((2, 1, 4), [[4, 4, 1], [0, 0, 1]]) == ([4, 2], [[1, 4], [1, 0]])
    assert walk.broadcast([(3, 1), (1, 4), (4,)]) == (3, 4)
    with pytest.raises(RuntimeError, match="must match"):
        walk.broadcast([(3,), (4,)])


def test_sums_softmax_and_order_of_rows(kernel, operators):
    _, walk = operators
    x = np.random.default_rng(1).standard_normal((6, 200)).astype(np.float32)
    given, out, index = ww.array(x), ww.array(np.zeros(6, np.float32)), ww.array(np.zeros(6, np.int64))
    walks = [struct.pack("<" + walk.layout_of(1), *walk.values_of([n], [[s]])) for n, s in ((6, 200), (200, 1))]
    parameter = pack("QQQqqdd", out.ptr, index.ptr, given.ptr, 6, 200, 1.0, 0.0) + b"".join(walks)
    kernel("reduce", "f32", "max_f32_block")[6, 256](parameter)
    np.testing.assert_array_equal(out.get(), x.max(1))
    np.testing.assert_array_equal(index.get(), x.argmax(1))
    kernel("reduce", "f32", "sum_f32_thread")[1, 256](parameter)
    np.testing.assert_allclose(out.get(), x.sum(1), rtol=1e-4)
    soft = ww.array(np.zeros_like(x))
    kernel("rows", "f32", "softmax_f32")[6, 256](pack("QQQqq", soft.ptr, given.ptr, 0, 200, 1))
    e = np.exp(x - x.max(1, keepdims=True))
    np.testing.assert_allclose(soft.get(), e / e.sum(1, keepdims=True), rtol=1e-5)
    places = ww.array(np.zeros((6, 200), np.int64))
    kernel("order", "f32", "sort_f32")[6, 128](pack("QQQii", soft.ptr, places.ptr, given.ptr, 200, 0))
    np.testing.assert_array_equal(soft.get(), np.sort(x, 1))
    np.testing.assert_array_equal(places.get(), np.argsort(x, 1, kind="stable"))


def test_parts_are_put_together_and_masks_filled(kernel, operators):
    _, walk = operators
    a, b = np.arange(12, dtype=np.float32).reshape(4, 3), -np.arange(20, dtype=np.float32).reshape(4, 5)
    given, out = [ww.array(x) for x in (a, b)], ww.array(np.zeros((4, 8), np.float32))
    kernel("copy", "f32", "cat_f32")[1, 256](
        pack("QIIii16I16Q", out.ptr, 32, 8, 2, 0, 3, *[8] * 15, *[x.ptr for x in given], *[0] * 14))
    np.testing.assert_array_equal(out.get(), np.concatenate([a, b], 1))
    mask, filled = ww.array(np.array([1, 0, 1], np.uint8)), ww.array(np.zeros((4, 3), np.float32))
    walked = struct.pack("<" + walk.layout_of(3), *walk.values_of(*walk.together((4, 3), [[3, 1], [0, 1], [3, 1]])))
    kernel("copy", "f32", "masked_fill_f32")[1, 256](pack("QQQqd", filled.ptr, mask.ptr, given[0].ptr, 12, -5.0) + walked)
    np.testing.assert_array_equal(filled.get(), np.where([True, False, True], np.float32(-5), a))
    lower = ww.array(np.zeros((4, 3), np.float32))
    kernel("copy", "f32", "triangle_f32")[1, 256](pack("QQqIIqii", lower.ptr, given[0].ptr, 12, 4, 3, -1, 0, 0))
    np.testing.assert_array_equal(lower.get(), np.tril(a, -1))


def test_classes_and_windows(kernel):
    rng = np.random.default_rng(2)
    x, target = rng.standard_normal((300, 7)).astype(np.float32), rng.integers(0, 7, 300)
    target[3] = -100  # does not count
    given, at, out, total = ww.array(x), ww.array(target), ww.array(np.zeros(1, np.float32)), ww.array(np.zeros(1, np.float32))
    kernel("classes", "f32", "nll_f32")[1, 256](
        pack("QQQQQQqqqqii", out.ptr, total.ptr, given.ptr, 0, 0, at.ptr, 300, 7, 1, -100, 1, 0))
    kept = target >= 0
    np.testing.assert_allclose(out.get(), -x[kept, target[kept]].mean(), rtol=1e-5)
    assert total.get()[0] == 299
    image, value, index = ww.array(x[:8].reshape(1, 8, 7)), ww.array(np.zeros((4, 3), np.float32)), ww.array(np.zeros((4, 3), np.int64))
    kernel("windows", "f32", "max_pool_f32")[1, 256](
        pack("QQQq12i", value.ptr, index.ptr, image.ptr, 12, 8, 7, 4, 3, 2, 2, 2, 2, 0, 0, 1, 1))
    blocks = x[:8, :6].reshape(4, 2, 3, 2).transpose(0, 2, 1, 3)
    np.testing.assert_array_equal(value.get(), blocks.max((2, 3)))
    np.testing.assert_array_equal(x[:8].reshape(-1)[index.get()], value.get())


def test_random_numbers_are_those_of_a_gpu(kernel):
    out, n, draws = ww.array(np.zeros(10, np.float32)), 10, (1234, 0)
    kernel("random", "f32", "uniform_f32")[1, 256](pack("QqQQddqq", out.ptr, n, *draws, 0.0, 1.0, 0, 0))
    np.testing.assert_allclose(out.get()[:6], UNIFORM, rtol=1e-6)
    whole = ww.array(np.zeros(10, np.int64))
    kernel("random", "i64", "random_i64")[1, 256](pack("QqQQddqq", whole.ptr, n, *draws, 0.0, 0.0, 0, 10))
    np.testing.assert_array_equal(whole.get()[:6], WHOLE)


def test_each_operator_of_the_table_has_its_kernels_and_the_page_has_the_table(operators):
    table, _ = operators
    rows = [line.split() for line in (REPOSITORY / "kernels/aten/kernels.txt").read_text().splitlines() if line[0] != "#"]
    files = {row[0]: (REPOSITORY / f"kernels/aten/{row[0]}.cu").read_text() for row in rows}
    named = 0
    for title, of, group in table.KERNELS:
        for operator, function in group.items():
            cells = dict(zip(function.__code__.co_freevars, (c.cell_contents for c in function.__closure__ or ())))
            if isinstance(cells.get("name"), str):
                named += 1
                assert any(cells["name"] in files[f] for f in of.split()), f"{title}: {operator} asks for the kernel {cells['name']}"
        assert set(of.split()) <= set(files), f"{title}: no such file"
    assert named > 60
    assert table.page() in (REPOSITORY / "docs/pytorch.md").read_text(), "docs/pytorch.md: make its table anew (warpwright_torch.table)"

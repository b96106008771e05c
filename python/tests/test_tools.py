"""Device models, occupancy, explanations, the laboratory, the cell magic and the notebook."""

import json
from pathlib import Path

import numpy as np
import pytest

import warpwright as ww

EXAMPLES = Path(__file__).resolve().parents[1] / "examples"


def test_devices():
    models = {m.name: m for m in ww.devices()}
    assert models["h200"].compute_capability == 90 and models["h200"].multiprocessors == 132
    assert models["v100"].compute_capability == 70


def test_occupancy(saxpy):
    o = ww.occupancy(256, 64, model="h200")
    assert (o.warps, o.fraction, o.limiter) == (32, 0.5, "registers")
    assert ww.occupancy((16, 16), saxpy).warps > 0
    with pytest.raises(ww.LimitError):
        ww.occupancy(4096)
    with pytest.raises(ww.UsageError, match="no-such"):
        ww.occupancy(256, model="no-such")


def test_explain():
    page = ww.explain("tile[threadIdx.x*32]", block=32)
    assert "32" in repr(page) and page.pictures and "<svg" in page._repr_html_()
    with pytest.raises(ww.Error, match="tile"):
        ww.explain("tile[threadIdx.x*")


def test_lab():
    records = ww.lab("matmul", sizes=64, rungs=["naive"])
    assert len(records) == 1 and records["naive"]["verified"] is True
    assert "naive" in repr(records) and "<table>" in records._repr_html_()
    with pytest.raises(KeyError, match="naive"):
        records["no-such"]
    with pytest.raises(ww.Error, match="no-such-ladder"):
        ww.lab("no-such-ladder")


def test_the_cell_magic(capsys):
    from warpwright._magic import cuda

    names = {"np": np, "x": np.zeros(32, np.int32)}
    cell = "__global__ void fill(int* x, int v) {\n    x[threadIdx.x] = v;\n}\n"
    module = cuda("kernels", cell, names)
    assert names["kernels"] is module
    launch = cuda("--launch 'fill[1, 32](x, 5)'", cell, names)
    assert (names["x"] == 5).all() and names["launch"] is launch and launch.kernel == "fill"
    with pytest.raises(ww.Finding):
        cuda("--check --launch 'fill[1, 64](x, 5)'", cell, names)
    with pytest.raises(ww.UsageError, match="--help"):
        cuda("--nonsense", cell, names)
    with pytest.raises(NameError):
        cuda("--launch 'nonsense[1, 32](x, 5)'", cell, names)
    report = cuda("", '#include <cstdio>\n__global__ void k() {}\nint main() { k<<<1, 32>>>();\n'
                      'cudaDeviceSynchronize(); std::puts("done"); }\n', names)
    assert "done" in capsys.readouterr().out and "k" in report.report and report.code == 0


def test_the_notebook_runs(tmp_path):
    """By nbclient where it is installed; else its cells one after the other, in one namespace."""
    path = EXAMPLES / "first_kernel.ipynb"
    try:
        import nbclient
        import nbformat
    except ImportError:
        run_cells(json.loads(path.read_text(encoding="utf-8")))
        return
    book = nbformat.read(path, as_version=4)
    nbclient.NotebookClient(book, timeout=120, kernel_name="python3", resources={"metadata": {"path": tmp_path}}).execute()


def run_cells(book):
    from warpwright._magic import cuda

    names = {"__name__": "__main__"}
    for cell in book["cells"]:
        if cell["cell_type"] != "code":
            continue
        source = "".join(cell["source"])
        if source.startswith("%%cuda"):
            line, body = source.split("\n", 1)
            cuda(line[len("%%cuda"):], body, names)
        else:
            exec(compile("\n".join(l for l in source.split("\n") if not l.startswith("%")), "cell", "exec"), names)

#!/usr/bin/env python3
"""What `warpwright check` finds in public Triton and Numba programs, whose tensors and arrays are the host's.

    bench/clients/findings.py --warpwright build/release/warpwright --triton PYTHON --numba PYTHON [NAME...]

The first Python has torch, triton, liger-kernel and flash-linear-attention, the second one numba, numba-cuda, pytest, filecheck
and psutil; a Python that is not named leaves its programs out. The programs are the packages' own kernels and examples, called
as their users call them; none of them is kept here. A line for each: the exit code, the findings by kind and the first one's
place.
"""
import argparse
import collections
import json
import os
import subprocess
import sys
import tempfile

LIGER = "import torch; torch.manual_seed(0); r = lambda *s: torch.randn(*s, requires_grad=True)\n"
TRITON = {
    "liger/rms_norm": "from liger_kernel.ops.rms_norm import LigerRMSNormFunction as F\n"
                      "y = F.apply(r(6, 100), r(100), 1e-6); y.sum().backward()",
    "liger/layer_norm": "from liger_kernel.ops.layer_norm import LigerLayerNormFunction as F\n"
                        "F.apply(r(6, 100), r(100), r(100), 1e-6).sum().backward()",
    "liger/group_norm": "from liger_kernel.ops.group_norm import LigerGroupNormFunction as F\n"
                        "F.apply(r(2, 6, 10), r(6), r(6), 6, 3, 1e-6).sum().backward()",
    "liger/softmax": "from liger_kernel.ops.softmax import LigerSoftmaxFunction as F\nF.apply(r(5, 77)).sum().backward()",
    "liger/sparsemax": "from liger_kernel.ops.sparsemax import LigerSparsemaxFunction as F\nF.apply(r(5, 77), "
                       "-1).sum().backward()",
    "liger/swiglu": "from liger_kernel.ops.swiglu import LigerSiLUMulFunction as F\nF.apply(r(5, 77), r(5, "
                    "77)).sum().backward()",
    "liger/geglu": "from liger_kernel.ops.geglu import LigerGELUMulFunction as F\nF.apply(r(5, 77), r(5, 77)).sum().backward()",
    "liger/rope": "from liger_kernel.ops.rope import LigerRopeFunction as F\n"
                  "q, k = F.apply(r(1, 4, 9, 16), r(1, 2, 9, 16), torch.rand(1, 9, 16), torch.rand(1, 9, 16)); "
                  "(q.sum() + k.sum()).backward()",
    "liger/cross_entropy": "from liger_kernel.ops.cross_entropy import LigerCrossEntropyFunction as F\n"
                           "F.apply(r(7, 101), torch.randint(0, 101, (7,)), None)[0].backward()",
    "liger/jsd": "from liger_kernel.ops.jsd import LigerJSDFunction as F\n"
                 "F.apply(r(4, 50).log_softmax(-1), r(4, 50).log_softmax(-1).detach()).backward()",
    "liger/kl_div": "from liger_kernel.ops.kl_div import LigerKLDivLossFunction as F\n"
                    "F.apply(r(4, 50).log_softmax(-1), r(4, 50).softmax(-1).detach(), 'batchmean').backward()",
    "liger/tvd": "from liger_kernel.ops.tvd import LigerTVDLossFunction as F\n"
                 "F.apply(r(4, 50).softmax(-1), r(4, 50).softmax(-1).detach()).backward()",
    "liger/dyt": "from liger_kernel.ops.dyt import LigerDyTFunction as F\nF.apply(r(4, 100), r(1), r(100), "
                 "r(100)).sum().backward()",
    "liger/fused_add_rms_norm": "from liger_kernel.ops.fused_add_rms_norm import LigerFusedAddRMSNormFunction as F\n"
                                "y, s = F.apply(r(6, 100), r(6, 100), r(100), 1e-6); (y.sum() + s.sum()).backward()",
    "liger/fused_linear_cross_entropy": "from liger_kernel.ops.fused_linear_cross_entropy import "
                                        "LigerFusedLinearCrossEntropyFunction as F\n"
                                        "F.apply(r(7, 32), r(101, 32), torch.randint(0, 101, (7,)))[0].backward()",
    "fla/rms_norm": "from fla.modules.layernorm import rms_norm\nrms_norm(r(6, 100), r(100), None).sum().backward()",
    "fla/l2norm": "from fla.modules.l2norm import l2norm\nl2norm(r(2, 6, 3, 20)).sum().backward()",
    "fla/swiglu": "from fla.modules.activations import swiglu\nswiglu(r(5, 77), r(5, 77)).sum().backward()",
    "fla/cumsum": "from fla.ops.utils import chunk_local_cumsum\nchunk_local_cumsum(torch.rand(1, 70, 2), 32)",
    "fla/fused_recurrent_gla": "from fla.ops.gla import fused_recurrent_gla\n"
                               "fused_recurrent_gla(r(1, 9, 2, 16), r(1, 9, 2, 16), r(1, 9, 2, 16), -torch.rand(1, "
                               "9, 2, 16))[0].sum().backward()",
    "fla/fused_recurrent_delta_rule": "from fla.ops.delta_rule import fused_recurrent_delta_rule\n"
                                      "fused_recurrent_delta_rule(r(1, 9, 2, 16), r(1, 9, 2, 16), r(1, 9, 2, 16), "
                                      "torch.rand(1, 9, 2))[0].sum().backward()",
}
EXAMPLES = "numba.cuda.tests.doc_examples."
NUMBA = {f"numba/{name}": EXAMPLES + "test_" + name for name in
         ("cg", "cpointer", "cpu_gpu_compat", "ffi", "globals", "laplace", "matmul", "montecarlo", "random", "reduction",
          "sessionize", "ufunc", "vecadd")}


def check(warpwright, words, seconds):
    """Returns the exit code, the findings, the last line of standard error, and the seconds of processor time."""
    with tempfile.TemporaryDirectory() as folder:
        out = os.path.join(folder, "findings.json")
        before = os.times()
        try:
            done = subprocess.run([warpwright, "check", "--json", out, *words], capture_output=True, text=True,
                                  timeout=seconds)
        except subprocess.TimeoutExpired:
            return "late", [], "", float(seconds)
        after = os.times()
        took = after.children_user + after.children_system - before.children_user - before.children_system
        try:
            with open(out) as file:
                found = json.load(file)
        except (OSError, ValueError):
            found = []
        found = found.get("findings", found) if isinstance(found, dict) else found
        said = [line for line in done.stderr.splitlines() if line.strip() and not line.startswith("==warpwright==")]
        return done.returncode, found, said[-1] if said else "", took


def main():
    options = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    options.add_argument("--warpwright", default="build/release/warpwright")
    options.add_argument("--triton", help="a Python")
    options.add_argument("--numba", help="a Python")
    options.add_argument("--timeout", type=float, default=300)
    options.add_argument("names", nargs="*")
    o = options.parse_args()
    programs = []
    if o.triton:
        programs += [(name, [o.triton, "-c", LIGER + code]) for name, code in TRITON.items()]
    if o.numba:
        programs += [(name, [o.numba, "-m", "unittest", module]) for name, module in NUMBA.items()]
    bad = 0
    for name, words in programs:
        if o.names and not any(part in name for part in o.names):
            continue
        code, found, said, took = check(o.warpwright, words, o.timeout)
        kinds = collections.Counter(f["kind"] for f in found)
        where = f"{found[0]['at'].get('file', '')}:{found[0]['at'].get('line', '')}" if found else ""
        bad += code != 0
        why = said if code and not found else ""
        print(f"{name:34} {code!s:>4} {took:6.1f} s  {dict(kinds) or 'nothing found'} {where} {why}", flush=True)
    return 1 if bad else 0


if __name__ == "__main__":
    sys.exit(main())

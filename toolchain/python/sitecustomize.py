"""Python reads this when it starts under `warpwright run`, and then the sitecustomize that stands behind it in the path."""
import importlib.machinery
import importlib.util
import os
import sys

import warpwright_autotune
import warpwright_cuda_bindings
import warpwright_jax
import warpwright_pools
import warpwright_torch
import warpwright_versions

_here = os.path.dirname(os.path.abspath(__file__))

if os.environ.get("WARPWRIGHT_MODEL"):
    warpwright_cuda_bindings.install()
    warpwright_torch.install()
    warpwright_autotune.install()
    warpwright_jax.install()
    warpwright_pools.install()
    warpwright_versions.install()

_next = importlib.machinery.PathFinder.find_spec(
    "sitecustomize", [p for p in sys.path if os.path.abspath(p or os.curdir) != _here])
if _next is not None and _next.loader is not None:
    _next.loader.exec_module(importlib.util.module_from_spec(_next))

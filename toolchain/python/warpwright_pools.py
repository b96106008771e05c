"""Python libraries that keep pools of device memory give each array an allocation of its own, where a program is checked.

Checkers know the allocations of the runtime library: in a pool's block an access past an array's end is one to its
neighbour, and memory that was given back to the pool is still there. What a program itself chooses stays.
"""
import os

import warpwright_imports


def _cupy(cupy):
    cupy.cuda.set_allocator(None)
    cupy.cuda.set_pinned_memory_allocator(None)


def install():
    """Looks after the libraries that are imported from now on."""
    if not os.environ.get("WARPWRIGHT_CHECKERS"):
        return
    # JAX: each buffer is allocated when it is needed.
    os.environ.setdefault("XLA_PYTHON_CLIENT_ALLOCATOR", "platform")
    warpwright_imports.when("cupy", _cupy)

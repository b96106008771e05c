"""Under `warpwright check`, kernels of Numba are compiled with their lines, unless they are compiled for debugging: on a package made up
that takes what Numba's takes. Says "lines" and what each kernel was compiled with."""
import ctypes
import sys
import types


class _Kernel:
    def __init__(self, function, argtypes, debug=False, lineinfo=False):
        self.lineinfo = lineinfo


dispatcher = types.ModuleType("numba.cuda.dispatcher")
dispatcher._Kernel = _Kernel
sys.modules[dispatcher.__name__] = dispatcher

options = ({"debug": False, "lineinfo": False}, {"debug": True, "lineinfo": False})
before = [_Kernel(None, (), **o).lineinfo for o in options]
for _ in range(2):
    assert ctypes.CDLL("libcuda.so.1").cuInit(0) == 0
print("lines", before, [_Kernel(None, (), **o).lineinfo for o in options])

"""Our driver library as the operators use it: kernels by name, launches in PyTorch's current stream, copies from and to the host."""
import ctypes as c
import os
import struct
import threading

import torch

_cuda = c.CDLL("libcuda.so.1")
_launch = _cuda.cuLaunchKernel
_launch.argtypes = [c.c_void_p] + 7 * [c.c_uint] + [c.c_void_p, c.c_void_p, c.c_void_p]
_stream = torch._C._cuda_getCurrentRawStream


class DriverError(RuntimeError):
    pass


def _check(code, what):
    if code:
        text = c.c_char_p()
        _cuda.cuGetErrorString(code, c.byref(text))
        raise DriverError(f"warpwright: {what}: {(text.value or b'').decode() or code}")


_NO_CONTEXT = 201


def _make_current(device):
    """Makes the device's context that of this thread: PyTorch's threads of the backward pass have none at first."""
    number, context = c.c_int(), c.c_void_p()
    _check(_cuda.cuDeviceGet(c.byref(number), device), "a device")
    _check(_cuda.cuDevicePrimaryCtxRetain(c.byref(context), number), "a context")
    _check(_cuda.cuCtxSetCurrent(context), "a context")
    _check(_cuda.cuDevicePrimaryCtxRelease_v2(number), "a context")


def _on(device):
    """Makes a device's context that of the driver in this thread: PyTorch chooses a device by the runtime library alone."""
    number = c.c_int(-1)
    if _cuda.cuCtxGetDevice(c.byref(number)) or number.value != device:
        _make_current(device)


class Device:
    """A device for what is called within, for the runtime library and for the driver; the one before it is both's again afterwards."""

    def __init__(self, device):
        self._own = torch.cuda.device(device)

    def __enter__(self):
        self._own.__enter__()
        _on(torch.cuda.current_device())

    def __exit__(self, *raised):
        self._own.__exit__(*raised)
        _on(torch.cuda.current_device())


def _call(device, what, function, *arguments):
    code = function(*arguments)
    if code == _NO_CONTEXT:
        _make_current(device)
        code = function(*arguments)
    _check(code, what)


class _Buffer(threading.local):
    """A launch's parameters: the driver library has read them when the call returns."""

    def __init__(self):
        self.bytes = c.create_string_buffer(2048)
        self.size = c.c_size_t()
        self.extra = (c.c_void_p * 5)(1, c.addressof(self.bytes), 2, c.addressof(self.size), 0)


_buffer = _Buffer()


def _folder():
    """Finds the folder of the kernels, beside our library."""
    with open("/proc/self/maps") as maps:
        for line in maps:
            if line.rstrip().endswith("/libwarpwright_cuda.so"):
                return os.path.join(os.path.dirname(line.split(None, 5)[5].rstrip()), "aten")
    raise DriverError("warpwright: the driver library of this process is not Warpwright's")


FOLDER = _folder()
_modules, _kernels = {}, {}
_have = frozenset(f[:-4] for f in os.listdir(FOLDER) if f.endswith(".ptx")) if os.path.isdir(FOLDER) else frozenset()


class NoKernel(Exception):
    """There is no kernel of ours for these types or shapes: the host computes."""


def kernel(file, kind, name):
    """Returns the kernel `name` of a file of kernels/aten for elements of a kind ("f32"); raises NoKernel where there is none."""
    key = (file, kind, name)
    found = _kernels.get(key)
    if found is None:
        module = f"{file}_{kind}"
        if module not in _have:
            raise NoKernel(f"no kernel {name} for {kind}")
        if module not in _modules:
            with open(os.path.join(FOLDER, module + ".ptx"), "rb") as text:
                code = text.read()
            handle = c.c_void_p()
            _call(torch.cuda.current_device(), f"loading {module}", _cuda.cuLibraryLoadData, c.byref(handle), code, None, None, 0, None, None, 0)
            _modules[module] = handle
        full, _, form = name.partition("/")  # "exp/strided": exp_f32_strided
        full = f"{full}_{kind}" + (f"_{form}" if form else "")
        found = c.c_void_p()
        if _cuda.cuLibraryGetKernel(c.byref(found), _modules[module], full.encode()):
            raise NoKernel(f"no kernel {full}")
        found = _kernels[key] = found.value
    return found


def launch(function, device, grid, block, layout, *values):
    """Queues a kernel whose one parameter is packed by `layout` (struct.Struct)."""
    buffer = _buffer
    layout.pack_into(buffer.bytes, 0, *values)
    buffer.size.value = layout.size
    if _launch(function, grid, 1, 1, block, 1, 1, 0, _stream(device), None, buffer.extra):
        _call(device, "a launch", _launch, function, grid, 1, 1, block, 1, 1, 0, _stream(device), None, buffer.extra)


def launch_elements(function, device, n, layout, *values):
    """Queues a kernel with one thread for each of n elements."""
    launch(function, device, (n + 255) >> 8, 256, layout, *values)


_base = torch._C._data_address


def at(t):
    """Returns where a tensor's elements begin, for reading.

    `data_ptr()` is for writing: it makes the copy that a lazy clone has put off.
    """
    return _base(t) + t.storage_offset() * t.element_size()


def wait(device):
    _call(device, "waiting for a stream", _cuda.cuStreamSynchronize, c.c_void_p(_stream(device)))


def to_device(address, source, size, device, non_blocking=False):
    _call(device, "a copy", _cuda.cuMemcpyHtoDAsync_v2, c.c_uint64(address), c.c_void_p(source), c.c_size_t(size), c.c_void_p(_stream(device)))
    if not non_blocking:
        wait(device)


def to_host(address, source, size, device, non_blocking=False):
    _call(device, "a copy", _cuda.cuMemcpyDtoHAsync_v2, c.c_void_p(address), c.c_uint64(source), c.c_size_t(size), c.c_void_p(_stream(device)))
    if not non_blocking:
        wait(device)


def inside(address, source, size, device):
    _call(device, "a copy", _cuda.cuMemcpyDtoDAsync_v2, c.c_uint64(address), c.c_uint64(source), c.c_size_t(size), c.c_void_p(_stream(device)))


def layout(text):
    return struct.Struct("<" + text)

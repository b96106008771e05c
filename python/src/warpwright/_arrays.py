"""This module turns Python objects into kernel arguments: arrays of the host and of the device, and numbers."""

from __future__ import annotations

import ctypes as c
from typing import Any, Optional

from . import _native
from ._errors import UsageError

_RANGES = {1: ("int8", "uint8"), 2: ("int16", "uint16"), 4: ("int32", "uint32"), 8: ("int64", "uint64")}


class DeviceArray:
    """An array in device memory. `ww.empty` and `ww.array` make one; kernels, Numba and CuPy take it without a copy.

    shape   a tuple of extents, in elements; the elements lie in C order
    dtype   the numpy.dtype of an element
    size    the number of elements
    nbytes  the size in bytes
    ptr     its address in device memory

    `get()` copies it into a numpy array and `set(array)` from one. `__cuda_array_interface__` has version 3. The memory
    is freed with the object.
    """

    def __init__(self, shape: Any, dtype: Any) -> None:
        import numpy as np

        self.dtype = np.dtype(dtype)
        self.shape = tuple(shape) if hasattr(shape, "__iter__") else (int(shape),)
        self.size = 1
        for n in self.shape:
            self.size *= int(n)
        self.nbytes = self.size * self.dtype.itemsize
        address = c.c_uint64()
        self.ptr = 0
        _native.call("ww_allocate", max(1, self.nbytes), c.byref(address))
        self.ptr = address.value

    @property
    def __cuda_array_interface__(self) -> "dict[str, Any]":
        return {"shape": self.shape, "typestr": self.dtype.str, "data": (self.ptr, False), "version": 3,
                "strides": None, "stream": None}

    def get(self) -> Any:
        """Returns a copy in the host's memory, a numpy.ndarray of this shape and dtype."""
        import numpy as np

        out = np.empty(self.shape, self.dtype)
        if self.nbytes:
            _native.call("ww_read", out.ctypes.data, self.ptr, self.nbytes)
        return out

    def set(self, values: Any) -> "DeviceArray":
        """Copies `values` here, converted to this dtype, and returns this array.

        values  anything that numpy.ascontiguousarray takes, with as many elements as this array
        Raises UsageError where the number of elements differs.
        """
        import numpy as np

        given = np.ascontiguousarray(values, dtype=self.dtype)
        if given.size != self.size:
            raise UsageError(f"the values have {given.size} elements, and the array has {self.size}",
                             hint="pass as many elements as the array has")
        if self.nbytes:
            _native.call("ww_write", self.ptr, given.ctypes.data, self.nbytes)
        return self

    def __array__(self, dtype: Any = None, copy: Any = None) -> Any:
        made = self.get()
        return made if dtype is None else made.astype(dtype)

    def __len__(self) -> int:
        return int(self.shape[0])

    def __repr__(self) -> str:
        return f"<DeviceArray {self.shape} {self.dtype}>"

    def __del__(self) -> None:
        ptr, self.ptr = getattr(self, "ptr", 0), 0
        if ptr:
            try:
                _native.call("ww_release", ptr)
            except Exception:  # the process ends, or was forked: nothing is left to free
                pass


def _contiguous(shape: Any, strides: Any, itemsize: int) -> bool:
    if strides is None:
        return True

    def steps(order: Any) -> bool:
        step = itemsize
        for n, s in order:
            if n > 1 and s != step:
                return False
            step *= n
        return True

    pairs = list(zip(shape, strides))
    return 0 in shape or steps(reversed(pairs)) or steps(pairs)


_ELEMENTS = {"u8": "bool", "i16": "int16", "u16": "uint16", "i32": "int32", "u32": "uint32", "i64": "int64",
             "u64": "uint64", "f16": "float16", "bf16": "bfloat16", "f32": "float32", "f64": "float64"}


def _check_elements(parameter: "Optional[dict[str, Any]]", sizes: "tuple[int, ...]", given: str, where: str) -> None:
    """Refuses an array of doubles for a `const float*`. Single bytes are raw memory, and fit every pointer.

    sizes  the bytes that an element may be taken to have: a complex number is two numbers as well
    """
    wanted = (parameter or {}).get("element_bytes")
    if not wanted or 1 in sizes or any(size in wanted for size in sizes):
        return
    assert parameter is not None
    element = _ELEMENTS[parameter["element"]]
    raise UsageError(f"{where} is an array of {given}, and {parameter['declared']}",
                     hint=f"pass an array of {element}: numpy's default is float64, and .astype(numpy.{element}) "
                     "converts" if element == "float32" else f"pass an array of {element}")


def _from_interface(interface: "dict[str, Any]", kind: int, read_only_kind: int, where: str,
                    parameter: "Optional[dict[str, Any]]" = None) -> Any:
    import numpy as np

    shape = tuple(interface["shape"])
    dtype = np.dtype(interface["typestr"])
    itemsize = dtype.itemsize
    if dtype.kind != "V":  # a structure's fields are its own matter
        _check_elements(parameter, (itemsize, itemsize // 2) if dtype.kind == "c" else (itemsize,), dtype.name, where)
    if interface.get("mask") is not None:
        raise UsageError(f"{where} is a masked array", hint="pass its data and its mask as two arguments")
    if not _contiguous(shape, interface.get("strides"), itemsize):
        raise UsageError(f"{where} has gaps between its elements (strides {tuple(interface['strides'])})",
                         hint="numpy.ascontiguousarray makes a copy that has none")
    count = 1
    for n in shape:
        count *= int(n)
    address, read_only = interface["data"]
    return _native.Argument(read_only_kind if read_only else kind, address or None, count * itemsize)


class _DLDevice(c.Structure):
    _fields_ = [("type", c.c_int32), ("id", c.c_int32)]


class _DLTensor(c.Structure):
    _fields_ = [("data", c.c_void_p), ("device", _DLDevice), ("ndim", c.c_int32), ("code", c.c_uint8),
                ("bits", c.c_uint8), ("lanes", c.c_uint16), ("shape", c.POINTER(c.c_int64)),
                ("strides", c.POINTER(c.c_int64)), ("byte_offset", c.c_uint64)]


def _from_dlpack(value: Any, where: str, keep: "list[Any]", parameter: "Optional[dict[str, Any]]" = None) -> Any:
    """Takes an argument by the DLPack protocol: memory of the host, or of the device (kDLCUDA, pinned and managed)."""
    capsule = value.__dlpack__()
    pointer = c.pythonapi.PyCapsule_GetPointer
    pointer.restype, pointer.argtypes = c.c_void_p, [c.py_object, c.c_char_p]
    tensor = c.cast(pointer(capsule, b"dltensor"), c.POINTER(_DLTensor)).contents
    keep.append(capsule)  # it owns the tensor until the launch is over
    shape = [tensor.shape[k] for k in range(tensor.ndim)]
    itemsize = (tensor.bits * tensor.lanes + 7) // 8
    bits = (tensor.bits + 7) // 8
    _check_elements(parameter, (itemsize, bits, bits // 2) if tensor.code == 5 else (itemsize, bits),
                    f"{'float' if tensor.code == 2 else 'int'}{tensor.bits}" if tensor.code <= 2 else f"{bits} bytes",
                    where)
    strides = [tensor.strides[k] * itemsize for k in range(tensor.ndim)] if tensor.strides else None
    if not _contiguous(shape, strides, itemsize):
        raise UsageError(f"{where} has gaps between its elements", hint="pass a contiguous copy")
    count = 1
    for n in shape:
        count *= n
    if tensor.device.type not in (1, 2, 3, 13):
        raise UsageError(f"{where} is on a device of DLPack's kind {tensor.device.type}",
                         hint="pass an array in host or CUDA memory")
    kind = _native.DEVICE if tensor.device.type == 2 else _native.HOST
    return _native.Argument(kind, (tensor.data or 0) + tensor.byte_offset or None, count * itemsize)


def _value(data: bytes, keep: "list[Any]") -> Any:
    buffer = c.create_string_buffer(data, len(data))
    keep.append(buffer)
    return _native.Argument(_native.VALUE, c.cast(buffer, c.c_void_p), len(data))


def _number(value: Any, parameter: "dict[str, Any]", where: str, keep: "list[Any]") -> Any:
    """Converts a Python number to the parameter's own type: PTX names its size, and whether it is floating-point."""
    import struct

    size, kind = parameter["size"], parameter["type"]
    if isinstance(value, bool):
        value = int(value)
    floating = kind.startswith("f") or (kind.startswith("b") and isinstance(value, float))
    if floating and size in (2, 4, 8):
        return _value(struct.pack({2: "<e", 4: "<f", 8: "<d"}[size], float(value)), keep)
    if isinstance(value, float):
        raise UsageError(f"{where} is a float, and the kernel takes an integer or a pointer (.{kind})",
                         hint="pass int(...), or a numpy scalar of the exact type")
    if size not in _RANGES:
        raise UsageError(f"{where} is a number, and the kernel takes {size} bytes (.{kind})",
                         hint="pass bytes, or a numpy scalar of a structured type")
    if not -(1 << (8 * size - 1)) <= value < 1 << (8 * size):
        raise UsageError(f"{where} is {value}, which does not fit into {8 * size} bits",
                         hint="pass a smaller number, or give the kernel a wider parameter")
    return _value((value & ((1 << (8 * size)) - 1)).to_bytes(size, "little"), keep)


def argument(value: Any, parameter: "Optional[dict[str, Any]]", where: str, keep: "list[Any]") -> Any:
    """Makes one argument of a launch from `value`. `keep` gets what must live until the launch is over."""
    if type(value).__module__ == "numpy":
        import numpy as np

        if isinstance(value, np.ndarray) and value.ndim == 0 and parameter and parameter["size"] == value.itemsize:
            value = value[()]
        if isinstance(value, np.generic):
            return _value(value.tobytes(), keep)
        if isinstance(value, np.ndarray) and value.dtype.hasobject:
            raise UsageError(f"{where} is an array of Python objects", hint="pass an array with a numeric dtype")
    if isinstance(value, (int, float)):
        if parameter is None:
            raise UsageError(f"{where} is one too many", hint="pass as many arguments as the kernel has parameters")
        return _number(value, parameter, where, keep)
    interface = getattr(value, "__cuda_array_interface__", None)
    if interface is not None:
        return _from_interface(interface, _native.DEVICE, _native.DEVICE, where, parameter)
    interface = getattr(value, "__array_interface__", None)
    if interface is not None:
        return _from_interface(interface, _native.HOST, _native.HOST_READ, where, parameter)
    if hasattr(value, "__dlpack__"):
        return _from_dlpack(value, where, keep, parameter)
    if isinstance(value, (bytes, bytearray)):
        return _value(bytes(value), keep)
    if isinstance(value, c._SimpleCData) or isinstance(value, c.Structure):
        return _value(bytes(value), keep)  # type: ignore[arg-type]
    if value is None:
        return _value(bytes(8), keep)
    raise UsageError(f"{where} has the type {type(value).__name__}, which no kernel can take",
                     hint="pass an array (numpy, DLPack, __cuda_array_interface__), a number, bytes, a ctypes value or "
                     "None")

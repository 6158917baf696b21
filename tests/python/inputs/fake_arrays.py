"""Arrays on the GPUs of FakeCuda.cpp, for any consumer of DLPack. They have no memory."""

import ctypes


class _Device(ctypes.Structure):
    _fields_ = [("type", ctypes.c_int32), ("id", ctypes.c_int32)]


class _DType(ctypes.Structure):
    _fields_ = [("code", ctypes.c_uint8), ("bits", ctypes.c_uint8), ("lanes", ctypes.c_uint16)]


class _Tensor(ctypes.Structure):
    _fields_ = [
        ("data", ctypes.c_void_p), ("device", _Device), ("ndim", ctypes.c_int32),
        ("dtype", _DType), ("shape", ctypes.POINTER(ctypes.c_int64)),
        ("strides", ctypes.POINTER(ctypes.c_int64)), ("byte_offset", ctypes.c_uint64),
    ]  # fmt: skip


class _Managed(ctypes.Structure):
    _fields_ = [("tensor", _Tensor), ("context", ctypes.c_void_p), ("deleter", ctypes.c_void_p)]


_capsule = ctypes.pythonapi.PyCapsule_New
_capsule.restype = ctypes.py_object
_capsule.argtypes = [ctypes.c_void_p, ctypes.c_char_p, ctypes.c_void_p]

KINDS = {"float32": (2, 32), "float16": (2, 16), "bfloat16": (4, 16), "int32": (0, 32)}


class FakeArray:
    """An array at an address of a fake GPU; its framework's current stream is `stream`."""

    stream = 0
    _described = []  # consumers keep addresses of descriptions, so none is ever freed

    def __init__(self, shape, address=0x10000, dtype="float32", device=0):
        self._shape = (ctypes.c_int64 * len(shape))(*shape)
        self._managed = _Managed()
        tensor = self._managed.tensor
        tensor.data = address
        tensor.device = _Device(2, device)
        tensor.ndim = len(shape)
        tensor.dtype = _DType(*KINDS[dtype], 1)
        tensor.shape = ctypes.cast(self._shape, ctypes.POINTER(ctypes.c_int64))
        self._described.append((self._shape, self._managed))

    def __dlpack__(self, **options):
        return _capsule(ctypes.addressof(self._managed), b"dltensor", None)

    def __dlpack_device__(self):
        return 2, self._managed.tensor.device.id

    @property
    def current_stream(self):
        return self._managed.tensor.device.id, FakeArray.stream

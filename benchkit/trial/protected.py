"""Arrays that trials share, in pages that the system protects: who writes there ends, and harms nobody.

A flag of numpy stops Python code alone. C code that ignores it would give the trials after it wrong results, in
silence; here the write is a segmentation fault of the trial that does it (mprotect(2)).
"""

from __future__ import annotations

import ctypes
import errno
import mmap
import os
from functools import cache
from typing import Any

import numpy as np
from scipy import sparse

_PARTS = ("data", "indices", "indptr")

# Filled at once: asking the system page by page takes half as long again.
_FLAGS = mmap.MAP_PRIVATE | mmap.MAP_ANONYMOUS | getattr(mmap, "MAP_POPULATE", 0)


class _Copied:
    """MB that this process has copied into protected pages since it started."""

    megabytes = 0.0


def copied_megabytes() -> float:
    """MB that this process has copied into protected pages since it started, those that it has freed included."""
    return _Copied.megabytes


def protected(value: Any) -> Any:
    """An array, or a sparse matrix made of arrays, that nobody can write to; anything else as it is.

    Arrays of Python objects have no content of their own: numpy alone refuses to write to them.
    """
    if sparse.issparse(value):
        for name in _PARTS:
            if isinstance(getattr(value, name, None), np.ndarray):
                setattr(value, name, _protected(getattr(value, name)))
        return value
    return _protected(value) if isinstance(value, np.ndarray) else value


def _protected(array: np.ndarray) -> np.ndarray:
    if array.size == 0 or array.dtype.hasobject:
        array.flags.writeable = False
        return array
    if _is_protected(array):
        return array
    order: Any = "F" if array.flags.f_contiguous and not array.flags.c_contiguous else "C"
    pages = _Pages.of_size(array.nbytes)
    np.ndarray(array.shape, array.dtype, buffer=pages, order=order)[...] = array
    _Copied.megabytes += array.nbytes / 2**20
    return np.frombuffer(pages.sealed(), array.dtype).reshape(array.shape, order=order)


def _is_protected(array: np.ndarray) -> bool:
    """Whether its pages are protected already, here or as those of a file that is mapped for reading alone."""
    owner: Any = array
    while isinstance(owner, np.ndarray):
        if isinstance(owner, np.memmap):
            return owner.mode == "r"
        owner = owner.base
    return isinstance(owner, memoryview) and owner.readonly and isinstance(owner.obj, _Pages)


class _Pages(mmap.mmap):
    """Whole pages of their own, which nothing else shares; the system takes them back when no array looks at them."""

    @classmethod
    def of_size(cls, size: int) -> _Pages:
        """Pages for so many bytes, at least one.

        Raises
        ------
        MemoryError
            There is no room.
        """
        try:
            return cls(-1, size, flags=_FLAGS)
        except OSError as error:
            if error.errno == errno.ENOMEM:
                raise MemoryError(f"no room for {size / 2**20:.0f} MB of data") from None
            raise

    def sealed(self) -> memoryview:
        """Their content, from now on for reading alone: numpy cannot make arrays of it writeable, either."""
        first = ctypes.c_char.from_buffer(self)
        if _mprotect()(ctypes.addressof(first), len(self), mmap.PROT_READ) != 0:
            number = ctypes.get_errno()
            if number == errno.ENOMEM:  # the system counts mappings, too
                raise MemoryError("no room for one more protected array")
            raise OSError(number, f"mprotect: {os.strerror(number)}")
        return memoryview(self).toreadonly()


@cache
def _mprotect() -> Any:
    function = ctypes.CDLL(None, use_errno=True).mprotect
    function.argtypes, function.restype = (ctypes.c_void_p, ctypes.c_size_t, ctypes.c_int), ctypes.c_int
    return function

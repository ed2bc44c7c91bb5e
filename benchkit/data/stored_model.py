"""Files of fitted estimators: skops, read without executing anything, and the modules that any file names."""

from __future__ import annotations

import bz2
import gzip
import lzma
import pkgutil
import re
import zipfile
import zlib
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

from benchkit.errors import RequestError

# A type of numbers, which skops does not list: making one executes nothing.
_HARMLESS = {"numpy.dtype"}


def read_skops(path: Path, trusted: bool = False) -> Any:
    """The estimator of a file that skops wrote.

    Parameters
    ----------
    path : Path
    trusted : bool, default=False
        Whether it may need classes that skops does not know to be harmless.

    Raises
    ------
    RequestError
        One line: it names other classes, or is damaged.
    """
    from skops import io
    from skops.io.exceptions import UntrustedTypesFoundException

    try:
        needed = set(io.get_untrusted_types(file=path))
        return io.load(path, trusted=sorted(needed if trusted else needed & _HARMLESS))
    except UntrustedTypesFoundException:
        named = ", ".join(sorted(needed - _HARMLESS))
        raise RequestError(f"{path}: it needs classes that are not known to be harmless ({named})") from None
    except OSError as error:
        raise RequestError(f"{path}: cannot be read: {error.strerror or type(error).__name__}") from None
    except Exception as error:
        raise RequestError(f"{path}: damaged: {type(error).__name__}") from None


_AT_ONCE = 2**24
_MOST_BYTES = 2**33
_LONGEST = 512
_IN_SCHEMA = re.compile(rb'"__module__":\s*"([\w.]+)"')
# Opcodes of pickles: GLOBAL, of protocols up to 3, and SHORT_BINUNICODE, whose first byte is the length of the text.
_IN_PICKLE = re.compile(rb"c([A-Za-z_][\w.]*)\n[A-Za-z_]|\x8c(.)([A-Za-z_][\w.]*)", re.DOTALL)


def named_modules(path: Path) -> list[str]:
    """Modules that may be imported here and that a file names, as those of its classes: sorted.

    Parameters
    ----------
    path : Path
        Of skops, joblib or pickle, compressed or not. What an object of its has as text may be taken for a module, too.
    """
    found: set[str] = set()
    try:
        with path.open("rb") as file:
            for text in _parts(file, path.suffix.lower() == ".skops"):
                found |= set(_names(text))
    except (OSError, EOFError, ValueError, KeyError, zipfile.BadZipFile, lzma.LZMAError, zlib.error):
        pass  # damaged: who reads it will say so
    here = {each.name for each in pkgutil.iter_modules()}
    return sorted(name for name in found if name.partition(".")[0] in here)


def _names(text: bytes) -> Iterator[str]:
    for named in _IN_SCHEMA.findall(text):
        yield named.decode()
    for whole, length, begun in _IN_PICKLE.findall(text):
        if whole:
            yield whole.decode(errors="replace")
        elif len(begun) >= length[0]:
            yield begun[: length[0]].decode(errors="replace")


def _parts(file: Any, is_archive: bool) -> Iterator[bytes]:
    """What a file holds, piece by piece; they overlap, so that each name is whole in one."""
    if is_archive:
        with zipfile.ZipFile(file) as archive, archive.open("schema.json") as schema:
            yield from _overlapping(schema)
        return
    begins = file.read(6)
    file.seek(0)
    for magic, opened in _compressions().items():
        if begins.startswith(magic):
            with opened(file) as content:
                yield from _overlapping(content)
            return
    yield from _overlapping(file)


def _overlapping(file: Any) -> Iterator[bytes]:
    before = b""
    for _ in range(_MOST_BYTES // _AT_ONCE):
        if not (more := file.read(_AT_ONCE)):
            return
        yield before + more
        before = (before + more)[-_LONGEST:]


def _compressions() -> dict[bytes, Callable[[Any], Any]]:
    """Those that joblib writes, by the first bytes of a file."""
    from joblib.compressor import BinaryZlibFile

    return {
        b"\x1f\x8b": lambda file: gzip.GzipFile(fileobj=file),
        b"BZ": bz2.BZ2File,
        b"\xfd7zXZ": lzma.LZMAFile,
        b"]\x00": lzma.LZMAFile,
        b"x": BinaryZlibFile,
    }

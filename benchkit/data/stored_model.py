"""Files of fitted estimators: skops, read without executing anything, and the modules that any file names."""

from __future__ import annotations

import bz2
import gzip
import lzma
import pkgutil
import re
import zipfile
import zlib
from collections.abc import Callable
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


_IN_SCHEMA = re.compile(rb'"__module__":\s*"([\w.]+)"')
# Opcodes of pickles: GLOBAL, of protocols up to 3, and SHORT_BINUNICODE, whose first byte is the length of the text.
_IN_PICKLE = re.compile(rb"c([A-Za-z_][\w.]*)\n[A-Za-z_]|\x8c(.)([A-Za-z_][\w.]*)", re.DOTALL)
# Those that joblib writes, by the first bytes of a file.
_DECOMPRESS: dict[bytes, Callable[[bytes], bytes]] = {
    b"\x1f\x8b": gzip.decompress,
    b"BZ": bz2.decompress,
    b"\xfd7zXZ": lzma.decompress,
    b"]\x00": lzma.decompress,
    b"x": zlib.decompress,
}


def named_modules(path: Path) -> list[str]:
    """Modules that may be imported here and that a file names, as those of its classes: sorted.

    Parameters
    ----------
    path : Path
        Of skops, joblib or pickle, compressed or not. What an object of its has as text may be taken for a module, too.
    """
    try:
        content = _content(path)
    except (OSError, EOFError, ValueError, KeyError, zipfile.BadZipFile, lzma.LZMAError, zlib.error):
        return []  # damaged: who reads it will say so
    names = {name.decode() for name in _IN_SCHEMA.findall(content)}
    for whole, length, begun in _IN_PICKLE.findall(content):
        if whole or len(begun) >= length[0]:
            names.add((whole or begun[: length[0]]).decode(errors="replace"))
    here = {module.name for module in pkgutil.iter_modules()}
    return sorted(name for name in names if name.partition(".")[0] in here)


def _content(path: Path) -> bytes:
    if path.suffix.lower() == ".skops":
        with zipfile.ZipFile(path) as archive:
            return archive.read("schema.json")
    content = path.read_bytes()
    decompress = next((each for magic, each in _DECOMPRESS.items() if content.startswith(magic)), bytes)
    return decompress(content)

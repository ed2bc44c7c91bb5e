"""Files of fitted estimators: skops, read without executing anything, and the modules that any file names."""

from __future__ import annotations

import bz2
import gzip
import lzma
import pkgutil
import re
import zipfile
import zlib
from pathlib import Path
from typing import Any

from benchkit.errors import RequestError

# A type of numbers, which skops does not list: making one executes nothing.
_HARMLESS = {"numpy.dtype"}
_IN_SCHEMA = re.compile(rb'"__module__":\s*"([\w.]+)"')
# Opcodes of pickles: GLOBAL, of protocols up to 3, and SHORT_BINUNICODE, whose first byte is the length of the text.
_IN_PICKLE = re.compile(rb"c([A-Za-z_][\w.]*)\n[A-Za-z_]|\x8c(.)([A-Za-z_][\w.]*)", re.DOTALL)
# Those that joblib writes, by the first bytes of a file.
_COMPRESSED = {b"\x1f\x8b": gzip, b"BZ": bz2, b"\xfd7zXZ": lzma, b"]\x00": lzma, b"x": zlib}


def read_skops(path: Path, trusted: bool = False) -> Any:
    """The estimator of a file that skops wrote; ``trusted`` it may need classes that are not known to be harmless."""
    from skops import io

    try:
        unknown = set(io.get_untrusted_types(file=path))
        if trusted or unknown <= _HARMLESS:
            return io.load(path, trusted=sorted(unknown))
    except Exception as error:
        raise RequestError(f"{path}: cannot be read, or is damaged: {type(error).__name__}") from None
    names = ", ".join(sorted(unknown - _HARMLESS))
    raise RequestError(f"{path}: it needs classes that are not known to be harmless ({names})")


def named_modules(path: Path) -> list[str]:
    """Modules that may be imported here and that a file names, as those of its classes: sorted.

    It is of skops, joblib or pickle, compressed or not. A text in it may be taken for a module, too.
    """
    try:
        if path.suffix.lower() == ".skops":
            with zipfile.ZipFile(path) as archive:
                content = archive.read("schema.json")
        else:
            content = path.read_bytes()
            packed = [module for magic, module in _COMPRESSED.items() if content.startswith(magic)]
            content = packed[0].decompress(content) if packed else content
    except (OSError, EOFError, ValueError, KeyError, zipfile.BadZipFile, lzma.LZMAError, zlib.error):
        return []  # damaged: who reads it will say so
    names = {name.decode() for name in _IN_SCHEMA.findall(content)}
    for whole, length, begun in _IN_PICKLE.findall(content):
        if whole or len(begun) >= length[0]:
            names.add((whole or begun[: length[0]]).decode(errors="replace"))
    here = {module.name for module in pkgutil.iter_modules()}
    return sorted(name for name in names if name.partition(".")[0] in here)

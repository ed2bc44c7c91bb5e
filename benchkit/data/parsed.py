"""A file that is slow to parse, parsed once: afterwards its arrays are mapped from disk."""

from __future__ import annotations

import hashlib
import inspect
from collections.abc import Callable
from pathlib import Path

from benchkit.data.cache import cached
from benchkit.plugin.declarations import Data


def parse_once(path: Path, parse: Callable[[Path], Data]) -> Data:
    """What ``parse(path)`` returns, from the cache folder where the same content was parsed before.

    For files that take seconds: text of millions of numbers. The content of the file and the module of ``parse`` decide
    what is kept, so that either may change. Whatever else the result depends on must not be left to ``parse``: choose
    rows and columns from what it returns.

    Parameters
    ----------
    path : Path
    parse : callable
        A function of a module.

    Returns
    -------
    Data
        Its arrays may be mapped from disk, read-only.
    """
    with path.open("rb") as file:
        content = hashlib.file_digest(file, "sha256").hexdigest()
    source = hashlib.sha256(Path(inspect.getfile(parse)).read_bytes()).hexdigest()
    what = "\0".join([content, source, parse.__module__, parse.__qualname__])
    return cached(hashlib.sha256(what.encode()).hexdigest()[:32], lambda: parse(path))

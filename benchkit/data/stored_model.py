"""A fitted estimator in a file of skops, which is read without executing anything."""

from __future__ import annotations

import zipfile
from contextlib import nullcontext
from pathlib import Path
from typing import Any

from benchkit.errors import RequestError
from benchkit.regular_file import bounded_reading, open_regular, require_few_values

# skops does not compress: a file that becomes so many times larger was not written by it.
_EXPANDS, _SMALL = 4, 2**24
_SCHEMA = "schema.json"
# A type of numbers, which skops does not list: making one executes nothing.
_HARMLESS = {"numpy.dtype"}


def read_skops(path: Path, trusted: bool = False, limited: bool = True) -> Any:
    """The estimator of a file that skops wrote.

    Parameters
    ----------
    path : Path
    trusted : bool, default=False
        Whether it may need classes that skops does not know to be harmless.
    limited : bool, default=True
        Whether reading it may take only so much memory; not so where it is trusted.

    Raises
    ------
    RequestError
        One line: it names other classes, is damaged, or would fill the memory.
    """
    import scipy.sparse  # noqa: F401  what is imported while it is read would count as read
    import sklearn.base  # noqa: F401
    from skops import io
    from skops.io.exceptions import UntrustedTypesFoundException

    limited = limited and not trusted
    try:
        with open_regular(path) as file, bounded_reading(str(path)) if limited else nullcontext():
            with zipfile.ZipFile(file) as archive:
                expanded = sum(entry.file_size for entry in archive.infolist())
                if expanded > _SMALL + _EXPANDS * path.stat().st_size:
                    raise RequestError(f"{path}: it would become {expanded / 2**20:.0f} MB, and is not read")
                if limited:
                    require_few_values(archive.read(_SCHEMA))
            needed = set(io.get_untrusted_types(file=path))
            return io.load(path, trusted=sorted(needed if trusted else needed & _HARMLESS))
    except RequestError:
        raise
    except UntrustedTypesFoundException:
        named = ", ".join(sorted(needed - _HARMLESS))
        raise RequestError(f"{path}: it needs classes that are not known to be harmless ({named})") from None
    except OSError as error:
        raise RequestError(f"{path}: cannot be read: {error.strerror or type(error).__name__}") from None
    except Exception as error:
        raise RequestError(f"{path}: damaged: {type(error).__name__}") from None

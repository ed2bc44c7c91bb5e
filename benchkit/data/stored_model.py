"""A fitted estimator in a file of skops, which is read without executing anything."""

from __future__ import annotations

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

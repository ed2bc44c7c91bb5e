"""Files of fitted estimators: skops, read without executing anything."""

from pathlib import Path
from typing import Any

from benchkit.errors import RequestError

# A type of numbers, which skops does not list: making one executes nothing.
_HARMLESS = {"numpy.dtype"}


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

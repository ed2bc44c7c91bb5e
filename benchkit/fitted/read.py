"""Reading a fitted model from a file, or from a module."""

from __future__ import annotations

import pkgutil
import re
import sys
import warnings
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from benchkit.data.stored_model import read_skops
from benchkit.errors import RequestError
from benchkit.fitted.model import in_one_line

_PICKLES = (".joblib", ".pkl", ".pickle", ".sav")
_OBJECT = re.compile(r"[A-Za-z_][\w.]*:[A-Za-z_][\w.]*")


def read_model(place: str, trusted: bool = False) -> tuple[Any, list[str]]:
    """The model of a file, or of ``module:object``; and a note where another version of scikit-learn stored it.

    Parameters
    ----------
    place : str
        A file of skops is read without executing anything; ``.joblib`` and ``.pkl`` are not.
    trusted : bool, default=False
        Whether reading may execute what the file says.

    Raises
    ------
    RequestError
        There is no such model, it is not trusted, or it cannot be read; one line.
    """
    from sklearn.exceptions import InconsistentVersionWarning

    path = Path(place).expanduser()
    if _OBJECT.fullmatch(place) and not path.exists():
        return _of_module(place), []
    if not path.is_file():
        raise RequestError(f"there is no model {place}: give a file (.skops, .joblib, .pkl) or module:object")
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        model = _of_file(path, trusted)
    versions = {
        (message.original_sklearn_version, message.current_sklearn_version)
        for message in (warning.message for warning in caught)
        if isinstance(message, InconsistentVersionWarning)
    }
    text = "The model was stored by scikit-learn {0} and is read by {1}, where it may differ: install scikit-learn {0}."
    return model, [text.format(*each) for each in sorted(versions)]


def _of_file(path: Path, trusted: bool) -> Any:
    if path.suffix.lower() == ".skops":
        try:
            return read_skops(path, trusted)
        except RequestError as error:
            hint = "" if trusted else "; --trust reads it all the same, if you made it"
            raise RequestError(f"{error}{hint}") from None
    if path.suffix.lower() not in _PICKLES:
        raise RequestError(f"{path}: expected a model as .skops, .joblib or .pkl")
    if not trusted:
        raise RequestError(
            f"{path}: unpickling can execute any code: give --trust if you trust where the file comes from, "
            "or store it with skops"
        )
    import joblib

    try:
        with _on_path(str(path.absolute().parent), str(Path.cwd())):  # for classes that stand beside the model
            return joblib.load(path)
    except ModuleNotFoundError as error:
        told = "which is not installed, and lies neither beside the model nor in this folder"
        raise RequestError(f"{path}: the model needs the package {error.name!r}, {told}") from None
    except Exception as error:  # a damaged pickle raises anything
        raise RequestError(f"{path}: cannot be read: {in_one_line(error)}") from None


def _of_module(place: str) -> Any:
    """An object of a module that is installed, or lies in the current folder."""
    try:
        with _on_path(str(Path.cwd())):
            return pkgutil.resolve_name(place)
    except ModuleNotFoundError as error:
        raise RequestError(f"{place}: there is no module {error.name!r}") from None
    except AttributeError as error:
        raise RequestError(f"{place}: {error}") from None
    except Exception as error:  # a module may raise anything
        raise RequestError(f"{place}: importing it raises {in_one_line(error)}") from None


@contextmanager
def _on_path(*folders: str) -> Iterator[None]:
    """Modules of these folders can be imported, before others of their names."""
    before = list(sys.path)
    sys.path[:0] = folders
    try:
        yield
    finally:
        sys.path[:] = before

"""Reading the model and the hold-out that a command line names."""

from __future__ import annotations

import importlib
import re
import sys
import warnings
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

from benchkit.auditing.subject import in_one_line
from benchkit.data.stored_model import read_skops
from benchkit.data.table import read_table
from benchkit.errors import RequestError
from benchkit.plugin.nearest_name import Suggestion

if TYPE_CHECKING:
    import pandas as pd


_PICKLES = (".joblib", ".pkl", ".pickle", ".sav")
_OBJECT = re.compile(r"[A-Za-z_][\w.]*:[A-Za-z_][\w.]*")


@dataclass(frozen=True)
class StoredModel:
    """A model, and which version of scikit-learn stored it (empty where that is not known).

    Attributes
    ----------
    model : object
    version : str
    """

    model: Any
    version: str


def read_model(place: str, trusted: bool = False) -> StoredModel:
    """The model of a file, or of ``module:object``.

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
    path = Path(place).expanduser()
    if _OBJECT.fullmatch(place) and not path.exists():
        return StoredModel(_of_module(place), "")
    if not path.is_file():
        raise RequestError(f"there is no model {place}: give a file (.skops, .joblib, .pkl) or module:object")
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        model = _of_file(path, trusted)
    versions = {getattr(each.message, "original_sklearn_version", "") for each in caught} - {""}
    if not versions and type(model).__module__.startswith("sklearn."):  # it warns of every other version
        import sklearn

        versions = {sklearn.__version__}
    return StoredModel(model, versions.pop() if versions else "")


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
            f"{path}: unpickling executes whatever the file says: give --trust if you made it or trust who did, "
            "or store it with skops"
        )
    import joblib

    try:
        return joblib.load(path)
    except ModuleNotFoundError as error:
        raise RequestError(f"{path}: the model needs the package {error.name!r}, which is not installed") from None
    except Exception as error:  # a damaged pickle raises anything
        raise RequestError(f"{path}: cannot be read: {in_one_line(error)}") from None


def _of_module(place: str) -> Any:
    """An object of a module that is installed, or lies in the current folder."""
    module, _, name = place.partition(":")
    here = str(Path.cwd())
    added = here not in sys.path
    if added:
        sys.path.insert(0, here)
    try:
        found: Any = importlib.import_module(module)
        for part in name.split("."):
            found = getattr(found, part)
    except ModuleNotFoundError as error:
        raise RequestError(f"{place}: there is no module {error.name!r}") from None
    except AttributeError:
        raise RequestError(f"{place}: the module {module} has no {name!r}") from None
    except Exception as error:  # a module may raise anything
        raise RequestError(f"{place}: importing it raises {in_one_line(error)}") from None
    finally:
        if added:
            sys.path.remove(here)
    return found


_MOST_NAMED = 30


def read_holdout(
    path: Path, target: str, decimal: str | None = None, na_values: Sequence[str] | None = None
) -> tuple[pd.DataFrame, pd.Series]:
    """Columns and target of a file; types as pandas reads them, as when the model was trained on such a file.

    Parameters
    ----------
    path : Path
        ``.parquet``; else text with a header, separated by comma, semicolon or tab, also compressed.
    target : str
        The column to predict.
    decimal, na_values
        Of texts, see `benchkit.data.table.read_decided`.

    Raises
    ------
    RequestError
        There is no such file or column, or it is no table; one line.
    """
    frame = _read(path, decimal, na_values)
    if target not in frame.columns:
        names = [str(name) for name in frame.columns]
        shown = ", ".join(names[:_MOST_NAMED]) + (", ..." if len(names) > _MOST_NAMED else "")
        raise RequestError(f"{path}: no column {target!r}; {Suggestion(target, names, f'the columns are {shown}')}")
    return frame.drop(columns=target), frame[target]


def read_sources(path: Path) -> Any:
    """The mapping of a YAML file: names of sources to lists of columns, or to how often they are out.

    Raises
    ------
    RequestError
    """
    import yaml

    from benchkit.suite import yaml_text

    try:
        return yaml_text.parse(path.read_text(encoding="utf-8"))
    except OSError as error:
        raise RequestError(f"{path}: cannot be read: {error.strerror}") from None
    except (yaml.YAMLError, ValueError, RecursionError) as error:
        raise RequestError(f"{path}: not valid YAML: {' '.join(str(error).split())[:200]}") from None


def _read(path: Path, decimal: str | None, na_values: Sequence[str] | None) -> pd.DataFrame:
    frame = read_table(path, decimal, na_values)
    if frame.empty:
        raise RequestError(f"{path}: the table is empty")
    frame.columns = [str(name) for name in frame.columns]
    # Numbers of rows that pandas wrote into the file are no column of the data.
    return frame.drop(columns=[name for name in frame.columns if name == "Unnamed: 0"])

"""Reading a hold-out as it is: raw columns of a CSV or Parquet file, and groups of them."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

from benchkit.data.table import read_table
from benchkit.errors import RequestError
from benchkit.plugin.nearest_name import Suggestion
from benchkit.regular_file import read_regular

if TYPE_CHECKING:
    import pandas as pd

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
        return yaml_text.parse(read_regular(path, yaml_text.LONGEST).decode())
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

"""What an audit is given beside the model: a hold-out, which columns are lost together, how often sources are out."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

from benchkit import RequestError, nearest_name, read_table

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
        Of texts, see `benchkit.read_table`.

    Raises
    ------
    RequestError
        There is no such file or column, or it is no table; one line.
    """
    frame = _read(path, decimal, na_values)
    if target not in frame.columns:
        names = [str(name) for name in frame.columns]
        near = nearest_name(target, names)
        shown = ", ".join(names[:_MOST_NAMED]) + (", ..." if len(names) > _MOST_NAMED else "")
        hint = f"did you mean {near!r}?" if near else f"the columns are {shown}"
        raise RequestError(f"{path}: no column {target!r}; {hint}")
    return frame.drop(columns=target), frame[target]


def read_sources(path: Path) -> Any:
    """The mapping of a YAML file, names of sources to lists of columns: whatever stands there is text."""
    import yaml

    try:
        return yaml.load(path.read_text(encoding="utf-8"), Loader=yaml.BaseLoader)
    except OSError as error:
        raise RequestError(f"{path}: cannot be read: {error.strerror}") from None
    except (yaml.YAMLError, ValueError, RecursionError) as error:
        raise RequestError(f"{path}: not valid YAML: {' '.join(str(error).split())[:200]}") from None


def read_outages(path: Path) -> Any:
    """The same, where names of sources stand for how often they are out: numbers are read as such."""

    def number(text: Any) -> Any:
        try:
            return float(text)
        except (TypeError, ValueError):
            return text

    rates = read_sources(path)
    return {name: number(text) for name, text in rates.items()} if isinstance(rates, dict) else rates


def _read(path: Path, decimal: str | None, na_values: Sequence[str] | None) -> pd.DataFrame:
    frame = read_table(path, decimal, na_values)
    if frame.empty:
        raise RequestError(f"{path}: the table is empty")
    frame.columns = [str(name) for name in frame.columns]
    # Numbers of rows that pandas wrote into the file are no column of the data.
    return frame.drop(columns=[name for name in frame.columns if name == "Unnamed: 0"])


@dataclass(frozen=True)
class Source:
    """Columns that come from one place, and go together."""

    name: str
    columns: tuple[int, ...]  # their positions


def listed(names: Sequence[str], last: str = ", ") -> str:
    """Names in a row, in quotation marks where they hold a comma or an "and", which would make two of one."""
    shown = [f"'{name}'" if ", " in name or " and " in name else name for name in names]
    return shown[0] if len(shown) == 1 else f"{', '.join(shown[:-1])}{last}{shown[-1]}"


def make_sources(names: Sequence[str], groups: Mapping[str, Any] | None) -> list[Source]:
    """Every group as one source, and every other column as one of its own, in the order of the columns.

    Parameters
    ----------
    names : sequence of str
        The columns.

    Raises
    ------
    RequestError
        All that is wrong with the groups, in one line.
    """
    groups = groups or {}
    if not isinstance(groups, Mapping):
        raise RequestError(
            "sources: expected a mapping of names to lists of columns, such as {bureau: [income, score]}"
        )
    places = {name: place for place, name in enumerate(names)}
    owner: dict[int, str] = {}
    wrong = []
    for group, members in groups.items():
        if isinstance(members, str) or not isinstance(members, Sequence) or not members:
            wrong.append(f"{group} is {members!r}, expected a list of columns")
            continue
        for member in map(str, members):
            if member not in places:
                near = nearest_name(member, list(names))
                wrong.append(f"{group}: no column {member!r}" + (f" (is {near!r} meant?)" if near else ""))
            elif places[member] in owner:
                wrong.append(f"column {member!r} is in {owner[places[member]]} and in {group}")
            else:
                owner[places[member]] = str(group)
    if clash := [
        str(group) for group in groups if str(group) in places and owner.get(places[str(group)]) != str(group)
    ]:
        wrong.append(f"{clash[0]!r} is the name of a column that is not in the group")
    if wrong:
        raise RequestError("sources: " + "; ".join(wrong))
    members_of: dict[str, list[int]] = {}
    for place, name in enumerate(names):
        members_of.setdefault(owner.get(place, name), []).append(place)
    return [Source(name, tuple(columns)) for name, columns in members_of.items()]


def check_rates(rates: Any, sources: Sequence[Source]) -> dict[str, float]:
    """Rates of outages by source, in the order of the sources.

    Raises
    ------
    RequestError
        All that is wrong with them, in one line.
    """
    if not isinstance(rates, Mapping) or not rates:
        raise RequestError("outages: expected how often each source is out, such as {score: 0.02, office: 0.005}")
    names = [source.name for source in sources]
    wrong = []
    for name, rate in rates.items():
        if str(name) not in names:
            near = nearest_name(str(name), names)
            wrong.append(f"no source or column {str(name)!r}" + (f" (is {near!r} meant?)" if near else ""))
        elif isinstance(rate, bool) or not isinstance(rate, int | float) or not 0 < rate <= 1:
            wrong.append(f"{name} is {rate!r}, expected a share of the time, above 0 and at most 1")
    if wrong:
        raise RequestError("outages: " + "; ".join(wrong))
    given = {str(name): float(rate) for name, rate in rates.items()}
    return {name: given[name] for name in names if name in given}

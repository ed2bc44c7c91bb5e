"""Scores of a table, long or wide."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import partial
from typing import TYPE_CHECKING

from benchkit import TableError
from benchkit_judge import columns
from benchkit_judge.scores import Scores, checked, no_number, read_numbers, written_alike

if TYPE_CHECKING:
    import pandas as pd

_NUMBER_FIRST = r"\s*[^\w\s]?\d+([.,]\d+)?(?![-/\d.:])"  # no dates, times, or versions


def scores_of(
    frame: pd.DataFrame,
    source: str = "table",
    *,
    named: Mapping[str, str | None] | None = None,
    wide: bool | None = None,
    higher: bool | None = None,
    timings: bool | None = None,
    chosen: Sequence[str] = (),
    dropped: Sequence[str] = (),
    by: str = "mean",
) -> Scores:
    """Scores of a table.

    Parameters
    ----------
    frame : DataFrame
        Long, one row per method and task (and item, and seed), or wide, one column per method or per task.
    source : str, default="table"
        What messages call it.
    named : mapping of str to str or None, optional
        Columns by what they hold: method, task, item, seed, score, cluster, machine, order; others are guessed.
    wide : bool, optional
        By default a table is wide where no column is named like a score, and several hold numbers.
    higher : bool, optional
        Whether higher scores are better; by default as the score's name says.
    timings : bool, optional
        Whether scores are times; by default where they are named so.
    chosen, dropped : sequence of str
        Of a wide table, the columns that are scores, and columns that are left out: names, or patterns with ``*``.
    by : str, default="mean"
        What is compared: ranks may be of columns of different scales.
    """
    named = dict(named or {})
    if frame.empty:
        raise TableError(f"{source}: the table is empty: it has no rows")
    frame = frame.rename(columns=str)
    if frame.columns.duplicated().any():
        name = frame.columns[frame.columns.duplicated()][0]
        raise TableError(f"{source}: two columns are named {name!r}; rename one")
    frame = frame.drop(columns=columns.matching(frame, dropped, "--drop", source))
    blank = frame.isna().all(axis=1)
    frame, left_out = frame[~blank], [f"{blank.sum()} blank rows are left out"] if blank.any() else []
    found, guessed = columns.find(frame, named, source)
    if wide is None:
        wide = bool(chosen) or not ("score" in found and "method" in found)
    if wide:
        return _wide(frame, source, named, higher, bool(timings), chosen, by, left_out)
    for kind in ("method", "score"):
        if kind not in found:
            raise TableError(
                f"{source}: which column holds the {kind}? name it with --{kind} COLUMN, or say --wide; it has "
                f"{columns.listed(frame)}"
            )
    told = left_out + ([f"columns guessed by their names: {', '.join(guessed)}"] if guessed else [])
    measured = found["score"]
    if timings is None:
        timings = columns.is_time(measured)
        told += [f"{measured} is taken for times: ratios are compared"] if timings else []
    better = columns.higher_is_better(measured, False if timings and higher is None else higher, source)
    if higher is None:
        told.append(f"{'higher' if better else 'lower'} {measured} is taken to be better, by its name")
    long = frame[list(found.values())].copy()
    long.columns = list(found)
    return checked(long, source, measured=measured, higher_is_better=better, timings=timings, told=told)


def _holds_numbers(column: pd.Series, source: str) -> bool:
    """Whether a column holds numbers, and not only text; some text among numbers is a mistake."""
    import numpy as np
    import pandas as pd

    if pd.api.types.is_numeric_dtype(column):
        return True
    numbers, text = read_numbers(column)
    begin = column[text].astype(str).str.match(_NUMBER_FIRST).sum()  # "61,2", "0.61 (2 failed)", "61.2 pts"
    if text.any() and (numbers.notna().any() or 2 * begin > text.sum()):
        row = int(np.flatnonzero(text)[0])
        said = no_number(column.iloc[row])
        raise TableError(f"{source}: row {row + 1}, {column.name}: {said}, or leave the column out (--drop)")
    return not text.any()


def _wide(
    frame: pd.DataFrame,
    source: str,
    named: Mapping[str, str | None],
    higher: bool | None,
    timings: bool,
    chosen: Sequence[str],
    by: str,
    left_out: Sequence[str],
) -> Scores:
    """A table whose rows are methods and columns tasks, or the other way round."""
    import pandas as pd

    others = [name for name in frame.columns if name not in chosen or name in named.values()]
    rows, _ = columns.find(frame[others], {**named, "score": ""}, source)
    picked = columns.matching(frame, chosen, "--columns", source)
    rows = {
        kind: name for kind, name in rows.items() if named.get(kind) or not pd.api.types.is_float_dtype(frame[name])
    }
    by_method = "method" in rows
    if not by_method and not {"task", "item"} & rows.keys():
        raise TableError(f"{source}: {columns.which_is_what(frame)}")
    if by_method and "task" in rows and frame[rows["method"]].duplicated().any():
        raise TableError(
            f"{source}: which column holds the score of each method and task? name it with --score COLUMN; it has "
            f"{columns.listed(frame)}"
        )
    kind = "task" if by_method else "method"
    if by_method:
        rows.pop("task", None)
    # An index that pandas wrote has no name.
    others = [name for name in frame.columns if name not in rows.values() and not str(name).startswith("Unnamed: ")]
    numbers = [name for name in picked or others if name in others and _holds_numbers(frame[name], source)]
    if not chosen:
        numbers = [name for name in numbers if not columns.is_summary(name, kind)]
    if not numbers:
        raise TableError(f"{source}: no column holds numbers alone")
    texts = [name for name in numbers if not pd.api.types.is_numeric_dtype(frame[name])]
    told = written_alike(frame[numbers].stack(), source) if texts else []
    scores = frame[numbers].apply(lambda column: column if column.dtype == bool else read_numbers(column)[0])
    if not chosen:
        columns.require_scores(scores, kind, by != "ranks" and not timings, source)
    summaries = pd.concat([frame[name].map(partial(columns.is_summary, kind=of)) for of, name in rows.items()], axis=1)
    summaries = summaries.any(axis=1)
    summaries &= ~summaries.all()
    frame, scores = frame[~summaries], scores[~summaries]
    keys = list(rows.values())
    long = frame[keys].join(scores).melt(id_vars=keys, var_name="_column", value_name="_score")
    long.columns = [*rows, kind, "score"]
    said = f"its rows are {'methods' if by_method else 'tasks or items'} ({', '.join(keys)}), its columns {kind}s"
    told = [*left_out, f"a wide table: {said}", *told]
    if summaries.any():
        told.append(f"{summaries.sum()} rows that are made from the others, such as averages, are left out")
    left = [str(name) for name in others if name not in numbers]
    if left:
        told.append(f"columns that are no {kind} are left out: {', '.join(left[:8])}{' ...' if len(left) > 8 else ''}")
    if higher is None and not timings:
        raise TableError(f"{source}: are higher numbers better? say --higher-is-better or --lower-is-better")
    return checked(
        long, source, measured="score", higher_is_better=bool(higher) and not timings, timings=timings, told=told
    )

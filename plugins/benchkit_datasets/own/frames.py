"""A user's table as data: numbers as they are, categories one-hot, one column as the target."""

from __future__ import annotations

import difflib
from collections.abc import Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
import pandas as pd

from benchkit import Categories, Data, check_choice
from benchkit_datasets.problems import choose_problem
from benchkit_datasets.reading import join_blocks, make_block


class OwnTable(NamedTuple):
    """A user's rows, the column to predict (its name, or its position from 0), and what messages call them.

    Columns that were left ``aside`` are kept for splits and reports; ``files`` says of which file each row is.
    """

    frame: pd.DataFrame
    target: str | int
    source: str
    aside: pd.DataFrame | None = None
    files: Categories | None = None


def class_names(named: np.ndarray, y: np.ndarray) -> tuple[str, ...]:
    """The file's name of each of ``np.unique(y)``: of several classes that became one, what they are not.

    ``named`` are classes as the file has them, ``y`` labels as the problem has them.
    """
    made_of = [np.unique(named[y == label]).tolist() for label in np.unique(y)]
    alone = [str(names[0]) for names in made_of if len(names) == 1]
    return tuple(str(names[0]) if len(names) == 1 else f"not {alone[0]}" for names in made_of)


def to_binary(source: Path | str, y: np.ndarray, positive: object = None) -> np.ndarray:
    """Two classes as -1 and +1; more than two as they are, unless one of them is to be +1.

    ``positive`` is against all others; where it is absent and there are two classes, the larger (or later in the
    alphabet) becomes +1.
    """
    classes = np.unique(y).tolist()
    if len(classes) < 2:
        raise ValueError(f"{source}: all labels are {classes[0]!r}, expected at least two classes")
    if positive is not None:
        number = {"false": 0, "true": 1}.get(str(positive).lower())  # as truth values are read
        chosen = [known for known in classes if known in (positive, number) or str(known) == str(positive)]
        if not chosen:
            shown = classes if len(classes) <= 20 else [*classes[:20], "..."]
            raise ValueError(f"{source}: no label is {positive!r}; the classes are {shown}")
        return np.where(y == chosen[0], 1, -1)
    return np.where(y == classes[1], 1, -1) if len(classes) == 2 else y


def kept_columns(features: pd.DataFrame, aside: pd.DataFrame) -> dict[str, np.ndarray | Categories]:
    """Columns that are no features, or that features hold in another form, by names that do not repeat.

    Of the features categories are kept, as numbers stand in X; of the columns that are left ``aside`` all.
    """
    unique = features.loc[:, ~features.columns.duplicated(keep=False)]
    kept = {str(name): aside[name] for name in aside.columns if not aside[name].map(type).isin(_NESTED).any()}
    kept |= {str(name): unique[name] for name in unique.columns if not _is_number(unique[name])}
    return {name: _plain(column) for name, column in kept.items()}


def _is_number(column: pd.Series) -> bool:
    return bool(pd.api.types.is_numeric_dtype(column.dtype) or pd.api.types.is_bool_dtype(column.dtype))


def _plain(column: pd.Series) -> np.ndarray | Categories:
    if _is_number(column):
        whole = not column.isna().any()
        numbers: np.ndarray = column.to_numpy() if whole else column.to_numpy(dtype=np.float64, na_value=np.nan)
        return numbers
    if pd.api.types.is_datetime64_any_dtype(column.dtype):
        zone = getattr(column.dtype, "tz", None)
        moments: np.ndarray = (column if zone is None else column.dt.tz_convert(None)).to_numpy()
        return moments
    return Categories.of(column.astype(object))


Sources = Mapping[str, Sequence[str]]
"""From the name of a source to its columns of the table."""


def with_sources(data: Data, sources: Sources | None, where: str) -> Data:
    """The data of a table with a group for each source, of all columns and one-hot blocks that come from it.

    Raises ValueError where a source names no column of features, one that another source has, or is named as another
    column is; ``where`` is for messages.
    """
    if sources is None:
        return data
    if not isinstance(sources, Mapping) or not sources:
        raise ValueError(f"{where}: sources is {sources!r}, expected names with lists of columns, {{bureau: [income]}}")
    blocks: dict[str, list[int]] = {}
    named: Any = zip(data.group_names, data.groups, strict=True) if data.group_names else None
    for name, group in named or ((name, [place]) for place, name in enumerate(data.feature_names)):
        blocks[str(name)] = [int(place) for place in group]
    taken = _owners(blocks, sources, where)
    groups = {name: [place for column in columns for place in blocks[column]] for name, columns in sources.items()}
    if data.group_names:
        groups |= {name: block for name, block in blocks.items() if name not in taken}
    ordered = sorted(groups.items(), key=lambda group: min(group[1]))
    return replace(
        data,
        groups=[sorted(group) for _, group in ordered],
        group_names=[name for name, _ in ordered],
        one_hot=[block for block in blocks.values() if len(block) > 1],
    )


def _owners(blocks: Mapping[str, Sequence[int]], sources: Sources, where: str) -> dict[str, str]:
    """The source of each column that has one."""
    owners: dict[str, str] = {}
    for source, columns in sources.items():
        if isinstance(columns, str) or not isinstance(columns, Sequence) or not columns:
            raise ValueError(f"{where}: the source {source!r} is {columns!r}, expected a list of columns")
        for column in columns:
            if column not in blocks:
                shown = ", ".join([*blocks][:20]) + (", ..." if len(blocks) > 20 else "")
                raise ValueError(f"{where}: the source {source!r} names {column!r}; the columns are {shown}")
            if column in owners:
                both = f"{owners[column]!r} and {source!r}" if owners[column] != source else f"{source!r} twice"
                raise ValueError(f"{where}: column {column!r} is in the source {both}: a column has one source")
            owners[column] = source
    for source in sources:
        if source in blocks and owners.get(source) != source:
            raise ValueError(f"{where}: the source {source!r} has the name of a column that is not in it")
    return owners


# So many different values may be in a small table by chance.
_FEW = 20
# From this share of rows with a text of their own on, a column names rows.
_UNLIKE = 0.9
_NESTED = (list, tuple, dict, np.ndarray)
# A column of each of its values would take more than a gigabyte: texts, not categories.
_MOST_CELLS = 2**27


def leave_out(table: OwnTable, drop: Sequence[str | int]) -> OwnTable:
    """The table with the columns to drop (or one) aside, its target by name where its position would change."""
    frame, target, source, *_ = table
    drop = list(map(str, [drop] if isinstance(drop, str | int) else drop))
    if str(target) in frame.columns:  # a name of digits, too
        target = str(target)
    absent = [name for name in drop if name not in frame.columns]
    if absent:
        raise ValueError(f"{source}: no column to drop is named {absent[0]!r}; {_columns(absent[0], frame)}")
    if drop and isinstance(target, int) and -len(frame.columns) <= target < len(frame.columns):
        target = str(frame.columns[target])
    if target in drop:
        raise ValueError(f"{source}: column {target!r} is the target and cannot be dropped")
    return table._replace(frame=frame.drop(columns=drop), target=target, aside=frame[drop])


def _columns(name: str, frame: pd.DataFrame) -> str:
    """The end of a message about a column: the nearest name, or all of them."""
    names = [str(other) for other in frame.columns]
    shown = ", ".join(names[:20]) + (", ..." if len(names) > 20 else "")
    nearest = [] if name in names else difflib.get_close_matches(name, names, n=1)
    return f"did you mean {nearest[0]!r}?" if nearest else f"the columns are {shown}"


def take_target(table: OwnTable, missing_target: str = "error") -> tuple[pd.DataFrame, pd.Series]:
    """The features, and the column to predict, which has no missing value.

    The target is a name, or a position from 0, -1 being the last column; ``missing_target`` says whether rows without
    one are a mistake ("error"), or left out ("drop").
    """
    check_choice(("error", "drop"), missing_target=missing_target)
    frame, target, source = table.frame.reset_index(drop=True), table.target, table.source
    names = [str(name) for name in frame.columns]
    if isinstance(target, bool) or not isinstance(target, str | int):
        raise ValueError(f"target is {target!r}, expected the name of a column or its position from 0")
    if isinstance(target, str):
        if names.count(target) != 1:
            which = "several columns are" if target in names else "no column is"
            raise ValueError(f"{source}: {which} named {target!r}; {_columns(target, frame)}")
        position = names.index(target)
    elif -len(names) <= target < len(names):
        position = target % len(names)
    else:
        raise ValueError(f"{source}: target is column {target}, there are only {len(names)}")
    labels = frame.iloc[:, position]
    missing = labels.isna().to_numpy()
    if missing.any() and missing_target == "error":
        raise ValueError(
            f"{source}: the target, column {names[position]!r}, is missing in {missing.sum()} of {len(labels)} rows, "
            f"the first in record {int(np.argmax(missing)) + 1}: write 'missing_target: drop' to leave them out"
        )
    if missing.all():
        raise ValueError(f"{source}: the target, column {names[position]!r}, is missing in all rows")
    if len(names) < 2:
        raise ValueError(f"{source}: one column only, expected features and a target")
    # By position: names may repeat.
    features = frame.iloc[:, [j for j in range(len(names)) if j != position]]
    return features[~missing], labels[~missing]


def encode_features(frame: pd.DataFrame, source: str) -> tuple[np.ndarray, list[str], list[list[int]], list[str]]:
    """Numbers and truth values as one column each, categories as one column a category; and the columns' names.

    NaN where a value is missing, in all columns of its category. Then the columns of each feature, empty where none is
    a category, and their names in the table.
    """
    blocks, names = [], []
    for position, name in enumerate(map(str, frame.columns)):
        column = frame.iloc[:, position]
        if pd.api.types.is_bool_dtype(column.dtype) or pd.api.types.is_numeric_dtype(column.dtype):
            values = column.to_numpy(dtype=np.float64, na_value=np.nan)
            if np.isinf(values).any():
                raise ValueError(f"{source}: column {name!r} holds infinity in record {np.isinf(values).argmax() + 1}")
            blocks.append(values[:, None])
            names.append(name)
        elif pd.api.types.is_datetime64_any_dtype(column.dtype) or pd.api.types.is_timedelta64_dtype(column.dtype):
            raise ValueError(f"{source}: column {name!r} holds dates, which are neither numbers nor categories")
        else:
            if column.map(type).isin(_NESTED).any():
                raise ValueError(
                    f"{source}: column {name!r} holds lists, not a value a row: leave it out, or spread it over columns"
                )
            missing = column.isna().to_numpy()
            text = column.astype(object).astype(str).to_numpy()
            categories = sorted(set(text[~missing].tolist()))
            if not categories:
                blocks.append(np.full((len(column), 1), np.nan))
                names.append(name)
                continue
            if len(categories) > max(_FEW, _UNLIKE * (~missing).sum()) or len(categories) * len(column) > _MOST_CELLS:
                raise ValueError(
                    f"{source}: column {name!r} has {len(categories)} different texts in {len(column)} rows, such as "
                    f"{categories[0]!r}: what names rows says nothing of others; leave it out (drop: [{name}]), and "
                    f"test later rows if it holds dates (split: {{time: {name}}})"
                )
            positions = {category: float(code) for code, category in enumerate(categories)}
            codes = np.array([positions.get(value, np.nan) for value in text])
            codes[missing] = np.nan
            blocks.append(make_block(codes, len(categories)))
            names += [f"{name}={category}" for category in categories]
    X, groups = join_blocks(blocks)
    grouped = X.shape[1] > len(blocks)
    return X, names, groups if grouped else [], list(map(str, frame.columns)) if grouped else []


def to_classes(labels: pd.Series) -> np.ndarray:
    """Labels as ints where all are whole numbers (or truth values), else as text."""
    if pd.api.types.is_bool_dtype(labels.dtype):
        return labels.to_numpy(dtype=int)
    if pd.api.types.is_numeric_dtype(labels.dtype):
        values = labels.to_numpy(dtype=np.float64)
        if np.array_equal(values, np.round(values)):
            return values.astype(int)
    text = [str(value).strip() for value in labels]
    try:
        return np.array([int(value) for value in text])
    except ValueError:
        return np.array(text)


def to_targets(labels: pd.Series, source: str) -> np.ndarray:
    """Targets as float64, each of which must be a finite number."""
    values = pd.to_numeric(labels.astype(object), errors="coerce").to_numpy(dtype=np.float64)
    if not np.isfinite(values).all():
        row = int(np.argmin(np.isfinite(values)))
        target = labels.astype(object).iloc[row]
        raise ValueError(f"{source}: target {target!r} in record {row + 1} is not a finite number")
    return values


def choose_labels(
    y: np.ndarray, source: str, positive: Any = None, pair: Sequence[Any] | None = None, one_against_rest: Any = None
) -> tuple[np.ndarray, np.ndarray]:
    """The problem that a user's options make of classes: numbers of rows, and their labels.

    With two classes, ``positive`` becomes +1; else the larger, or later in the alphabet, does. For ``pair`` and
    ``one_against_rest`` see `benchkit_datasets.problems.choose_problem`.
    """
    if pair is None and one_against_rest is None:
        if positive is not None and len(np.unique(y)) > 2:
            raise ValueError(f"{source}: {len(np.unique(y))} classes: use 'one_against_rest' or 'pair', not 'positive'")
        return np.arange(len(y)), to_binary(source, y, positive)
    if positive is not None:
        raise ValueError("'positive' does not go with 'pair' or 'one_against_rest', which name the classes themselves")
    try:
        rows, labels = choose_problem(y, pair, one_against_rest)
    except ValueError as error:
        raise ValueError(f"{source}: {error}") from None
    return np.arange(len(y))[rows], labels


def load_classes(
    table: OwnTable, positive: Any, pair: Sequence[Any] | None, one_against_rest: Any, missing_target: str
) -> Data:
    """A table whose target column holds classes."""
    (features, labels), source = take_target(table, missing_target), table.source
    different = labels.nunique()
    if pd.api.types.is_numeric_dtype(labels.dtype) and different > max(_FEW, len(labels) / 2):
        raise ValueError(
            f"{source}: the target, column {str(labels.name)!r}, has {different} different numbers "
            f"in {len(labels)} rows, which are hardly classes: to predict numbers take the reader that ends with "
            "-regression, such as csv-regression ('new suite': --task regression); or does another column hold the "
            "classes?"
        )
    named = to_classes(labels)
    rows, y = choose_labels(named, source, positive, pair, one_against_rest)
    if pd.api.types.is_bool_dtype(labels.dtype):
        named = labels.to_numpy(dtype=str)
    return replace(_data(table, features, labels.name, rows, y), class_names=class_names(named[rows], y))


def load_targets(table: OwnTable, missing_target: str) -> Data:
    """A table whose target column holds numbers."""
    features, labels = take_target(table, missing_target)
    return _data(table, features, labels.name, np.arange(len(labels)), to_targets(labels, table.source))


def _data(table: OwnTable, features: pd.DataFrame, target: Any, rows: np.ndarray, y: np.ndarray) -> Data:
    """Some rows of a table, with their labels; further columns are of the rows that are left, counted from 0."""
    X, names, groups, group_names = encode_features(features, table.source)
    kept = features.iloc[rows]
    places = kept.index.to_numpy()
    aside = pd.DataFrame(index=kept.index) if table.aside is None else table.aside.iloc[places]
    columns = kept_columns(kept, aside)
    return Data(
        X=X if len(rows) == len(X) else X[rows],
        y=y,
        feature_names=names,
        groups=groups,
        group_names=group_names,
        target_name=str(target),
        columns=columns if table.files is None else {**columns, Data.FILE: table.files.take(places)},
    )

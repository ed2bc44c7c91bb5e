"""Writing a first suite for a user's table: it looks at the file, and what it writes runs as it is."""

from __future__ import annotations

import gzip
import math
import re
from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

from benchkit.data.columns import find_column
from benchkit.plugin.declarations import Data, DataUnavailableError, Features
from benchkit.plugin.manager import registry
from benchkit.plugin.nearest_name import nearest_name
from benchkit.scaffold.odd_numbers import numbers_as_texts, unlikely_numbers, worded_numbers
from benchkit.scaffold.split_hints import split_hints
from benchkit.scaffold.table_facts import (
    Fact,
    are_dates,
    class_counts,
    is_rare,
    row_facts,
    useless_columns,
)
from benchkit.scaffold.write import ScaffoldError
from benchkit.whole_file import write_whole

_READERS = {".parquet": "parquet", ".pq": "parquet"}
# A column of so many whole numbers is no column of classes.
_MOST_CLASSES = 20
_MOST_BUDGET = 5
# Of a larger table the suite draws so many rows, and asks no method that takes minutes for as many.
_MOST_ROWS = 20_000
_SLOW_FROM = 5_000
# So many of its rows are tested at most: adversaries that ask the model do so many times for each.
_MOST_TESTED = 2_000
_FEW_ROWS = 200
_MOST_LISTED = 10
TASKS = ("classification", "regression")
# What the readers say of a column that tells nothing of other rows, and of what they need to be told.
_USELESS = re.compile(r"column '(.+?)' (?:has (\d+) different texts|holds (dates))")
_MANY = re.compile(r"(\d+ classes): use 'one_against_rest'")
_UNTOLD = re.compile(r"is missing in (\d+) of \d+ rows")


@dataclass(frozen=True)
class OwnTable:
    """What is seen of a file.

    Attributes
    ----------
    reader : str
        The dataset that reads it.
    data : Data
    options : dict of str to value
        What reading it takes beside its path and its target.
    facts : list of Fact
        What is peculiar of its columns and rows, and what the suite does about it.
    """

    reader: str
    data: Data
    options: dict[str, Any] = field(default_factory=dict)
    facts: list[Fact] = field(default_factory=list)

    @property
    def dropped(self) -> list[str]:
        """Columns that are left out: names of rows, dates."""
        dropped: list[str] = self.options.get("drop", [])
        return dropped

    @property
    def features(self) -> Features:
        """The table's columns."""
        return Features(self.data.X.shape[1], self.data.groups)

    @property
    def categories(self) -> int:
        """How many columns are categories."""
        return sum(len(group) > 1 for group in self.data.groups)

    @property
    def missing(self) -> float:
        """Share of the table's values that are missing: one of a category, however many columns stand for it."""
        import numpy as np

        first = [group[0] for group in self.data.groups] or slice(None)
        return float(np.isnan(self.data.X[:, first]).mean())

    @property
    def regression(self) -> bool:
        """Whether numbers are to be predicted."""
        return self.reader.endswith("-regression")


@dataclass(frozen=True)
class Written:
    """A suite's file, and the table that it is for."""

    path: Path
    table: OwnTable


def write_suite(
    file: Path,
    target: str,
    out: Path | None = None,
    positive: str | None = None,
    task: str | None = None,
    reading: Mapping[str, Any] | None = None,
) -> Written:
    """Write a commented suite for a table.

    Parameters
    ----------
    file : Path
        CSV (perhaps ``.gz``) or Parquet.
    target : str
        The column to predict.
    out : Path, optional
        The suite's file; named after the table, in the current directory, where None.
    positive : str, optional
        Of two classes the one that is +1, for the metrics that are of one class.
    task : {"classification", "regression"}, optional
        What is asked; where None, numbers with decimals are predicted, and whole numbers of more than twenty values.
    reading : mapping of str to value, optional
        How the file is read: ``decimal`` and ``na_values`` of CSV.

    Returns
    -------
    Written

    Raises
    ------
    ScaffoldError
        The table cannot be read or holds nothing to predict by, or the suite is there already.
    """
    stem = re.sub(r"[^A-Za-z0-9._-]+", "-", file.name.partition(".")[0]).strip("-._") or "suite"
    place = out or Path(f"{stem}.yaml")
    if place.exists():
        raise ScaffoldError(f"{place} exists already: remove it, or name another file by --out")
    if task not in (None, *TASKS):
        raise ScaffoldError(f"--task is {task!r}, expected {' or '.join(TASKS)}")
    if task == "regression" and positive is not None:
        raise ScaffoldError("--positive names a class, and --task regression has none: leave one of them out")
    table = look(file, target, positive, task, reading)
    try:
        write_whole(place, suite_text(stem, file, target, positive, table))
    except OSError as error:
        raise ScaffoldError(f"{place}: cannot write: {error.strerror or error}") from None
    return Written(place, table)


def look(
    file: Path,
    target: str,
    positive: str | None = None,
    task: str | None = None,
    reading: Mapping[str, Any] | None = None,
) -> OwnTable:
    """Read a table, or a part of a large one, without the columns that tell nothing of other rows."""
    reader = _READERS.get(file.suffix, "csv")
    datasets = registry().datasets
    of_classes = {} if positive is None else {"positive": positive}
    options: dict[str, Any] = dict(reading or {})
    if options and reader != "csv":
        raise ScaffoldError(f"{file}: {', '.join(options)} is of CSV; this file says itself what its numbers are")
    facts: list[Fact] = []
    untold = 0
    regression = task == "regression"
    decided = task is not None or positive is not None
    while True:
        name = f"{reader}-regression" if regression else reader
        params = {"path": str(file), "target": target, **options, **({} if regression else of_classes)}
        try:
            data = datasets[name].load(**params, rows=_MOST_ROWS)
        except (ValueError, DataUnavailableError) as error:
            message = str(error)
            if (useless := _USELESS.search(message)) and useless[1] not in options.get("drop", ()):
                options["drop"] = [*options.get("drop", ()), useless[1]]
                facts.append(Fact(useless[1], useless[3] or f"{useless[2]} different texts", "left out"))
            elif (gaps := _UNTOLD.search(message)) and "missing_target" not in options:
                options["missing_target"], untold = "drop", int(gaps[1])
            elif "give 'header: true'" in message and "header" not in options:
                options["header"] = True  # the target was named, so there are names
            elif "hardly classes" in message and not regression and not decided:
                regression = True
            elif many := _MANY.search(message):
                raise ScaffoldError(
                    f"{file}: --positive is for two classes, and {target!r} has {many[1]}: leave it out to predict "
                    f"all, or write 'one_against_rest: {positive}' beside the target into the suite to detect one"
                ) from None
            else:
                raise ScaffoldError(_with_nearest(message, target)) from None
            continue
        if not regression and not decided and _are_amounts(data):
            regression = True
            continue
        if not regression and len(set(data.y.tolist())) > max(_MOST_CLASSES, len(data.y) / 2):
            raise ScaffoldError(
                f"{file}: column {target!r} has {len(set(data.y.tolist()))} classes in {len(data.y)} rows"
            )
        if found := useless_columns(data):
            options["drop"] = [*options.get("drop", ()), *(fact.where for fact in found)]
            facts += found
            if len(found) == Features(data.X.shape[1], data.groups).n_features:
                said = "; ".join(f"{fact.where}: {fact.what}" for fact in facts)
                raise ScaffoldError(f"{file}: no column is left to predict {target} by ({said})")
            continue
        whole = None
        if len(data.y) + untold >= _MOST_ROWS:
            options["rows"], whole = _MOST_ROWS, _count_rows(file, reader)
        worded = [*worded_numbers(data, options.get("drop", ())), *numbers_as_texts(data, options.get("drop", ()))]
        told = {fact.where for fact in worded}
        # A reader says of dates that all differ that they are different texts.
        facts = [
            replace(fact, what="dates") if are_dates(find_column(data, fact.where)) else fact
            for fact in facts
            if fact.where not in told
        ]
        facts += worded + unlikely_numbers(data) + row_facts(data, regression, whole, untold, options.get("drop", ()))
        return OwnTable(name, data, options, facts)


def _with_nearest(message: str, target: str) -> str:
    """The reader's message; where it lists columns, since none has the target's name, the nearest instead."""
    if message.endswith("is not UTF-8 text"):
        return f"{message}: save the file as UTF-8 (spreadsheets call it 'CSV UTF-8')"
    start, found, columns = message.partition("; the columns are ")
    near = nearest_name(target, columns.split(", ")) if found else None
    return f"{start}; did you mean {near!r}?" if near else message


def _are_amounts(data: Data) -> bool:
    """Whether what was read as classes is numbers with decimals, or whole ones of many values."""
    classes = set(data.y.tolist())
    if data.y.dtype.kind in "iu":
        return len(classes) > _MOST_CLASSES
    try:
        return len(classes) > 2 and any(not float(text).is_integer() for text in classes)
    except ValueError:
        return False


def _count_rows(file: Path, reader: str) -> int:
    """Rows of a file; of a text its lines but the first, which may be more."""
    if reader == "parquet":
        from pyarrow import parquet

        return int(parquet.ParquetFile(file).metadata.num_rows)
    with gzip.open(file) if file.suffix == ".gz" else file.open("rb") as lines:
        return sum(1 for _ in lines) - 1


def suite_text(name: str, file: Path, target: str, positive: str | None, table: OwnTable) -> str:
    """The suite as YAML with comments."""
    from benchkit.suite import yaml_text

    features = table.features.n_features
    entry: dict[str, Any] = {"name": table.reader, "path": str(file), "target": target}
    columns = {*table.data.feature_names, *table.data.group_names, target}
    entry["label"] = file.name if name in columns else name
    entry |= table.options
    entry |= {"positive": positive} if positive is not None else {}
    dataset = yaml_text.write([entry], width=1000, flow=True).strip()[1:-1]
    numbers = features - table.categories
    columns_are = "column" if features == 1 else "columns"
    seen = [f"{len(table.data.y)} rows, {features} {columns_are} beside {target}: {numbers} of numbers"]
    seen += [f"{table.categories} of categories"] if table.categories else []
    seen += [f"{table.missing:.1%} of the values missing"] if table.missing else []
    # One column at least is left.
    budgets = list(range(min(_MOST_BUDGET, features - 1) + 1))
    few = len(table.data.y) < _FEW_ROWS
    lines = [f"# {file.name}: {', '.join(seen)}."]
    lines += [f"# {fact.where}: {fact.what}; {fact.done}." for fact in table.facts]
    lines += [
        f"# {said_of_target(table)}",
        "# benchkit plan says what would run, benchkit run runs it; --profile quick takes a part of it.",
        f"name: {name}",
        f"title: Which method stands the loss of columns of {file.name} best?",
        "datasets:",
        f"  - {dataset}",
        *split_hints(table.data, table.dropped, 30 if few else 10),
        *_split(len(table.data.y), 30 if few else 10),
        *_preparation(table),
        *(_regression(budgets) if table.regression else _classification(table, budgets)),
        "seed: 1",
        "profiles:",
        f"  quick: {{split: {{repetitions: {5 if few else 2}}}}}",
        f"  full: {{split: {{repetitions: {100 if few else 30}}}}}",
    ]
    return "\n".join(lines) + "\n"


def _split(rows: int, repetitions: int) -> list[str]:
    """How rows are drawn, with a word on test rows where not all that are left are taken."""
    parts = f"split: {{repetitions: {repetitions}, train: 0.5, validation: 0.25, test: "
    if rows <= 4 * _MOST_TESTED:
        return [f"{parts}0.25}}"]
    within = 196 * math.sqrt(0.25 / _MOST_TESTED)
    return [
        f"# {_MOST_TESTED:,} rows are tested in each repetition, as query-delete asks a model about each many times:",
        f"# a share of them is within {within:.1f} points of that of all rows, 19 times of 20; reports tell intervals.",
        f"{parts}{_MOST_TESTED}}}",
    ]


def said_of_target(table: OwnTable) -> str:
    """What is predicted, in a sentence."""
    if table.regression:
        return f"Numbers are predicted, from {table.data.y.min():g} to {table.data.y.max():g}."
    labels, counts = class_counts(table.data)
    listed = list(zip(labels, counts.tolist(), strict=True))
    counted = ", ".join(f"{label} ({count})" for label, count in listed[:_MOST_LISTED])
    counted += f" and {len(listed) - _MOST_LISTED} more" if len(listed) > _MOST_LISTED else ""
    two = f"; {labels[1]} is the class to detect, unless 'positive' names the other" if len(labels) == 2 else ""
    return f"{len(labels)} classes are predicted: {counted}{two}."


def _preparation(table: OwnTable) -> list[str]:
    lines = []
    if table.categories:
        lines.append("# A category is one column of 0 and 1 for each of its values: one feature, deleted whole.")
    lines.append("# A gap becomes 0, the mean of a number, for methods that take no NaN; the others see the gap.")
    lines.append("preprocess: [{standardize: numbers}, {clip: 5}, {impute-where-needed: zero}]")
    return lines


def _classification(table: OwnTable, budgets: list[int]) -> list[str]:
    two = len(set(table.data.y.tolist())) == 2
    metrics = ["error", "balanced_accuracy", "roc_auc" if two else "f1_macro"]
    if is_rare(table.data):
        metrics = ["balanced_accuracy", "roc_auc" if two else "f1_macro", "error"]
    tune = "tune: {data: clean}"
    corrupted = "tune: {data: corrupted}"
    lines = ["algorithms:", f"  - {{name: logistic-regression, {tune}}}"]
    slow = len(table.data.y) > _SLOW_FROM
    svm = f"  - {{name: svm, {tune}}}"
    if two:
        lines += [
            "  # svm is left out: four times the rows take it sixteen times as long." if slow else svm,
            "  # Trained, and tuned, against the loss of columns.",
            f"  - {{name: fdrop, {corrupted}}}",
            f"  - {{name: lp, {corrupted}}}",
        ]
    else:
        lines += [
            "  # Trained, and tuned, against the loss of columns.",
            "  - name: one-versus-rest",
            "    label: fdrop",
            "    params: {estimator: fdrop}",
            "    tune: {data: corrupted, grid: {C: [0.01, 0.1, 1]}}",
        ]
    lines += [
        "  - {name: random-forest, params: {n_estimators: 50, min_samples_leaf: 5}}",
        "  # It takes NaN as it is; so does the forest.",
        f"  - {{name: gradient-boosting, params: {{max_iter: 50}}, {tune}}}",
        "  - constant  # the largest class, whatever the row: what is worse than that is worth nothing",
        "# What a lost column leaves: nan (a gap, as above), zero or mean.",
        "adversaries:",
        f"  - {{name: random-delete, params: {{fill: nan}}, budgets: {budgets}}}",
        "  # The worst case, step by step, by asking the model itself.",
        f"  - {{name: query-delete, params: {{fill: nan}}, budgets: {budgets}}}",
        "  # At random again, but a zero stands where the value was, and nobody is told.",
        f"  - {{name: random-delete, label: silent-zeros, params: {{fill: zero}}, budgets: {budgets}}}",
        f"metrics: [{', '.join(metrics)}]",
    ]
    return lines


def _regression(budgets: list[int]) -> list[str]:
    ensemble = "sklearn.ensemble"
    return [
        "algorithms:",
        "  - {name: huber, tune: {data: clean}}",
        "  - {name: lasso, tune: {data: clean}}",
        "  - {name: torrent, tune: {data: clean}}  # leaves out the rows that it fits worst",
        f'  - {{estimator: "{ensemble}:RandomForestRegressor", label: random-forest}}',
        f'  - {{estimator: "{ensemble}:HistGradientBoostingRegressor", label: gradient-boosting}}',
        "  - mean  # whatever the row: what is worse than that is worth nothing",
        "adversaries:",
        f"  - {{name: random-delete, params: {{fill: nan}}, budgets: {budgets}}}",
        "  # In the training part: values that go missing, and targets that are wrong.",
        "  - {name: missing-at-random, budgets: [0, 0.2, 0.4]}",
        "  - {name: corrupt-responses, budgets: [0, 0.1, 0.2]}",
        "metrics: [mean-absolute-error, r2]",
    ]

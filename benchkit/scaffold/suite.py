"""Writing a first suite for a user's table: it looks at the file, and what it writes runs as it is."""

from __future__ import annotations

import json
import math
import re
import warnings
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

from benchkit.data.leaks import is_numeric
from benchkit.data.table import read_table
from benchkit.errors import writing
from benchkit.plugin.declarations import Dataset
from benchkit.plugin.declarations.declaration import TASKS
from benchkit.plugin.manager import registry
from benchkit.plugin.parameters import suggestion
from benchkit.scaffold.table import FEW_ROWS, GROUPED, Fact, facts_of, is_rare, useless_columns
from benchkit.scaffold.write import ScaffoldError
from benchkit.suite import yaml_text
from benchkit.suite.names import shipped_folder
from benchkit.whole_file import write_whole

if TYPE_CHECKING:
    import pandas as pd

# A column of so many whole numbers is no column of classes.
_MOST_CLASSES = 20
_MOST_BUDGET = 5
# Beyond it not every whole number is a decimal of 64 bits.
_LARGEST_WHOLE = 2**53
# Of a larger table the suite draws so many rows, and asks no method that takes minutes for as many.
_MOST_ROWS = 20_000
_SLOW_FROM = 5_000
# So many of its rows are tested at most: adversaries that ask the model do so many times for each.
_MOST_TESTED = 2_000
_MOST_LISTED = 10


@dataclass(frozen=True)
class OwnTable:
    """What is seen of a file."""

    reader: str  # the dataset that reads it
    frame: pd.DataFrame  # its rows that have a target, or a part of many
    target: str
    regression: bool
    options: dict[str, Any]  # of reading it, beside its path and its target
    facts: list[Fact]
    groups: str | None  # the column by which rows belong together, where one was named or is likely

    @property
    def features(self) -> pd.DataFrame:
        """The columns to predict by."""
        return self.frame.drop(columns=[self.target, *self.options.get("drop", ())])

    @property
    def class_counts(self) -> pd.Series:
        """How many rows each class has, in the order in which they are learned."""
        return self.frame[self.target].value_counts().sort_index()

    @property
    def target_in_words(self) -> str:
        """What is predicted, in a sentence."""
        if self.regression:
            values = self.frame[self.target].astype(float)
            return f"Numbers are predicted, from {values.min():g} to {values.max():g}."
        counts = self.class_counts
        listed = ", ".join(f"{label} ({count})" for label, count in counts[:_MOST_LISTED].items())
        listed += f" and {len(counts) - _MOST_LISTED} more" if len(counts) > _MOST_LISTED else ""
        positive = self.options.get("positive")
        detected = f"; {counts.index[1]} is the class to detect, unless 'positive' names the other"
        detected = detected if positive is None else f"; {positive} is the class to detect"
        number = len(counts) > 2 and is_numeric(self.frame[self.target])
        other = " To predict a number instead, ask again with --task regression." if number else ""
        return f"{len(counts)} classes are predicted: {listed}{detected if len(counts) == 2 else ''}.{other}"


def write_suite(
    file: Path,
    target: str,
    out: Path | None = None,
    positive: str | None = None,
    task: str | None = None,
    reading: Mapping[str, Any] | None = None,
    groups: str | None = None,
    at_random: bool = False,
) -> tuple[Path, OwnTable]:
    """Write a commented suite for a table, CSV (perhaps ``.gz``) or Parquet; its path, and what was seen of the table.

    It is written to ``out``, or named after the table. ``positive`` is of two classes the one that is +1. Without a
    ``task``, numbers with decimals are predicted, and whole numbers of more than twenty values. ``reading`` says how
    CSV is read: ``decimal`` and ``na_values``. Rows of one value of ``groups`` stay on one side of a split; without it,
    and unless rows are to be split ``at_random``, those of one value of a column that says whose rows they are.
    """
    place = out or Path(f"{_plain(file)}.yaml")
    if place.exists():
        raise ScaffoldError(f"{place} exists already: remove it, or name another file by --out")
    if task not in (None, *TASKS):
        raise ScaffoldError(f"--task is {task!r}, expected {' or '.join(TASKS)}")
    if task == "regression" and positive is not None:
        raise ScaffoldError("--positive names a class, and --task regression has none: leave one of them out")
    if groups is not None and at_random:
        raise ScaffoldError("--groups and --no-groups exclude each other")
    table = look(file, target, positive, task, dict(reading or {}), groups, at_random)
    with writing(place, ScaffoldError):
        write_whole(place, suite_text(_plain(place), file, table))
    return place, table


def _plain(file: Path) -> str:
    """A file's name as a suite's, or a label."""
    return re.sub(r"[^A-Za-z0-9._-]+", "-", file.name.partition(".")[0]).strip("-._") or "suite"


def look(
    file: Path,
    target: str,
    positive: str | None,
    task: str | None,
    options: dict[str, Any],
    groups: str | None,
    at_random: bool,
) -> OwnTable:
    """Read a table, and find what a suite for it has to say; of a large one a part is looked at."""
    frame = read_table(file, stripped=True, **options)
    for name in frame.columns[frame.dtypes.map(str).isin(("object", "str"))]:  # texts, whatever else they are
        frame[name] = frame[name].map(lambda value: str(value).strip()).where(frame[name].notna())
    for name in filter(None, (target, groups)):
        if name not in frame.columns:
            hint = suggestion(name, frame.columns, otherwise=f"the columns are {', '.join(frame.columns)}")
            raise ScaffoldError(f"{file}: no column is named {name!r}; {hint}")
    if groups == target:
        raise ScaffoldError(
            f"--groups {groups}: this is the column to predict; name the one that says whose rows they are"
        )
    if groups is not None and (gaps := int(frame[groups].isna().sum())):
        raise ScaffoldError(f"--groups {groups}: {gaps} rows have no value there: fill it, or remove these rows")
    of_rows = []
    if without := int(frame[target].isna().sum()):
        options["missing_target"] = "drop"
        of_rows.append(Fact("rows", f"{without} have no {target}", "left out (missing_target: drop)"))
    whole, frame = len(frame), frame.dropna(subset=[target])
    # With gaps they were read as decimals.
    if is_numeric(frame[target]) and ((frame[target] % 1 == 0) & (frame[target].abs() < _LARGEST_WHOLE)).all():
        frame[target] = frame[target].astype("int64")
    if whole > _MOST_ROWS:
        options["rows"] = _MOST_ROWS
        of_rows.append(Fact("rows", f"{whole} in the file", f"{_MOST_ROWS} of them are drawn (rows: {_MOST_ROWS})"))
        frame = frame.sample(min(_MOST_ROWS, len(frame)), random_state=0)
    column, classes = frame[target], frame[target].nunique()
    most = 2 if is_numeric(column) and (column % 1 != 0).any() else _MOST_CLASSES  # of numbers, those with decimals
    if task == "regression" and not is_numeric(column):
        raise ScaffoldError(f"{file}: --task regression predicts numbers, and {target!r} holds {str(column.iloc[0])!r}")
    regression = task == "regression" or (
        task is None and positive is None and bool(is_numeric(column) and classes > most)
    )
    if not regression and positive is not None and classes > 2:
        raise ScaffoldError(
            f"{file}: --positive is for two classes, and {target!r} has {classes} classes: leave it out to "
            f"predict all, or write 'one_against_rest: {positive}' beside the target into the suite to detect one"
        )
    if not (regression or is_numeric(column)) and classes > max(_MOST_CLASSES, len(column) / 2):
        raise ScaffoldError(f"{file}: column {target!r} has {classes} classes in {len(column)} rows: name another")
    useless = useless_columns(frame, target)
    if len(useless) == len(frame.columns) - 1:
        reasons = "; ".join(f"{fact.where}: {fact.what}" for fact in useless)
        raise ScaffoldError(f"{file}: no column is left to predict {target} by ({reasons})")
    facts, dropped, groups = facts_of(frame, target, groups, at_random, regression, useless, of_rows)
    options |= {"drop": dropped} if dropped else {}
    options |= {"positive": positive} if positive is not None else {}
    dataset = _reader(file, "regression" if regression else "classification")
    if whole <= _MOST_ROWS:  # a larger table takes seconds once more; the plan says then what its reader does not take
        try:
            with warnings.catch_warnings(action="ignore"):  # what reading the file warns of was said above
                dataset.load(path=str(file), target=target, **options)
        except (ValueError, OSError) as error:
            raise ScaffoldError(str(error)) from None
    return OwnTable(dataset.name, frame, target, regression, options, facts, groups)


def _reader(file: Path, task: str) -> Dataset:
    """The data set that reads such files."""
    datasets = [dataset for dataset in registry().datasets.values() if dataset.task == task and dataset.suffixes]
    for dataset in datasets:
        if file.name.lower().endswith(tuple(dataset.suffixes)):
            return dataset
    suffixes = ", ".join(suffix for dataset in datasets for suffix in dataset.suffixes)
    raise ScaffoldError(f"{file}: no data set reads such files; the name of a table ends in one of {suffixes}")


def suite_text(name: str, file: Path, table: OwnTable) -> str:
    """The suite as YAML with comments, from the template that is shipped with the suites."""
    import jinja2

    def flow(value: Any) -> str:
        """As YAML on one line, whatever columns are called."""
        text = yaml_text.write(value, width=1000, flow=True).strip()
        return json.dumps(value) if "\n" in text else text

    def one_line(value: Any) -> Any:
        """A name of several lines would end a comment, and what follows be a key of the suite."""
        return " ".join(value.splitlines()) if isinstance(value, str) else value

    frame, features = table.frame, table.features
    rows = len(frame)
    few = rows < FEW_ROWS
    repetitions = 30 if few else 10
    label = file.name if _plain(file) in frame.columns else _plain(file)
    entry = {"name": table.reader, "path": str(file), "target": table.target, "label": label, **table.options}
    numbers = sum(is_numeric(column) for _, column in features.items())
    counts = table.class_counts
    environment = jinja2.Environment(
        trim_blocks=True, lstrip_blocks=True, keep_trailing_newline=True, finalize=one_line
    )
    environment.filters["flow"] = flow
    template = environment.from_string((shipped_folder() / "new" / "table.yaml.jinja").read_text(encoding="utf-8"))
    return template.render(
        file=file.name,
        name=yaml_text.write({"name": name}).strip(),
        title=yaml_text.write({"title": f"Which method stands the loss of columns of {file.name} best?"}, 1000).strip(),
        entry=flow([entry])[1:-1],
        target=table.target,
        target_in_words=table.target_in_words,
        rows=rows,
        features=features.shape[1],
        numbers=numbers,
        categories=features.shape[1] - numbers,
        missing=float(features.isna().mean().mean()),
        facts=table.facts,
        split=flow({"groups": table.groups, "repetitions": repetitions, **GROUPED}) if table.groups else "",
        repetitions=repetitions,
        few=few,
        most_tested=_MOST_TESTED,
        many=rows > 4 * _MOST_TESTED,
        within=196 * math.sqrt(0.25 / _MOST_TESTED),
        regression=table.regression,
        two=len(counts) == 2,
        rare=not table.regression and is_rare(counts),
        slow=rows > _SLOW_FROM,
        budgets=list(range(min(_MOST_BUDGET, features.shape[1] - 1) + 1)),  # one column at least is left
    )

"""``benchkit.judge``: a table of scores in, a judgement out; and conditions that a pipeline fails by."""

import inspect
import math
import re
from collections.abc import Mapping, Sequence
from dataclasses import replace
from functools import partial
from pathlib import Path
from typing import Any, Literal

import numpy as np
import pandas as pd
from pandas.api.types import is_integer_dtype

from benchkit import TableError, read_table
from benchkit.statistics.ranking import tiers
from benchkit_judge.formats import FORMATS, of_columns, read_results, recognised
from benchkit_judge.judgement import Judgement
from benchkit_judge.logs import KEYS, files_of, read_logs
from benchkit_judge.question import ask
from benchkit_judge.scores import Scores, checked
from benchkit_judge.tables import NAMES, is_named, plain, scores_of
from benchkit_judge.written import as_csv

_FORM = re.compile(r"(?P<first>.+?) (?P<not>not )?(?P<relation>better than|worse than|equal to) (?P<second>.+)")
_SENTENCES = {
    "better": "is better than",
    "worse": "is worse than",
    "equal": "is practically equal to",
    "open": "cannot be told apart from",
}
_FLAG = re.compile(r"--([a-z][a-z-]*)(?:=([^\s;]*[^\s;:,.)]))?")
_SWITCHES = {
    "higher-is-better": "higher_is_better=True",
    "lower-is-better": "higher_is_better=False",
    "wide": "wide=True",
}


def holds(judged: Judgement, condition: str) -> tuple[bool, str]:
    """Whether a condition holds, and what the table says of the two methods.

    A condition is ``A [not] better than B``, ``A [not] worse than B`` or ``A [not] equal to B``. A pair that is open is
    neither better nor worse nor equal.
    """
    parts = _FORM.fullmatch(" ".join(condition.split()))
    if not parts:
        raise TableError(f"--fail-if={condition!r}: expected 'A [not] better than B', worse than, or equal to")
    if parts["relation"] == "equal to" and judged.margin is None:
        raise TableError(f"--fail-if={condition!r}: say with --within what difference counts as none")
    relation = judged.relation(parts["first"], parts["second"])
    held = parts["relation"].startswith(relation) != bool(parts["not"])
    return held, f"{parts['first']} {_SENTENCES[relation]} {parts['second']}"


def _in_python(message: str) -> str:
    """A message that names flags of the command, with the arguments of Python in their place."""

    def argument(flag: re.Match[str]) -> str:
        name, value = flag[1].replace("-", "_"), flag[2]
        if flag[1] in _SWITCHES or name not in inspect.signature(judge).parameters:  # of another command
            return _SWITCHES.get(flag[1], flag[0])
        return name if value is None else f"{name}={value if re.fullmatch(r'[-+.0-9e]+', value) else repr(value)}"

    return _FLAG.sub(argument, message)


def judge(
    table: Any,
    *,
    method: str | None = None,
    task: str | None = None,
    item: str | None = None,
    seed: str | None = None,
    score: str | None = None,
    cluster: str | None = None,
    unit: Literal["item", "task", "seed"] | None = None,
    by: Literal["mean", "ranks", "wilcoxon"] = "mean",
    against: str | None = None,
    wide: bool | None = None,
    columns: str | Sequence[str] = (),
    drop: str | Sequence[str] = (),
    higher_is_better: bool | None = None,
    within: float | None = None,
    level: float = 0.95,
    test_share: float | None = None,
    format: str | None = None,
    decimal: str | None = None,
    na_values: str | Sequence[Any] | None = None,
) -> Judgement:
    """Which methods of a table can be told apart, with simultaneous confidence over all pairs.

    Parameters
    ----------
    table : DataFrame, path, or sequence of paths
        One row per method and task (and item, and seed), or wide; or result files of another tool. A table may also be
        a Series, a list of mappings, a mapping of columns, or of polars or pyarrow; named levels of an index are
        columns.
    method, task, item, seed, score, cluster : str, optional
        Columns; those that are not named are guessed by their names, which ``notes`` says.
    unit : {"item", "task", "seed"}, optional
        What is drawn by chance; by default tasks where there are six or more, else items, else seeds.
    by : {"mean", "ranks", "wilcoxon"}, default="mean"
        ``rank`` is taken for ``ranks``.
    against : str, optional
        The one method that the others are compared with: fewer comparisons, decided step by step, so that more are
        told apart. By default all methods are compared with each other.
    wide : bool, optional
        Rows are methods and columns tasks, or the other way round; guessed by default.
    columns, drop : str or sequence of str
        Of a wide table, the columns that are scores, and columns that are left out: names, or patterns such as
        ``param_*``, in a list or with commas. Where some columns look like no scores (times, ranks, sizes, spreads,
        settings, another scale), one of the two has to say which are.
    higher_is_better : bool, optional
        Guessed by the score's name.
    within : float, optional
        Differences that count as none, in the score's own unit.
    level : float, default=0.95
    test_share : float, optional
        Where seeds are splits or folds of one data set, the share of its rows that each tests: differences are then
        judged for new rows, by the corrected t-test. Of up to five splits of ``cv_results_`` one of as many by default.
    format : str, optional
        ``lm-eval``, ``inspect_ai``, ``amlb``, ``tabarena``, ``benchopt``, ``cv_results_``, or ``table``.
    decimal : {".", ","}, optional
        Of text files: what separates decimals; the other may group thousands. Asked for where it cannot be told.
    na_values : str or sequence, optional
        Of text files: fields that are missing, besides empty ones, NaN and null.

    Returns
    -------
    Judgement

    Raises
    ------
    TableError
        What is wrong with the table, in one line.
    """
    options = dict(locals())
    try:
        return judge_table(options.pop("table"), options)
    except TableError as error:
        raise TableError(_in_python(str(error))) from None


def check_level(level: float) -> None:
    """Refuse a confidence that is none."""
    if not 0.5 < level < 1:
        raise TableError(f"--level={level}: expected a number between 0.5 and 1, such as 0.95")


def judge_table(table: Any, options: Mapping[str, Any]) -> Judgement:
    """What `judge` returns, by its arguments; errors name the flags of the command."""
    within, level, test_share = (options[name] for name in ("within", "level", "test_share"))
    by = "ranks" if options["by"] == "rank" else options["by"]
    if within is not None and not 0 < within < math.inf:
        raise TableError(f"--within={within}: expected a number above 0")
    if within is not None and by == "wilcoxon":
        raise TableError("--within needs intervals, which signed ranks do not give: compare by mean or ranks")
    check_level(level)
    if options["decimal"] not in (None, ".", ","):
        raise TableError(f"--decimal={options['decimal']}: expected . or ,")
    if options["format"] not in (None, "table", *FORMATS):
        raise TableError(f"unknown format {options['format']!r}; there are table, {', '.join(FORMATS)}")
    if test_share is not None and not 0 < test_share < 1:
        raise TableError(f"--test-share={test_share}: expected a number between 0 and 1, such as 0.2")
    options = {**options, "by": by, **{name: _names(options[name]) for name in ("columns", "drop")}}
    table = _in_memory(table)
    tool, content = _opened(table, options)
    path, *others = [Path("table")] if isinstance(table, pd.DataFrame) else table
    more = f" and {len(others)} more" if others else ""
    try:
        question = ask(_scores(tool, content, options), options["unit"], by, options["against"])
        if by == "wilcoxon":  # means may be in another order
            result = question.pairs(level)
            order = np.lexsort([-result.statistic.sum(axis=1).round(9), tiers(result.above)])
            best_first = [question.methods[place] for place in order]
            question = replace(question, methods=tuple(best_first), cells=question.cells[best_first])
        return Judgement(question, question.pairs(level), within, level, f"{path.name}{more}")
    except TableError as error:  # which table, unless it is an option that is wrong
        raise TableError(str(error) if str(error).startswith("--") else f"{path}{more}: {error}") from None


def _names(names: str | Sequence[str] | None) -> list[str]:
    """Names in a list, or with commas."""
    if names is None or isinstance(names, str):
        return [name.strip() for name in (names or "").split(",") if name.strip()]
    return list(names)


def _in_memory(table: Any) -> list[Path] | pd.DataFrame:
    """The paths that are given, or the table in memory."""
    if isinstance(table, str | Path):
        return [Path(table)]
    try:
        table = table.collect() if hasattr(table, "collect") else table  # a query of polars
        table = table.to_pandas() if hasattr(table, "to_pandas") else table  # polars, pyarrow
        if isinstance(table, pd.Series):
            table = table.rename(table.name or "score").to_frame()
        if isinstance(table, dict) or (isinstance(table, list) and table and isinstance(table[0], dict)):
            table = pd.DataFrame(table)
        if not isinstance(table, pd.DataFrame):
            table = [Path(path) for path in table]
            if not table:
                raise ValueError("it names no file")
            return table
        levels = [(name, table.index.get_level_values(place)) for place, name in enumerate(table.index.names)]
        numbered = [name is None and is_integer_dtype(values) for name, values in levels]
        table = table.reset_index(level=[place for place, is_numbered in enumerate(numbered) if not is_numbered])
        if table.columns.nlevels > 1:
            table.columns = table.columns.map(lambda names: " ".join(str(name) for name in names if name != ""))
    except (TypeError, ValueError) as error:
        raise TableError(
            f"no table: give a DataFrame, a path, or several paths, not a {type(table).__name__} ("
            f"{' '.join(str(error).split())[:80]})"
        ) from None
    return table


def _opened(table: list[Path] | pd.DataFrame, options: Mapping[str, Any]) -> tuple[str | None, pd.DataFrame | Scores]:
    """The tool that wrote a table or files, as named or recognised, and the table, or the scores of other files."""
    tool, score, na_values = options["format"], options["score"], options["na_values"]
    guessing = not any(options[name] for name in (*NAMES, "format", "wide", "columns", "drop") if name != "score")
    if not isinstance(table, pd.DataFrame):
        tool = recognised(table) if guessing and not score else tool
        if tool in KEYS:
            return tool, read_logs(tool, table)
        if tool in FORMATS:
            na_values = na_values or "NA"
            paths = [path for path in files_of(table) if path in table or path.suffix in (".csv", ".parquet")]
            if not paths:
                raise TableError(f"{table[0]}: no tables (.csv, .parquet) here")
            table = paths
        parts = [_table(path, {**options, "na_values": na_values}) for path in table]
        table = pd.concat(parts, ignore_index=True) if len(parts) > 1 else parts[0]
    if guessing:
        tool = of_columns(list(table.columns))
        tool = tool if tool == "cv_results_" or not score else None
    return None if tool == "table" else tool, table


def _scores(tool: str | None, content: pd.DataFrame | Scores, options: Mapping[str, Any]) -> Scores:
    """The scores of a table, or of what a tool wrote."""
    higher, test_share = options["higher_is_better"], options["test_share"]
    if isinstance(content, Scores):
        scores = content
    else:
        scores = scores_of(content, options) if tool is None else read_results(tool, content, options["score"])
    if tool is not None:
        if higher is not None and tool != "benchopt":  # whose files do not say whether higher is better
            raise TableError(f"what {tool} measures is known; leave out what says how to read scores")
        note = f"taken for results of {tool}; --format=table reads it as a plain table"
        notes = scores.notes if options["format"] else (note, *scores.notes)
        higher = scores.higher_is_better if higher is None else higher
        scores = replace(scores, higher_is_better=higher, notes=notes)
    if test_share is not None:
        scores = replace(scores, test_share=test_share)
    if scores.test_share is not None and math.isnan(scores.test_share):
        raise TableError(
            "which share of the rows does a split test? say --test-share=0.1 of ten folds, 0.2 of five that are "
            "repeated, or what it is"
        )
    return checked(scores)


def _table(path: Path, options: Mapping[str, Any]) -> pd.DataFrame:
    """The table of a file; of columns that are left out nothing is asked."""
    named = [options[kind] for kind in NAMES if kind != "score"]

    def holds_names(column: str) -> bool:
        return column in named or any(plain(column) in NAMES[kind] for kind in ("method", "task", "item"))

    na_values = None if options["na_values"] is None else _names(options["na_values"])
    ignored = partial(is_named, options["drop"])
    frame = read_table(path, options["decimal"], na_values, ignored, holds_names, text=as_csv(path))
    names = [str(name) for name in frame.columns]  # versions, such as 1.10, stand beside the name of another column
    is_header = any(plain(name) in known for name in names for known in NAMES.values())
    if not is_header and any(re.fullmatch(r"[+-]?(\d+\.\d*|\.\d+)([eE][+-]?\d+)?", name) for name in names):
        raise TableError(f"{path}: its first line holds numbers; begin it with a line of the columns' names")
    return frame

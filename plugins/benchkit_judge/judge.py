"""``benchkit.judge``: a table of scores in, a judgement out; and conditions that a pipeline fails by."""

from __future__ import annotations

import math
import re
from collections.abc import Sequence
from dataclasses import replace
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal

from benchkit import TableError, read_table
from benchkit.statistics.estimate import LEVEL
from benchkit_judge.judgement import Judgement, decide
from benchkit_judge.question import ask
from benchkit_judge.scores import Scores

if TYPE_CHECKING:
    import pandas as pd

    from benchkit_judge.judgement import Judgement


_FORM = re.compile(r"(?P<first>.+?) (?P<not>not )?(?P<relation>better than|worse than|equal to) (?P<second>.+)")
_RELATIONS = {"better than": "better", "worse than": "worse", "equal to": "equal"}


def holds(judged: Judgement, condition: str) -> tuple[bool, str]:
    """Whether a condition holds, and in words what the table says of the two methods.

    Parameters
    ----------
    judged : Judgement
    condition : str
        ``A [not] better than B``, ``A [not] worse than B`` or ``A [not] equal to B``. A pair that is open is neither
        better nor worse nor equal.
    """
    found = _FORM.fullmatch(" ".join(condition.split()))
    if not found:
        raise TableError(f"--fail-if {condition!r}: expected 'A [not] better than B', worse than, or equal to")
    relation = judged.relation(found["first"], found["second"])
    if found["relation"] == "equal to" and judged.margin is None:
        raise TableError(f"--fail-if {condition!r}: say with --within what difference counts as none")
    wanted = relation == _RELATIONS[found["relation"]]
    said = {"better": "is better than", "worse": "is worse than", "equal": "is practically equal to"}
    told = said.get(relation, "cannot be told apart from")
    return wanted != bool(found["not"]), f"{found['first']} {told} {found['second']}"


def judge(
    table: Any,
    *,
    method: str | None = None,
    task: str | None = None,
    item: str | None = None,
    seed: str | None = None,
    score: str | None = None,
    cluster: str | None = None,
    machine: str | None = None,
    order: str | None = None,
    unit: str | Sequence[str] | None = None,
    by: Literal["mean", "ranks", "wilcoxon"] = "mean",
    wide: bool | None = None,
    columns: Sequence[str] = (),
    drop: Sequence[str] = (),
    higher_is_better: bool | None = None,
    timings: bool | None = None,
    within: float | None = None,
    level: float = LEVEL,
    format: str | None = None,
    decimal: str | None = None,
    na_values: Sequence[Any] | None = None,
) -> Judgement:
    """Which methods of a table can be told apart, with simultaneous confidence over all pairs.

    Parameters
    ----------
    table : DataFrame, path, or sequence of paths
        One row per method and task (and item, and seed), or wide; or result files of another tool. A table may also be
        a Series, a list of mappings, a mapping of columns, or of polars or pyarrow; named levels of an index are
        columns.
    method, task, item, seed, score, cluster, machine, order : str, optional
        Columns; those that are not named are guessed by their names, which ``notes`` says.
    unit : {"item", "task", "seed"} or two of them, optional
        What is drawn by chance; by default tasks where there are six or more, else items, else seeds.
    by : {"mean", "ranks", "wilcoxon"}, default="mean"
    wide : bool, optional
        Rows are methods and columns tasks, or the other way round; guessed by default.
    columns, drop : sequence of str
        Of a wide table, the columns that are scores, and columns that are left out: names, or patterns such as
        ``param_*``. Where some columns look like no scores (times, ranks, sizes, spreads, settings, another scale), one
        of the two has to say which are.
    higher_is_better, timings : bool, optional
        Guessed by the score's name.
    within : float, optional
        Differences that count as none, in the score's own unit; of timings a share, 0.05 for 5 %.
    level : float, default=0.95
    format : str, optional
        ``lm-eval``, ``inspect_ai``, ``amlb``, ``tabarena``, ``benchopt``, ``pytest-benchmark``, ``asv``, or ``table``.
    decimal : {".", ","}, optional
        Of text files: what separates decimals; the other may group thousands. Asked for where it cannot be told.
    na_values : sequence, optional
        Of text files: fields that are missing, besides empty ones, NaN and null.

    Returns
    -------
    Judgement

    Raises
    ------
    TableError
        What is wrong with the table, in one line.
    """
    if within is not None and not (math.isfinite(within) and within > 0):
        raise TableError(f"--within {within}: expected a number above 0")
    if not 0.5 < level < 1:
        raise TableError(f"--level {level}: expected a number between 0.5 and 1, such as 0.95")
    named = {
        "method": method,
        "task": task,
        "item": item,
        "seed": seed,
        "score": score,
        "cluster": cluster,
        "machine": machine,
        "order": order,
    }
    options: dict[str, Any] = {"named": named, "wide": wide, "higher": higher_is_better, "timings": timings, "by": by}
    options |= {"chosen": columns, "dropped": drop}
    if decimal not in (None, ".", ","):
        raise TableError(f"--decimal {decimal}: expected . or ,")
    scores, source = _read(table, format, options, decimal, na_values)
    units = unit.split(",") if isinstance(unit, str) else unit
    try:
        question, told = ask(scores, None if units is None else [each.strip() for each in units], by)
    except TableError as error:  # which table, unless it is an option that is wrong
        raise TableError(str(error) if str(error).startswith("--") else f"{source}: {error}") from None
    if by == "wilcoxon" and within is not None:
        raise TableError("--within needs intervals, which signed ranks do not give: compare by mean or ranks")
    return decide(question, margin=within, level=level, told=[*scores.told, *told], source=source)


def _frame(table: Any) -> pd.DataFrame | None:
    """A table in memory; None where paths are given."""
    import pandas as pd

    if hasattr(table, "to_pandas"):  # polars, pyarrow
        table = table.to_pandas()
    if isinstance(table, pd.Series):
        table = table.rename(table.name or "score").to_frame()
    if isinstance(table, dict) or (isinstance(table, list) and table and isinstance(table[0], dict)):
        try:
            table = pd.DataFrame(table)
        except ValueError as error:
            raise TableError(f"table: no table: {error}") from None
    if not isinstance(table, pd.DataFrame):
        return None
    named = [name for name in table.index.names if name is not None]
    return table.reset_index(level=named) if named else table


def _read(
    table: Any, form: str | None, options: dict[str, Any], decimal: str | None, na_values: Sequence[Any] | None
) -> tuple[Scores, str]:
    import pandas as pd

    from benchkit_judge.columns import NAMES, is_named, plain
    from benchkit_judge.formats.known import FORMATS, guess, of_columns, read_results, tells_direction
    from benchkit_judge.tables import scores_of

    if not isinstance(table, str | Path) and (frame := _frame(table)) is not None:
        return scores_of(frame, **options), "table"
    try:
        paths = [Path(table)] if isinstance(table, str | Path) else [Path(each) for each in table]
    except TypeError:
        raise TableError(f"a {type(table).__name__} is no table: give a DataFrame, a path, or several paths") from None
    if not paths:
        raise TableError("no table: name a file")
    source = paths[0].name if len(paths) == 1 else f"{paths[0].name} and {len(paths) - 1} more"
    if form not in (None, "table", *FORMATS):
        raise TableError(f"unknown format {form!r}; there are table, {', '.join(FORMATS)}")
    asked = any(options["named"].values()) or any(options[name] for name in ("wide", "chosen", "dropped"))
    found = FORMATS.get(form or "")
    guessed = False
    if found is None and form is None and not asked:
        found = guess(paths)
        guessed = found is not None
    if found is None:
        dropped = options["dropped"]  # what is no number in a column that is left out is no question
        kinds = ("method", "task", "item", "seed", "cluster", "machine")
        known = {plain(name) for kind in kinds[:3] for name in NAMES[kind]}
        asked_for = {options["named"][kind] for kind in kinds}

        def holds_names(column: str) -> bool:
            return column in asked_for or plain(column) in known

        frames = [read_table(path, decimal, na_values, partial(is_named, dropped), holds_names) for path in paths]
        for path, frame in zip(paths, frames, strict=True):
            if any(re.fullmatch(r"[+-]?(\d+\.\d*|\.\d+)([eE][+-]?\d+)?", str(name)) for name in frame.columns):
                raise TableError(f"{path}: its first line holds numbers; begin it with a line of the columns' names")
        if form is None and not asked and (found := of_columns(list(frames[0].columns))) is not None:
            guessed = True
        else:
            frame = frames[0] if len(frames) == 1 else pd.concat(frames, ignore_index=True)
            return scores_of(frame, str(paths[0]), **options), source
    scores = read_results(found, paths)
    higher = options["higher"]
    if higher is not None and not tells_direction(found):
        scores = replace(scores, higher_is_better=higher)
        higher = None
    if higher is not None or options["timings"] is not None:
        raise TableError(f"{paths[0]}: what {found.NAME} measures is known; leave out what says how to read scores")
    if not guessed:
        return scores, source
    told = f"taken for results of {found.NAME}; --format table reads it as a plain table"
    return Scores(**{**vars(scores), "told": (told, *scores.told)}), source

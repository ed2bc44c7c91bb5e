"""Scores of a table, long or wide: which column holds what, as named, or guessed from its name, which is said."""

import fnmatch
import re
from collections.abc import Mapping, Sequence
from typing import Any

import pandas as pd
from pandas.api.types import is_bool_dtype, is_float_dtype, is_numeric_dtype

from benchkit import TableError
from benchkit_judge.scores import Scores, no_number, read_numbers

# Common names, those that say most first. Case, blanks and hyphens do not count.
_NAMES = {
    "method": "method model model_name algorithm framework solver solver_name system classifier estimator approach "
    "name",
    "task": "task task_name dataset dataset_name data_name benchmark problem subset",
    "item": "item item_id question question_id doc_id sample sample_id instance instance_id",
    "seed": "seed repetition repeat rep idx_rep replicate fold run trial",
    "cluster": "cluster",
    "score": "score result value",
}
NAMES: Mapping[str, Sequence[str]] = {kind: names.split() for kind, names in _NAMES.items()}
_HIGHER, _LOWER = (
    names.split()
    for names in (
        "score accuracy acc auc roc_auc auroc f1 macro_f1 micro_f1 precision recall r2 bleu rouge map ndcg mrr pass "
        "exact_match em win_rate reward correct",
        "error error_rate metric_error loss logloss log_loss rmse mse mae perplexity brier regret wer cer fid time "
        "seconds runtime duration latency elapsed wall_time time_s milliseconds ms",
    )
)
# Columns and rows of leaderboards that are made from the others; a method, such as an imputer, may be called "mean".
_SUMMARIES = {"method": ["average", "avg", "overall", "total"]}
_SUMMARIES["task"] = [*_SUMMARIES["method"], "mean", "median", "rank", "mean_rank", "average_rank"]

# What columns of wide tables hold that are no scores, by the first or the last word of their names.
_SPREAD = "std|stdev|stddev|stderr|std_dev|std_err|std_error|sd|se|sem|var|variance|ci|iqr"
_SIZE = "n|size|counts?|samples|rows|features|params|parameters|tokens|mb|gb|bytes|memory|flops|cost|price"
_NO_SCORES = {
    "a time": r"(.*_)?(times?|seconds?|secs?|ms|milliseconds|runtime|duration|latency|elapsed)|time_.*",
    "a rank": r"rank(_.*)?|(.*_)?ranks?",
    "a spread": rf"(std|stderr|stddev|sd)(_.*)?|(.*_)?({_SPREAD})",
    "a size": rf"(n|num|number|size|count)(_.*)?|(.*_)?({_SIZE})",
    "a setting": r"params?(_.*)?|alpha|gamma|lr|learning_rate|(max_)?depth|epochs?|iterations?|temperature|budget|seed|"
    r"version|year",
    "of the training part": r"(.*_)?train(ing)?(_.*)?",
    "a mean": r"(mean|avg|average|median)(_.*)?|(.*_)?(mean|avg|average|median)",
}
_SCALES = {"task": 10, "method": 100}  # times the smallest column that the largest may be
_NUMBER_FIRST = r"\s*[^\w\s]?\d+([.,]\d+)?(?![-/\d.:])"  # no dates, times, or versions


def plain(name: object) -> str:
    """A column's name as it is compared."""
    return str(name).strip().lower().replace(" ", "_").replace("-", "_").rstrip("_⬆⬇↑↓%")


def is_named(patterns: Sequence[str], name: str) -> bool:
    """Whether a column is among those that names or patterns such as ``param_*`` name."""
    return any(name == pattern or fnmatch.fnmatchcase(name, pattern) for pattern in patterns)


def scores_of(frame: pd.DataFrame, options: Mapping[str, Any]) -> Scores:
    """Scores of a table: long, one row per score, or wide, a column per method or per task.

    ``options`` are the arguments of `benchkit.judge`; columns that they do not name are guessed.
    """
    if frame.empty:
        raise TableError("the table is empty: it has no rows")
    frame = frame.rename(columns=str).reset_index(drop=True)
    if frame.columns.duplicated().any():
        name = frame.columns[frame.columns.duplicated()][0]
        raise TableError(f"two columns are named {name!r}; rename one")
    frame = frame.drop(columns=_matching(frame, options["drop"], "--drop"))
    blank = frame.isna().all(axis=1)
    frame, notes = frame[~blank], [f"{blank.sum()} blank rows are left out"] if blank.any() else []
    columns, guesses = _columns(frame, options)
    looks_wide = options["columns"] or not {"score", "method"} <= columns.keys()
    if options["wide"] or (options["wide"] is None and looks_wide):
        return _wide(frame, options, notes)
    for kind in ("method", "score"):
        if kind not in columns:
            raise _asked(f"which column holds the {kind}? name it with --{kind}=COLUMN, or say --wide", frame)
    notes += [f"columns guessed by their names: {', '.join(guesses)}"] if guesses else []
    measured, higher = columns["score"], options["higher_is_better"]
    if higher is None:
        if plain(measured) not in (*_HIGHER, *_LOWER):
            raise TableError(f"is more {measured} better? say --higher-is-better or --lower-is-better")
        higher = plain(measured) in _HIGHER
        notes.append(f"{'higher' if higher else 'lower'} {measured} is taken to be better, by its name")
    long = frame[list(columns.values())].set_axis(list(columns), axis=1)
    return Scores(frame=long, measured=measured, higher_is_better=bool(higher), notes=notes)


def _columns(frame: pd.DataFrame, options: Mapping[str, Any]) -> tuple[dict[str, str], list[str]]:
    """Column by what it holds, and what was guessed; an empty name says that there is none."""
    columns = {kind: options[kind] for kind in NAMES if options[kind]}
    for name in columns.values():
        if name not in frame:
            raise _asked(f"no column {name!r}", frame)
    by_name = {plain(name): name for name in reversed(frame.columns)}
    guesses = []
    for kind, names in {**NAMES, "score": (*NAMES["score"], *_HIGHER, *_LOWER)}.items():
        fits = [by_name[name] for name in names if name in by_name and by_name[name] not in columns.values()]
        if fits and options[kind] is None:
            columns[kind] = fits[0]
            guesses.append(f"{kind} = {fits[0]}")
    return columns, guesses


def _matching(frame: pd.DataFrame, patterns: Sequence[str], option: str) -> list[str]:
    for pattern in patterns:
        if not any(is_named([pattern], name) for name in frame.columns):
            raise _asked(f"no column is named as {option}={pattern} says", frame)
    return [name for name in frame.columns if is_named(patterns, name)]


def _wide(frame: pd.DataFrame, options: Mapping[str, Any], notes: list[str]) -> Scores:
    """A table whose rows are methods and columns tasks, or the other way round."""
    higher, chosen = options["higher_is_better"], options["columns"]
    named = [options[kind] for kind in NAMES]
    free = [name for name in frame.columns if name not in chosen or name in named]
    rows, _ = _columns(frame[free], {**options, "score": ""})
    picked = _matching(frame, chosen, "--columns")
    rows = {kind: name for kind, name in rows.items() if options[kind] or not is_float_dtype(frame[name])}
    by_method = "method" in rows
    if not by_method and not {"task", "item"} & rows.keys():
        answer = "name that of the methods with --method=COLUMN, or of the rows' tasks with --task=COLUMN"
        raise _asked(f"which column is what? {answer}", frame)
    if by_method and "task" in rows and frame[rows["method"]].duplicated().any():
        raise _asked("which column holds the score of each method and task? name it with --score=COLUMN", frame)
    kind = "task" if by_method else "method"
    rows.pop(kind, None)
    # An index that pandas wrote has no name.
    others = [name for name in frame.columns if name not in rows.values() and not name.startswith("Unnamed: ")]
    numbers = [name for name in picked or others if name in others and _holds_numbers(frame[name])]
    if not chosen:
        numbers = [name for name in numbers if plain(name) not in _SUMMARIES[kind]]
    if not numbers:
        raise TableError("no column holds numbers alone")
    row_kinds = f"{'methods' if by_method else 'tasks or items'} ({', '.join(rows.values())})"
    notes.append(f"a wide table: its rows are {row_kinds}, its columns {kind}s")
    if not chosen:
        _require_scores(frame[numbers], kind, options["by"] != "ranks")
    summaries = pd.Series(False, index=frame.index)
    for row_kind, name in rows.items():
        summaries |= frame[name].map(plain).isin(_SUMMARIES["method" if row_kind == "method" else "task"])
    if summaries.any() and not summaries.all():
        frame = frame[~summaries]
        notes.append(f"{summaries.sum()} rows that are made from the others, such as averages, are left out")
    left = [name for name in others if name not in numbers]
    if left:
        notes.append(f"columns that are no {kind} are left out: {', '.join(left[:8])}{' ...' if len(left) > 8 else ''}")
    if higher is None:
        raise TableError("are higher numbers better? say --higher-is-better or --lower-is-better")
    keys = list(rows.values())
    long = frame[[*keys, *numbers]].melt(keys, var_name="_column", value_name="_score", ignore_index=False)
    long.columns = [*rows, kind, "score"]
    return Scores(frame=long, measured="score", higher_is_better=bool(higher), notes=notes)


def _holds_numbers(column: pd.Series) -> bool:
    """Whether a column holds numbers, and not only text; some text among numbers is a mistake."""
    if is_numeric_dtype(column):
        return True
    numbers, text = read_numbers(column)
    begin = column[text].astype(str).str.match(_NUMBER_FIRST).sum()  # "61,2", "0.61 (2 failed)", "61.2 pts"
    if text.any() and (numbers.notna().any() or 2 * begin > text.sum()):
        row = text.idxmax()
        reason = no_number(column[row])
        raise TableError(f"row {row + 1}, {column.name}: {reason}, or leave the column out (--drop)")
    return not text.any()


def _require_scores(scores: pd.DataFrame, kind: str, alike: bool) -> None:
    """Ask which columns of a wide table are scores, where some look like something else.

    ``alike`` says that columns are averaged as they are, and not their ranks.
    """
    doubts: dict[str, str] = {}
    for name in scores:
        words = re.sub(r"\W+", "_", plain(name)).strip("_")
        kinds = [what for what, pattern in _NO_SCORES.items() if re.fullmatch(pattern, words)]
        kinds = [what for what in kinds if alike or what != "a time"]
        doubts |= {name: kinds[-1]} if kinds else {}
    truths = [name for name in scores if is_bool_dtype(scores[name])]
    if len(truths) < scores.shape[1]:
        doubts |= dict.fromkeys(truths, "true or false")
    rest = scores.drop(columns=list(doubts)).apply(lambda column: read_numbers(column)[0])
    whole = [name for name in rest if (rest[name].dropna() % 1 == 0).all() and rest[name].max() > 1]
    if alike and len(rest) > 2 and 0 < 2 * len(whole) < rest.shape[1]:
        doubts |= dict.fromkeys(whole, "whole numbers")
    elif not doubts and alike and (largest := rest.abs().max()).max() > 1:
        sizes = largest[largest > 0]
        if sizes.max() > _SCALES[kind] * sizes.min():
            spans = f"{sizes.idxmin()} is up to {sizes.min():.3g}, {sizes.idxmax()} up to {sizes.max():.3g}"
            answer = "leave columns out with --drop, or name those that count with --columns ('*': all)"
            raise TableError(f"which columns are scores of one scale? {spans}; {answer}")
    if doubts:
        named = ", ".join(f"{name} ({what})" for name, what in doubts.items())
        others = ",".join(name for name in scores if name not in doubts) or "..."
        answer = f"leave them out with --drop={','.join(doubts)}, or name the scores with --columns={others}"
        raise TableError(f"which columns are scores? these look like none: {named}; {answer}")


def _asked(question: str, frame: pd.DataFrame) -> TableError:
    """A question on the columns of a table, which it names, the first of many."""
    names = ", ".join(str(name)[:40] for name in frame.columns[:12])
    more = f" and {len(frame.columns) - 12} more" if len(frame.columns) > 12 else ""
    return TableError(f"{question}; it has {names}{more}")

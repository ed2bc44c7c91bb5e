"""Which column holds what: as told, or guessed from its name, which is said."""

from __future__ import annotations

import difflib
import fnmatch
import re
from collections.abc import Iterable, Mapping, Sequence
from typing import TYPE_CHECKING

from benchkit import TableError

if TYPE_CHECKING:
    import pandas as pd

# Common names, those that say most first. Case, blanks and hyphens do not count.
_NAMES = {
    "method": """method model model_name algorithm framework solver solver_name system classifier estimator approach
        name""",
    "task": "task task_name dataset dataset_name data_name benchmark problem subset",
    "item": "item item_id question question_id doc_id sample sample_id instance instance_id",
    "seed": "seed repetition repeat rep idx_rep replicate fold run trial",
    "machine": "machine host hostname node",
    "cluster": "cluster",
    "order": "order timestamp started_at started datetime",
    "score": "score result value",
}
NAMES: Mapping[str, Sequence[str]] = {kind: names.split() for kind, names in _NAMES.items()}
_BETTER = {
    "higher": """score accuracy acc auc roc_auc auroc f1 macro_f1 micro_f1 precision recall r2 bleu rouge map ndcg mrr
        pass exact_match em win_rate reward correct""",
    "lower": """error error_rate metric_error loss logloss log_loss rmse mse mae perplexity brier regret wer cer fid""",
    "times": "time seconds runtime duration latency elapsed wall_time time_s milliseconds ms",
}
_HIGHER, _LOWER, _TIMES = (names.split() for names in _BETTER.values())
# Columns and rows of leaderboards that are made from the others; a method, such as an imputer, may be called "mean".
_SUMMARIES = {"method": ["average", "avg", "overall", "total"]}
_SUMMARIES["task"] = [*_SUMMARIES["method"], "mean", "median", "rank", "mean_rank", "average_rank"]

# What columns of wide tables hold that are no scores, by the first or the last word of their names.
_FIRST, _LAST = r"{}(_.*)?", r"(.*_)?{}"
_NO_SCORES = {
    "a time": [_LAST.format("(times?|seconds?|secs?|ms|milliseconds|runtime|duration|latency|elapsed)"), "time_.*"],
    "a rank": [_FIRST.format("rank"), _LAST.format("ranks?")],
    "a spread": [
        _FIRST.format("(std|stderr|stddev|sd)"),
        _LAST.format("(std|stdev|stddev|stderr|std_dev|std_err|std_error|sd|se|sem|var|variance|ci|iqr)"),
    ],
    "a size": [
        _FIRST.format("(n|num|number|size|count)"),
        _LAST.format(
            "(n|size|counts?|samples|rows|features|params|parameters|tokens|mb|gb|bytes|memory|flops|cost|price)"
        ),
    ],
    "a setting": [
        _FIRST.format("params?"),
        "alpha|gamma|lr|learning_rate|(max_)?depth|epochs?|iterations?|temperature|budget|seed|version|year",
    ],
    "of the training part": [r"(.*_)?train(ing)?(_.*)?"],
    "a mean": [_FIRST.format("(mean|avg|average|median)"), _LAST.format("(mean|avg|average|median)")],
}
_SCALES = {"task": 10, "method": 100}  # times the smallest column that the largest may be


def plain(name: object) -> str:
    """A column's name as it is compared."""
    return str(name).strip().lower().replace(" ", "_").replace("-", "_").rstrip("_⬆⬇↑↓%")


def find(frame: pd.DataFrame, told: Mapping[str, str | None], source: str) -> tuple[dict[str, str], list[str]]:
    """Column by what it holds, and what was guessed.

    Parameters
    ----------
    frame : DataFrame
    told : mapping of str to str or None
        Columns that are named; an empty name says that there is none.
    source : str
    """
    found: dict[str, str] = {}
    for kind, name in told.items():
        if name and name not in frame:
            near = difflib.get_close_matches(plain(name), [plain(each) for each in frame.columns], 1)
            meant = next((f"is it {each}? it" for each in frame.columns if plain(each) in near), "it")
            raise TableError(f"{source}: no column {name!r}; {meant} has {listed(frame)}")
        if name:
            found[kind] = name
    known = {plain(name): name for name in reversed(frame.columns)}
    guessed = []
    wanted = {**NAMES, "score": (*NAMES["score"], *_HIGHER, *_LOWER, *_TIMES)}
    for kind, names in wanted.items():
        if told.get(kind) is not None:
            continue
        fits = [known[name] for name in names if name in known and known[name] not in found.values()]
        if fits:
            found[kind] = fits[0]
            guessed.append(f"{kind} = {fits[0]}")
    return found, guessed


def is_time(name: str) -> bool:
    """Whether a column of this name holds times."""
    return plain(name) in _TIMES


def higher_is_better(name: str, told: bool | None, source: str) -> bool:
    """Whether more of what a column holds is better: as told, or by its name."""
    if told is not None:
        return told
    if plain(name) in _HIGHER:
        return True
    if plain(name) in (*_LOWER, *_TIMES):
        return False
    raise TableError(f"{source}: is more {name} better? say --higher-is-better or --lower-is-better")


def is_summary(name: object, kind: str) -> bool:
    """Whether a column or a row that stands among methods, or among tasks (or items), is made from the others."""
    return plain(name) in _SUMMARIES["method" if kind == "method" else "task"]


def matching(frame: pd.DataFrame, patterns: Sequence[str], option: str, source: str) -> list[str]:
    """The columns that names or patterns such as ``param_*`` name, in their order."""
    for pattern in patterns:
        if not any(is_named([pattern], name) for name in frame.columns):
            raise TableError(f"{source}: {option} {pattern}: no column is named so; it has {listed(frame)}")
    return [name for name in frame.columns if is_named(patterns, name)]


def is_named(patterns: Iterable[str], name: str) -> bool:
    """Whether a column is among those that names or patterns name."""
    return any(name == pattern or fnmatch.fnmatchcase(name, pattern) for pattern in patterns)


def require_scores(scores: pd.DataFrame, kind: str, alike: bool, source: str) -> None:
    """Ask which columns of a wide table are scores, where some look like something else.

    Parameters
    ----------
    scores : DataFrame
        Its columns of numbers.
    kind : {"task", "method"}
        What each column stands for.
    alike : bool
        Whether columns are averaged, or compared, as they are: neither ranks nor times.
    source : str
    """
    import pandas as pd

    doubts = {}
    for name in scores:
        words = re.sub(r"\W+", "_", plain(name)).strip("_")
        for what, patterns in _NO_SCORES.items():
            if any(re.fullmatch(pattern, words) for pattern in patterns) and (alike or what != "a time"):
                doubts[name] = what
    truths = [name for name in scores if pd.api.types.is_bool_dtype(scores[name])]
    if len(truths) < scores.shape[1]:
        doubts |= dict.fromkeys(truths, "true or false")
    rest = scores.drop(columns=list(doubts)).astype(float)
    whole = [name for name in rest if (rest[name].dropna() % 1 == 0).all() and rest[name].max() > 1]
    if alike and len(rest) > 2 and 0 < 2 * len(whole) < rest.shape[1]:
        doubts |= dict.fromkeys(whole, "whole numbers")
        rest = rest.drop(columns=whole)
    if not doubts and alike and (largest := rest.abs().max()).max() > 1:
        sizes = largest[largest > 0]
        if sizes.max() > _SCALES[kind] * sizes.min():
            low, high = str(sizes.idxmin()), str(sizes.idxmax())
            raise TableError(
                f"{source}: which columns are scores of one scale? {low} is up to {sizes.min():.3g}, {high} up to "
                f"{sizes.max():.3g}; leave columns out with --drop, or name those that count with --columns ('*': all)"
            )
    if doubts:
        named = ", ".join(f"{name} ({what})" for name, what in doubts.items())
        others = ",".join(name for name in scores if name not in doubts) or "..."
        raise TableError(
            f"{source}: which columns are scores? these look like none: {named}; leave them out with --drop "
            f"{','.join(doubts)}, or name the scores with --columns {others}"
        )


def listed(frame: pd.DataFrame) -> str:
    """The columns of a table, the first of many."""
    names = [str(name)[:40] for name in frame.columns[:12]]
    return ", ".join(names) + (f" and {len(frame.columns) - 12} more" if len(frame.columns) > 12 else "")


def which_is_what(frame: pd.DataFrame) -> str:
    """A question for a table none of whose columns is named as expected, with the names that are near."""
    near = []
    for kind in ("method", "task", "item", "score"):
        known = [*NAMES[kind], *(_HIGHER + _LOWER + _TIMES if kind == "score" else [])]
        for name in frame.columns:
            if len(plain(name)) > 2 and difflib.get_close_matches(plain(name), known, 1, 0.8):
                near.append(f"--{kind} {name}")
                break
    meant = f"is it {' '.join(near)}? " if near else ""
    if not any(each.startswith("--method") for each in near):
        meant = f"name that of the methods with --method COLUMN, or of the rows' tasks with --task COLUMN; {meant}"
    return f"which column is what? {meant}it has {listed(frame)}"

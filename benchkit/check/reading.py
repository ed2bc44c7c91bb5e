"""What there is to know of a data set before a run: seen in a worker process, under limits, and kept by content."""

from __future__ import annotations

import builtins
import hashlib
import warnings
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

from benchkit.data.files import keep, kept
from benchkit.execute.apart import call_all
from benchkit.plugin.declarations import Data, Dataset, DataUnavailableError, Features
from benchkit.plugin.manager import one_line
from benchkit.suite.names import SPLITS, digest
from benchkit.suite.trial import PlannedDataset
from benchkit.trial.identity import Fingerprints

# Python shows these to nobody by default.
_FOR_DEVELOPERS = ("DeprecationWarning", "PendingDeprecationWarning", "ImportWarning", "ResourceWarning")
# Reading and dividing a data set may take so long, and a second more for each so many bytes of its files.
_SECONDS, _BYTES_A_SECOND = 10.0, 5 * 2**20


@dataclass(frozen=True)
class Limits:
    """What looking at a data set may take: seconds, and MB of memory; None sets no other limit than `_SECONDS`."""

    timeout: float | None = None
    memory: float | None = None


@dataclass(frozen=True)
class Facts:
    """What of data decides who takes it, and whether what a suite names is in it.

    Attributes
    ----------
    n_columns, n_features : int
        Columns; and features, a group being one.
    feature_names, group_names : tuple of str
    target_name : str
    total_value : float or None
        The sum of the feature values that belong to the data.
    is_sparse, has_gaps : bool
    n_classes : int
        0 where numbers are predicted.
    split_error : str
        Why its split by columns cannot be drawn; empty where it can.
    n_training_groups : int or None
        Groups of rows in the training part, where the split names groups.
    """

    n_columns: int
    n_features: int
    feature_names: tuple[str, ...]
    group_names: tuple[str, ...]
    target_name: str
    total_value: float | None
    is_sparse: bool
    has_gaps: bool
    n_classes: int
    split_error: str
    n_training_groups: int | None


@dataclass(frozen=True)
class Unreadable:
    """Why there are no facts.

    Attributes
    ----------
    message : str
    absent : bool
        Whether a file is not there.
    stopped : bool
        Whether it took more than it may, or ended its process: its trials will show what they make of it.
    label_is_target : bool
        Whether it can be read when the entry's label is taken for the column to predict.
    """

    message: str
    absent: bool = False
    stopped: bool = False
    label_is_target: bool = False


def inspect(
    cells: Sequence[tuple[PlannedDataset, Dataset]],
    fingerprints: Fingerprints,
    plugins: tuple[str, ...],
    seed: int,
    limits: Limits,
) -> list[Facts | Unreadable]:
    """The facts of cells that are not drawn, each read in a worker process unless the same was read before.

    Parameters
    ----------
    cells : sequence of (PlannedDataset, Dataset)
    fingerprints : Fingerprints
    plugins : tuple of str
        Plugin files that declare some of them.
    seed : int
        The suite's, of which splits are drawn.
    limits : Limits
    """
    version = hashlib.sha256(Path(__file__).read_bytes()).hexdigest()  # what other code has kept may say something else
    keys = [
        digest([cell.whole.identity, cell.split.identity, cell.label, seed, fingerprints.dataset(cell), version], 32)
        for cell, _ in cells
    ]
    known = [_kept(key) for key in keys]
    left = [place for place, facts in enumerate(known) if facts is None]
    if not left:
        return [facts for facts in known if facts is not None]
    calls = [(cells[place][0], plugins, seed) for place in left]
    answers = call_all(_read, calls, [_seconds(*cells[place], limits) for place in left], limits.memory)
    for place, answer in zip(left, answers, strict=True):
        stopped = isinstance(answer, Exception)
        known[place] = Unreadable(str(answer), stopped=True) if stopped else _taken(keys[place], *answer)
    return [facts for facts in known if facts is not None]


def _seconds(cell: PlannedDataset, declared: Dataset, limits: Limits) -> float:
    """How long reading a data set may take."""
    seconds = _SECONDS + _size(cell, declared) / _BYTES_A_SECOND
    return seconds if limits.timeout is None else min(seconds, limits.timeout)


def _taken(key: str, answer: Mapping[str, Any], caught: Sequence[tuple[str, str]]) -> Facts | Unreadable:
    """What a worker has read; what its code warned of is said here, and each time, since it is not kept then."""
    for category, text in caught:
        warnings.warn(text, getattr(builtins, category, UserWarning), stacklevel=2)
    if "message" in answer:
        return Unreadable(**answer)
    if all(category in _FOR_DEVELOPERS for category, _ in caught):
        keep("facts", key, dict(answer))
    return Facts(**answer)


def _kept(key: str) -> Facts | Unreadable | None:
    try:
        known: dict[str, Any] = kept("facts", key) or {}
        names = {name: tuple(map(str, known[name])) for name in ("feature_names", "group_names")}
        return Facts(**{**known, **names})
    except (AttributeError, TypeError, KeyError):
        return None


def _size(cell: PlannedDataset, declared: Dataset) -> int:
    """Bytes of a user's own files."""
    path = cell.whole.params.get("path", []) if declared.paths is not None else []
    files = [Path(str(name)).expanduser() for name in (path if isinstance(path, list) else [path])]
    return sum(file.stat().st_size for file in files if file.is_file())


def _read(cell: PlannedDataset, plugins: tuple[str, ...], seed: int) -> tuple[dict[str, Any], list[tuple[str, str]]]:
    """The fields of `Facts`, or of `Unreadable`, and what was warned of; called in a worker."""
    from benchkit.trial.prepared import load_data

    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        try:
            data, declared = load_data(cell, plugins)
            answer = asdict(_facts(data, declared, cell, seed))
        except BaseException as error:  # SystemExit, too, is an answer
            answer = {
                "message": str(error) if isinstance(error, ValueError | DataUnavailableError) else one_line(error),
                "absent": isinstance(error, DataUnavailableError),
                "label_is_target": _label_is_target(cell, plugins),
            }
    return answer, [(each.category.__name__, str(each.message)) for each in caught]


def _facts(data: Data, declared: Dataset, cell: PlannedDataset, seed: int) -> Facts:
    from benchkit.trial.refusals import kind_of

    kind = kind_of(data.X, data.y, declared.task)
    split_error, n_training_groups = "", None
    if cell.split.by_columns:
        try:
            n_training_groups = _draw(data, declared, cell, seed)
        except ValueError as error:
            split_error = " ".join(str(error).split())
    return Facts(
        n_columns=int(data.X.shape[1]),
        n_features=Features(data.X.shape[1], data.groups).n_features,
        feature_names=tuple(map(str, data.feature_names)),
        group_names=tuple(map(str, data.group_names)),
        target_name=data.target_name,
        total_value=None if data.feature_values is None else float(data.feature_values.sum()),
        is_sparse=kind.is_sparse,
        has_gaps=kind.has_gaps,
        n_classes=kind.n_classes,
        split_error=split_error,
        n_training_groups=n_training_groups,
    )


def _draw(data: Data, declared: Dataset, cell: PlannedDataset, seed: int) -> int | None:
    """Draw the first and the last repetition of a split by columns; how many groups the training part has."""
    from benchkit.trial import seeds
    from benchkit.trial.split import draw_split, structure_of

    split = cell.split
    structure = structure_of(split, data)
    if split.method not in SPLITS:
        return None
    for repetition in dict.fromkeys((0, split.total - 1)):
        drawn = repetition // split.folds if split.folds else repetition
        parts = draw_split(
            split,
            structure,
            data.y,
            repetition,
            declared.task == "classification",
            seeds.integer(seed, "split", cell.identity, drawn),
        )
    return None if structure.groups is None else len(set(structure.groups[parts.train].tolist()))


def _label_is_target(cell: PlannedDataset, plugins: tuple[str, ...]) -> bool:
    """Whether data that cannot be loaded by the default target can be by the column that its label names."""
    from benchkit.plugin.manager import registry

    declared = registry(plugins).datasets[cell.name]
    if declared.paths is None or "target" in cell.params or "target" not in declared.load.parameters():
        return False
    try:
        declared.load(**{**cell.params, "target": cell.label})
    except Exception:  # whatever is wrong then, the first mistake is told
        return False
    return True

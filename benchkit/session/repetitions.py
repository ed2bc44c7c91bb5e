"""What ``--until-decided`` asks for: how often repetitions may go on, and for how long."""

from __future__ import annotations

import math
import re
from collections.abc import Sequence
from dataclasses import replace

from benchkit.plugin.manager import Registry
from benchkit.statistics.estimate import LEVEL
from benchkit.statistics.time_uniform import fewest
from benchkit.suite.expand import Block
from benchkit.suite.load import Loaded
from benchkit.suite.schema import DatasetEntry, Repetitions, Split
from benchkit.suite.source import SuiteError

_EXAMPLE = "write 'repetitions: {least: 5, most: 100}'"
_UNITS = {"h": 3600.0, "m": 60.0, "min": 60.0, "s": 1.0, "": 1.0}


def parse_duration(text: str) -> float:
    """Seconds of ``2h``, ``90m``, ``1h30m``, ``45s`` or ``3600``.

    Raises
    ------
    SuiteError
    """
    parts = re.findall(r"([0-9]*\.?[0-9]+)\s*(h|min|m|s|)", text)
    if not parts or re.sub(r"\s", "", text) != "".join(number + unit for number, unit in parts):
        raise SuiteError(f"--within {text[:40]}: expected a time such as 2h, 90m or 1h30m")
    return sum(float(number) * _UNITS[unit] for number, unit in parts)


def with_limits(loaded: Loaded, registry: Registry, most: int | None, asked: int) -> Loaded:
    """The suite with so many repetitions of every dataset, within its least and most.

    Parameters
    ----------
    loaded : Loaded
    registry : Registry
    most : int or None
        In place of the suite's own.
    asked : int

    Raises
    ------
    SuiteError
        Repetitions of a dataset cannot go on: it has none, or is divided by k-fold.
    """
    suite = loaded.suite
    datasets = []
    for entry in suite.datasets:
        split = entry.split or suite.split
        where = f"{loaded.source.path}: {entry.display_name}"
        bounded = _bounded(split, where, _is_generated(entry, registry), most, asked)
        datasets.append(entry if entry.split is None else entry.model_copy(update={"split": bounded}))
    needs_own = any(entry.split is None for entry in suite.datasets)
    split = _bounded(suite.split, str(loaded.source.path), False, most, asked) if needs_own else suite.split
    return replace(loaded, suite=suite.model_copy(update={"split": split, "datasets": datasets}))


def _is_generated(entry: DatasetEntry, registry: Registry) -> bool:
    return entry.name in registry.datasets and registry.datasets[entry.name].generated


def _bounded(split: Split, where: str, generated: bool, most: int | None, asked: int) -> Split:
    if split.method == "k-fold":
        raise SuiteError(
            f"{where}: --until-decided needs independent repetitions, and k-fold has a fixed number of folds, which "
            "share no test rows; take 'method: random'"
        )
    if split.repetitions == 1:
        once = "draws its data once" if generated else "is divided once"
        raise SuiteError(f"{where}: --until-decided needs repetitions, and it {once}; {_EXAMPLE} in 'split'")
    least = split.repetitions.least if isinstance(split.repetitions, Repetitions) else Repetitions().least
    own_most = split.repetitions.most if isinstance(split.repetitions, Repetitions) else Repetitions().most
    if most is not None and most < least:
        raise SuiteError(f"--most {most}: {where.partition(': ')[2] or where} has {least} repetitions at least")
    own_most = own_most if most is None else most
    return split.model_copy(update={"repetitions": Repetitions(least=min(max(asked, least), own_most), most=own_most)})


def check_most(loaded: Loaded, blocks: Sequence[Block]) -> None:
    """Raise `SuiteError` where the most repetitions are fewer than the intervals need to say anything.

    Without claims all pairs of methods share the level of a place, which takes more of them.
    """
    for block in blocks:
        methods = len({trial.algorithm.label for trial in block.combinations})
        pairs = 1 if loaded.suite.expect else max(1, math.comb(methods, 2))
        least = fewest(1 - (1 - LEVEL) / pairs)
        if block.most < least:
            raise SuiteError(
                f"{loaded.source.path}: nothing is decided below {least} repetitions, looked at after each "
                f"round, and {block.most} are the most: give --most {least} or more, or 'most' in 'repetitions'"
            )

"""How often ``--until-decided`` may repeat what a suite asks for."""

from __future__ import annotations

import math
from dataclasses import replace

from benchkit.plugin.manager import Registry
from benchkit.statistics.estimate import LEVEL
from benchkit.statistics.time_uniform import fewest
from benchkit.suite.load import Loaded
from benchkit.suite.schema import DatasetEntry, Repetitions, Split
from benchkit.suite.source import SuiteError


def with_repetitions(loaded: Loaded, registry: Registry, most: int | None, asked: int) -> Loaded:
    """The suite with so many repetitions of every dataset, within its least and most (or that given).

    Raises
    ------
    SuiteError
        Repetitions of a dataset cannot go on: it has none, is divided by k-fold, or its most are fewer than the
        intervals need to say anything. Without claims all pairs of methods share their level, which takes more.
    """
    suite, path = loaded.suite, loaded.source.path

    def bounded(entry: DatasetEntry) -> Split:
        split, label = entry.split or suite.split, entry.display_name
        if split.method == "k-fold":
            raise SuiteError(
                f"{path}: {label}: --until-decided needs independent repetitions, and k-fold has a fixed number of "
                "folds, which share no test rows; take 'method: random'"
            )
        if split.repetitions == 1:
            generated = entry.name in registry.datasets and registry.datasets[entry.name].generated
            once = "draws its data once" if generated else "is divided once"
            remedy = "write 'repetitions: {least: 5, most: 100}' in 'split'"
            raise SuiteError(f"{path}: {label}: --until-decided needs repetitions, and it {once}; {remedy}")
        own = split.repetitions if isinstance(split.repetitions, Repetitions) else Repetitions()
        if most is not None and most < own.least:
            raise SuiteError(f"--most {most}: {label} has {own.least} repetitions at least")
        limit = own.most if most is None else most
        methods = {method.display_name for method in suite.algorithms if label in (method.datasets or [label])}
        least = fewest(1 - (1 - LEVEL) / (1 if suite.expect else max(1, math.comb(len(methods), 2))))
        if limit < least:
            raise SuiteError(
                f"{path}: nothing is decided below {least} repetitions, looked at after each round, and {limit} are "
                f"the most: give --most {least} or more, or 'most' in 'repetitions'"
            )
        count = Repetitions(least=min(max(asked, own.least), limit), most=limit)
        return split.model_copy(update={"repetitions": count})

    splits = [(entry, bounded(entry)) for entry in suite.datasets]
    shared = next((split for entry, split in splits if entry.split is None), suite.split)
    datasets = [entry if entry.split is None else entry.model_copy(update={"split": own}) for entry, own in splits]
    return replace(loaded, suite=suite.model_copy(update={"split": shared, "datasets": datasets}))

"""What an audited model is compared with: a plain one of the same columns, and such as are trained for lost columns."""

import time
import warnings
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
import pandas as pd

from benchkit import Algorithm, RequestError, registry
from benchkit_audit.estimates import LEVEL, Estimate
from benchkit_audit.measure import Outcome, measure, prepare_columns
from benchkit_audit.metrics import Asked
from benchkit_audit.model import in_one_line
from benchkit_audit.subject import Subject, make_subject

LOST = 2  # columns that hardened models are trained to lose, and that they are compared at
TRAINING_SECONDS = 180.0  # after which no training starts, unless an audit may take more
_MOST_ROWS = 3_000  # of a training table; a larger one is sampled


@dataclass(frozen=True)
class Hardened:
    """A model that was trained for lost columns, and its audit on the same rows."""

    name: str  # of the algorithm, as `benchkit list algorithms` has it
    what: str  # what it does, in a few words
    outcome: Outcome | None  # none where it could not be trained
    price: Estimate | None = None  # its loss less that of the audited model where nothing is lost
    gain: Estimate | None = None  # less of it where either loses its own worst columns, for all models at once
    lost: int = LOST  # columns lost where it is compared
    failed: str = ""  # what it raised, or why it is no help


def not_compared(methods: Sequence[Hardened]) -> str:
    """Which methods have no numbers, and why; those that failed alike together."""
    alike: dict[str, list[str]] = {}
    for each in methods:
        if each.failed:
            alike.setdefault(each.failed, []).append(each.name)
    return "; ".join(f"{', '.join(names)} ({failed})" for failed, names in alike.items())


def best_hardened(outcome: Outcome) -> Hardened | None:
    """That which gains most, of those that surely gain more under the worst loss than they cost without."""
    worthy = [
        (each.gain.value, place)
        for place, each in enumerate(outcome.hardened)
        if each.gain is not None and each.price is not None and not each.failed
        if each.gain.low > max(0.0, each.price.high)
    ]
    return outcome.hardened[max(worthy)[1]] if worthy else None


def read_training(model: Any, train: Any, **options: Any) -> Subject:
    """The training table, matched with the model as the hold-out is."""
    if not isinstance(train, tuple | list) or len(train) != 2:
        raise RequestError("train: expected a pair of columns and target, (X, y)")
    try:
        return make_subject(model, *train, **options)[0]
    except RequestError as error:
        raise RequestError(f"train: {str(error).replace('the hold-out', 'the table')}") from None


def harden(
    subject: Subject,
    training: Subject,
    outcome: Outcome,
    asked: Asked,
    groups: Mapping[str, Any] | None,
    seed: int,
    limit: float,
    progress: Callable[[str], None],
) -> Iterator[Hardened]:
    """Train what plugins have against lost columns, and audit each; none starts after a limit of seconds."""
    from sklearn.utils import get_tags

    lost, end = min(LOST, len(outcome.sources) - 1), time.monotonic() + limit
    if lost < 1:
        return
    if training.n_rows > _MOST_ROWS:
        outcome.notes.append(f"Models were trained on {_MOST_ROWS:,} of {training.n_rows:,} rows, at random.")
        rows = np.random.default_rng(seed).choice(training.n_rows, _MOST_ROWS, replace=False)
        training = training.rows(np.sort(rows))
    transformer, made_of = prepare_columns(training)
    owner = {column: place for place, source in enumerate(outcome.sources) for column in source.columns}
    made = [owner[column] for column in made_of]
    methods, metric = declared_methods(training.task), subject.metric
    positive = asked.positive or ("" if metric.case is None else subject.classes[metric.case])
    asked = replace(asked, metric=None if asked.cost else asked.metric or metric.name, positive=positive)
    for declared in methods:
        name, what = declared.name, declared.summary
        progress(name)
        try:
            pipeline = _pipeline(declared, transformer, made, lost, seed)
            binary = training.task == "classification" and not get_tags(pipeline).classifier_tags.multi_class
            if binary and len(set(training.truth)) > 2:
                continue
            if time.monotonic() > end:
                yield Hardened(name, what, None, failed=f"the {limit:.0f} s for training are too few")
                continue
            with warnings.catch_warnings():  # of solvers that stop early: what came of it is measured
                warnings.simplefilter("ignore")
                model = pipeline.fit(*_table(training))
            options: dict[str, Any] = {"weights": subject.weights, "groups": subject.groups}
            own_subject, _ = make_subject(model, *_table(subject), asked=asked, **options)
        except Exception as error:  # it is a plugin's code on anybody's data: told in the report
            yield Hardened(name, what, None, failed=in_one_line(error))
            continue
        left = end - time.monotonic()
        own = measure(own_subject, groups=groups, seed=seed, seconds=left, only=("sets",), largest=LOST)
        failed = "it is not surely better than always giving the same answer"
        failed = "" if own.against_constant.below(0.0) else failed
        sets = [next((each for each in of.sets if each.lost == lost), None) for of in (outcome, own)]
        gain = None
        if sets[0] and sets[1] and len(sets[0].losses.values) == len(sets[1].losses.values):
            gain = sets[0].losses.less(sets[1].losses, 1 - (1 - LEVEL) / len(methods))
        yield Hardened(name, what, own, own.intact.less(outcome.intact), gain, lost, failed)


def declared_methods(task: str) -> list[Algorithm]:
    """The methods of all plugins that say how they are trained for lost columns."""
    known = registry().algorithms
    return [each for _, each in sorted(known.items()) if each.hardened is not None and task in each.tasks]


def _table(subject: Subject) -> tuple[pd.DataFrame, np.ndarray]:
    """The columns as a table, and what they are of: labels as texts that no library takes for anything else."""
    table = pd.DataFrame({each.name: each.values for each in subject.columns})
    names = np.asarray(subject.classes, dtype=object)
    return table, subject.truth if subject.task == "regression" else names[subject.truth].astype(str)


def _pipeline(declared: Algorithm, transformer: Any, made: Sequence[int], lost: int, seed: int) -> Any:
    from sklearn.pipeline import Pipeline

    given: dict[str, Any] = {declared.budget_param: lost} if declared.budget_param else {}
    given |= declared.hardened_parameters(n_lost=lost, n_features=len(set(made)))
    groups = [[place for place, own in enumerate(made) if own == source] for source in dict.fromkeys(made)]
    if declared.groups_param and len(groups) < len(made):
        given[declared.groups_param] = [each for each in groups if len(each) > 1]
    estimator = declared.make(**given)
    if "random_state" in estimator.get_params():
        estimator.set_params(random_state=seed)
    return Pipeline([("columns", transformer), ("model", estimator)])

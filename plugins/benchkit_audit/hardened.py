"""What would help: a few models that are trained for lost columns, audited beside the one that there is."""

from __future__ import annotations

import time
import warnings
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from benchkit import Algorithm, RequestError, registry
from benchkit.fitted.model import in_one_line
from benchkit_audit.estimates import LEVEL, Estimate, difference
from benchkit_audit.inputs import Source
from benchkit_audit.measure import Outcome
from benchkit_audit.subject import Subject, make_subject

if TYPE_CHECKING:
    import numpy as np
    import pandas as pd

LOST = 2
"""Columns that hardened models are trained to lose, and that they are compared at."""
_MOST_CATEGORIES = 20


@dataclass(frozen=True)
class Hardened:
    """A model that was trained for lost columns, and its audit on the same rows."""

    name: str  # of the algorithm, as `benchkit list algorithms` has it
    what: str  # what it does, in a few words
    outcome: Outcome | None  # none where it could not be trained
    # By how much its mean loss exceeds that of the audited model where nothing is lost, paired by row
    price: Estimate | None = None
    # By how much the mean loss of the audited model exceeds its own where each row loses its worst columns, paired; the
    # interval holds for all models at once (Bonferroni)
    gain: Estimate | None = None
    lost: int = LOST  # columns lost where it is compared
    seconds: float = 0.0  # that training took
    failed: str = ""  # what it raised


@dataclass(frozen=True)
class _Prepared:
    """How columns are prepared: numbers standardised, categories one-hot; a gap is 0 in both."""

    transformer: Any
    sources_of: Sequence[int]
    lost: int

    @property
    def n_features(self) -> int:
        return len(set(self.sources_of))

    @property
    def groups(self) -> list[list[int]]:
        places: dict[int, list[int]] = {}
        for place, source in enumerate(self.sources_of):
            places.setdefault(source, []).append(place)
        return [each for each in places.values() if len(each) > 1]


def best_hardened(outcome: Outcome) -> Hardened | None:
    """Of those that gain more under the worst loss than they cost without, that which gains most; None if none does.

    Both are decided: the lower end of the gain lies above the upper end of the price. One answer to everything loses
    nothing with its columns, and is no help.
    """
    worthy = [each for each in outcome.hardened if _is_worth(each)]
    return max(worthy, key=lambda each: each.gain.value if each.gain else 0.0, default=None)


def _is_worth(each: Hardened) -> bool:
    if each.outcome is None or each.gain is None or each.price is None:
        return False
    better = each.gain.above(0.0) and each.gain.low > each.price.high
    return better and each.outcome.against_constant.below(0.0)


def read_training(model: Any, train: Any, **options: Any) -> Subject:
    """The training table, matched with the model as the hold-out is.

    Parameters
    ----------
    options : mapping
        Of `make_subject`.

    Raises
    ------
    RequestError
        It is no pair, or does not fit the model; one line.
    """
    try:
        X, y = train
    except (TypeError, ValueError):
        raise RequestError("train: expected a pair of columns and target, (X, y)") from None
    try:
        return make_subject(model, X, y, **options)[0]
    except RequestError as error:
        raise RequestError(f"train: {str(error).replace('the hold-out', 'the table')}") from None


def harden(
    subject: Subject,
    training: Subject,
    outcome: Outcome,
    measure: Callable[[Subject], Outcome],
    *,
    most_rows: int,
    seed: int,
    progress: Callable[[str], None] | None = None,
) -> Iterator[Hardened]:
    """Train what plugins have against lost columns, and audit each.

    Parameters
    ----------
    subject : Subject
        The audited model with its hold-out.
    training : Subject
        The audited model with the training table.
    outcome : Outcome
        Of the audit.
    measure : callable
        Audits a subject on the rows of the audit.
    most_rows : int
        Of the training table; more are sampled.
    progress : callable, optional
        Takes the name of the algorithm at work.
    """
    import numpy as np

    lost = min(LOST, len(outcome.sources) - 1)
    if lost < 1:
        return
    if training.n_rows > most_rows:
        rows = np.random.default_rng(seed).choice(training.n_rows, most_rows, replace=False)
        training = training.rows(np.sort(rows))
    labels = _labels(training)
    table, held = _table(training), _table(subject)
    prepared = _prepare(training, outcome.sources, lost)
    methods = declared_methods(training.task)
    for declared in methods:
        name, what = declared.name, declared.summary
        if progress is not None:
            progress(name)
        start = time.monotonic()
        try:
            pipeline = _pipeline(declared, prepared, seed)
            if len(set(labels)) > 2 and not _takes_classes(pipeline, training.task):
                continue
            with warnings.catch_warnings():  # of solvers that stop early: what came of it is measured
                warnings.simplefilter("ignore")
                model = pipeline.fit(table, labels)
            made, _ = make_subject(model, held, _labels(subject), task=subject.task, loss=_loss(subject))
        except Exception as error:  # it is a plugin's code on anybody's data: told in the report
            yield Hardened(name, what, None, failed=in_one_line(error))
            continue
        seconds = time.monotonic() - start
        own = measure(made)
        yield Hardened(name, what, own, *_compared(outcome, own, lost, len(methods)), lost, seconds)


def declared_methods(task: str) -> list[Algorithm]:
    """The methods of all plugins that say how they are trained for lost columns."""
    known = registry().algorithms
    return [each for _, each in sorted(known.items()) if each.hardened is not None and task in each.tasks]


def _compared(yours: Outcome, own: Outcome, lost: int, models: int) -> tuple[Estimate, Estimate | None]:
    """What the model costs where nothing is lost, and what it gains where each row loses its worst columns."""
    shares = yours.subject.shares
    price = difference(own.row_losses, yours.row_losses, shares)
    pair = [next((each for each in outcome.attacked if each.lost == lost), None) for outcome in (yours, own)]
    if pair[0] is None or pair[1] is None:
        return price, None
    return price, difference(pair[0].losses, pair[1].losses, shares, 1 - (1 - LEVEL) / models)


def _labels(subject: Subject) -> np.ndarray:
    import numpy as np

    if subject.task == "regression":
        return subject.truth
    return np.asarray(np.asarray(subject.classes, dtype=object)[subject.truth].astype(str))


def _loss(subject: Subject) -> str:
    return subject.loss if subject.task == "regression" else "absolute"


def _table(subject: Subject) -> pd.DataFrame:
    """The columns as a table, their names as texts that no library takes for anything else."""
    import pandas as pd

    return pd.DataFrame({each.name: each.values for each in subject.columns})


def _prepare(training: Subject, sources: Sequence[Source], lost: int) -> _Prepared:
    """A transformer of the columns, and the source of each column that it makes."""
    from sklearn.compose import ColumnTransformer
    from sklearn.impute import SimpleImputer
    from sklearn.pipeline import make_pipeline
    from sklearn.preprocessing import OneHotEncoder, StandardScaler

    owner = {column: place for place, source in enumerate(sources) for column in source.columns}
    numbers = [place for place, column in enumerate(training.columns) if column.kind == "number"]
    names = [column.name for column in training.columns]
    known = {
        place: column.values.dropna().value_counts().index[:_MOST_CATEGORIES].to_numpy(dtype=object)
        for place, column in enumerate(training.columns)
        if column.kind == "category"
    }
    known = {place: categories for place, categories in known.items() if len(categories)}
    parts: list[tuple[str, Any, list[str]]] = []
    if numbers:
        scaled = make_pipeline(SimpleImputer(keep_empty_features=True), StandardScaler())
        parts.append(("numbers", scaled, [names[place] for place in numbers]))
    if known:
        # A category that is none of these, as a gap is, leaves zeros.
        blocks = OneHotEncoder(categories=list(known.values()), handle_unknown="ignore", sparse_output=False)
        parts.append(("texts", blocks, [names[place] for place in known]))
    made = [owner[place] for place in numbers]
    made += [owner[place] for place, categories in known.items() for _ in categories]
    return _Prepared(ColumnTransformer(parts, sparse_threshold=0), made, lost)


def _pipeline(declared: Algorithm, prepared: _Prepared, seed: int) -> Any:
    from sklearn.pipeline import Pipeline

    given: dict[str, Any] = {declared.budget_param: prepared.lost} if declared.budget_param else {}
    given |= declared.hardened_parameters(n_lost=prepared.lost, n_features=prepared.n_features)
    if declared.groups_param and prepared.groups:
        given[declared.groups_param] = prepared.groups
    estimator = declared.make(**given)
    if "random_state" in estimator.get_params():
        estimator.set_params(random_state=seed)
    return Pipeline([("columns", prepared.transformer), ("model", estimator)])


def _takes_classes(model: Any, task: str) -> bool:
    """Whether it tells more than two classes apart; of numbers that is no question."""
    from sklearn.utils import get_tags

    return task == "regression" or get_tags(model).classifier_tags.multi_class

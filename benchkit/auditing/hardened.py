"""What would help: a few models that are trained for lost columns, audited beside the one that there is."""

from __future__ import annotations

import time
import warnings
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from benchkit.auditing.columns import Source
from benchkit.auditing.make_subject import make_subject
from benchkit.auditing.measured import LEVEL, Measured, difference
from benchkit.auditing.outcome import Outcome
from benchkit.auditing.subject import Subject, in_one_line
from benchkit.errors import RequestError
from benchkit.plugin.manager import registry

if TYPE_CHECKING:
    import numpy as np
    import pandas as pd

LOST = 2
"""Columns that hardened models are trained to lose, and that they are compared at."""
_MOST_CATEGORIES = 20

# Methods of plugins by name: in a few words what they do, and what they are told beyond how many columns they lose.
_METHODS: dict[str, tuple[str, Callable[[_Prepared], dict[str, Any]]]] = {
    "gradient-boosting": ("boosted trees, gaps imputed", lambda prepared: {}),
    "column-dropout": (
        "boosted trees on copies that lack columns at random",
        lambda prepared: {"fill": "zero", "rate": max(0.3, prepared.lost / prepared.n_features)},
    ),
    "adversarial-columns": (
        "boosted trees on copies that lack their worst columns, two rounds",
        lambda prepared: {"fill": "zero", "n_deleted": float(prepared.lost), "rounds": 2},
    ),
    "hist-gradient-boosting-regressor": ("boosted trees, gaps imputed", lambda prepared: {}),
    "column-dropout-regressor": (
        "boosted trees on copies that lack columns at random",
        lambda prepared: {"fill": "zero", "rate": max(0.3, prepared.lost / prepared.n_features)},
    ),
    "fdrop": ("linear, against any two columns lost per row", lambda prepared: {}),
    "lp": ("linear, weights in a box, against any two lost", lambda prepared: {}),
    "additive-fdrop": ("a step function of each column, against any two lost", lambda prepared: {}),
}
_BINARY = ("fdrop", "lp", "additive-fdrop")


@dataclass(frozen=True)
class Hardened:
    """A model that was trained for lost columns, and its audit on the same rows.

    Attributes
    ----------
    name : str
        Of the algorithm, as `benchkit list algorithms` has it.
    what : str
        What it does, in a few words.
    outcome : Outcome or None
        None where it could not be trained.
    price : Measured or None
        By how much its mean loss exceeds that of the audited model where nothing is lost, paired by row.
    gain : Measured or None
        By how much the mean loss of the audited model exceeds its own where each row loses its worst columns, paired;
        the interval holds for all models at once (Bonferroni).
    lost : int
        Columns lost where it is compared.
    seconds : float
        That training took.
    failed : str
        What it raised.
    """

    name: str
    what: str
    outcome: Outcome | None
    price: Measured | None = None
    gain: Measured | None = None
    lost: int = LOST
    seconds: float = 0.0
    failed: str = ""


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
    found = [each for each in outcome.hardened if _is_worth(each)]
    return max(found, key=lambda each: each.gain.value if each.gain else 0.0, default=None)


def _is_worth(each: Hardened) -> bool:
    if each.outcome is None or each.gain is None or each.price is None:
        return False
    better = each.gain.above(0.0) and each.gain.low > each.price.high
    return better and each.outcome.against_constant.below(0.0)


def read_training(model: Any, train: Any, **options: Any) -> Subject:
    """The training table, matched with the model as the hold-out is.

    Parameters
    ----------
    model : object
    train : (X, y)
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
        return make_subject(model, X, y, **options).subject
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
    seed : int
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
    known = registry().algorithms
    names = [name for name in _METHODS if name in known and training.task in known[name].tasks]
    if training.task == "classification" and len(set(labels)) > 2:
        names = [name for name in names if name not in _BINARY]
    for name in names:
        what, parameters = _METHODS[name]
        if progress is not None:
            progress(name)
        start = time.monotonic()
        try:
            with warnings.catch_warnings():  # of solvers that stop early: what came of it is measured
                warnings.simplefilter("ignore")
                model = _pipeline(known[name], parameters(prepared), prepared, seed).fit(table, labels)
            made = make_subject(
                model, held, _labels(subject), task=subject.task, loss=_loss(subject), classes=None
            ).subject
        except Exception as error:  # it is a plugin's code on anybody's data: told in the report
            yield Hardened(name, what, None, failed=in_one_line(error))
            continue
        seconds = time.monotonic() - start
        own = measure(made)
        yield Hardened(name, what, own, *_compared(outcome, own, lost, len(names)), lost, seconds)


def _compared(yours: Outcome, own: Outcome, lost: int, models: int) -> tuple[Measured, Measured | None]:
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


def _pipeline(declared: Any, parameters: Mapping[str, Any], prepared: _Prepared, seed: int) -> Any:
    from sklearn.pipeline import Pipeline

    given: dict[str, Any] = {declared.budget_param: prepared.lost} if declared.budget_param else {}
    given |= parameters
    if declared.groups_param and prepared.groups:
        given[declared.groups_param] = prepared.groups
    estimator = declared.make(**given)
    if "random_state" in estimator.get_params():
        estimator.set_params(random_state=seed)
    return Pipeline([("columns", prepared.transformer), ("model", estimator)])

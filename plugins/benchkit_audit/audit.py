"""`benchkit.audit`: a fitted model and a hold-out in, a report out."""

import time
from collections.abc import Callable, Mapping, Sequence
from typing import Any, Literal

from benchkit import RequestError
from benchkit_audit.columns import label_text
from benchkit_audit.findings import findings_of
from benchkit_audit.gaps import FILLS
from benchkit_audit.hardened import TRAINING_SECONDS, harden, read_training
from benchkit_audit.measure import Progress, measure
from benchkit_audit.metrics import Asked
from benchkit_audit.report import AuditReport
from benchkit_audit.subject import make_subject

SECONDS = 120.0
"""After which an audit skips what is open, unless it is given more or less."""


def audit(
    model: Any,
    X: Any,
    y: Any,
    *,
    sources: Mapping[str, Sequence[str]] | None = None,
    outages: Mapping[str, float] | None = None,
    fill: Literal["auto", "gap", "mean", "zero"] = "auto",
    metric: str | Callable[..., Any] | None = None,
    positive: Any = None,
    threshold: float | None = None,
    cost: str = "",
    weights: Any = None,
    groups: Any = None,
    classes: Sequence[Any] | None = None,
    seconds: float | None = None,
    attacker: bool = False,
    train: tuple[Any, Any] | None = None,
    seed: int = 0,
    title: str = "",
    progress: Progress | None = None,
) -> AuditReport:
    """How robust a fitted model is, and which column hurts.

    The model is fixed and rows are independent: intervals speak of new rows like those of the hold-out. A model that
    does not fit it, or a wrong option, is a `RequestError` of one line. Of more than 10,000 rows so many are drawn.

    Parameters
    ----------
    model : object
        A fitted estimator or pipeline with ``predict``, or a function that takes rows and returns labels, numbers, or
        probabilities of the classes (two dimensions).
    X : DataFrame or array of shape (n_rows, n_columns)
        Raw columns, as the model takes them, that it was not trained on.
    y : array-like of shape (n_rows,)
    sources : mapping of name to names of columns, optional
        Columns that are lost together. Others are lost alone.
    outages : mapping of name to float, optional
        How often sources, or columns, are out, as a share of the time, independently of each other.
    fill : {"auto", "gap", "mean", "zero"}, default="auto"
        What a lost column becomes: a gap where the model takes one, else its mean or most frequent value; or one of
        these everywhere.
    metric : str or callable, optional
        A scorer's name of scikit-learn (``average_precision``, ``f1``, ``balanced_accuracy``, ``r2``, ...), ``error``,
        ``brier``, ``squared``, ``absolute``; a scorer; or a function of true and predicted values whose name ends with
        ``_score``, ``_error`` or ``_loss``. Where absent, the share of errors if no class is rare (10 % of two
        classes), else average precision of the rarer class, or balanced accuracy; of a regression the loss that it was
        trained on where it says, else absolute errors.
    positive : label, optional
        That the metric looks for; 1, True or yes of two classes where absent.
    threshold : float, optional
        Of the probability of that label, from which on it is predicted.
    cost : str, default=""
        As a metric, what mistakes cost: ``"missed fraud: 100, false alarm: 1"``.
    weights, groups : array-like of shape (n_rows,), optional
        What rows count; and of which patient, shop, ... each is: intervals then speak of new ones.
    classes : sequence, optional
        What the model's classes, or the columns of a function's probabilities, are called in y, in their order; where
        absent the model's own, and for a function the sorted labels of y.
    seconds : float, optional
        After which what is open is skipped, and named; 120 where absent.
    attacker : bool, default=False
        Whether the worst columns of each row are sought, too, as an attacker would choose them.
    train : (X, y), optional
        A table with the columns of the hold-out: models that plugins have against lost columns are trained on it and
        audited beside this one; after three minutes none starts, and what is left out is named.
    seed : int, default=0
        Seed of the random draws.
    title : str, default=""
        The report's.
    progress : callable, optional
        Takes the name of the part at work.
    """
    if fill not in FILLS:
        raise RequestError(f"fill is {fill!r}, expected one of {', '.join(FILLS)}")
    if seconds is not None and not seconds > 0:
        raise RequestError(f"seconds is {seconds}, expected more than 0")
    asked = Asked(metric, "" if positive is None else label_text(positive), threshold, cost)
    subject, notes = make_subject(model, X, y, classes=classes, asked=asked, weights=weights, groups=groups)
    training = None if train is None else read_training(model, train, classes=classes)
    progress, start = progress or (lambda _: None), time.monotonic()
    outcome = measure(
        subject,
        groups=sources,
        seed=seed,
        seconds=seconds or SECONDS,
        fill=fill,
        attacker=attacker,
        progress=progress,
        outages=outages,
    )
    outcome.notes[:0] = notes
    if training is not None:
        limit = max(TRAINING_SECONDS, seconds or 0.0)
        models = harden(subject, training, outcome, asked, sources, seed, limit, progress)
        outcome.hardened.extend(sorted(models, key=lambda each: each.name))
    return AuditReport(
        findings=tuple(findings_of(outcome)),
        outcome=outcome,
        title=title or f"Audit of {getattr(model, '__name__', None) or type(model).__name__}",
        seconds=time.monotonic() - start,
    )

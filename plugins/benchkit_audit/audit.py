"""`benchkit.audit`: a fitted model and a hold-out in, a report out."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterable, Mapping, Sequence
from pathlib import Path
from typing import Any, Literal

from benchkit import RequestError, write_whole
from benchkit.fitted.columns import label_text
from benchkit_audit.findings import Finding, check_codes, findings_of
from benchkit_audit.gaps import FILLS
from benchkit_audit.hardened import SECONDS, harden, read_training
from benchkit_audit.measure import FAST, THOROUGH, Progress, measure
from benchkit_audit.metrics import Asked
from benchkit_audit.report import AuditReport
from benchkit_audit.subject import make_subject


def audit(
    model: Any,
    X: Any,
    y: Any,
    *,
    sources: Mapping[str, Sequence[str]] | None = None,
    outages: Mapping[str, float] | None = None,
    fill: Literal["auto", "gap", "mean", "zero"] = "auto",
    task: Literal["classification", "regression"] | None = None,
    metric: str | Callable[..., Any] | None = None,
    positive: Any = None,
    threshold: float | None = None,
    cost: str = "",
    weights: Any = None,
    groups: Any = None,
    classes: Sequence[Any] | None = None,
    thorough: bool = False,
    seconds: float | None = None,
    ignore: Iterable[str] = (),
    attacker: bool = False,
    train: tuple[Any, Any] | None = None,
    seed: int = 0,
    title: str = "",
    stored_by: str = "",
    out: str | Path | None = None,
    progress: Progress | None = None,
) -> AuditReport:
    """How robust a fitted model is, and which column hurts.

    The model is fixed and rows are independent: intervals speak of new rows like those of the hold-out. A model that
    does not fit it, or a wrong option, is a `RequestError` of one line.

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
    task : {"classification", "regression"}, optional
        Read from the model where absent.
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
    thorough : bool, default=False
        All rows (500,000 at most) and longer searches, without a limit of time.
    seconds : float, optional
        After which what is open is skipped, and named; 60 where absent and not thorough.
    ignore : iterable of str, default=()
        Codes or names of findings to leave out.
    attacker : bool, default=False
        Whether the worst columns of each row are sought, too, as an attacker would choose them.
    train : (X, y), optional
        A table with the columns of the hold-out: models that plugins have against lost columns are trained on it and
        audited beside this one, in three minutes at most: what takes longer is left out, and named.
    seed : int, default=0
        Seed of the random draws.
    title, stored_by : str, default=""
        The report's; and the version of scikit-learn that stored the model, where it was read from a file.
    out : str or Path, optional
        A folder that takes the page, ``report.html``, and the numbers, ``audit.json``.
    progress : callable, optional
        Takes the name of the part at work; of training, beforehand, what it will take and what it leaves out.
    """
    if fill not in FILLS:
        raise RequestError(f"fill is {fill!r}, expected one of {', '.join(FILLS)}")
    if seconds is not None and not seconds > 0:
        raise RequestError(f"seconds is {seconds}, expected more than 0")
    left_out = check_codes(ignore)
    asked = Asked(metric, "" if positive is None else label_text(positive), threshold, cost)
    subject, notes = make_subject(model, X, y, task=task, classes=classes, asked=asked, weights=weights, groups=groups)
    training = None if train is None else read_training(model, train, task=subject.task, classes=classes)
    sizes, start = THOROUGH if thorough else FAST, time.monotonic()
    time_limit = sizes.seconds if seconds is None else seconds
    outcome = measure(
        subject,
        sizes=sizes,
        groups=sources,
        seed=seed,
        seconds=time_limit,
        fill=fill,
        attacker=attacker,
        progress=progress,
        outages=outages,
    )
    outcome.notes[:0] = notes
    if training is not None:
        limit = max(SECONDS, seconds or 0.0)
        models = harden(subject, training, outcome, asked, sources, sizes, seed, limit, progress or (lambda _: None))
        outcome.hardened.extend(sorted(models, key=lambda each: each.name))
    findings = [*findings_of(outcome), _version(stored_by)]
    report = AuditReport(
        findings=tuple(each for each in findings if each.code not in left_out),
        outcome=outcome,
        title=title or f"Audit of {getattr(model, '__name__', None) or type(model).__name__}",
        seconds=time.monotonic() - start,
    )
    if out is not None:
        folder = Path(out)
        try:
            folder.mkdir(parents=True, exist_ok=True)
            for name, text in (("report.html", report.to_html()), ("audit.json", report.to_json())):
                (folder / name).unlink(missing_ok=True)  # it may be a link
                write_whole(folder / name, text)
        except OSError as error:
            raise RequestError(f"{folder}: cannot be written: {error.strerror}") from None
    return report


def _version(stored: str) -> Finding:
    """Whether the file of the model says that another version of scikit-learn stored it."""
    import sklearn

    if not stored:
        return Finding("BK013", "not applicable", "The version of scikit-learn that stored the model is unknown.")
    if stored == sklearn.__version__:
        return Finding("BK013", "passed", f"The model was stored by scikit-learn {stored}, which reads it.")
    text = f"The model was stored by scikit-learn {stored} and is read by {sklearn.__version__}, where it may differ."
    return Finding("BK013", "tip", text, f"Install scikit-learn {stored}.")

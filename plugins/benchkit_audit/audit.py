"""`benchkit.audit`: a fitted model and a hold-out in, a report out."""

from __future__ import annotations

import time
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any, Literal

from benchkit import RequestError, write_whole
from benchkit_audit.findings import Finding, check_codes, findings_of
from benchkit_audit.gaps import FILLS
from benchkit_audit.hardened import LOST, harden, read_training
from benchkit_audit.measure import FAST, THOROUGH, Outcome, Progress, Sizes, measure
from benchkit_audit.report import AuditReport
from benchkit_audit.subject import Subject, make_subject
from benchkit_audit.worst_sets import RowAttack

PAGE, NUMBERS = "report.html", "audit.json"
"""What the folder of an audit holds."""


def audit(
    model: Any,
    X: Any,
    y: Any,
    *,
    sources: Mapping[str, Sequence[str]] | None = None,
    outages: Mapping[str, float] | None = None,
    fill: Literal["auto", "gap", "mean", "zero"] = "auto",
    task: Literal["classification", "regression"] | None = None,
    loss: Literal["absolute", "squared"] = "absolute",
    classes: Sequence[Any] | None = None,
    thorough: bool = False,
    seconds: float | None = None,
    ignore: Iterable[str] = (),
    attacks: Sequence[RowAttack] = (),
    train: tuple[Any, Any] | None = None,
    seed: int = 0,
    title: str = "",
    stored_by: str = "",
    out: str | Path | None = None,
    progress: Progress | None = None,
) -> AuditReport:
    """How robust a fitted model is, and which column hurts.

    The model is fixed and rows are independent: intervals speak of new rows like those of the hold-out. What is
    searched (the worst columns, pairs) is searched on some rows and measured on others.

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
        How often sources, or columns, are out, as a share of the time: what that costs on average is told for each
        fallback. They fail independently.
    fill : {"auto", "gap", "mean", "zero"}, default="auto"
        What a lost column becomes: a gap where the model takes one, else its mean or most frequent value; or one of
        these everywhere.
    task : {"classification", "regression"}, optional
        Read from the model where absent.
    loss : {"absolute", "squared"}, default="absolute"
        Of a regression; of a classification it is the share of errors.
    classes : sequence, optional
        What the model's classes, or the columns of a function's probabilities, are called in y, in their order; where
        absent the model's own, and for a function the sorted labels of y.
    thorough : bool, default=False
        All rows (500,000 at most) and longer searches, without a limit of time.
    seconds : float, optional
        After which what is open is skipped, and named; 60 where absent and not thorough.
    ignore : iterable of str, default=()
        Codes or names of findings to leave out.
    attacks : sequence of RowAttack, default=()
        Stronger attacks on rows for kinds of models: the first that applies is used before benchkit's own.
    train : (X, y), optional
        A training table with the columns of the hold-out: models that plugins have against lost columns are trained on
        it and audited beside this one, each within ``seconds``.
    seed : int, default=0
        Of the draws of rows and columns.
    title : str, default=""
    stored_by : str, default=""
        The version of scikit-learn that stored the model, where it was read from a file.
    out : str or Path, optional
        A folder that takes the page, ``report.html``, and the numbers, ``audit.json``.
    progress : callable, optional
        Takes the name of the part at work.

    Returns
    -------
    AuditReport

    Raises
    ------
    RequestError
        The model does not fit the hold-out, or an option is wrong; one line.
    """
    if fill not in FILLS:
        raise RequestError(f"fill is {fill!r}, expected one of {', '.join(FILLS)}")
    if seconds is not None and not seconds > 0:
        raise RequestError(f"seconds is {seconds}, expected more than 0")
    left_out = check_codes(ignore)
    subject, notes = make_subject(model, X, y, task=task, loss=loss, classes=classes)
    given = {"task": subject.task, "loss": loss, "classes": classes}
    training = None if train is None else read_training(model, train, **given)
    sizes = THOROUGH if thorough else FAST
    start = time.monotonic()
    outcome = measure(
        subject,
        sizes=sizes,
        groups=sources,
        fill=fill,
        attacks=attacks,
        seed=seed,
        seconds=sizes.seconds if seconds is None else seconds,
        progress=progress,
        outages=outages,
    )
    outcome.notes[:0] = notes
    if training is not None:
        outcome.train_rows = training.n_rows
        _add_hardened(subject, training, outcome, sizes, sources, seed, seconds, progress)
        if training.n_rows > sizes.trained:
            outcome.notes.append(f"Models were trained on {sizes.trained:,} of {training.n_rows:,} rows, at random.")
    findings = [*findings_of(outcome), _version(stored_by)]
    report = AuditReport(
        findings=tuple(each for each in findings if each.code not in left_out),
        outcome=outcome,
        title=title or f"Audit of {_name(model)}",
        seconds=time.monotonic() - start,
    )
    if out is not None:
        _write(report, Path(out))
    return report


def _write(report: AuditReport, folder: Path) -> None:
    """The page and the numbers of an audit, into its folder."""
    try:
        folder.mkdir(parents=True, exist_ok=True)
        for name, text in ((PAGE, report.to_html()), (NUMBERS, report.to_json())):
            (folder / name).unlink(missing_ok=True)  # it may be a link
            write_whole(folder / name, text)
    except OSError as error:
        raise RequestError(f"{folder}: cannot be written: {error.strerror}") from None


def _add_hardened(
    subject: Subject,
    training: Subject,
    outcome: Outcome,
    sizes: Sizes,
    sources: Mapping[str, Sequence[str]] | None,
    seed: int,
    seconds: float | None,
    progress: Progress | None,
) -> None:
    """Add models trained for lost columns, with what is compared of their audits, to the outcome."""
    small = replace(sizes, largest=LOST, most_random=LOST)

    def compared(own: Subject) -> Outcome:
        return measure(
            own,
            sizes=small,
            groups=sources,
            fill="auto",
            attacks=(),
            seed=seed,
            seconds=sizes.seconds if seconds is None else seconds,
            progress=None,
            parts=("columns", "sets", "random", "rows"),
        )

    def training_of(name: str) -> None:
        if progress is not None:
            progress(f"training {name}")

    outcome.hardened.extend(
        harden(subject, training, outcome, compared, most_rows=sizes.trained, seed=seed, progress=training_of)
    )


def _name(model: Any) -> str:
    return getattr(model, "__name__", None) or type(model).__name__


def _version(stored: str) -> Finding:
    """Whether the file of the model says that another version of scikit-learn stored it."""
    if not stored:
        return Finding("BK013", "not applicable", "It is not known which version of scikit-learn stored the model.")
    import sklearn

    now = sklearn.__version__
    if stored == now:
        return Finding("BK013", "passed", f"The model was stored by scikit-learn {stored}, which reads it.")
    text = f"The model was stored by scikit-learn {stored} and is read by {now}: it may answer otherwise."
    return Finding("BK013", "tip", text, f"Install scikit-learn {stored}.")

"""Plugin of `bench-audit`: how often an interval of an audit of many small hold-outs misses the true number.

Columns are normal, the label follows a logistic model of them, and the audited model knows its weights: the loss of the
model, and its rise where one of three columns is lost, are held against those of half a million rows.
"""

from functools import cache, partial

import numpy as np
from sklearn.base import BaseEstimator, ClassifierMixin

from benchkit import Algorithm, Metric, hookimpl
from benchkit_audit.metrics import Asked, choose_metric
from benchkit_audit.model import Answers
from benchkit_audit.subject import Subject

WEIGHTS = np.array([1.8, 1.0, 0.5, 0.0])
GROUP = 5  # rows of one group, where there are groups
POPULATION = 500_000
# By name, what an audit is asked; the positive class is that which is rare.
OF_LABELS = ("error", "balanced_accuracy", "recall", "precision", "f1", "matthews_corrcoef")
METRICS = {name: Asked(name, "1") for name in (*OF_LABELS, "roc_auc", "average_precision", "log_loss", "brier")}
METRICS["cost"] = Asked(None, "1", None, "missed: 20, false alarm: 1")
NAMES = [name.replace("_", "-") for name in METRICS]


def hold_out(random, n, positives, design):
    """A subject of n rows, its answers, and those where the first, second and third column is lost."""
    groups = np.arange(n) // GROUP if design == "groups" else None
    X, unseen = random.normal(size=(n, len(WEIGHTS))), np.zeros(n)
    if groups is not None:  # patients differ in their columns, and in what no column tells
        shifts = random.normal(size=(groups[-1] + 1, len(WEIGHTS) + 1))[groups]
        X, unseen = (X + shifts[:, 1:]) / np.sqrt(2), 0.7 * shifts[:, 0]
    offset = {0.03: -5.0, 0.2: -2.1, 0.5: 0.0}[positives]
    truth = (X @ WEIGHTS + offset + unseen + random.logistic(size=n) > 0).astype(int)
    weights = random.exponential(size=n) * (1 + truth) if design == "weights" else None
    lost = [np.where(np.arange(len(WEIGHTS)) == place, 0.0, WEIGHTS) for place in (-1, 0, 1, 2)]
    scores = [1 / (1 + np.exp(-(X @ known + offset))) for known in lost]
    limit = {0.03: 0.1, 0.2: 0.3, 0.5: 0.5}[positives]  # lower of a rare class, which is sought
    answers = [Answers((score > limit).astype(int), np.column_stack([1 - score, score])) for score in scores]
    return Subject(None, [], False, "classification", truth, ("0", "1"), weights=weights, groups=groups), answers


def losses_of(name, subject, answers):
    """The losses of each of several answers in a metric."""
    metric = choose_metric(METRICS[name], "classification", ("0", "1"), subject.truth, "probabilities", "")
    return [subject.losses(each, np.arange(subject.n_rows), metric) for each in answers]


@cache
def true_losses(name, positives, design):
    """Of a half million rows; shape (4,)."""
    subject, answers = hold_out(np.random.default_rng(7), POPULATION, positives, design)
    metric = choose_metric(METRICS[name], "classification", ("0", "1"), subject.truth, "probabilities", "")
    return np.array([subject.loss(each, np.arange(POPULATION), metric) for each in answers])


def calibrate(name, rows, positives, design, pools, seed):
    """The share of intervals that hold the true number, of hold-outs that give any; NaN where most give none."""
    random, held = np.random.default_rng([seed, rows, int(100 * positives)]), []
    true = true_losses(name, positives, design)
    for _ in range(pools):
        before, *after = losses_of(name, *hold_out(random, rows, positives, design))
        intervals = [(before.estimate(), true[0])]
        intervals += [(each.less(before), truth - true[0]) for each, truth in zip(after, true[1:], strict=True)]
        if all(np.isfinite(interval.high - interval.low) for interval, _ in intervals):
            held.append([interval.low <= truth <= interval.high for interval, truth in intervals])
    return float(np.mean(held)) if len(held) > pools / 2 else np.nan


class AuditCalibration(ClassifierMixin, BaseEstimator):
    """Judges hold-outs when fitted; predicts the first class."""

    def __init__(self, design="rows", positives=0.2, rows=1000, pools=600, random_state=None):
        self.design, self.positives, self.rows, self.pools = design, positives, rows, pools
        self.random_state = random_state

    def fit(self, X, y):
        """Judge."""
        self.classes_, self.coverage_ = np.unique(y), {}
        for name in METRICS:
            told = (name, self.rows, self.positives, self.design, self.pools, self.random_state or 0)
            self.coverage_[name.replace("_", "-")] = calibrate(*told)
        return self

    def predict(self, X):
        """The first class, for every row."""
        return np.full(X.shape[0], self.classes_[0])


def coverage(context, name):
    """Of one metric of the audit; without a name, the lowest of all."""
    shares = context.model.coverage_
    return shares[name] if name else float(np.nanmin(list(shares.values())))


@hookimpl
def benchkit_algorithms():
    """The judge of hold-outs."""
    summary = "Judges intervals of audits of hold-outs whose truth is known"
    return [Algorithm(name="audit-calibration", make=AuditCalibration, summary=summary)]


@hookimpl
def benchkit_metrics():
    """Share of 95 % intervals that hold the truth."""
    kinds = {"audit-coverage": "", **{f"audit-coverage-{name}": name for name in NAMES}}
    return [
        Metric(
            name=kind, summary=f"Coverage of {name or 'the worst'}", compute=partial(coverage, name=name), range=(0, 1)
        )
        for kind, name in kinds.items()
    ]

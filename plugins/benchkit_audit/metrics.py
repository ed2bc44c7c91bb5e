"""What answers are judged by: metrics as means over rows, so that the same rows can be compared before and after.

A metric that is no mean has influence values: the value of row i is the loss of all rows plus what it moves that by, to
first order. Their mean is the metric's loss, their variance over n its variance: DeLong's placements for the AUC
(DeLong, DeLong and Clarke-Pearson 1988), linearised ratios for recall, precision, F1 and R², the derivative of average
precision. Other scorers of scikit-learn get theirs from a jackknife over blocks of rows.
"""

import inspect
import math
import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from functools import partial
from typing import Any

import numpy as np

from benchkit import RequestError, nearest_name
from benchkit_audit.model import Answers

FEWEST_CASES = {"labels": 20, "scores": 30}
"""Rows of a class below which such metrics have no interval: with fewer, those of 95 % covered less than 93 %."""
FEWEST_OF_SHARE = 5
"""Rows below which a share of them, such as recall, has none."""
_RARE = 0.2
"""Below this share, over the number of classes, a class is rare: 10 % of two classes."""
_BLOCKS = 100
_LEAST_SQUARES = ("LinearRegression", "Ridge", "Lasso", "ElasticNet", "LGBMRegressor", "CatBoostRegressor")

Values = Callable[..., np.ndarray]
"""Of the truth, the answers and the weights of some rows: the loss of each row, whose mean is the metric's loss."""


@dataclass(frozen=True)
class Metric:
    """A metric, as a loss: one less the score where 1 is best, its negative where more is better without an end."""

    name: str
    words: str  # what sentences call it
    values: Values
    # {"shares", "labels", "scores", "numbers", "squares"}: losses are 0 or 1, or of labels, scores, numbers or squares
    kind: str
    greater: bool = False  # whether a greater score is better
    top: float = 0.0  # 1 where that is the best score
    most: float = math.inf  # the largest loss
    percent: bool = False  # whether it is told in per cent
    case: int | None = None  # the place of the class that it looks for
    why: str = ""  # it was chosen, where nobody asked for it
    quick: Values | None = None  # the loss alone, where the values of rows take long

    def shares(self, truth: np.ndarray, answers: Answers) -> np.ndarray | None:
        """What the loss is a share of: 1 or 0, NaN for rows that it is not of; None where it is no share of rows."""
        right = answers.predictions == truth
        of = {"recall": truth, "precision": answers.predictions}.get(self.name)
        return None if of is None else np.where(of == self.case, ~right, np.nan)

    def score(self, loss: float) -> float:
        """The metric's own number."""
        return self.top - loss if self.greater else loss

    def loss(self, truth: np.ndarray, answers: Answers, weights: np.ndarray) -> float:
        """The loss of all rows."""
        return float((self.quick or self.values)(truth, answers, weights).mean())


def _mean(losses: np.ndarray, weights: np.ndarray) -> np.ndarray:
    if (weights == weights[:1]).all():
        return losses.astype(float)
    mean = np.average(losses, weights=weights)
    return np.asarray(mean + weights / weights.mean() * (losses - mean))


def _ratio(top: np.ndarray, bottom: np.ndarray, weights: np.ndarray) -> np.ndarray:
    """One sum over another, linearised; 0 of nothing, as scikit-learn has it."""
    below = float(np.average(bottom, weights=weights))
    if below == 0:
        return np.zeros(len(top))
    ratio = float(np.average(top, weights=weights)) / below
    return np.asarray(ratio + weights / weights.mean() * (top - ratio * bottom) / below)


def _error(truth: np.ndarray, answers: Answers, weights: np.ndarray) -> np.ndarray:
    return _mean(answers.predictions != truth, weights)


def _of_one_class(name: str, case: int, truth: np.ndarray, answers: Answers, weights: np.ndarray) -> np.ndarray:
    """One less recall, precision or F1."""
    there, told = (truth == case).astype(float), (answers.predictions == case).astype(float)
    both = there * told
    top, bottom = {"recall": (both, there), "precision": (both, told), "f1": (2 * both, there + told)}[name]
    return 1 - _ratio(top, bottom, weights)


def _balanced_accuracy(truth: np.ndarray, answers: Answers, weights: np.ndarray) -> np.ndarray:
    cases = np.unique(truth)
    return np.asarray(np.mean([_of_one_class("recall", case, truth, answers, weights) for case in cases], axis=0))


def _matthews(truth: np.ndarray, answers: Answers, weights: np.ndarray) -> np.ndarray:
    """One less Matthews' coefficient: the correlation of the classes and the answers, each a column of 0 and 1."""
    classes = np.unique([truth, answers.predictions])
    there, told = ((each[:, None] == classes).astype(float) for each in (truth, answers.predictions))
    there, told = (each - np.average(each, axis=0, weights=weights) for each in (there, told))
    rows = [(one * other).sum(axis=1) for one, other in ((there, told), (there, there), (told, told))]
    shared, *own = (float(np.average(each, weights=weights)) for each in rows)
    if not all(own):
        return np.ones(len(truth))
    scale = math.sqrt(own[0] * own[1])
    moved = rows[0] / scale - shared / scale * (rows[1] / own[0] + rows[2] / own[1]) / 2
    return np.asarray(1 - shared / scale - weights / weights.mean() * moved)


def _scores_of(answers: Answers, case: int) -> np.ndarray:
    assert answers.scores is not None
    return answers.scores[:, case] if case < answers.scores.shape[1] else np.zeros(len(answers.scores))


def _auc(case: int, truth: np.ndarray, answers: Answers, weights: np.ndarray) -> np.ndarray:
    """One less the area under the curve, by placements: the share of the other kind that a row stands before."""
    there = truth == case
    if there.all() or not there.any():
        return np.full(len(truth), 0.5)
    _, place = np.unique(_scores_of(answers, case), return_inverse=True)

    def below(kind: np.ndarray) -> np.ndarray:
        here = np.bincount(place, weights * kind)
        return np.asarray((np.cumsum(here) - here / 2) / here.sum())[place]

    placements = np.where(there, below(~there), 1 - below(there))
    area = float(np.average(placements[there], weights=weights[there]))
    share = float(np.average(there, weights=weights))
    return np.asarray(1 - area - weights / weights.mean() * (placements - area) / np.where(there, share, 1 - share))


def _average_precision(case: int, truth: np.ndarray, answers: Answers, weights: np.ndarray) -> np.ndarray:
    """One less the average precision, sum over thresholds t of P(score = t | positive) A(t) / F(t).

    A and F are the shares of rows, positive and all, with scores of t or more. A row moves A and F at all thresholds
    below its score; the derivative sums these.
    """
    there = truth == case
    if not there.any():
        return np.ones(len(truth))
    _, place = np.unique(-_scores_of(answers, case), return_inverse=True)
    here, hits = np.bincount(place, weights), np.bincount(place, weights * there)
    above = np.maximum(np.cumsum(here), np.finfo(float).tiny)  # the first rows may have weights of 0
    precision = np.cumsum(hits) / above
    average = float((hits * precision).sum() / hits.sum())

    def at_lower(terms: np.ndarray) -> np.ndarray:
        return np.asarray(np.cumsum(terms[::-1])[::-1])[place]

    gained, diluted = at_lower(hits / above), at_lower(hits * precision / above)
    moved = (there * (precision[place] + gained - average) - diluted) * weights.sum() / hits.sum()
    return np.asarray(1 - average - weights / weights.mean() * moved)


def _cost(missed: float, alarm: float, case: int, truth: np.ndarray, answers: Answers, weights: np.ndarray) -> Any:
    there, told = truth == case, answers.predictions == case
    return _mean(missed * (there & ~told) + alarm * (told & ~there), weights)


def _of_probabilities(name: str, truth: np.ndarray, answers: Answers, weights: np.ndarray) -> np.ndarray:
    assert answers.scores is not None
    right = truth[:, None] == np.arange(max(answers.scores.shape[1], truth.max() + 1))
    told = np.pad(answers.scores, ((0, 0), (0, right.shape[1] - answers.scores.shape[1])))
    if name == "log loss":
        return _mean(-np.log(np.clip(told[right], np.finfo(float).eps, None)), weights)
    halves = 2 if right.shape[1] == 2 else 1  # of two classes one is counted, as scikit-learn does
    return _mean(((told - right) ** 2).sum(axis=1) / halves, weights)


def _of_numbers(name: str, truth: np.ndarray, answers: Answers, weights: np.ndarray) -> np.ndarray:
    off = np.abs(answers.predictions - truth)
    if name == "r2":
        return _ratio(off**2, (truth - np.average(truth, weights=weights)) ** 2, weights)
    losses = _mean(off if name == "absolute" else off**2, weights)
    if name != "rmse" or not losses.any():
        return losses
    root = math.sqrt(losses.mean())  # the derivative of a root is 1 / (2 root)
    return np.asarray(root + (losses - root**2) / (2 * root))


def _own_labels(classes: Sequence[str]) -> np.ndarray:
    """Labels as a scorer knows them, numbers where all are; the last is for answers that are none of them."""
    if {*classes} <= {"True", "False"}:
        return np.array([*(int(each == "True") for each in classes), -1])
    try:
        numbers = np.array([float(each) for each in classes])
    except ValueError:
        return np.array([*classes, ""])
    numbers = numbers.astype(int) if (numbers % 1 == 0).all() else numbers
    return np.append(numbers, numbers.min() - 1)


def _jackknifed(
    scorer: Any,
    task: str,
    classes: Sequence[str],
    case: int | None,
    blocks: int,
    truth: np.ndarray,
    answers: Answers,
    weights: np.ndarray,
) -> np.ndarray:
    """The negative of what a scorer gives, and what blocks of rows move it by; of one class where there is a case.

    A block's value is shared so that the variance over rows is the blocks': times the root of its rows.
    """
    from sklearn.base import BaseEstimator, ClassifierMixin, RegressorMixin

    scores, labels, told, own = answers.scores, truth, answers.predictions, np.arange(2)
    if case is not None:
        labels, told = ((each == case).astype(int) for each in (truth, told))
        scores = None if scores is None else np.column_stack([1 - _scores_of(answers, case), _scores_of(answers, case)])
    elif task == "classification":
        own = _own_labels(classes)
        labels, told, own = own[truth], own[told], own[: len(classes) if scores is None else scores.shape[1]]

    class Answered(ClassifierMixin if task == "classification" else RegressorMixin, BaseEstimator):  # type: ignore[misc]
        """What scikit-learn's scorers ask; a row is its number."""

        classes_ = own
        fitted_ = True

        def predict(self, X: np.ndarray) -> np.ndarray:
            return np.asarray(told[X[:, 0]])

        if scores is not None:

            def predict_proba(self, X: np.ndarray) -> np.ndarray:
                return np.asarray(scores[X[:, 0]])

    weighted = not (weights == 1).all()

    def loss(rows: np.ndarray) -> float:
        options = {"sample_weight": weights[rows]} if weighted else {}
        return -float(scorer(Answered(), rows[:, None], labels[rows], **options))

    n = len(truth)
    try:
        whole, values = loss(np.arange(n)), np.zeros(n)
    except ValueError as error:  # such as recall of numbers
        hint = "; give positive (--positive) if it is of one label" if "pos_label=1" in str(error) else ""
        raise RequestError(f"metric: it gives no score of this {task}: {error}{hint}") from None
    order = np.random.default_rng(0).permutation(n)
    for block in np.array_split(order, min(blocks, n // 2)) if blocks else ():
        without = loss(np.sort(np.setdiff1d(order, block)))
        values[block] = (n - len(block)) / np.sqrt(len(block)) * (whole - without)
    return np.asarray(whole + values - values.mean())


# Those of one class take its place before all else.
_OF_ONE_CLASS = ("recall", "precision", "f1", "roc_auc", "average_precision")
_OF_PROBABILITIES = ("log loss", "brier score")
_METRICS = {
    metric.name: metric
    for metric in (
        Metric("error", "share of errors", _error, "shares", most=1.0, percent=True),
        Metric("balanced_accuracy", "balanced accuracy", _balanced_accuracy, "labels", True, 1.0, 1.0, percent=True),
        Metric("matthews_corrcoef", "Matthews' correlation", _matthews, "labels", True, 1.0, 2.0),
        Metric("recall", "recall", partial(_of_one_class, "recall"), "labels", True, 1.0, 1.0, percent=True),
        Metric("precision", "precision", partial(_of_one_class, "precision"), "labels", True, 1.0, 1.0, percent=True),
        Metric("f1", "F1", partial(_of_one_class, "f1"), "labels", True, 1.0, 1.0),
        Metric("roc_auc", "AUC", _auc, "scores", True, 1.0, 1.0),
        Metric("average_precision", "average precision", _average_precision, "scores", True, 1.0, 1.0),
        *(Metric(name, name, partial(_of_probabilities, name), "scores") for name in _OF_PROBABILITIES),
        Metric("absolute", "mean absolute error", partial(_of_numbers, "absolute"), "numbers"),
        Metric("squared", "mean squared error", partial(_of_numbers, "squared"), "squares"),
        Metric("rmse", "root mean squared error", partial(_of_numbers, "rmse"), "squares"),
        Metric("r2", "R²", partial(_of_numbers, "r2"), "numbers", True, 1.0),
    )
}
_ALIASES = {
    "accuracy": "error",
    "brier": "brier score",
    "neg_brier_score": "brier score",
    "log_loss": "log loss",
    "neg_log_loss": "log loss",
    "neg_mean_absolute_error": "absolute",
    "neg_mean_squared_error": "squared",
    "neg_root_mean_squared_error": "rmse",
    "mape": "neg_mean_absolute_percentage_error",
}


def known_metric(name: str, case: int | None = None, label: str = "", why: str = "") -> Metric:
    """A metric by its name; ``case`` is the place of the class that it looks for, ``label`` what that is called."""
    metric = replace(_METRICS[name], why=why)
    if name not in _OF_ONE_CLASS:
        return replace(metric, case=case if name in _OF_PROBABILITIES else None)
    return replace(metric, words=f"{metric.words} of {label!r}", values=partial(metric.values, case), case=case)


ERROR = known_metric("error")
"""The share of wrong answers."""
_USUAL = ("1", "True", "true", "yes", "Yes")


@dataclass(frozen=True)
class Asked:
    """What a reader says of the metric, as `benchkit.audit` takes it."""

    metric: Any = None
    positive: str = ""
    threshold: float | None = None
    cost: str = ""

    def case(self, what: str, classes: tuple[str, ...]) -> int:
        """The place of the positive label; that of 1, True or yes of two where none is named."""
        usual = [each for each in _USUAL if each in classes and len(classes) == 2]
        label, some = self.positive or next(iter(usual), ""), ", ".join(map(repr, classes[:10]))
        if not label:
            raise RequestError(f"{what} is of one label: give positive (--positive), one of {some}")
        if label not in classes:
            raise RequestError(f"positive: no label is {label!r}; there are {some}")
        return classes.index(label)


def choose_metric(
    asked: Asked, task: str, classes: tuple[str, ...], truth: np.ndarray, scores: str, trained_on: str
) -> Metric:
    """The metric that was asked for; else the one that the rows and the model suggest.

    ``scores`` are "probabilities", "scores" or nothing; ``trained_on`` is the loss of a regression that says it.
    """
    name = asked.metric
    own = _ALIASES.get(name, name) if isinstance(name, str) else name
    if asked.threshold is not None and (scores != "probabilities" or len(classes) != 2 or not 0 < asked.threshold < 1):
        expected = "expected a probability, of a model that gives these for two classes"
        raise RequestError(f"threshold is {asked.threshold}, {expected}")
    numbers = task == "regression"
    if numbers and (asked.positive or asked.threshold is not None or asked.cost):
        raise RequestError("positive, threshold and cost are of classes: the model predicts numbers")
    if numbers and not name:
        why = f"the loss that it was trained on is {trained_on}" if trained_on else ""
        return known_metric(trained_on or "absolute", why=why)
    if asked.cost:
        if name:
            raise RequestError("cost is a metric: leave out the other")
        missed, alarm, label = read_cost(asked.cost)
        places = {each.lower(): place for place, each in enumerate(classes)}
        if label and label not in places:
            near = nearest_name(label, [*places])
            hint = f"did you mean {classes[places[near]]!r}?" if near else f"there are {', '.join(classes[:10])}"
            hint += "; or leave it out: 'missed: 100, false alarm: 1'"
            raise RequestError(f"cost is {asked.cost!r}: no label is {label!r}; {hint}")
        case = places[label] if label and not asked.positive else asked.case("cost", classes)
        if label and places[label] != case:
            raise RequestError(
                f"cost is {asked.cost!r}, and {classes[case]!r} is what may be missed: "
                f"give positive (--positive) {classes[places[label]]}"
            )
        return Metric("cost", "cost per answer", partial(_cost, missed, alarm, case), "labels", case=case)
    known = [each for each, metric in _METRICS.items() if (metric.kind in ("numbers", "squares")) == numbers]
    if isinstance(own, str) and own in known:
        if own in ("roc_auc", "average_precision") and not scores:
            raise RequestError(f"metric {name}: the model gives no scores; there are recall, precision, f1")
        if own in _OF_PROBABILITIES and scores != "probabilities":
            raise RequestError(f"metric {name}: the model gives no probabilities")
        of_one = own in _OF_ONE_CLASS or (own in _OF_PROBABILITIES and asked.positive)
        place = asked.case(own, classes) if of_one else None
        return known_metric(own, place, "" if place is None else classes[place])
    if name:
        return _of_scorer(own, task, asked, classes, known)
    shares = np.bincount(truth, minlength=len(classes)) / len(truth)
    there = np.flatnonzero(shares)
    rarest = int(min(there, key=lambda place: shares[place]))
    if shares[rarest] >= _RARE / len(there):
        return ERROR
    why = f"{100 * shares[rarest]:.2g} % of the rows are {classes[rarest]!r}"
    if not scores or len(there) > 2:
        return known_metric("balanced_accuracy", why=why)
    case = asked.case("", classes) if asked.positive else rarest
    precision = "the precision (the share of alarms that are right)"
    why += f". Average precision is {precision}, averaged over all levels of recall"
    return known_metric("average_precision", case, classes[case], why)


def _of_scorer(name: Any, task: str, asked: Asked, classes: tuple[str, ...], known: list[str]) -> Metric:
    """A scorer of scikit-learn, by name or as it is; or a function of true and predicted values."""
    from sklearn.metrics import get_scorer, get_scorer_names, make_scorer

    if isinstance(name, str):
        of_other = name in _METRICS
        if of_other or name not in get_scorer_names():
            near = "" if of_other else nearest_name(name, [*known, *get_scorer_names()])
            hint = f"did you mean {near!r}?" if near else f"there are {', '.join(known)}"
            raise RequestError(f"metric: a {task} has no {asked.metric!r}; {hint}")
        scorer, words = get_scorer(name), name
    elif not callable(name):
        raise RequestError(f"metric is {name!r}, expected a name of scikit-learn's, or a function")
    else:
        made = re.match(r"make_scorer\((\w+)", repr(name))
        words, scorer = made[1] if made else getattr(name, "__name__", "metric"), name
        required = [each for each in inspect.signature(name).parameters.values() if each.default is each.empty]
        if len(required) == 2:
            if not words.endswith(("_score", "_error", "_loss")):
                wanted = "sklearn.metrics.make_scorer(function, greater_is_better=...)"
                raise RequestError(f"metric: whether more of {words} is better is not known: give {wanted}")
            scorer = make_scorer(name, greater_is_better=words.endswith("_score"))
    lower = words.startswith("neg_") or words.endswith(("_error", "_loss")) or "better=False" in repr(scorer)
    words = words.removeprefix("neg_").replace("_", " ")
    # A scorer that names its label gets the labels as they are, as do those of no label.
    case = asked.case("", classes) if len(classes) == 2 and (asked.positive or {*_USUAL} & {*classes}) else None
    of_case = None if "pos_label=" in repr(scorer) else case
    by_rows, quick = (partial(_jackknifed, scorer, task, classes, of_case, blocks) for blocks in (_BLOCKS, 0))
    kind = "numbers" if task == "regression" else "labels"
    return Metric(words, words, by_rows, kind, greater=not lower, case=case, quick=quick)


def read_cost(text: str) -> tuple[float, float, str]:
    """What a missed row costs, what a false alarm, and the label that may be missed, in small letters, if it is named.

    Of ``missed fraud: 100, false alarm: 1``.
    """
    parts = re.findall(r"\s*(missed|false alarm)\b([^,]*):\s*(\d+\.?\d*|\.\d+)\s*(?:,|$)", text.lower())
    costs = {what: (float(number), label.strip()) for what, label, number in parts}
    if len(costs) != 2 or text.count(",") != 1:
        raise RequestError(f"cost is {text!r}, expected such as 'missed: 100, false alarm: 1'")
    return costs["missed"][0], costs["false alarm"][0], costs["missed"][1]


def trained_loss(model: Any) -> str:
    """By what a regression says that it was trained: "squared", "absolute", or nothing."""
    model = getattr(model, "best_estimator_", model)  # of a search of parameters
    steps = getattr(model, "steps", None)
    last = steps[-1][1] if steps else model
    try:
        parameters = last.get_params(deep=False)
    except Exception:  # a stranger's estimator, or a function
        return ""
    names = [parameters.get(name) for name in ("loss", "objective", "loss_function", "criterion")]
    told = next((str(each).lower() for each in names if each), "")
    if any(each in told for each in ("absolute", "l1", "mae")):
        return "absolute"
    least = not told and type(last).__name__.removesuffix("CV") in _LEAST_SQUARES
    told = told.replace("squaredlog", "")  # which is of logarithms
    return "squared" if least or any(each in told for each in ("squared", "l2", "rmse", "mse", "friedman")) else ""

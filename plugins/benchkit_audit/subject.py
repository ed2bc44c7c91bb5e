"""The model under audit with the hold-out that it answers: what it is asked, and what its answers cost."""

import math
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property, reduce
from pathlib import Path
from typing import Any, Self

import numpy as np
import pandas as pd

from benchkit import RequestError, nearest_name, read_table
from benchkit_audit import metrics
from benchkit_audit.estimates import Losses, number_text
from benchkit_audit.match import fitted_columns, match_model
from benchkit_audit.model import BATCH, Answers, FittedModel

_FEWEST = 100
_MOST_NAMED = 30
_FEWEST_CASES_SEARCHED = 20


@dataclass(frozen=True)
class Subject(FittedModel):
    """A fitted model, and the rows it is judged on."""

    metric: metrics.Metric = metrics.ERROR
    threshold: float | None = None  # of the probability of the metric's class, from which on that is predicted
    weights: np.ndarray | None = None  # what rows count
    groups: np.ndarray | None = None  # rows of one are drawn together
    numbers: np.ndarray | None = None  # of the rows in the hold-out as it was given

    def rows(self, chosen: np.ndarray) -> Self:
        """The same model on some of the rows."""
        own = {name: getattr(self, name) for name in ("weights", "groups", "numbers")}
        return replace(super().rows(chosen), **{name: each[chosen] for name, each in own.items() if each is not None})

    def answers(self, table: Any) -> Answers:
        """What the model says of a table, by the threshold where there is one; whatever it raises is raised."""
        answers, case = super().answers(table), self.metric.case
        if self.threshold is None or answers.scores is None or case is None:
            return answers
        return Answers(np.where(answers.scores[:, case] >= self.threshold, case, 1 - case), answers.scores)

    def losses(self, answers: Answers, rows: np.ndarray, metric: metrics.Metric | None = None) -> Losses:
        """What answers to some rows cost in the metric."""
        metric = metric or self.metric
        kind = "numbers" if metric.kind == "shares" and self.weights is not None else metric.kind
        groups = None if self.groups is None else self.groups[rows]
        values = metric.values(self.truth[rows], answers, self._weights(rows))
        shares = None if self.weights is not None or groups is not None else metric.shares(self.truth[rows], answers)
        if shares is not None and np.isfinite(shares).sum() < metrics.FEWEST_OF_SHARE:
            shares = None
        few, cases = self._cases(metric, answers, rows)
        return Losses(values, kind, groups, metric.most, few, cases, shares)

    def loss(self, answers: Answers, rows: np.ndarray, metric: metrics.Metric | None = None) -> float:
        """The mean of the same."""
        return (metric or self.metric).loss(self.truth[rows], answers, self._weights(rows))

    def _weights(self, rows: np.ndarray) -> np.ndarray:
        return np.ones(len(rows)) if self.weights is None else self.weights[rows]

    def _cases(self, metric: metrics.Metric, answers: Answers, rows: np.ndarray) -> tuple[str, int]:
        """Why these rows give no interval, empty where they do; and how many are of the class that has fewest."""
        if metric.kind not in metrics.FEWEST_CASES:
            return "", 0
        truth, told, case = self.truth[rows], answers.predictions, metric.case
        kinds = {f"rows of {self.classes[place]!r}": truth == place for place in np.unique(truth)}
        if case is not None:
            kinds = {"positives": truth == case, "negatives": truth != case}
        of_share = metric.name == "recall" and self.weights is None and self.groups is None
        if of_share:
            kinds = {"positives": truth == case}
        if metric.name == "precision":
            kinds["predicted positives"] = told == case
        if metric.name == "matthews_corrcoef":
            kinds |= {f"answers {self.classes[place]!r}": told == place for place in np.unique(truth)}
        counts = {name: int(chosen.sum()) for name, chosen in kinds.items()}
        what = min(counts, key=lambda name: counts[name])
        fewest = metrics.FEWEST_OF_SHARE if of_share else metrics.FEWEST_CASES[metric.kind]
        few = f"too few {what} ({counts[what]}) for an interval" if counts[what] < fewest else ""
        if few and metric.name == "precision" and counts[what] >= metrics.FEWEST_OF_SHARE:
            few += " of what a loss costs"  # its own is that of a share
        cases = counts[what] if self.groups is None else len(np.unique(self.groups[rows][kinds[what]]))
        return few, cases

    def errors(self, answers: Answers, rows: np.ndarray) -> np.ndarray:
        """What the answer to each row costs alone: 1 if it is wrong; of numbers the absolute or squared error."""
        truth = self.truth[rows]
        if self.task == "classification":
            return np.asarray(answers.predictions != truth, dtype=float)
        off = np.abs(answers.predictions - truth)
        return np.asarray(off if self.metric.name == "absolute" else off**2)

    @property
    def mean_error(self) -> str:
        """What the mean of these is called."""
        name = "absolute" if self.metric.name == "absolute" else "squared"
        return metrics.known_metric("error" if self.task == "classification" else name).words

    def missed(self, errors: np.ndarray, rows: np.ndarray) -> float:
        """What rows of the class that the metric looks for add to the mean of errors; NaN where there are not two."""
        case = self.metric.case if len(self.classes) == 2 else None
        return math.nan if case is None else float((errors * (self.truth[rows] == case)).mean())

    def hidden(self, errors: np.ndarray) -> Losses | None:
        """Of errors of all rows those that the metric does not count: of recall false alarms, of scores misses."""
        recall, case = self.metric.name == "recall", self.metric.case
        if case is None or len(self.classes) != 2 or not (recall or self.metric.kind == "scores"):
            return None
        return Losses(errors * ((self.truth == case) != recall), "shares", self.groups, most=1.0)

    @cached_property
    def beside(self) -> list[metrics.Metric]:
        """What is told beside the metric: errors; of two classes AUC, recall and precision of the rarer one.

        Of a regression's squared errors their root.
        """
        if self.task == "regression":
            return [metrics.known_metric("rmse")] if self.metric.name == "squared" else []
        beside, counts = [metrics.ERROR], np.bincount(self.truth, minlength=len(self.classes))
        if len(self.classes) == 2:
            case = int(counts.argmin()) if self.metric.case is None else self.metric.case
            names = ("roc_auc", "recall", "precision")[self.how in ("call", "predict") :]
            beside += [metrics.known_metric(name, case, self.classes[case]) for name in names]
        return [each for each in beside if each.name != self.metric.name]

    def scores_beside(self, answers: Answers, rows: np.ndarray) -> dict[str, float]:
        """The same of some answers, by name."""
        return {each.words: each.score(self.loss(answers, rows, each)) for each in self.beside}

    @property
    def fewest(self) -> int:
        """Rows below which sets of columns are not told apart: more where what the metric looks for is rare."""
        if self.task == "regression" or self.metric.kind == "shares":
            return _FEWEST
        rarest = np.bincount(self.truth)[np.unique(self.truth)].min() / self.n_rows
        return max(_FEWEST, int(_FEWEST_CASES_SEARCHED / rarest))

    @cached_property
    def constant(self) -> tuple[str, Answers]:
        """One answer to everything, the best of all: in words, and to all rows.

        A class, with the shares of all as scores, of ties the most frequent one; the median of numbers, or their mean
        where errors are squared.
        """
        n = self.n_rows
        if self.task == "regression":
            value = np.average(self.truth, weights=self.weights)
            if self.metric.name == "absolute":
                order = self.truth.argsort()
                sums = self._weights(order).cumsum()
                value = self.truth[order][[sums.searchsorted(sums[-1] / 2, side) for side in ("left", "right")]].mean()
            return number_text(value), Answers(np.full(n, value), None)
        counts = np.bincount(self.truth, self.weights, len(self.classes))
        shares = np.tile(counts / counts.sum(), (n, 1))
        answers = {place: Answers(np.full(n, place), shares) for place in np.argsort(-counts, kind="stable").tolist()}
        if self.metric.kind not in ("labels", "shares"):  # the scores alone count
            answers = dict([*answers.items()][:1])
        best = min(answers, key=lambda place: self.loss(answers[place], np.arange(n)))
        return "the share of each class" if self.metric.kind == "scores" else repr(self.classes[best]), answers[best]


def make_subject(
    model: Any,
    X: Any,
    y: Any,
    *,
    classes: Sequence[Any] | None = None,
    asked: metrics.Asked | None = None,
    weights: Any = None,
    groups: Any = None,
) -> tuple[Subject, list[str]]:
    """A model matched with its hold-out, and what was done to that on the way."""
    asked = asked or metrics.Asked()
    fitted, notes = match_model(model, X, y, classes=classes)
    known = pd.notna(pd.Series(np.asarray(y, dtype=object).ravel())).to_numpy()
    by_row: dict[str, Any] = {"numbers": np.flatnonzero(known)}
    for name, values in (("weights", weights), ("groups", groups)):
        if values is not None:
            column = pd.Series(np.asarray(values, dtype=object).ravel())
            if len(column) != len(known):
                raise RequestError(f"{name}: {len(column)} values for {len(known)} rows")
            by_row[name] = column[known]
    if weights is not None:
        numbers = pd.to_numeric(by_row["weights"], errors="coerce").to_numpy(dtype=float)
        if not (np.isfinite(numbers).all() and (numbers >= 0).all() and numbers.any()):
            raise RequestError("weights: expected numbers that are not negative, and not all zero")
        by_row["weights"] = numbers
    if groups is not None:
        by_row["groups"] = pd.factorize(by_row["groups"], use_na_sentinel=False)[0]
    scores = "" if fitted.how in ("call", "predict") else "probabilities" if fitted.has_probabilities else "scores"
    loss = metrics.trained_loss(model)
    metric = metrics.choose_metric(asked, fitted.task, fitted.classes, fitted.truth, scores, loss)
    if asked.threshold is not None and metric.case is None:
        metric = replace(metric, case=asked.case("threshold", fitted.classes))
    return Subject(**{**vars(fitted), **by_row}, metric=metric, threshold=asked.threshold), notes


def read_holdout(
    path: Path, target: str, model: Any, decimal: str | None = None, na_values: Sequence[str] | None = None
) -> tuple[pd.DataFrame, pd.Series]:
    """Columns and target of a file; types as pandas reads them, as when the model was trained on such a file."""
    frame = read_table(path, decimal, na_values)
    if frame.empty:
        raise RequestError(f"{path}: the table is empty")
    frame.columns = [str(name) for name in frame.columns]
    # Numbers of rows that pandas wrote into the file are no column of the data, unless the model was fitted on them.
    fitted = fitted_columns(model, frame.columns)[0] or ()
    frame = frame.drop(columns=[name for name in frame.columns if name == "Unnamed: 0" and name not in fitted])
    return frame.drop(columns=_named(target, frame.columns, f"{path}")), frame[target]


def split_column(X: pd.DataFrame, column: str, option: str, model: Any) -> tuple[pd.DataFrame, pd.Series]:
    """The table without a column, unless the model was fitted on it, and the column."""
    fitted = [str(name) for name in getattr(model, "feature_names_in_", ())]
    return (X if _named(column, X.columns, option) in fitted else X.drop(columns=column)), X[column]


def _named(name: Any, names: Iterable[str], where: str) -> str:
    """The name of a column, or source, if there is one of this name."""
    names = list(names)
    if str(name) not in names:
        near = nearest_name(str(name), names)
        hint = f"did you mean {near!r}?" if near else f"there are {', '.join(names[:_MOST_NAMED])}"
        raise RequestError(f"{where}: no column {str(name)!r}; {hint}")
    return str(name)


def read_mapping(path: Path) -> Any:
    """The mapping of a YAML file, of names of sources to lists of columns or rates: whatever stands there is text."""
    import yaml

    try:
        return yaml.load(path.read_text(encoding="utf-8"), Loader=yaml.BaseLoader)
    except OSError as error:
        raise RequestError(f"{path}: cannot be read: {error.strerror}") from None
    except (yaml.YAMLError, ValueError, RecursionError) as error:
        raise RequestError(f"{path}: not valid YAML: {' '.join(str(error).split())[:200]}") from None


@dataclass(frozen=True)
class Source:
    """Columns that come from one place, and go together."""

    name: str
    columns: tuple[int, ...]  # their positions


def listed(names: Sequence[str], last: str = ", ") -> str:
    """Names in a row, in quotation marks where they hold a comma or an "and", which would make two of one."""
    shown = [f"'{name}'" if ", " in name or " and " in name else name for name in names]
    return shown[0] if len(shown) == 1 else f"{', '.join(shown[:-1])}{last}{shown[-1]}"


def make_sources(names: Sequence[str], groups: Mapping[str, Any] | None) -> list[Source]:
    """Every group as one source, and every other column as one of its own, in the order of the columns."""
    if not isinstance(groups or {}, Mapping):
        raise RequestError("sources: expected names with lists of columns, such as {bureau: [income, score]}")
    owner: dict[str, str] = {}
    for group, members in (groups or {}).items():
        if isinstance(members, str) or not isinstance(members, Sequence) or not members:
            raise RequestError(f"sources: {group} is {members!r}, expected a list of columns")
        for member in members:
            name = _named(member, names, f"sources: {group}")
            if name in owner:
                raise RequestError(f"sources: column {name!r} is in {owner[name]} and in {group}")
            owner[name] = str(group)
    if clash := [name for name in owner.values() if name in names and owner.get(name) != name]:
        raise RequestError(f"sources: {clash[0]!r} is the name of a column that is not in the group")
    members_of: dict[str, list[int]] = {}
    for place, name in enumerate(names):
        members_of.setdefault(owner.get(name, name), []).append(place)
    return [Source(name, tuple(columns)) for name, columns in members_of.items()]


def check_rates(rates: Any, sources: Sequence[Source]) -> dict[str, float]:
    """Rates of outages by source, in the order of the sources."""
    if not isinstance(rates, Mapping) or not rates:
        raise RequestError("outages: expected how often each source is out, such as {score: 0.02, office: 0.005}")
    names, given = [source.name for source in sources], dict[str, float]()
    for source, rate in rates.items():
        name = _named(source, names, "outages")
        try:  # numbers of a file are texts
            given[name] = float(rate)
        except (TypeError, ValueError):
            given[name] = math.nan
        if isinstance(rate, bool) or not 0 < given[name] <= 1:
            raise RequestError(f"outages: {name} is {rate!r}, expected a share of the time, above 0 and at most 1")
    return {name: given[name] for name in names if name in given}


@dataclass(frozen=True)
class Queries:
    """Asks the model about rows with sources lost, which take the values of ``fills``."""

    subject: Subject
    sources: Sequence[Source]
    fills: dict[int, Any]
    asked: Callable[[], None] | None = None  # called after every batch; it may raise to stop
    # By rows and set: searches of sets and of pairs ask about the same ones.
    _losses_of_sets: dict[tuple[bytes, bytes], float] = field(default_factory=dict)

    def answers(self, rows: np.ndarray, lost: np.ndarray | None = None) -> Answers:
        """What the model says of rows, which may repeat."""
        if lost is not None and lost.ndim == 1:
            lost = np.broadcast_to(lost, (len(rows), len(lost)))
        parts = []
        for start in range(0, len(rows), BATCH):
            part = slice(start, start + BATCH)
            parts.append(self.subject.answers(self.table(rows[part], None if lost is None else lost[part])))
            if self.asked is not None:
                self.asked()
        return reduce(Answers.followed_by, parts)

    def losses(self, rows: np.ndarray, lost: np.ndarray | None = None) -> Losses:
        """What the answers cost in the metric; parameters as of `answers`."""
        return self.subject.losses(self.answers(rows, lost), rows)

    def errors(self, rows: np.ndarray, lost: np.ndarray | None = None) -> np.ndarray:
        """What the answer to each row costs alone; parameters as of `answers`."""
        return self.subject.errors(self.answers(rows, lost), rows)

    def mask(self, places: Iterable[int]) -> np.ndarray:
        """Which sources are lost, of shape (n_sources,), by their places."""
        lost = np.zeros(len(self.sources), dtype=bool)
        lost[list(places)] = True
        return lost

    def losses_of_sets(self, rows: np.ndarray, masks: np.ndarray) -> np.ndarray:
        """The mean loss over rows after each of some sets of sources is lost: shape (n_sets,)."""
        known, of_rows = self._losses_of_sets, rows.tobytes()
        keys = [(of_rows, mask.tobytes()) for mask in masks]
        new = [place for place, key in enumerate(keys) if key not in known]
        step = max(1, BATCH // max(1, len(rows)))
        for start in range(0, len(new), step):
            some = new[start : start + step]
            answers = self.answers(np.tile(rows, len(some)), np.repeat(masks[some], len(rows), axis=0))
            for number, place in enumerate(some):
                part = answers.rows(slice(number * len(rows), (number + 1) * len(rows)))
                known[keys[place]] = self.subject.loss(part, rows)
        return np.array([known[key] for key in keys])

    def table(self, rows: np.ndarray, lost: np.ndarray | None) -> Any:
        """Rows as the model takes them, with what they have lost filled; ``lost`` of shape (n_rows, n_sources)."""
        changed = {
            column: (lost[:, place], self.fills[column])
            for place, source in enumerate(self.sources)
            if lost is not None and lost[:, place].any()
            for column in source.columns
        }
        return self.subject.table(rows, changed)

"""Rules of algorithms and tuners."""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from textwrap import shorten
from typing import Any, Self

import numpy as np
from scipy import sparse
from sklearn.base import clone, is_classifier, is_regressor
from sklearn.model_selection import ParameterGrid
from sklearn.utils.estimator_checks import check_estimator

from benchkit.errors import one_line
from benchkit.plugin.declarations import Algorithm, Distribution, Tuner, TuningContext, TuningOverError
from benchkit.plugin.declarations.adversary import UNITS
from benchkit.testing.rule import (
    BrokenRuleError,
    NotAskedError,
    answers,
    data_for,
    largest_difference,
    make,
    quietly,
    require,
    require_documented,
    rule,
)
from benchkit.testing.tiny import freeze, same

_SHOWN = 3  # mistakes that scikit-learn's checks tell of
_LONGEST = 160  # characters of one of them


@rule
def makes_an_estimator(algorithm: Algorithm) -> None:
    """`make` gives an unfitted estimator with fit, predict and get_params, of the declared task."""
    estimator = algorithm.make()
    kind = type(estimator).__name__
    for method in ("fit", "predict", "get_params", "set_params"):
        require(hasattr(estimator, method), f"{kind} has no {method}: derive it from sklearn.base.BaseEstimator")
    for task, is_one, mixin in (
        ("classification", is_classifier, "ClassifierMixin"),
        ("regression", is_regressor, "RegressorMixin"),
    ):
        if task in algorithm.tasks:
            require(
                is_one(estimator),
                f"{kind} is declared for {task} but is none to scikit-learn: derive it from {mixin}, left of "
                "BaseEstimator, or correct 'tasks'",
            )


@rule
def declared_parameters_exist(algorithm: Algorithm) -> None:
    """`defaults`, `budget_param` and other parameters that are declared by name are the constructor's."""
    known = set(algorithm.make().get_params(deep=True)) | set(algorithm.make.parameters())
    given = (algorithm.budget_param, algorithm.values_param, algorithm.groups_param, algorithm.algorithm_param)
    named = {*algorithm.make.defaults, *given} - {None}
    unknown = sorted(map(str, named - known))
    require(not unknown, f"declares {', '.join(unknown)}, but the constructor takes {', '.join(sorted(known))}")


@rule
def parameters_documented(algorithm: Algorithm) -> None:
    """Every parameter of the constructor is in the numpydoc docstring."""
    require_documented(algorithm.make)


@rule
def grid_within_parameters(algorithm: Algorithm) -> None:
    """The default grid names parameters of the constructor and gives each at least one value, whatever the data."""
    if algorithm.grid is None:
        raise NotAskedError("declares no grid")
    known = {*algorithm.make.parameters(), *algorithm.make().get_params(deep=True)}
    for n_features, total, budget in ((6, 6.0, 0.0), (6, 6.0, 2.0), (1000, 1234.5, 100.0)):
        grid = algorithm.default_grid(n_features, total, budget)
        size = f"for {n_features} features of value {total:g} and budget {budget:g}"
        require(isinstance(grid, Mapping), f"the grid {size} is {grid!r}, expected a mapping of names to values")
        for name, values in grid.items():
            require(name in known, f"the grid names {name!r}, but the constructor takes {', '.join(sorted(known))}")
            require(
                isinstance(values, Sequence | np.ndarray) and not isinstance(values, str) and len(values),
                f"the grid {size} gives {name} the values {values!r}, expected a list with at least one",
            )


@rule
def scikit_learn_checks(algorithm: Algorithm) -> None:
    """scikit-learn's own checks of an estimator pass for what `make` gives."""
    estimator = algorithm.make()
    if type(estimator).__module__.partition(".")[0] == "sklearn":
        raise NotAskedError("scikit-learn checks its own")
    if algorithm.warm_up is not None:
        algorithm.warm_up()
    with quietly():
        results = check_estimator(estimator, on_fail=None, on_skip=None)
    failed = [each for each in results if each["status"] == "failed"]
    mistakes: dict[str, list[str]] = {}
    for each in failed:
        mistake = shorten(one_line(each["exception"]), _LONGEST, placeholder=" ...")
        mistakes.setdefault(mistake, []).append(each["check_name"])
    told = [
        f"{names[0]}{f' and {len(names) - 1} more' if len(names) > 1 else ''}: {mistake}"
        for mistake, names in sorted(mistakes.items(), key=lambda item: -len(item[1]))
    ]
    more = f"; and {len(told) - _SHOWN} other mistakes" if len(told) > _SHOWN else ""
    if failed:
        error = BrokenRuleError(f"{len(failed)} of {len(results)} fail: {'; '.join(told[:_SHOWN])}{more}")
        raise error from failed[0]["exception"]


@rule
def fits_the_same_again(algorithm: Algorithm) -> None:
    """A fit after one on other data answers as a first fit does; what it is given cannot be written to."""
    for task in algorithm.tasks:
        data, other = (data_for(task, seed) for seed in (0, 1))
        given = {algorithm.values_param: freeze(np.ones(data.X.shape[1]))} if algorithm.values_param else {}
        with quietly():
            fresh, again = (make(algorithm, data.X.shape[1], params=given) for _ in range(2))
            try:
                again.fit(freeze(other.X), freeze(other.y))
                X, y = freeze(data.X), freeze(data.y)
                one, two = (answers(model.fit(X, y), X) for model in (fresh, again))
            except ValueError as error:
                if "read-only" not in str(error):
                    raise
                raise BrokenRuleError(
                    f"changes the data it is given ({error}): work on a copy, or pass copy=True to scikit-learn's "
                    "validation"
                ) from None
        require(
            same(one, two),
            f"after a fit on other data the answers differ {largest_difference(one, two)}: set every attribute anew in "
            "fit, take a parameter 'random_state', and draw from sklearn.utils.check_random_state(self.random_state)",
        )


@rule
def sparse_as_declared(algorithm: Algorithm) -> None:
    """With `accepts_sparse`, CSR matrices can be fitted and predicted, and predictions are those on the dense rows."""
    if not algorithm.accepts_sparse:
        raise NotAskedError("does not declare accepts_sparse")
    for task in algorithm.tasks:
        data = data_for(task)
        X = np.where(np.abs(data.X) > 0.5, data.X, 0.0)
        with quietly(), _failing("declares accepts_sparse=True but fails on a CSR matrix"):
            model = make(algorithm, X.shape[1]).fit(freeze(sparse.csr_matrix(X)), data.y)
            predictions = np.asarray(model.predict(freeze(sparse.csr_matrix(X))))
            as_dense = np.asarray(model.predict(X))
        close = predictions == as_dense if task == "classification" else np.isclose(predictions, as_dense)
        require(np.mean(close) > 0.95, "predictions on a CSR matrix are not those on the same rows in a dense array")


@rule
def missing_values_as_declared(algorithm: Algorithm) -> None:
    """With `accepts_missing`, NaN can be fitted and predicted; without, fit refuses NaN."""
    for task in algorithm.tasks:
        data = data_for(task)
        X = data.X.copy()
        X[::5, 0] = np.nan
        try:
            with quietly(), _failing("declares accepts_missing=True but fails on NaN"):
                predictions = np.asarray(make(algorithm, X.shape[1]).fit(X, data.y).predict(X))
        except BrokenRuleError:
            if algorithm.accepts_missing:
                raise
            continue
        require(
            algorithm.accepts_missing,
            "fits NaN without complaint: declare accepts_missing=True, or validate with "
            "sklearn.utils.validation.validate_data",
        )
        finite = predictions.dtype.kind != "f" or np.isfinite(predictions).all()
        require(finite, "predictions of rows with NaN are not finite")


@rule
def budgets_accepted(algorithm: Algorithm) -> None:
    """With `budget_param`, budgets of nothing, of one feature and of half of them can be fitted, or such fractions."""
    if algorithm.budget_param is None:
        raise NotAskedError("declares no budget_param")
    for task in algorithm.tasks:
        data = data_for(task)
        n_features = data.X.shape[1]
        counts_features = UNITS[algorithm.budget_unit or "value"].limit_of_data
        for budget in (0.0, 1.0, n_features / 2) if counts_features else (0.0, 0.1, 0.4):
            with quietly(), _failing(f"{algorithm.budget_param}={budget:g} fails"):
                make(algorithm, n_features, budget).fit(data.X, data.y).predict(data.X)


@contextmanager
def _failing(what: str) -> Iterator[None]:
    """Whatever an estimator raises within breaks the rule."""
    try:
        yield
    except Exception as error:
        raise BrokenRuleError(f"{what}: {one_line(error)}") from None


@rule
def path_equals_fits(algorithm: Algorithm) -> None:
    """With `fit_path`, the candidates of a grid answer as they do when fitted one by one, as far as choosing needs."""
    if algorithm.fit_path is None:
        raise NotAskedError("declares no fit_path")
    for task in algorithm.tasks:
        data = data_for(task)
        n_features = data.X.shape[1]
        grid = algorithm.default_grid(n_features, float(n_features), 1.0)
        require(grid, "declares a fit_path but no grid whose candidates it could fit")
        candidates = [{name: value} for name, values in grid.items() for value in values]
        with quietly():
            made = [make(algorithm, n_features, params=params) for params in candidates]
            separate = [clone(each).fit(data.X, data.y) for each in made]
            path = list(algorithm.fit_path(made, freeze(data.X), freeze(data.y)))
        count = f"fit_path returned {len(path)} estimators for {len(separate)}, in their order"
        require(len(path) == len(separate), count)
        for params, model, alone in zip(candidates, path, separate, strict=True):
            one, other = np.asarray(model.predict(data.X)), np.asarray(alone.predict(data.X))
            if task == "classification":
                alike = np.mean(one == other) >= 0.95
            else:
                alike = np.sqrt(np.mean((one - other) ** 2)) <= 0.05 * max(float(np.std(other)), 1e-12)
            require(alike, f"fit_path's model for {params} does not predict what its own fit does")


RULES = (
    makes_an_estimator,
    declared_parameters_exist,
    parameters_documented,
    grid_within_parameters,
    scikit_learn_checks,
    fits_the_same_again,
    sparse_as_declared,
    missing_values_as_declared,
    budgets_accepted,
    path_equals_fits,
)


_LISTS: Mapping[str, Sequence[Any]] = {"a": [0.0, 1.0, 2.0, 3.0], "word": ["one", "other"]}
_DRAWN = {"a": Distribution("uniform", (0.0, 4.0)), "word": ["one", "other"]}
_ROWS = 90


class _Judge:
    """Losses of a function of two parameters, and what was asked for; NaN at one corner, as fits that fail give."""

    def __init__(self, most: int | None = None) -> None:
        self.asked: list[tuple[dict[str, Any], int]] = []
        self.most = most
        self.refused = False

    def __call__(self, candidates: Sequence[Mapping[str, Any]], rows: int | None = None) -> list[float]:
        losses = []
        for candidate in candidates:
            if self.most is not None and len(self.asked) >= self.most:
                self.refused = True
                raise TuningOverError
            self.asked.append((dict(candidate), _ROWS if rows is None else rows))
            losses.append((candidate["a"] - 2) ** 2 + (candidate["word"] == "other"))
        return [math.nan if candidate["a"] == 0 else loss for candidate, loss in zip(candidates, losses, strict=True)]

    def search(self, tuner: Tuner, space: Mapping[str, Any], candidates: int | None = None) -> Self:
        """Let a tuner search a space by it."""
        listed = not any(isinstance(values, Distribution) for values in space.values())
        grid = list(ParameterGrid(space)) if listed else None
        tuner.make()(TuningContext(space, grid, candidates, n_rows=_ROWS, random_state=7, judge=self))
        return self


@rule
def judges_candidates_of_the_space(tuner: Tuner) -> None:
    """It judges listed values of each parameter, on no more rows than there are; the same context, the same ones."""
    asked, again = (_Judge().search(tuner, _LISTS).asked for _ in range(2))
    require(bool(asked), "judges nothing")
    for candidate, rows in asked:
        inside = candidate.keys() == _LISTS.keys() and all(candidate[name] in _LISTS[name] for name in _LISTS)
        require(inside, f"judges {candidate}, which is not of the space")
        require(isinstance(rows, int) and 1 <= rows <= _ROWS, f"asks for {rows} rows of {_ROWS}")
    require(any(rows == _ROWS for _, rows in asked), "judges no candidate on all rows")
    require(asked == again, "judges other candidates the second time: seed it with context.random_state")


@rule
def draws_from_distributions(tuner: Tuner) -> None:
    """From a distribution it draws numbers of Python's own, within the support; or it refuses with ValueError."""
    try:
        asked = _Judge().search(tuner, _DRAWN, 5).asked
    except ValueError as error:
        raise NotAskedError(str(error)) from None
    for candidate, _ in asked:
        value = candidate["a"]
        require(type(value) in (int, float), f"draws {value!r}, a {type(value).__name__}: give numbers of Python's own")
        require(0 <= value <= 4, f"draws {value}, which is outside of [0, 4]")


@rule
def lets_the_end_pass(tuner: Tuner) -> None:
    """When the seconds are spent, it lets `benchkit.TuningOverError` pass and judges no more."""
    judge = _Judge(most=2)
    try:
        judge.search(tuner, _LISTS)
    except TuningOverError:
        return
    require(not judge.refused, "catches TuningOverError: let it pass")
    raise NotAskedError("judges two candidates or fewer")


TUNER_RULES = (judges_candidates_of_the_space, draws_from_distributions, lets_the_end_pass)

"""What every adversary keeps to: it spends no more than its budget and touches only what it may."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import replace
from functools import partial
from typing import Any, cast

import numpy as np
from scipy import sparse
from sklearn.linear_model import LinearRegression, LogisticRegression

from benchkit.plugin.declarations import Adversary, AttackContext, AttackResult, Data, NotApplicableError
from benchkit.plugin.declarations.adversary import UNITS, Changes
from benchkit.testing.rule import BrokenRuleError, NotAskedError, quietly, require, require_documented, rule
from benchkit.testing.tiny import (
    changed,
    dense,
    freeze,
    same,
    tiny_attack,
    tiny_classification,
    tiny_regression,
    tiny_table,
)

_ROUNDING = 1e-9

# Feature values that differ, and whose sums do not meet a budget by chance.
_VALUES = freeze(np.array([0.5, 1.1, 0.7, 1.3, 0.9, 1.7]))


@rule
def makes_an_adversary(adversary: Adversary) -> None:
    """`make` gives an object with corrupt(attack)."""
    acting = _make(adversary)
    require(
        callable(getattr(acting, "corrupt", None)),
        f"{type(acting).__name__} has no method corrupt(attack: AttackContext) -> AttackResult",
    )


@rule
def parameters_documented(adversary: Adversary) -> None:
    """Every parameter is in the numpydoc docstring."""
    require_documented(adversary.make)


@rule
def spends_no_more_than_its_budget(adversary: Adversary) -> None:
    """No row (or no more than the fraction of rows or entries) loses more than the budget allows; nothing for 0."""
    unit = UNITS[adversary.budget_unit]
    if unit.spent is None:
        raise NotAskedError("declares no unit of budgets")
    for attack, corruption in attacks(adversary):
        entries, responses = changed(attack.X, corruption.X), changed(attack.y, corruption.y)
        moved = _moved(attack, corruption, entries)
        features, values = attack.features, attack.feature_values
        if attack.groups:  # one feature, however many of its columns change
            entries, values = np.asarray(features.sum(entries.astype(int)) > 0), features.sum(values)
        spent = unit.spent(Changes(entries, responses, values, moved))
        require(
            spent <= unit.allowed(attack.budget, len(attack.y), _ROUNDING) + _ROUNDING,
            f"spends {spent:g} of a budget of {attack.budget:g} (unit: {unit.name})",
        )


@rule
def touches_only_what_it_may(adversary: Adversary) -> None:
    """In the phase test it changes neither the true labels nor the model; what it is given cannot be written to."""
    if adversary.phase == "train":
        raise NotAskedError("acts in training")
    for attack, corruption in attacks(adversary):
        require(same(corruption.y, attack.y), "changes the true labels of the test part: return attack.y as y")
        fresh, _ = _scene(adversary, attack.budget)
        require(same(attack.model.coef_, fresh.model.coef_), "changes the fitted model")


@rule
def deterministic_under_a_seed(adversary: Adversary) -> None:
    """The same stream gives the same corruption."""
    for first, second in zip(attacks(adversary), attacks(adversary), strict=True):
        require(
            same(first[1].X, second[1].X) and same(first[1].y, second[1].y),
            "two corruptions from the same stream differ: draw from attack.rng alone",
        )


@rule
def stream_independent_of_the_budget(adversary: Adversary) -> None:
    """Whatever the budget, it draws the same from its stream, so that a larger budget extends a smaller one."""
    budgets = [budget for budget in _budgets(adversary) if budget > 0]
    if not budgets:
        raise NotAskedError("declares no unit of budgets")
    states = []
    for budget in budgets:
        attack, corrupt = _scene(adversary, budget)
        before = attack.rng.bit_generator.state
        corrupt(attack)
        states.append((attack.rng.bit_generator.state, before))
    if all(after == before for after, before in states):
        raise NotAskedError("draws nothing")
    require(
        all(after == states[0][0] for after, _ in states),
        "draws more or less from attack.rng as the budget grows: draw for all features (or rows) and use what the "
        "budget allows",
    )


@rule
def sparse_like_dense(adversary: Adversary) -> None:
    """A CSR matrix is corrupted as the same rows in a dense array are."""
    budget = _budgets(adversary)[-1]
    attack, corrupt = _scene(adversary, budget)
    as_dense = corrupt(attack)
    attack, corrupt = _scene(adversary, budget)
    X = freeze(sparse.csr_matrix(attack.X))
    raw = None if attack.raw is None else freeze(sparse.csr_matrix(attack.raw))
    try:
        as_sparse = corrupt(AttackContext(**{**vars(attack), "X": X, "raw": raw}))
    except NotApplicableError as error:
        raise NotAskedError(f"refuses sparse data: {error}") from None
    require(
        np.allclose(dense(as_sparse.X), dense(as_dense.X), equal_nan=True) and same(as_sparse.y, as_dense.y),
        "corrupts a CSR matrix otherwise than the same rows in a dense array",
    )


def _moved(attack: AttackContext, corruption: AttackResult, entries: np.ndarray) -> np.ndarray:
    """How far each entry moved, in standard deviations; infinite where no number says that."""
    deviations = attack.X.std(axis=0) if attack.deviations is None else attack.deviations
    with np.errstate(divide="ignore", invalid="ignore"):
        moved = np.abs(dense(corruption.X) - dense(attack.X)) / deviations
    return np.where(entries, np.where(np.isnan(moved), np.inf, moved), 0.0)


def _make(adversary: Adversary) -> Any:
    try:
        return adversary.make(**adversary.example)
    except TypeError as error:
        raise BrokenRuleError(
            f"cannot be made from its defaults and its 'example' {dict(adversary.example)}: {error}"
        ) from None


def _budgets(adversary: Adversary) -> list[float]:
    unit = UNITS[adversary.budget_unit]
    if not unit.takes_shares:
        return [*unit.amounts]
    return [unit.amount(share, float(_VALUES.sum()), len(_VALUES)) for share in (0.0, 1 / 6, 0.5, 1.0)]


def attacks(adversary: Adversary) -> Iterator[tuple[AttackContext, AttackResult]]:
    """Attacks on tiny data with each budget that rules try, and what became of them."""
    for budget in _budgets(adversary):
        attack, corrupt = _scene(adversary, budget)
        yield attack, corrupt(attack)


def _scene(adversary: Adversary, budget: float) -> tuple[AttackContext, Callable[[AttackContext], AttackResult]]:
    """An attack on tiny data, of the first task that the adversary acts on, and the adversary's method."""
    scenes = (
        (tiny_classification(), LogisticRegression()),
        (tiny_regression(), LinearRegression()),
        (tiny_table(), LogisticRegression()),
    )
    for data, model in scenes:
        fitted = model.fit(data.X, data.y) if adversary.phase == "test" else None
        attack = tiny_attack(_frozen(data), budget, fitted, values=_VALUES)
        try:
            _corrupt(adversary, tiny_attack(_frozen(data), budget, fitted, values=_VALUES))
        except NotApplicableError:
            continue
        return attack, partial(_corrupt, adversary)
    raise NotAskedError("acts neither on binary classification nor on regression of six features, nor on a category")


def _frozen(data: Data) -> Data:
    return replace(data, X=freeze(data.X), y=freeze(data.y))


def _corrupt(adversary: Adversary, attack: AttackContext) -> AttackResult:
    with quietly():
        try:
            corruption = _make(adversary).corrupt(attack)
        except ValueError as error:
            if "read-only" not in str(error):
                raise
            raise BrokenRuleError(f"changes what it is given in place ({error}): copy it before changing") from None
    kind = type(corruption).__name__
    require(isinstance(corruption, AttackResult), f"corrupt returned a {kind}, expected a benchkit.AttackResult")
    shapes = tuple(corruption.X.shape), tuple(np.shape(corruption.y))
    expected = tuple(attack.X.shape), tuple(attack.y.shape)
    require(shapes == expected, f"returned X, y of shapes {shapes}, expected {expected}")
    require(
        sparse.issparse(corruption.X) == sparse.issparse(attack.X),
        f"returned a {type(corruption.X).__name__} for a {type(attack.X).__name__}",
    )
    return cast(AttackResult, corruption)


RULES = (
    makes_an_adversary,
    parameters_documented,
    spends_no_more_than_its_budget,
    touches_only_what_it_may,
    deterministic_under_a_seed,
    stream_independent_of_the_budget,
    sparse_like_dense,
)

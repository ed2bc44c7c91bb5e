"""What every adversary keeps to: it spends no more than its budget and touches only what it may."""

from collections.abc import Iterator
from dataclasses import replace
from typing import Any

import numpy as np
from scipy import sparse
from sklearn.linear_model import LinearRegression, LogisticRegression

from benchkit.errors import one_line
from benchkit.plugin.declarations import Adversary, AttackContext, AttackResult, NotApplicableError
from benchkit.plugin.declarations.adversary import UNITS
from benchkit.testing.rule import BrokenRuleError, NotAskedError, quietly, require, rule
from benchkit.testing.tiny import changed, data_for, same, tiny_attack
from benchkit.trial.preparation import dense
from benchkit.trial.prepared import check_corruption, protected

_ROUNDING = 1e-9

_OF_SPARSE = (
    "where scipy.sparse.issparse(attack.X) change X = attack.X.toarray() and return scipy.sparse.csr_matrix(X), or "
    "raise benchkit.NotApplicableError, and trials on sparse data are skipped"
)

# Feature values that differ, and whose sums do not meet a budget by chance.
_VALUES = protected(np.array([0.5, 1.1, 0.7, 1.3, 0.9, 1.7]))


@rule("adversaries")
def spends_no_more_than_its_budget(adversary: Adversary) -> None:
    """No row (or no more than the fraction of rows or entries) loses more than the budget allows; nothing for 0."""
    unit = adversary.budget_unit
    if unit == "none":
        raise NotAskedError("declares no unit of budgets")
    for attack, corruption in _attacks(adversary):
        spent, allowed = _spent(unit, attack, corruption), attack.budget
        if unit == "fraction":  # of rows, where a row that was begun counts whole
            allowed = np.ceil(allowed * len(attack.y) - _ROUNDING) / len(attack.y)
        require(spent <= allowed + _ROUNDING, f"spends {spent:g} of a budget of {attack.budget:g} (unit: {unit})")


def _spent(unit: str, attack: AttackContext, corruption: AttackResult) -> float:
    """What a corruption cost: the row that cost most, the fraction of rows or entries, or the column that moved most.

    A column's moves are measured by their root mean square in standard deviations, which no norm of a row's moves falls
    below; they are infinite where a gap came or went, or a column of one value got another.
    """
    entries, responses = changed(attack.X, corruption.X), changed(attack.y, corruption.y)
    if unit == "fraction":
        rows = entries.any(axis=1)
        return float((rows | responses).mean() if responses.any() else min(entries.mean(), rows.mean()))
    if unit == "sd":
        deviations = attack.X.std(axis=0) if attack.deviations is None else attack.deviations
        with np.errstate(divide="ignore", invalid="ignore"):
            moved = np.abs(dense(corruption.X) - dense(attack.X)) / deviations
        moved = np.where(entries, np.where(np.isnan(moved), np.inf, moved), 0.0)
        return np.inf if responses.any() else float(((moved**2).mean(axis=0) ** 0.5).max())
    # One feature, however many of its columns change.
    features = np.asarray(attack.features.sum(entries.astype(int)) > 0)
    values = attack.features.sum(attack.feature_values) if unit == "value" else np.ones(features.shape[1])
    return float((features * values).sum(axis=1).max())


@rule("adversaries")
def touches_only_what_it_may(adversary: Adversary) -> None:
    """In the phase test it changes neither the true labels nor the model; what it is given cannot be written to."""
    if adversary.phase == "train":
        raise NotAskedError("acts in training")
    for attack, corruption in _attacks(adversary):
        require(same(corruption.y, attack.y), "changes the true labels of the test part: return attack.y as y")
        require(same(attack.model.coef_, _scene(adversary, attack.budget).model.coef_), "changes the fitted model")


@rule("adversaries")
def deterministic_under_a_seed(adversary: Adversary) -> None:
    """The same stream gives the same corruption."""
    for (_, one), (_, other) in zip(_attacks(adversary), _attacks(adversary), strict=True):
        alike = same(one.X, other.X) and same(one.y, other.y)
        require(alike, "two corruptions from the same stream differ: draw from attack.rng alone")


@rule("adversaries")
def stream_independent_of_the_budget(adversary: Adversary) -> None:
    """Whatever the budget, it draws the same from its stream, so that a larger budget extends a smaller one."""
    budgets = [budget for budget in _budgets(adversary) if budget > 0]
    if not budgets:
        raise NotAskedError("declares no unit of budgets")
    before = np.random.default_rng(0).bit_generator.state
    states = []
    for budget in budgets:
        attack = _scene(adversary, budget)
        _corrupt(adversary, attack)
        states.append(attack.rng.bit_generator.state)
    if all(state == before for state in states):
        raise NotAskedError("draws nothing")
    require(
        all(state == states[0] for state in states),
        "draws more or less from attack.rng as the budget grows: draw for all features (or rows) and use what the "
        "budget allows",
    )


@rule("adversaries")
def sparse_like_dense(adversary: Adversary) -> None:
    """A CSR matrix is corrupted as the same rows in a dense array are."""
    budget = _budgets(adversary)[-1]
    as_dense = _corrupt(adversary, _scene(adversary, budget))
    attack = _scene(adversary, budget)
    X = protected(sparse.csr_matrix(attack.X))
    try:
        as_sparse = _corrupt(adversary, replace(attack, X=X, raw=None if attack.raw is None else X))
    except NotApplicableError as error:
        raise NotAskedError(f"refuses sparse data: {error}") from None
    except (AttributeError, TypeError, ValueError, IndexError, NotImplementedError) as error:
        raise BrokenRuleError(f"fails where attack.X is a CSR matrix ({one_line(error)}): {_OF_SPARSE}") from error
    alike = np.allclose(dense(as_sparse.X), dense(as_dense.X), equal_nan=True) and same(as_sparse.y, as_dense.y)
    require(alike, f"corrupts a CSR matrix otherwise than the same rows in a dense array: {_OF_SPARSE}")


def _make(adversary: Adversary) -> Any:
    try:
        return adversary.make(**adversary.example)
    except TypeError as error:
        given = f"its defaults and its 'example' {dict(adversary.example)}"
        raise BrokenRuleError(f"cannot be made from {given}: {error}") from None


def _budgets(adversary: Adversary) -> list[float]:
    unit = UNITS[adversary.budget_unit]
    if not unit.takes_shares:
        return [*unit.amounts]
    return [unit.amount(share, float(_VALUES.sum()), len(_VALUES)) for share in (0.0, 1 / 6, 0.5, 1.0)]


def _attacks(adversary: Adversary) -> Iterator[tuple[AttackContext, AttackResult]]:
    """Attacks on tiny data with each budget that rules try, and what became of them."""
    for budget in _budgets(adversary):
        attack = _scene(adversary, budget)
        yield attack, _corrupt(adversary, attack)


def _scene(adversary: Adversary, budget: float) -> AttackContext:
    """An attack on tiny data, of the first task that the adversary acts on."""
    for task, model in (("classification", LogisticRegression()), ("regression", LinearRegression())):
        data = data_for(task)
        data = replace(data, X=protected(data.X), y=protected(data.y))
        fitted = model.fit(data.X, data.y) if adversary.phase == "test" else None
        attack, trial = (tiny_attack(data, budget, fitted, values=_VALUES) for _ in range(2))
        try:
            _corrupt(adversary, trial)
        except NotApplicableError:
            continue
        return attack
    raise NotAskedError("acts neither on binary classification nor on regression of six features")


def _corrupt(adversary: Adversary, attack: AttackContext) -> AttackResult:
    with quietly():
        corruption = check_corruption(_make(adversary).corrupt(attack), attack, adversary)
    kind, expected = type(corruption.X).__name__, type(attack.X).__name__
    remedy = _OF_SPARSE if sparse.issparse(attack.X) else "return a NumPy array where attack.X is one"
    is_alike = sparse.issparse(corruption.X) == sparse.issparse(attack.X)
    require(is_alike, f"returned a {kind} for a {expected}: {remedy}")
    return corruption

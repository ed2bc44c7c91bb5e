"""The trial's adversary in the phase ``test``."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from typing import Any

import numpy as np
from scipy import sparse

from benchkit.plugin.declarations import Adversary, AttackContext, AttackResult, NotApplicableError
from benchkit.plugin.guard import blamed_on
from benchkit.plugin.manager import registry
from benchkit.suite.trial import Trial
from benchkit.trial import seeds
from benchkit.trial.prepared import Part, Prepared, check_corruption


class Attacker:
    """The trial's adversary in the phase ``test``, or nobody."""

    def __init__(self, trial: Trial, adversary: Adversary | None, prepared: Prepared) -> None:
        self.trial, self.prepared = trial, prepared
        self.takes_missing = registry(trial.plugins).algorithms[trial.algorithm.name].accepts_missing
        self.declared = adversary if adversary is not None and adversary.phase == "test" else None
        self.acting = self.declared.make(**trial.adversary.params) if self.declared and trial.adversary else None

    def corrupt_test(self, model: Any, part: Part, stream: str) -> tuple[Part, Mapping[str, Any]]:
        """A part as the adversary leaves it for this model."""
        trial, cell = self.trial, self.trial.adversary
        if self.declared is None or self.acting is None or cell is None:
            return part, {}
        _check_requirement(model, self.declared)
        names = ("corruption", trial.dataset.identity, trial.repetition, cell.identity, stream)
        attack = AttackContext(
            X=part.X,
            y=part.y,
            budget=self.prepared.budget,
            feature_values=self.prepared.values,
            rng=seeds.stream(trial.seed, *names),
            model=model,
            raw=part.raw,
            feature_names=self.prepared.data.feature_names,
            groups=self.prepared.data.groups,
            group_names=self.prepared.data.group_names,
            means=self.prepared.means,
            takes_missing=self.takes_missing,
            imputed=self.prepared.imputed,
            deviations=self.prepared.deviations,
            preprocess=self.prepared.preprocess,
            train_X=self.prepared.train.X,
            train_y=self.prepared.train.y,
            data=self.prepared.data,
            rows=part.rows,
        )
        try:
            with blamed_on(f"adversary {self.declared.name}"):
                done = self.acting.corrupt(attack)
            corruption = check_corruption(done, attack, self.declared)
        except IndexError:
            known = np.isin(part.y, getattr(model, "classes_", part.y))
            if known.all() or not known.any():
                raise
            # The place of a true class among the model's is none where training lacked it: nothing is to be won there.
            again = replace(attack, rng=seeds.stream(trial.seed, *names))
            corruption = _corrupt_rows(self.acting, again, known, self.declared)
        if not np.array_equal(corruption.y, part.y):
            raise ValueError(f"adversary {self.declared.name} changed the true labels of the test part")
        return Part(corruption.X, corruption.y, part.raw, rows=part.rows), corruption.truth


def _corrupt_rows(acting: Any, attack: AttackContext, rows: np.ndarray, declared: Adversary) -> AttackResult:
    """Corrupt some rows, and leave the others as they are."""
    numbers = None if attack.rows is None else attack.rows[rows]
    part = replace(attack, X=attack.X[rows], y=attack.y[rows], raw=attack.raw[rows], rows=numbers)
    done = check_corruption(acting.corrupt(part), part, declared)
    back = np.argsort(np.concatenate([np.flatnonzero(rows), np.flatnonzero(~rows)]))
    parts = (done.X, attack.X[~rows])
    X = sparse.vstack(parts, format="csr") if sparse.issparse(attack.X) else np.concatenate(parts)
    truth = {name: value for name, value in done.truth.items() if np.ndim(value) == 0}
    return AttackResult(X=X[back], y=attack.y, truth=truth)


def _check_requirement(model: Any, adversary: Adversary) -> None:
    if adversary.requires == "linear" and not (hasattr(model, "coef_") and hasattr(model, "intercept_")):
        raise NotApplicableError(f"{adversary.name} needs a linear model; {type(model).__name__} has no coef_")
    if adversary.requires == "decision_function" and not (
        hasattr(model, "decision_function") or hasattr(model, "predict_proba")
    ):
        raise NotApplicableError(f"{adversary.name} needs a decision function; {type(model).__name__} has none")

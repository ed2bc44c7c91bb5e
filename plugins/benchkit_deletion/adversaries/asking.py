"""Adversaries that ask any model: about deletions of each row, and about columns that all rows lose."""

from __future__ import annotations

from math import comb
from typing import Any, ClassVar, Literal

import numpy as np
from scipy import sparse
from sklearn.base import is_classifier

from benchkit import AttackContext, AttackResult, NotApplicableError, check_choice, check_count
from benchkit_deletion.queries import ModelQueries, check_answers_about_gaps, deletable, lead, scorer
from benchkit_deletion.search import Score, beam_search, enumerate_deletions, last, worst_columns
from benchkit_deletion.threat import Choice, Fill, check_fill, delete, dense_blocks

_AT_ONCE = 64


class RowScore:
    """What deletion makes as low as it can of each row: how far the true class is ahead, or minus the absolute error.

    ``left`` (n_columns,) is what stands where a feature was deleted, ``values`` (n_features,) what deleting each costs;
    ``of_classes`` says whether the model scores classes, or predicts numbers; ``queries`` is how many rows it answered.
    """

    def __init__(self, attack: AttackContext, left: np.ndarray, of_classes: bool) -> None:
        model, self.attack, self.left, self.of_classes, self.queries = attack.model, attack, left, of_classes, 0
        self.values = attack.features.sum(attack.feature_values)
        answer = scorer(model) if of_classes else model.predict
        if answer is None:
            raise NotApplicableError(f"{type(model).__name__} has neither decision_function nor predict_proba")
        self.answer = answer
        if of_classes:
            check_answers_about_gaps(answer, attack.X, left)
            self.truth = np.searchsorted(model.classes_, attack.y)

    def of(self, rows: slice, dense: np.ndarray) -> Score:
        """The score of some rows."""
        dense = np.array(dense, dtype=float)
        ask = ModelQueries(self.answer, dense, self.attack.features, self.left, sparse.issparse(self.attack.X))

        def score(places: np.ndarray, masks: np.ndarray) -> np.ndarray:
            self.queries += len(places)
            if self.of_classes:
                return lead(ask(places, masks), self.truth[rows][places], len(self.attack.model.classes_))
            return np.asarray(-np.abs(ask(places, masks) - self.attack.y[rows][places]))

        return score

    def deletable(self, dense: np.ndarray) -> np.ndarray:
        """Features whose deletion changes a row, a mask."""
        return deletable(np.asarray(dense, dtype=float), self.attack.features, self.left)


class QueryDelete:
    """Deletes, step by step, features of each row so that the true class's score becomes as low as it can find.

    The score is the decision function of the true class minus that of the best other class, or the like of
    ``predict_proba`` where a model has no decision function. A beam search: of each row, the deletions of the lowest
    scores are kept at each step and each is extended by every feature that the budget allows. One of them is always
    the greedy one, which takes the feature that lowers the score most per value; with a beam of 1 it is the only one.
    The lowest score that was seen counts: a deletion that raises the score is only a step on the way. On a linear
    model this does at least what greedy-delete does, and the same where all features have one value: the exact worst.

    Parameters
    ----------
    candidates : int or None, default=None
        Only so many features of each row are tried in later steps: the best of the first step. None: all of them, at
        the cost of one query per row, step, kept deletion and non-zero feature.
    beam : int, default=8
        How many deletions of each row are kept at each step. Trees have plateaus, where only two deletions together
        change anything: a beam of 1 stands still there.
    fill : {"zero", "nan", "mean"}, default="zero"
        What deletion leaves, see `AttackContext.left_by`. NaN tells a model that takes missing values that a feature is
        gone; models that refuse NaN are not applicable.
    stop_when_fooled : bool, default=True
        Whether a row is left as it is once its true class's score is below zero: the prediction is wrong, and more
        deletions would only make a metric that measures by how much worse.
    """

    of_classes: ClassVar[bool] = True

    def __init__(
        self, candidates: int | None = None, beam: int = 8, fill: Fill = "zero", stop_when_fooled: bool = True
    ) -> None:
        check_count(beam=beam, **({} if candidates is None else {"candidates": candidates}))
        self.candidates, self.beam, self.fill = candidates, beam, check_fill(fill)
        self.stop_when_fooled = stop_when_fooled

    def corrupt(self, attack: AttackContext) -> AttackResult:
        """Delete features of total value at most ``attack.budget`` from each row."""
        choose, score = self.choice(attack)
        corrupted = delete(attack.X, attack.features, choose, score.left)
        return AttackResult(X=corrupted, y=attack.y, truth={"queries": score.queries})

    def choice(self, attack: AttackContext) -> tuple[Choice, RowScore]:
        """What to delete of which rows, and the way to the model's answers."""
        score = RowScore(attack, attack.left_by(self.fill), self.of_classes)
        stop_below = 0.0 if self.stop_when_fooled else -np.inf

        def choose(rows: slice, dense: np.ndarray) -> np.ndarray:
            search = beam_search(
                score.of(rows, dense),
                score.deletable(dense),
                score.values,
                attack.budget,
                beam=self.beam,
                candidates=self.candidates,
                stop_below=stop_below,
                steepest=not self.of_classes,
            )
            return last(search)

        return choose, score


class QueryDeleteRegression(QueryDelete):
    """Deletes, step by step, features of each row so that its absolute error becomes as large as it can find.

    A beam search over deletions of features, as `query-delete` has it for classification: of any model, and a lower
    bound of the worst case, which `exact-tree-delete` proves for the models that it reads.

    Parameters
    ----------
    fill : {"zero", "nan", "mean"}, default="zero"
        What deletion leaves, see `AttackContext.left_by`.
    beam : int, default=8
        How many deletions of each row are kept at each step, one of them that which gains most per value.
    """

    of_classes = False

    def __init__(self, fill: Fill = "zero", beam: int = 8) -> None:
        super().__init__(beam=beam, fill=fill, stop_when_fooled=False)

    def corrupt(self, attack: AttackContext) -> AttackResult:
        """Delete features of total value at most ``attack.budget`` from each row; the truth has ``queries``."""
        (choose, score), taken = self.choice(attack), []

        def choose_and_note(rows: slice, dense: np.ndarray) -> np.ndarray:
            taken.append(choose(rows, dense))
            return taken[-1]

        X = delete(attack.X, attack.features, choose_and_note, score.left)
        return AttackResult(X=X, y=attack.y, truth={"taken": np.concatenate(taken), "queries": score.queries})


class EnumerateDelete:
    """Asks any model about every deletion that the budget allows, and takes the lowest score of the true class.

    Exact for whatever model, forests and boosted trees included, at one query for each row and affordable set of
    the features that deletion changes, the non-zero ones where it leaves zeros: 2 to the power of their number at most.

    Parameters
    ----------
    max_features : int, default=12
        Rows with more features that deletion changes are refused.
    fill : {"zero", "nan", "mean"}, default="zero"
        What deletion leaves, see `AttackContext.left_by`.
    """

    def __init__(self, max_features: int = 12, fill: Fill = "zero") -> None:
        check_count(most=20, max_features=max_features)
        self.max_features, self.fill = max_features, check_fill(fill)

    def corrupt(self, attack: AttackContext) -> AttackResult:
        """Delete features of total value at most ``attack.budget`` from each row."""
        score = RowScore(attack, attack.left_by(self.fill), of_classes=True)
        counts = [score.deletable(dense).sum(axis=1).max(initial=0) for _, dense in dense_blocks(attack.X)]
        most = max(counts, default=0)
        if most > self.max_features:
            raise NotApplicableError(
                f"a row has {most} features that deletion changes; every deletion of at most "
                f"{self.max_features} is tried"
            )

        def choose(rows: slice, dense: np.ndarray) -> np.ndarray:
            return enumerate_deletions(score.of(rows, dense), score.deletable(dense), score.values, attack.budget)

        corrupted = delete(attack.X, attack.features, choose, score.left)
        return AttackResult(X=corrupted, y=attack.y, truth={"queries": score.queries})


class FailingColumnsQuery:
    """Deletes the same features of all rows: those whose loss the model takes worst, as far as asking it can find.

    What is made as large as possible is the error rate, and among sets of equal error what the true class is behind on
    average; in regression the mean absolute or squared error. A larger budget never does less. Of models that
    exact-tree-delete reads, what it proves row by row is a bound of this: no set for all rows does more.

    Parameters
    ----------
    fill : {"zero", "nan", "mean"}, default="zero"
        What deletion leaves, see `AttackContext.left_by`.
    exact_below : int, default=500
        All sets of a size are tried while that makes at most so many in all; the rest is greedy, with exchanges. 0: no
        size is tried whole.
    loss : {"absolute", "squared"}, default="absolute"
        Of regression.
    """

    def __init__(
        self, fill: Fill = "zero", exact_below: int = 500, loss: Literal["absolute", "squared"] = "absolute"
    ) -> None:
        check_count(0, exact_below=exact_below)
        check_choice(("absolute", "squared"), loss=loss)
        self.fill, self.exact_below, self.loss = check_fill(fill), exact_below, loss

    def corrupt(self, attack: AttackContext) -> AttackResult:
        """Delete at most ``attack.budget`` features.

        The truth tells ``dead_features``, their numbers; ``dead_names``; ``is_worst``, whether no set of as many does
        more; and ``queries``, how many rows the model was asked about.
        """
        features, left = attack.features, attack.left_by(self.fill)
        n_features = features.n_features
        damage = _Damage(attack, left, self.loss == "squared")
        dead = np.zeros(n_features, dtype=bool)
        most, exact = tuple(damage(dead[None])[0]), True

        def is_tried_whole(size: int) -> bool:
            return sum(comb(n_features, smaller) for smaller in range(size + 1)) <= self.exact_below

        for found, losses, exact in worst_columns(damage.worst, n_features, int(attack.budget), is_tried_whole):  # noqa: B007
            if losses > most:
                dead, most = found, losses
        truth = {
            "dead_features": np.flatnonzero(dead),
            "dead_names": _names(attack, dead),
            "is_worst": exact,
            "queries": sum(ask.asked for ask in damage.asks),
        }
        gone = np.broadcast_to(features.spread(dead), attack.X.shape)
        if not sparse.issparse(attack.X):
            return AttackResult(X=np.where(gone, left, attack.X), y=attack.y, truth=truth)
        kept = sparse.diags((~features.spread(dead)).astype(float))
        return AttackResult(X=sparse.csr_matrix(attack.X @ kept), y=attack.y, truth=truth)


class _Damage:
    """How much the loss of a set of features costs, and what it costs among sets of equal error."""

    def __init__(self, attack: AttackContext, left: np.ndarray, squared: bool) -> None:
        self.attack, self.squared, model = attack, squared, attack.model
        self.predictions = ModelQueries(model.predict, attack.X, attack.features, left)
        self.asks = [self.predictions]
        self.scores: ModelQueries | None = None
        self.classifies = is_classifier(model)
        known = np.asarray(getattr(model, "classes_", np.unique(attack.y)))
        score = scorer(model)
        if self.classifies and score is not None and np.isin(attack.y, known).all():
            self.truth, self.n_classes = np.searchsorted(known, attack.y), len(known)
            self.scores = ModelQueries(score, attack.X, attack.features, left)
            self.asks.append(self.scores)

    def __call__(self, masks: np.ndarray) -> np.ndarray:
        n_rows = self.attack.X.shape[0]
        rows, lost = np.tile(np.arange(n_rows), len(masks)), np.repeat(masks, n_rows, axis=0)
        predicted, truth = self.predictions(rows, lost), np.tile(self.attack.y, len(masks))
        if not self.classifies:
            errors = np.abs(predicted - truth) ** (2 if self.squared else 1)
            return np.asarray(errors.reshape(len(masks), -1).mean(axis=1)[:, None])
        wrong = (predicted != truth).reshape(len(masks), -1).mean(axis=1)
        if self.scores is None:
            return np.asarray(wrong[:, None])
        scores, behind = self.scores(rows, lost), np.zeros(len(rows))
        if scores.ndim == 1 or scores.shape[1] == self.n_classes:
            behind = -lead(scores, np.tile(self.truth, len(masks)), self.n_classes)
        return np.column_stack([wrong, behind.reshape(len(masks), -1).mean(axis=1)])

    def worst(self, masks: np.ndarray) -> tuple[np.ndarray, tuple[float, ...]]:
        """The first of the sets that hurt most, and its losses."""
        parts = (masks[start : start + _AT_ONCE] for start in range(0, len(masks), _AT_ONCE))
        losses = np.concatenate([self(some) for some in parts])
        place = max(range(len(masks)), key=lambda each: tuple(losses[each]))
        return masks[place], tuple(losses[place])


def _names(attack: AttackContext, dead: np.ndarray) -> list[str]:
    """The names of features, a group's where it has one; numbers of columns where there are none."""
    features = attack.features
    grouped = dict(zip((min(group) for group in attack.groups if len(group)), attack.group_names, strict=False))
    columns = [int(np.flatnonzero(features.of_column == feature)[0]) for feature in np.flatnonzero(dead)]
    named: Any = attack.feature_names
    return [str(grouped.get(column, named[column] if len(named) else column)) for column in columns]

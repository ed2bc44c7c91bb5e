"""What a callable holds beside its source changes the identity of trials."""

import importlib
import sys
import threading
from functools import partial

import pytest
from sklearn.linear_model import LogisticRegression

from benchkit import Algorithm
from benchkit.plugin.declarations import DeclarationError
from benchkit.plugin.manager import discover
from benchkit.trial.held_values import held_values
from benchkit.trial.identity import Fingerprints


class Maker:
    """Makes estimators of a strength."""

    def __init__(self, C):
        self.C = C

    def __call__(self, **params):
        return LogisticRegression(C=self.C, **params)

    def make(self, **params):
        return self(**params)


def closure(C):
    def make(**params):
        return LogisticRegression(C=C, **params)

    return make


def defaulted(C):
    return lambda C=C, **params: LogisticRegression(C=C, **params)


@pytest.mark.parametrize(
    "make",
    [
        lambda C: partial(LogisticRegression, C=C),
        lambda C: partial(partial(LogisticRegression, tol=1e-3), C=C),
        closure,
        defaulted,
        Maker,
        lambda C: Maker(C).make,
        lambda C: partial(closure(C)),
    ],
)
def test_a_value_inside_changes_the_algorithm(make):
    def identity(C):
        registry = discover()
        registry.algorithms.add(Algorithm(name="held", make=make(C)), "test")
        return Fingerprints(registry).algorithm("held")

    assert identity(1.0) != identity(2.0)
    assert identity(1.0) == identity(1.0)


@pytest.mark.parametrize(
    "wrap", [partial, lambda make: partial(partial(make, tol=1)), lambda make: Maker(make), closure]
)
def test_the_file_behind_a_callable_counts(tmp_path, monkeypatch, wrap):
    source = tmp_path / "behind_a_partial.py"
    source.write_text("class Behind:\n    x = 1\n")
    monkeypatch.syspath_prepend(tmp_path)
    monkeypatch.delitem(sys.modules, "behind_a_partial", raising=False)
    registry = discover()
    make = wrap(importlib.import_module("behind_a_partial").Behind)
    registry.algorithms.add(Algorithm(name="held", make=make), "test")
    before = Fingerprints(registry).algorithm("held")
    source.write_text("class Behind:\n    x = 1  # a comment\n")
    assert Fingerprints(registry).algorithm("held") == before
    source.write_text("class Behind:\n    x = 2\n")
    assert Fingerprints(registry).algorithm("held") != before


def test_what_cannot_be_hashed_is_refused_in_one_line():
    with pytest.raises(DeclarationError, match="cannot be hashed .*name it as 'module:attribute'"):
        _ = held_values(partial(LogisticRegression, C=threading.Lock())).digest


def test_plain_functions_and_classes_hold_nothing():
    assert held_values(LogisticRegression).digest == ""
    assert held_values(closure).digest == ""

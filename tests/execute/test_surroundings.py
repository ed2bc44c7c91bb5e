"""What is looked at between trials."""

import gc
import importlib
import math
import sys
import weakref
from types import ModuleType

import pytest

from benchkit.execute.surroundings import Surroundings


@pytest.fixture
def look(monkeypatch):
    """Takes the state before a trial."""
    monkeypatch.setattr(Surroundings, "_latest", None)
    yield lambda: Surroundings(())  # pytest itself changes the environment before each test
    gc.unfreeze()


def test_a_replaced_attribute_is_seen_and_a_new_one_is_no_harm(look, monkeypatch):
    before = look()
    monkeypatch.setattr(math, "added_by_a_trial", 1, raising=False)
    assert before.changes() == []
    with monkeypatch.context() as patch:
        patch.setattr(math, "floor", math.ceil)
        assert before.changes() == ["attributes of math"]
    assert before.changes() == []  # it was set back
    monkeypatch.delattr(math, "ceil")
    assert before.changes() == ["attributes of math"]


@pytest.mark.parametrize("module", ["numpy.linalg", "scipy.linalg", "sklearn.metrics", "random", "builtins"])
def test_what_every_trial_uses_is_watched(look, monkeypatch, module):
    found = importlib.import_module(module)
    before = look()
    name = "len" if module == "builtins" else next(name for name in vars(found) if not name.startswith("_"))
    kept = getattr(found, name)
    monkeypatch.setattr(found, name, lambda *arguments: kept(*arguments))
    changes = before.changes()
    monkeypatch.undo()
    assert f"attributes of {module}" in changes


def test_attributes_of_a_plugins_file_are_watched(look, monkeypatch, tmp_path):
    plugin = ModuleType("a_plugin_of_a_file")
    plugin.__file__, plugin.table = str(tmp_path / "plugin.py"), {}
    monkeypatch.setitem(sys.modules, plugin.__name__, plugin)
    before = Surroundings((plugin.__file__,))
    plugin.table = {}  # equal to what was there, and yet another one
    assert before.changes() == ["attributes of a_plugin_of_a_file"]


def test_the_environment_is_seen_as_the_system_holds_it(look, monkeypatch):
    before = look()
    monkeypatch.setenv("SET_BY_A_TRIAL", "1")
    assert before.changes() == ["environment"]


class Node:
    pass


def cycle():
    """A cycle that nothing else holds, and what tells whether it lives."""
    node = Node()
    node.self = node
    return node


@pytest.mark.parametrize("old", [False, True])
def test_what_a_trial_leaves_in_cycles_is_freed_however_long_it_lived(look, old):
    before = look()
    node = cycle()
    alive = weakref.ref(node)
    if old:
        gc.collect(1)  # what lives is among the old objects now
    del node
    gc.disable()
    try:
        before.collect_garbage()
        assert alive() is None
    finally:
        gc.enable()

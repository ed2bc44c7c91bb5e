"""What is looked at between trials."""

import ctypes
import gc
import importlib
import locale
import math
import os
import platform
import resource
import sys
import weakref
from functools import partial
from types import ModuleType

import numpy as np
import pytest
from threadpoolctl import threadpool_limits

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


@pytest.mark.parametrize(
    "module",
    [
        "numpy.linalg",
        "random",
        *[pytest.param(name, marks=pytest.mark.whole) for name in ("scipy.linalg", "sklearn.metrics", "builtins")],
    ],
)
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


def test_what_a_cache_lets_go_of_in_a_later_trial_is_freed_in_the_end(look):
    before = look()
    node = cycle()
    alive = weakref.ref(node)
    before.collect_garbage()  # it lives still, and is old from here on
    del node
    gc.disable()
    try:
        for _ in range(200):
            look().collect_garbage()
        assert alive() is None
    finally:
        gc.enable()


def limit(number, value):
    def change():
        before = resource.getrlimit(number)
        resource.setrlimit(number, (value, before[1]))
        return lambda: resource.setrlimit(number, before)

    return change


def attribute(owner, name, value):
    def change():
        before = getattr(owner, name)
        setattr(owner, name, value)
        return lambda: setattr(owner, name, before)

    return change


def call(setter, getter, value):
    def change():
        before = getter()
        setter(value)
        return lambda: setter(before)

    return change


def masked():
    before = os.umask(0o077)
    return lambda: os.umask(before)


def nicer():
    before = os.getpriority(os.PRIO_PROCESS, 0)
    os.setpriority(os.PRIO_PROCESS, 0, before + 1)
    return lambda: os.setpriority(os.PRIO_PROCESS, 0, before)


def one_processor():
    before = os.sched_getaffinity(0)
    os.sched_setaffinity(0, {min(before)})
    return lambda: os.sched_setaffinity(0, before)


def finder():
    sys.meta_path.insert(0, object())
    return lambda: sys.meta_path.pop(0)


def rounding():
    library = ctypes.CDLL(None)
    before = library.fegetround()
    library.fesetround(0x400 if platform.machine() == "x86_64" else 0x800000)  # downward
    return lambda: library.fesetround(before)


def fewer_threads():
    limits = threadpool_limits(1)
    return limits.restore_original_limits


NUMERIC = partial(locale.setlocale, locale.LC_NUMERIC)
LEFT = {
    "resource limits": limit(resource.RLIMIT_NOFILE, 200),
    "import hooks": finder,
    "file mode mask": masked,
    "recursion limit": call(sys.setrecursionlimit, sys.getrecursionlimit, 4321),
    "switch interval": call(sys.setswitchinterval, sys.getswitchinterval, 0.25),
    "numpy print options": call(lambda told: np.set_printoptions(**told), np.get_printoptions, {"precision": 3}),
    "exception hooks": attribute(sys, "excepthook", print),
    "locale": call(
        partial(locale.setlocale, locale.LC_NUMERIC), partial(locale.setlocale, locale.LC_NUMERIC), "C.UTF-8"
    ),
    "floating point rounding": rounding,
}


@pytest.mark.parametrize(
    "what",
    [
        name
        if name in ("resource limits", "numpy print options", "locale")
        else pytest.param(name, marks=pytest.mark.whole)
        for name in LEFT
    ],
)
def test_what_a_trial_leaves_changed_is_named(look, what):
    before = look()
    undo = LEFT[what]()
    try:
        changes = before.changes()
    finally:
        undo()
    assert what in changes
    assert set(changes) <= {what, "switch interval"}  # which rounding changes, too
    assert before.changes() == []


@pytest.mark.skipif(sys.platform != "linux", reason="macOS has no such call, or asks root")
@pytest.mark.parametrize(("what", "change"), [("priority", nicer), ("processors", one_processor)])
def test_what_the_system_lets_be_seen_alone(look, what, change):
    if what == "processors" and len(os.sched_getaffinity(0)) < 2:
        pytest.skip("one processor")
    if what == "priority" and os.geteuid() != 0:
        pytest.skip("it could not be set back")
    before = look()
    undo = change()
    try:
        changes = before.changes()
    finally:
        undo()
    assert changes == [what]


def test_threads_of_linear_algebra_that_are_limited_for_ever_are_seen(look):
    before = look()
    if max(library.num_threads for library in before._before.libraries) < 2:
        pytest.skip("one thread is all there is")
    undo = fewer_threads()
    try:
        changes = before.changes()
    finally:
        undo()
    assert changes == ["BLAS threads"]

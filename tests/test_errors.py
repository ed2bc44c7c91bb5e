"""One tree of errors, told at the top of its module."""

import importlib
import pickle
import pkgutil
import re

import pytest

import benchkit
from benchkit import errors

# What goes wrong within benchkit and reaches no caller, or is no exception of its own in the interface.
INNER = {"UnreadableError", "MistakeError"}
INNER |= {"TimeIsUpError", "BrokenRuleError", "NotAskedError", "TableQuestionError"}


def _told():
    """Class to its parent, as the module's docstring draws them."""
    told, above = {}, {}
    for line in errors.__doc__.splitlines():
        if found := re.match(r"    ([│├└─ ]*)(\w+Error)\b", line):
            depth = len(found[1]) // 4
            above[depth] = found[2]
            told[found[2]] = above.get(depth - 1)
    return told


def _defined():
    """Every exception class of the core, by name."""
    found = {}
    for module in pkgutil.walk_packages(benchkit.__path__, "benchkit."):
        if ".templates" in module.name or module.name.endswith("__main__"):
            continue
        for name, value in vars(importlib.import_module(module.name)).items():
            ours = isinstance(value, type) and issubclass(value, Exception) and value.__module__.startswith("benchkit.")
            if ours and not name.startswith("_"):
                found[name] = value
    return found


def test_the_tree_is_that_of_the_classes():
    told, defined = _told(), _defined()
    assert told.keys() == defined.keys() - INNER
    for name, parent in told.items():
        assert parent is None or parent in {base.__name__ for base in defined[name].__bases__}, name


@pytest.mark.parametrize("name", ["SuiteError", "JournalError", "SelectionError", "PublishError"])
def test_what_run_promises_can_be_caught(name):
    assert issubclass(getattr(benchkit, name), benchkit.RequestError)
    assert issubclass(benchkit.RequestError, benchkit.BenchkitError)


def test_a_mistake_is_caught_by_the_common_base(tmp_path):
    with pytest.raises(benchkit.BenchkitError, match="unknown suite"):
        benchkit.run("no-such-suite", out=tmp_path)
    with pytest.raises(benchkit.JournalError):
        benchkit.load(tmp_path)


def test_those_of_executors_pass_between_processes():
    for kind in (benchkit.OverTimeError, benchkit.OverMemoryError, benchkit.WorkerDiedError):
        copy = pickle.loads(pickle.dumps(kind("a reason")))
        assert (type(copy), str(copy)) == (kind, "a reason")

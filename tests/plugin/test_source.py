"""What a source says of a callable is what importing it says, or nothing."""

import inspect
import sys

import pytest

from benchkit import registry
from benchkit.plugin.declarations import Deferred
from benchkit.plugin.declarations.declaration import describe
from benchkit.plugin.manager import KINDS


def _targets():
    for kind in KINDS:
        for declared in registry().catalogue(kind).values():
            for value in vars(declared).values():
                if isinstance(value, Deferred) and isinstance(value.target, str) and not value.elsewhere:
                    yield value


def test_it_agrees_with_importing_for_all_that_is_declared():
    read = 0
    for target in _targets():
        described = describe(target.target)
        if described is None:
            continue
        try:
            real = target.resolve()
        except ModuleNotFoundError:
            continue  # of an extra that is not installed
        read += 1
        expected, (parameters, doc) = inspect.signature(real).parameters, described
        assert [(each.name, each.kind, repr(each.default)) for each in parameters.values()] == [
            (each.name, each.kind, repr(each.default)) for each in expected.values()
        ], target
        assert doc in (None, inspect.getdoc(real))
    assert read > 150


MODULE = '''
import functools
from dataclasses import dataclass, field
from typing import ClassVar
from my_source import elsewhere
from my_source.elsewhere import Imported as Renamed, parent

LIMIT = 3

def plain(a, /, b=1, *args, c, d=(1, "x"), **rest):
    """One line.

    Another.

        Indented.
    """

@functools.lru_cache
def decorated(a): ...

class Own:
    """Says."""
    def __init__(self, x, y=None): ...

class Inherits(Own): ...
class Empty: ...
class Below(Empty, Own): ...
class Two(Own, Renamed): ...
class New:
    def __new__(cls, z): ...
class Computed:
    def __init__(self, n=len("abc")): ...
@dataclass(eq=False, repr=False)
class Fields(Empty):
    kept: ClassVar[int] = 1
    p: float
    q: int = 3
class OfFields(Fields): ...
@dataclass(kw_only=True)
class Keywords:
    p: float
@dataclass
class Both(Fields):
    r: int = 0
if LIMIT:
    def maybe(a): ...
made = Own
'''


@pytest.fixture
def module(tmp_path, monkeypatch):
    folder = tmp_path / "my_source"
    folder.mkdir()
    (folder / "__init__.py").write_text("from .main import plain as exported\nraise RuntimeError('imported')\n")
    (folder / "main.py").write_text(MODULE)
    (folder / "elsewhere.py").write_text("class Imported:\n    def __init__(self, far=0): ...\ndef parent(): ...\n")
    monkeypatch.syspath_prepend(str(tmp_path))


@pytest.mark.parametrize(
    ("target", "names"),
    [
        ("my_source.main:plain", "a b args c d rest"),
        ("my_source:exported", "a b args c d rest"),
        ("my_source.main:Own", "x y"),
        ("my_source.main:Inherits", "x y"),
        ("my_source.main:Below", "x y"),
        ("my_source.main:Renamed", "far"),
        ("my_source.main:OfFields", "p q"),
        *(
            (f"my_source.main:{name}", None)
            for name in "decorated Two New Computed Keywords Both maybe made absent LIMIT Own.method".split()
        ),
        *((target, None) for target in ("no_such_module:x", "my_source.absent:x", "math:sqrt")),
    ],
)
def test_what_is_plain_is_read_without_importing_and_of_all_else_nothing_is_said(module, target, names):
    described = describe(target)
    assert (described is None) if names is None else [*described[0]] == names.split()
    assert not any(name.startswith("my_source") for name in sys.modules)


def test_defaults_kinds_and_docstring(module):
    parameters, doc = describe("my_source.main:plain")
    assert parameters["a"].kind is inspect.Parameter.POSITIONAL_ONLY
    assert parameters["a"].default is inspect.Parameter.empty
    assert parameters["d"].default == (1, "x")
    assert doc == "One line.\n\nAnother.\n\n    Indented."

"""What a plugin's file runs without naming it is never taken for a bystander."""

import ast

import pytest

from benchkit.trial.bystanders import without_bystanders

FILE = """
from collections import UserDict, defaultdict
from benchkit import Algorithm, ReportSection, hookimpl

FOUND = []
RATES = defaultdict(int)
SIZE = 0
{code}

class Mine:
    def fit(self, X, y):
        {fit}

@hookimpl
def benchkit_algorithms():
    return [Algorithm(name="mine", make=Mine)]

@hookimpl
def benchkit_report_sections({parameter}):
    return [ReportSection(name="mine-too", compute=compute)]

def compute(results):
    return "shown"
"""


def kept(code="", fit="return self", parameter=""):
    return ast.unparse(without_bystanders(ast.parse(FILE.format(code=code, fit=fit, parameter=parameter))))


@pytest.mark.parametrize(
    "code",
    [
        "class Part:\n    text: str = 'decisive'\n    size: list[int] | None = None\n    pair = (-1, [2])",
        "class Root:\n    text = 'decisive'\nclass Part(Root):\n    @property\n    def size(self) -> int: return 1",
        "def part(size: int = SIZE, *, text='decisive', every=FOUND.__len__):\n    return size",
    ],
)
def test_what_only_a_section_would_use_is_left_out(code):
    assert "decisive" not in kept(code)
    assert "decisive" in kept(code + "\n    \nUSED = Part" if "class" in code else code + "\nUSED = part")
    assert "benchkit_report_sections" not in kept(code)


@pytest.mark.parametrize(
    ("code", "fit"),
    [
        ("class Root:\n    def __init_subclass__(cls): FOUND.append(cls)\nclass Part(Root):\n    x = 'decisive'", None),
        (
            "class Kind(type):\n    def __init__(cls, *_): FOUND.append(cls)\n"
            "class Root(metaclass=Kind): pass\nclass Part(Root):\n    x = 'decisive'",
            None,
        ),
        ("class Root(UserDict): pass\nclass Middle(Root): pass\nclass Part(Middle):\n    x = 'decisive'", None),
        ("class Root: pass\nclass Part(Root):\n    x = 'decisive'", "return Root.__subclasses__()[0].x"),
        (
            "class Name:\n    def __set_name__(*_): FOUND.append(1)\nname = Name()\nclass Part:\n    decisive = name",
            None,
        ),
        ("class Part:\n    RATES['decisive'] = 1", "return RATES"),
        ("class Part:\n    FOUND.decisive = 1", "return FOUND"),
        ("class Part:\n    size = RATES['decisive']", "return RATES"),
        ("class Part(Part if SIZE else object):\n    x = 'decisive'", None),
        ("def part(size=(SIZE := len('decisive'))): pass", "return SIZE"),
        ("def part(size=RATES['decisive']): pass", "return len(RATES)"),
        ("def part(size=FOUND | RATES, text='decisive'): pass", None),
        ("def part(size: FOUND.append('decisive')): pass", None),
        ("def part():\n    global SIZE\n    SIZE = len('decisive')", "return SIZE"),
        ("def part(): return 'decisive'", "return Mine.fit.__globals__['pa' + 'rt']()"),
        ("def __getattr__(name): return 'decisive'", None),
        ("@FOUND.append\ndef part(): return 'decisive'", None),
        ("def part(): return 'decisive'\nclass Other:\n    way = part\nUSED = Other", None),
    ],
)
def test_what_runs_unseen_or_is_reached_unnamed_stays(code, fit):
    assert "decisive" in kept(code, fit or "return self")


def test_a_hook_that_a_method_asks_or_whose_definition_runs_something_stays():
    assert "shown" in kept(fit="return benchkit_report_sections()")
    assert "FOUND.append" in kept(parameter="size=FOUND.append(1)")
    assert "shown" not in kept()

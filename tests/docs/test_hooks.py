"""The reference of hooks is up to date, and every hook has its documentation and its test."""

import dataclasses
import importlib.util
import inspect
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]


def module(path):
    found = importlib.util.spec_from_file_location(path.stem, path)
    made = importlib.util.module_from_spec(found)
    found.loader.exec_module(made)
    return made


reference = module(ROOT / "docs" / "hooks.py")


def test_the_reference_is_up_to_date():
    assert reference.PAGE.read_text(encoding="utf-8") == reference.page(), "run: python docs/hooks.py"


@pytest.mark.parametrize("name", reference.hooks())
def test_a_hook_is_documented(name):
    hook = reference.hooks()[name]
    assert len(inspect.getdoc(hook) or "") > 30
    for parameter in inspect.signature(hook).parameters.values():
        assert parameter.annotation is not parameter.empty
    assert f"## {name}\n" in reference.PAGE.read_text(encoding="utf-8")


@pytest.mark.parametrize("name", reference.hooks())
def test_a_hook_is_tested(name):
    tests = (ROOT / "tests" / "plugin" / "test_hooks.py").read_text(encoding="utf-8")
    assert f"def {name}(" in tests, f"implement {name} in a plugin of tests/plugin/test_hooks.py"


@pytest.mark.parametrize("name", reference.values())
def test_every_field_of_a_value_is_documented(name):
    value = reference.values()[name]
    text = inspect.getdoc(value)
    for field in dataclasses.fields(value):
        assert field.name in text, f"{name}.{field.name} is not in its docstring"

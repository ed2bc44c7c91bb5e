"""The references of hooks and public names are up to date, and every hook has its documentation and its test."""

import dataclasses
import inspect
from pathlib import Path

import pytest

import benchkit
from tests.conftest import load_script

ROOT = Path(__file__).parents[2]


reference = load_script(ROOT / "docs" / "reference.py")
HOOKS = (ROOT / "docs" / "hooks.md").read_text(encoding="utf-8")


@pytest.mark.parametrize("path", reference.PAGES, ids=lambda path: path.name)
def test_a_reference_is_up_to_date(path):
    assert path.read_text(encoding="utf-8") == reference.PAGES[path](), "run: python docs/reference.py"


def test_every_public_name_is_documented():
    text = HOOKS + (ROOT / "docs" / "api.md").read_text(encoding="utf-8")
    assert [name for name in benchkit.__all__ if f"## {name}\n" not in text and f"`{name}" not in text] == []


@pytest.mark.parametrize("name", reference.hooks())
def test_a_hook_is_documented(name):
    hook = reference.hooks()[name]
    assert len(inspect.getdoc(hook) or "") > 30
    for parameter in inspect.signature(hook).parameters.values():
        assert parameter.annotation is not parameter.empty
    assert f"## {name}\n" in HOOKS


@pytest.mark.parametrize("name", reference.hooks())
def test_a_hook_is_tested(name):
    """By a plugin of that file, or of the examples, which tests/examples runs."""
    tests = (ROOT / "tests" / "plugin" / "test_hooks.py", *(ROOT / "examples").rglob("*.py"))
    assert any(f"def {name}(" in path.read_text(encoding="utf-8") for path in tests), f"implement {name} in the first"


@pytest.mark.parametrize("name", reference.values())
def test_every_field_of_a_value_is_documented(name):
    value = reference.values()[name]
    # Fields that all declarations have are said once, where they are declared.
    text = "".join(each.__doc__ or "" for each in value.__mro__ if dataclasses.is_dataclass(each))
    for field in dataclasses.fields(value):
        assert field.name in text, f"{name}.{field.name} is not in its docstring"

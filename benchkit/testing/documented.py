"""Whether every parameter of a callable is in its numpydoc docstring."""

from __future__ import annotations

import inspect

from docstring_parser import parse
from docstring_parser.common import DocstringStyle

from benchkit.plugin.declarations import Deferred
from benchkit.testing.rule import NotAskedError, require


def require_documented(target: Deferred) -> None:
    """Raise `BrokenRuleError` where a parameter is not in the docstring's ``Parameters`` section."""
    resolved = target.resolve()
    if resolved.__module__.partition(".")[0] == "sklearn":
        raise NotAskedError("scikit-learn documents its own")
    name = getattr(resolved, "__qualname__", repr(resolved))
    text = inspect.getdoc(resolved) if not inspect.isclass(resolved) else resolved.__doc__
    require(text, f"{name} has no docstring: say in one line what it does, then list its parameters (numpydoc)")
    skipped = (inspect.Parameter.VAR_KEYWORD, inspect.Parameter.VAR_POSITIONAL)
    parameters = [each.name for each in target.parameters().values() if each.kind not in skipped]
    # Attributes are listed alike; only what is a parameter counts.
    described = {
        part.strip()
        for each in parse(inspect.cleandoc(text or ""), DocstringStyle.NUMPYDOC).params
        if each.args[:1] == ["param"]
        for part in each.arg_name.split(",")
    }
    absent = [each for each in parameters if each not in described]
    listed = ", ".join(absent)
    require(not absent, f"{name} does not document {listed}: add a line 'NAME : TYPE' under 'Parameters' (numpydoc)")

"""Conformance for authors of plugins: the rules behind ``benchkit check``, as tests, and the data they are tried on.

In a plugin's own tests::

    from benchkit.testing import parametrize_with_rules

    @parametrize_with_rules("my_package.plugin")
    def test_conforms(check):
        check()
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from benchkit.testing.check import RuleCheck, RuleFinding, checks_of
    from benchkit.testing.parametrize import parametrize_with_rules
    from benchkit.testing.rule import BrokenRuleError, Rule
    from benchkit.testing.tiny import tiny_attack, tiny_classification, tiny_regression

__all__ = [
    "BrokenRuleError",
    "Rule",
    "RuleCheck",
    "RuleFinding",
    "checks_of",
    "parametrize_with_rules",
    "tiny_attack",
    "tiny_classification",
    "tiny_regression",
]

# Imported when first used: pytest loads the plugin beside this in every session of everybody who has benchkit.
_HOME = dict.fromkeys(__all__, "benchkit.testing.check") | {
    "BrokenRuleError": "benchkit.testing.rule",
    "Rule": "benchkit.testing.rule",
    "parametrize_with_rules": "benchkit.testing.parametrize",
    "tiny_attack": "benchkit.testing.tiny",
    "tiny_classification": "benchkit.testing.tiny",
    "tiny_regression": "benchkit.testing.tiny",
}


def __getattr__(name: str) -> Any:
    if name not in _HOME:
        raise AttributeError(f"module 'benchkit.testing' has no attribute {name!r}")
    from importlib import import_module

    value = globals()[name] = getattr(import_module(_HOME[name]), name)
    return value

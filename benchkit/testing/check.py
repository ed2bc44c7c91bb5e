"""Trying the rules on a plugin."""

from __future__ import annotations

import time
import traceback
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal

from benchkit.environment.place import EnvironmentMissingError, require_here
from benchkit.errors import one_line
from benchkit.plugin.declarations import Algorithm, Declaration, Deferred
from benchkit.plugin.manager import KINDS, Registry, UnknownNameError, installed_plugins
from benchkit.testing import adversary_rules, algorithm_rules, dataset_rules, metric_rules, plugin_rules
from benchkit.testing.rule import RULES, BrokenRuleError, NotAskedError, Rule

if TYPE_CHECKING:
    import pytest

# Imported for the rules that they declare.
_MODULES = (algorithm_rules, adversary_rules, dataset_rules, metric_rules, plugin_rules)


def _missing_code(entry: Declaration) -> Iterator[str]:
    """What of the code that a declaration names cannot be imported, each in a line."""
    for field in entry._code:
        try:
            if isinstance(code := getattr(entry, field), Deferred):
                code.resolve()
        except (Exception, SystemExit) as error:  # of anybody's module
            yield f"{entry.kind()} {entry.name!r}: {field}: {one_line(error)}"


@dataclass(frozen=True)
class RuleFinding:
    """What became of one check.

    Attributes
    ----------
    kind, subject, rule : str
        ``algorithm``, its name, and the rule's.
    outcome : {"kept", "broken", "not asked"}
    reason : str
        Why broken or not asked.
    seconds : float
    same_as : str
        The rule of the same subject that the same mistake broke first.
    traceback : str
        Where the subject raised what nobody expected.
    """

    kind: str
    subject: str
    rule: str
    outcome: Literal["kept", "broken", "not asked"]
    reason: str = ""
    seconds: float = 0.0
    same_as: str = ""
    traceback: str = ""


@dataclass(frozen=True)
class RuleCheck:
    """One rule, to be tried on one subject."""

    kind: str
    name: str
    subject: Any
    rule: Rule

    def __call__(self) -> None:
        """Raise where the rule is broken or has nothing to ask."""
        if isinstance(self.subject, Algorithm):
            try:
                require_here(self.subject)
            except EnvironmentMissingError as error:
                raise NotAskedError(str(error)) from None
        self.rule.check(self.subject)

    def find(self) -> RuleFinding:
        """Try the rule and say what became of it; whatever the subject raises breaks it."""
        start = time.perf_counter()
        finding = RuleFinding(self.kind, self.name, self.rule.name, "kept")
        try:
            self()
        except NotAskedError as error:
            finding = replace(finding, outcome="not asked", reason=str(error))
        except KeyboardInterrupt:
            raise
        except BaseException as error:
            raised = error.__cause__ if isinstance(error, BrokenRuleError) else error
            reason = str(error) if isinstance(error, BrokenRuleError) else one_line(error)
            trace = "" if raised is None else "".join(traceback.format_exception(raised))
            finding = replace(finding, outcome="broken", reason=reason, traceback=trace)
        return replace(finding, seconds=time.perf_counter() - start)


def find_all(checks: Sequence[RuleCheck]) -> Iterator[RuleFinding]:
    """What becomes of each check of a plugin, as it comes; a mistake that breaks several rules is told at the first."""
    first_rules: dict[tuple[str, str, str], str] = {}
    for check in checks:
        finding = check.find()
        if finding.outcome == "broken":
            first = first_rules.setdefault((finding.kind, finding.subject, finding.reason), finding.rule)
            finding = replace(finding, same_as="" if first == finding.rule else first)
        yield finding


def checks_of(reference: str | Path) -> list[RuleCheck]:
    """Every check of a plugin and of all that it declares.

    Parameters
    ----------
    reference : str or path
        Name of an installed plugin (as ``benchkit list plugins`` shows it), the module of its hooks, or a file
        ``*.py``.

    Raises
    ------
    UnknownNameError
        No plugin is called so; the message names the nearest.
    """
    file = Path(reference).resolve() if str(reference).endswith(".py") else None
    registered = Registry([file] if file else [])
    modules = {point.name: point.value.partition(":")[0] for point in installed_plugins()}
    if file is not None:
        name = next((name for name, where in registered.plugins.items() if where == str(file)), file.stem)
    else:
        name = next((name for name, module in modules.items() if str(reference) in (name, module)), "")
        if not name:
            raise UnknownNameError("plugin", str(reference), modules)
    catalogues = [(kind, entry) for kind in KINDS for entry in registered.catalogue(kind).values()]
    declared = [(kind, entry) for kind, entry in catalogues if entry.declared_by == name]
    plugin = plugin_rules.Plugin(
        name=name,
        module="" if file else modules[name],
        file=file,
        problems=(
            *(problem for plugin, problem in registered.problems if plugin == name),
            *(text for kind, entry in declared if kind not in RULES for text in _missing_code(entry)),
        ),
    )
    checks = [RuleCheck("plugin", name, plugin, rule) for rule in RULES["plugins"]]
    for kind, declaration in declared:
        checks += [RuleCheck(declaration.kind(), declaration.name, declaration, rule) for rule in RULES.get(kind, ())]
    return checks


def parametrize_with_rules(reference: str | Path) -> pytest.MarkDecorator:
    """Decorate a test to be run once for every check of a plugin; checks with nothing to ask are skipped.

    Parameters
    ----------
    reference : str or path
        Name of an installed plugin, the module of its hooks, or a file.

    Returns
    -------
    pytest.MarkDecorator
        A decorator; the test takes an argument ``check`` and calls it.
    """
    import pytest

    def skipping(check: RuleCheck) -> Any:
        def call() -> None:
            try:
                check()
            except NotAskedError as reason:
                pytest.skip(str(reason))

        return pytest.param(call, id=f"{check.name}-{check.rule.name}")

    return pytest.mark.parametrize("check", [skipping(check) for check in checks_of(reference)])

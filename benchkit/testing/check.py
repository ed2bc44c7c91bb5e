"""Trying the rules on a plugin."""

from __future__ import annotations

import multiprocessing
import os
import time
from collections.abc import Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, replace
from functools import cache
from multiprocessing.connection import Connection
from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal

from benchkit.environment.place import EnvironmentMissingError, require_here
from benchkit.errors import one_line
from benchkit.plugin.declarations import Algorithm
from benchkit.plugin.manager import KINDS, UnknownNameError, discover, installed_plugins
from benchkit.testing.plugin_rules import RULES as PLUGIN_RULES
from benchkit.testing.plugin_rules import Plugin
from benchkit.testing.rule import BrokenRuleError, NotAskedError, Rule
from benchkit.trial.record import traceback_text

if TYPE_CHECKING:
    import pytest

Outcome = Literal["kept", "broken", "not asked"]


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
    outcome: Outcome
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

    @property
    def id(self) -> str:
        """For a test: ``ridge-survives-pickling``."""
        return f"{self.name}-{self.rule.name}"

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
        outcome: Outcome = "broken"
        reason, trace = "", ""
        try:
            self()
            outcome = "kept"
        except NotAskedError as error:
            outcome, reason = "not asked", str(error)
        except BrokenRuleError as error:
            reason, trace = str(error), "" if error.__cause__ is None else traceback_text(error.__cause__)
        except KeyboardInterrupt:
            raise
        except BaseException as error:
            reason, trace = one_line(error), traceback_text(error)
        seconds = time.perf_counter() - start
        return RuleFinding(self.kind, self.name, self.rule.name, outcome, reason, seconds, traceback=trace)


def find_all(reference: str | Path, checks: Sequence[RuleCheck]) -> Iterator[RuleFinding]:
    """What becomes of each check of a plugin, as it comes; a mistake that breaks several rules is told at the first.

    They are tried in a process of their own: of one that ends it, that it does is found, and a new one tries the rest.
    """
    told: dict[tuple[str, str, str], str] = {}
    for finding in _found_apart(reference, checks):
        same_as = ""
        if finding.outcome == "broken":
            first = told.setdefault((finding.kind, finding.subject, finding.reason), finding.rule)
            same_as = "" if first == finding.rule else first
        yield replace(finding, same_as=same_as)


def _found_apart(reference: str | Path, checks: Sequence[RuleCheck]) -> Iterator[RuleFinding]:
    from benchkit.execute.bare import bare_processes

    start, context = 0, multiprocessing.get_context("forkserver")
    context.set_forkserver_preload(["benchkit.execute.preload"])
    while start < len(checks):
        receiver, sender = context.Pipe(duplex=False)
        left = checks[start:]
        wanted = [(check.kind, check.name, check.rule.name) for check in left]
        process = context.Process(target=_send_findings, args=(reference, wanted, dict(os.environ), sender))
        with bare_processes():
            process.start()
        sender.close()
        try:
            with suppress(EOFError):
                while True:
                    yield receiver.recv()
                    start += 1
        finally:
            process.kill()  # Ctrl-C, or it hangs in a thread of the plugin's
            process.join()
        if start < len(checks):
            check = checks[start]
            how = f"it ended the process (exit code {process.exitcode})"
            yield RuleFinding(check.kind, check.name, check.rule.name, "broken", how)
            start += 1


def _send_findings(
    reference: str | Path, wanted: Sequence[tuple[str, str, str]], environment: Mapping[str, str], sender: Connection
) -> None:
    """Try these checks, one after another; called in a process of its own."""
    os.environ.clear()
    os.environ.update(environment)
    known = {(check.kind, check.name, check.rule.name): check for check in checks_of(reference)}
    for name in wanted:
        sender.send(known[name].find())
    sender.close()


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
    found = discover([file] if file else [])
    modules = {point.name: point.value.partition(":")[0] for point in installed_plugins()}
    if file is not None:
        name = next((name for name, where in found.plugins.items() if where == str(file)), file.stem)
    else:
        name = next((name for name, module in modules.items() if str(reference) in (name, module)), "")
        if not name:
            raise UnknownNameError("plugin", str(reference), modules)
    declared = [
        (kind, declaration)
        for kind in KINDS
        for declaration in found.catalogue(kind).values()
        if declaration.declared_by == name
    ]
    inputs = {given for _, declaration in declared for given in getattr(declaration, "inputs", ())}
    inputs |= {file.name for _, declaration in declared for file in getattr(declaration, "files", ())}
    plugin = Plugin(
        name=name,
        module="" if file else modules[name],
        file=file,
        problems=tuple(problem.reason for problem in found.problems if problem.plugin == name),
        api=getattr(found.manager.get_plugin(name), "benchkit_api", None),
        inputs=frozenset(inputs),
    )
    checks = [RuleCheck("plugin", name, plugin, rule) for rule in PLUGIN_RULES]
    for kind, declaration in declared:
        checks += [RuleCheck(declaration.kind(), declaration.name, declaration, rule) for rule in _rules()[kind]]
    return checks


@cache
def _rules() -> Mapping[str, tuple[Rule, ...]]:
    """Rules by kind of declaration; numpy and scikit-learn are imported here."""
    from benchkit.testing import (
        adversary_rules,
        algorithm_rules,
        dataset_rules,
        executor_rules,
        metric_rules,
        report_rules,
    )

    return {
        "algorithms": algorithm_rules.RULES,
        "adversaries": adversary_rules.RULES,
        "datasets": dataset_rules.RULES,
        "metrics": metric_rules.RULES,
        "report_sections": report_rules.SECTION_RULES,
        "report_formats": report_rules.FORMAT_RULES,
        "executors": executor_rules.RULES,
        "tuners": algorithm_rules.TUNER_RULES,
        "splits": dataset_rules.SPLIT_RULES,
        "preprocessing_steps": dataset_rules.STEP_RULES,
        "feature_values": dataset_rules.VALUES_RULES,
        "trackers": report_rules.TRACKER_RULES,
        "row_sources": report_rules.ROW_SOURCE_RULES,
        "commands": report_rules.COMMAND_RULES,
    }


def all_rules() -> Iterator[tuple[str, Rule]]:
    """Every rule with the kind of thing that keeps it."""
    yield from (("plugins", rule) for rule in PLUGIN_RULES)
    for kind, rules in _rules().items():
        yield from ((kind, rule) for rule in rules)


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

        return call

    checks = checks_of(reference)
    return pytest.mark.parametrize("check", [pytest.param(skipping(check), id=check.id) for check in checks])

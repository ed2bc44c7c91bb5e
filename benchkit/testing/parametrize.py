"""The rules as tests of pytest."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Any

from benchkit.testing.check import RuleCheck, checks_of
from benchkit.testing.rule import NotAskedError

if TYPE_CHECKING:
    import pytest


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

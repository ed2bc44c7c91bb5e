"""What a worker process needs of benchkit's own dependencies."""

from __future__ import annotations

from importlib.metadata import requires

from packaging.requirements import Requirement

from benchkit.plugin.spec import PROJECT

# Commands, reports and tracking need these; trials do not.
_NOT_FOR_TRIALS = frozenset(
    ["docstring-parser", "matplotlib", "mlflow", "plotext", "pooch", "requests", "rich", "typer"]
)


def worker_requirements() -> list[str]:
    """Requirements of benchkit that its worker processes have, extras aside."""
    needed = []
    for text in requires(PROJECT) or ():
        requirement = Requirement(text)
        if requirement.name not in _NOT_FOR_TRIALS and _applies(requirement):
            needed.append(text)
    return needed


def _applies(requirement: Requirement) -> bool:
    return requirement.marker is None or requirement.marker.evaluate({"extra": ""})

"""What is installed in an environment, read from its files."""

from __future__ import annotations

from importlib.metadata import Distribution, distributions
from pathlib import Path


def packages_in(folder: Path) -> tuple[dict[str, str], dict[str, list[str]]]:
    """What an environment holds.

    Parameters
    ----------
    folder : Path
        Of the environment.

    Returns
    -------
    versions : dict of str to str
        Version of each distribution.
    packages : dict of str to list of str
        Names of the distributions that each top-level package belongs to.
    """
    versions: dict[str, str] = {}
    packages: dict[str, list[str]] = {}
    for each in distributions(path=[str(path) for path in folder.glob("lib/python*/site-packages")]):
        versions[each.name] = each.version
        for top in _tops(each):
            packages.setdefault(top, []).append(each.name)
    return dict(sorted(versions.items())), {top: sorted(names) for top, names in sorted(packages.items())}


def _tops(distribution: Distribution) -> set[str]:
    """Top-level packages and modules among a distribution's files."""
    tops = set()
    for file in distribution.files or ():
        first = file.parts[0]
        if len(file.parts) > 1 or file.suffix in (".py", ".so"):
            tops.add(first.partition(".")[0])
    return {top for top in tops if top.isidentifier()}

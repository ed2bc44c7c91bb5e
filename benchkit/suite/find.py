"""Where a suite lies: a shipped one is named, any other is a path."""

from __future__ import annotations

from pathlib import Path

from benchkit.plugin.nearest_name import Suggestion
from benchkit.suite.source import SuiteError


def shipped_folder() -> Path:
    """Where the shipped suites are: inside the wheel, or beside the package in a checkout."""
    package = Path(__file__).resolve().parents[1]
    inside = package / "suites"
    return inside if inside.is_dir() else package.parent / "suites"


def shipped() -> dict[str, Path]:
    """Names and paths of the shipped suites."""
    return {path.stem: path for path in sorted(shipped_folder().glob("*.yaml"))}


def find(reference: str) -> Path:
    """Path of a suite that is named as a path or as a shipped suite."""
    path = Path(reference)
    if path.suffix in (".yaml", ".yml") or len(path.parts) > 1:
        try:
            if path.is_file():
                return path
        except OSError as error:
            raise SuiteError(f"{reference[:80]}...: {error.strerror}") from None
        raise SuiteError(f"{reference}: " + ("a folder, not a suite file" if path.is_dir() else "no such suite file"))
    known = shipped()
    if reference in known:
        return known[reference]
    hint = Suggestion(reference, known, otherwise=f"shipped suites: {', '.join(known)}")
    raise SuiteError(f"unknown suite {reference!r}; {hint} (a path ends in .yaml)")


def find_included(reference: str, folder: Path) -> Path:
    """Absolute path of a suite that a file in a folder includes; a path is relative to that folder."""
    return find(str(folder / reference) if reference.endswith((".yaml", ".yml")) else reference).resolve()

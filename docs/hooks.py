"""Write docs/hooks.md from the hook specifications: ``python docs/hooks.py``."""

from __future__ import annotations

import inspect
from dataclasses import is_dataclass
from pathlib import Path

from benchkit.plugin import declarations, spec

PAGE = Path(__file__).with_name("hooks.md")

INTRODUCTION = f"""\
# The hooks

Generated from `benchkit/plugin/spec.py` and `benchkit/plugin/declarations/` by `python docs/hooks.py`; a test fails
when this page is not up to date.

A plugin implements some of these functions, each marked by `@benchkit.hookimpl`, in a module that says for which
version of the contract it was written: `benchkit_api = {spec.API}`. An implementation may leave out arguments that it
does not use.
"""


def hooks() -> dict[str, object]:
    """Every hook by name, in the order of the specification."""
    return {name: value for name, value in vars(spec).items() if hasattr(value, f"{spec.PROJECT}_spec")}


def values() -> dict[str, type]:
    """Every public class that hooks take, return, or work on."""
    classes = {name: value for name, value in vars(declarations).items() if is_dataclass(value)}
    return {**classes, "Run": spec.Run}


def page() -> str:
    """The whole page."""
    parts = [INTRODUCTION]
    for name, hook in hooks().items():
        signature = str(inspect.signature(hook)).replace("'", "").replace("declarations.", "")  # type: ignore[arg-type]
        parts.append(f"## {name}\n\n```python\n{name}{signature}\n```\n\n{_text(hook)}\n")
    parts.append("# What they exchange\n")
    for name, value in values().items():
        summary, _, rest = _text(value).partition("\n")
        parts.append(f"## {name}\n\n{summary}\n\n```text\n{rest.strip()}\n```\n")
    return "\n".join(parts)


def _text(documented: object) -> str:
    return (inspect.getdoc(documented) or "").replace("``", "`")


if __name__ == "__main__":
    PAGE.write_text(page(), encoding="utf-8")

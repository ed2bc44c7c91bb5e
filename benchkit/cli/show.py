"""``benchkit show``."""

from __future__ import annotations

from typing import Annotated, Any

import typer

from benchkit.cli.interface import complete
from benchkit.cli.interface.options import PluginOption

# Fields that say nothing to the reader, or are printed elsewhere.
_NOT_FACTS = (
    *("name", "files", "load", "make", "compute", "render", "join", "expand", "paths", "warm_up", "example"),
    *("options", "send", "serve", "run", "open"),
)


def show(
    name: Annotated[
        str,
        typer.Argument(metavar="NAME", help="Anything that `benchkit list` names.", autocompletion=complete.anything),
    ],
    plugin: PluginOption = None,
) -> None:
    """Print parameters, grid, reference and formula of anything that list names."""
    from benchkit.cli.interface.plugin_files import registry_with
    from benchkit.data.files import locate_file
    from benchkit.plugin.manager import KINDS, UnknownNameError
    from benchkit.suite.find import shipped

    known_plugins = registry_with(plugin)
    catalogues = {kind: known_plugins.catalogue(kind) for kind in KINDS}
    matches = [(catalogue, catalogue[name]) for catalogue in catalogues.values() if name in catalogue]
    suites = shipped()
    if not matches and name not in suites:
        known = [*suites, *(entry for catalogue in catalogues.values() for entry in catalogue)]
        raise UnknownNameError("name", name, known)
    for catalogue, declaration in matches:
        print(f"{name} ({catalogue.kind} of plugin {catalogue.origin[name]})")
        for label, text in _facts(declaration):
            print(f"  {label}: {text}")
        for file in getattr(declaration, "files", ()):
            print(f"  file {file.name}: {locate_file(file.name) or 'absent'}")
        _print_options(declaration)
        _print_parameters(declaration)
    if name in suites:
        print(suites[name].read_text(encoding="utf-8"), end="")


# The name stands in the heading, files below; the rest is code.
def _facts(declaration: Any) -> list[tuple[str, str]]:
    """What a declaration says, in the order of its fields; empty values and code references are left out."""
    from benchkit.plugin.declarations import Deferred

    facts = []
    for field in declaration.__dataclass_fields__:
        value = getattr(declaration, field)
        if field in _NOT_FACTS or value in ("", None, False, {}, ()):
            continue
        text = f"depends on the data ({value.target})" if isinstance(value, Deferred) else str(value)
        facts.append((field.replace("_", " "), text))
    return facts


def _print_options(declaration: Any) -> None:
    """What an executor may be told on the command line."""
    for option in getattr(declaration, "known_options", {}).values():
        default = "" if option.default is None else f", default {option.default}"
        summary = f": {option.summary}" if option.summary else ""
        print(f"  --executor-option {option.name} ({option.expected}{default}){summary}")


def _print_parameters(declaration: Any) -> None:
    fields = ("compute", "render", "make", "load", "run", "open")
    target = next(getattr(declaration, field) for field in fields if hasattr(declaration, field))
    shown = {name: p for name, p in target.parameters().items() if p.kind is not p.VAR_KEYWORD}
    if shown and not any(hasattr(declaration, field) for field in ("compute", "render", "run", "open")):
        print("  parameters:")
        for name, parameter in shown.items():
            default = target.defaults.get(name, parameter.default)
            print(f"    {name}" + ("" if default is parameter.empty else f" = {default!r}"))
    try:
        text = target.doc()
    except ModuleNotFoundError:
        if not target.elsewhere:
            raise
        text = "Its packages are in its environment alone: see 'benchkit env list'."
    if text:
        print("\n" + "\n".join(f"  {line}".rstrip() for line in text.splitlines()) + "\n")

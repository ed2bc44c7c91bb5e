"""``benchkit show``."""

from __future__ import annotations

from typing import Annotated, Any

import typer

from benchkit.cli.interface import complete
from benchkit.cli.interface.console import print_json
from benchkit.cli.interface.options import JsonOption, PluginOption, registry_with

# Where a declaration has its code.
_CODE = ("compute", "render", "make", "load", "run", "open")
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
    as_json: JsonOption = False,
    plugin: PluginOption = None,
) -> None:
    """Print parameters, grid, reference and formula of anything that list names."""
    from benchkit.plugin.manager import KINDS, UnknownNameError
    from benchkit.suite.names import shipped

    known, suites = registry_with(plugin), shipped()
    catalogues = [known.catalogue(kind) for kind in KINDS]
    rows = [_row(catalogue, catalogue[name]) for catalogue in catalogues if name in catalogue]
    if name in suites:
        empty: dict[str, Any] = {"plugin": None, "facts": {}, "files": {}, "options": {}, "parameters": {}}
        rows.append({"kind": "suite", "name": name, **empty, "text": suites[name].read_text(encoding="utf-8")})
    if not rows:
        raise UnknownNameError("name", name, [*suites, *(entry for catalogue in catalogues for entry in catalogue)])
    if as_json:
        print_json("show", rows)
        return
    for row in rows:
        _print(row)


def _print(row: dict[str, Any]) -> None:
    if row["kind"] == "suite":
        print(row["text"], end="")
        return
    print(f"{row['name']} ({row['kind']} of plugin {row['plugin']})")
    for label, text in row["facts"].items():
        print(f"  {label}: {text}")
    for file, path in row["files"].items():
        print(f"  file {file}: {path or 'absent'}")
    for option, text in row["options"].items():
        print(f"  --executor-option {option} {text}")
    if row["parameters"]:
        print("  parameters:")
        for name, default in row["parameters"].items():
            print(f"    {name}" + ("" if default is None else f" = {default}"))
    if row["text"]:
        print("\n" + "\n".join(f"  {line}".rstrip() for line in row["text"].splitlines()) + "\n")


def _row(catalogue: Any, declaration: Any) -> dict[str, Any]:
    from dataclasses import fields

    from benchkit.data.files import locate_file
    from benchkit.plugin.declarations import Deferred

    facts = {}
    for field in (each.name for each in fields(declaration)):
        value = getattr(declaration, field)
        if field not in _NOT_FACTS and value not in ("", None, False, {}, ()):
            text = f"depends on the data ({value.target})" if isinstance(value, Deferred) else str(value)
            facts[field.replace("_", " ")] = text
    files = {file.name: locate_file(file.name) for file in getattr(declaration, "files", ())}
    options = {}
    for option in getattr(declaration, "known_options", {}).values():
        default = "" if option.default is None else f", default {option.default}"
        options[option.name] = f"({option.expected}{default})" + (f": {option.summary}" if option.summary else "")
    target = next(getattr(declaration, field) for field in _CODE if hasattr(declaration, field))
    try:
        text = target.doc()
    except ModuleNotFoundError:
        if not target.elsewhere:
            raise
        text = "Its packages are in its environment alone: see 'benchkit env list'."
    return {
        "kind": catalogue.kind,
        "name": declaration.name,
        "plugin": catalogue.origin[declaration.name],
        "facts": facts,
        "files": {name: str(path) if path else None for name, path in files.items()},
        "options": options,
        "parameters": _parameters(target) if hasattr(declaration, "make") or hasattr(declaration, "load") else {},
        "text": text or "",
    }


def _parameters(target: Any) -> dict[str, str | None]:
    """The parameters that a suite may give, with their defaults."""
    parameters = {}
    for name, parameter in target.parameters().items():
        default = target.defaults.get(name, parameter.default)
        if parameter.kind is not parameter.VAR_KEYWORD:
            parameters[name] = None if default is parameter.empty else repr(default)
    return parameters

"""``benchkit show``."""

from __future__ import annotations

from typing import Annotated, Any

import typer

from benchkit.cli.interface import complete
from benchkit.cli.interface.json_answer import JsonOption, print_json
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
    as_json: JsonOption = False,
    plugin: PluginOption = None,
) -> None:
    """Print parameters, grid, reference and formula of anything that list names."""
    from benchkit.cli.interface.plugin_files import registry_with
    from benchkit.plugin.manager import KINDS, UnknownNameError
    from benchkit.suite.names import shipped

    known_plugins = registry_with(plugin)
    catalogues = {kind: known_plugins.catalogue(kind) for kind in KINDS}
    matches = [(catalogue, catalogue[name]) for catalogue in catalogues.values() if name in catalogue]
    suites = shipped()
    if not matches and name not in suites:
        known = [*suites, *(entry for catalogue in catalogues.values() for entry in catalogue)]
        raise UnknownNameError("name", name, known)
    rows = [_row(catalogue, declaration) for catalogue, declaration in matches]
    if name in suites:
        rows.append(_row_of_suite(name, suites[name].read_text(encoding="utf-8")))
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
    from benchkit.data.files import locate_file

    files = {file.name: locate_file(file.name) for file in getattr(declaration, "files", ())}
    parameters, text = _parameters(declaration)
    return {
        "kind": catalogue.kind,
        "name": declaration.name,
        "plugin": catalogue.origin[declaration.name],
        "facts": dict(_facts(declaration)),
        "files": {name: str(path) if path else None for name, path in files.items()},
        "options": _options(declaration),
        "parameters": parameters,
        "text": text,
    }


def _row_of_suite(name: str, text: str) -> dict[str, Any]:
    return {
        "kind": "suite",
        "name": name,
        "plugin": None,
        "facts": {},
        "files": {},
        "options": {},
        "parameters": {},
        "text": text,
    }


# The name stands in the heading, files below; the rest is code.
def _facts(declaration: Any) -> list[tuple[str, str]]:
    """What a declaration says, in the order of its fields; empty values and code references are left out."""
    from dataclasses import fields

    from benchkit.plugin.declarations import Deferred

    facts = []
    for field in (each.name for each in fields(declaration)):
        value = getattr(declaration, field)
        if field in _NOT_FACTS or value in ("", None, False, {}, ()):
            continue
        text = f"depends on the data ({value.target})" if isinstance(value, Deferred) else str(value)
        facts.append((field.replace("_", " "), text))
    return facts


def _options(declaration: Any) -> dict[str, str]:
    """What an executor may be told on the command line."""
    told = {}
    for option in getattr(declaration, "known_options", {}).values():
        default = "" if option.default is None else f", default {option.default}"
        summary = f": {option.summary}" if option.summary else ""
        told[option.name] = f"({option.expected}{default}){summary}"
    return told


def _parameters(declaration: Any) -> tuple[dict[str, str | None], str]:
    """The parameters that a suite may give, with their defaults; and the documentation."""
    fields = ("compute", "render", "make", "load", "run", "open")
    target = next(getattr(declaration, field) for field in fields if hasattr(declaration, field))
    shown = {name: p for name, p in target.parameters().items() if p.kind is not p.VAR_KEYWORD}
    parameters: dict[str, str | None] = {}
    if not any(hasattr(declaration, field) for field in ("compute", "render", "run", "open")):
        for name, parameter in shown.items():
            default = target.defaults.get(name, parameter.default)
            parameters[name] = None if default is parameter.empty else repr(default)
    try:
        text = target.doc()
    except ModuleNotFoundError:
        if not target.elsewhere:
            raise
        text = "Its packages are in its environment alone: see 'benchkit env list'."
    return parameters, text or ""

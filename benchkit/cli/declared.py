"""``benchkit list`` and ``show``: what plugins declare, and the suites."""

from __future__ import annotations

import shutil
import textwrap
from collections.abc import Iterator
from typing import TYPE_CHECKING, Annotated, Any

from benchkit.cli.interface.console import json_answer, print_error
from benchkit.cli.interface.options import JsonOption, PluginOption, argument, flag, registry_with
from benchkit.document.text import printable
from benchkit.errors import one_line

if TYPE_CHECKING:
    from benchkit.plugin.manager import Registry

# What is listed, and the kinds of the registry.
_DECLARED = {
    **{name: name for name in ("algorithms", "adversaries", "datasets", "metrics", "splits")},
    **{"steps": "preprocessing_steps", "executors": "executors"},
    **{"sections": "report_sections", "formats": "report_formats", "tuners": "tuners", "trackers": "trackers"},
    **{"sources": "row_sources", "commands": "commands"},
}
KINDS = (*_DECLARED, "suites", "plugins")


def list_(
    kind: Annotated[str | None, argument("|".join(KINDS), "What to list; all where absent.")] = None,
    everything: Annotated[bool, flag("--all", "Of suites also those that measure benchkit itself (bench-*).")] = False,
    as_json: JsonOption = False,
    plugin: PluginOption = None,
) -> None:
    """List what plugins declare (algorithms, datasets and more), suites or plugins."""
    from benchkit.plugin.manager import UnknownNameError

    if kind is not None and kind not in KINDS:
        raise UnknownNameError("kind of thing", kind, KINDS)
    registered = None if kind == "suites" and not plugin else registry_with(plugin)  # no plugin declares a suite
    warnings = [] if registered is None else [f"warning: {problem}" for _, problem in registered.problems]
    for warning in warnings:
        print_error(warning)
    rows = {name: list(_rows(name, registered, everything)) for name in ([kind] if kind else KINDS)}
    if as_json:
        plain = [
            {"kind": name, "name": row["name"], "summary": row.get("summary", ""), "plugin": row.get("plugin")}
            | {key.replace(" ", "_"): row[key] for key in ("shape", "files", "found in") if key in row}
            for name, entries in rows.items()
            for row in entries
        ]
        print(json_answer("list", plain, {}, warnings))
        return
    width = shutil.get_terminal_size((100, 24)).columns
    for name, entries in rows.items():
        print(f"{name}\n" + "\n".join(_lines(entries, width)) + "\n")


def _lines(entries: list[dict[str, str]], width: int) -> Iterator[str]:
    """Entries in columns, what is long in the last one; plain text, since drawing tables takes longer than the rest."""
    columns = sorted(entries[0] if entries else (), key=lambda column: column in ("summary", "found in"))
    widths = {column: max(len(entry[column]) for entry in entries) for column in columns[:-1]}
    for entry in entries:
        begin = "  " + "".join(f"{entry[column]:<{wide}}  " for column, wide in widths.items())
        room, indent = max(width, len(begin) + 30), " " * len(begin)
        text = textwrap.fill(entry[columns[-1]], room, initial_indent=begin, subsequent_indent=indent)
        yield printable(text or begin)


def _rows(kind: str, registered: Registry | None, everything: bool) -> Iterator[dict[str, str]]:
    from benchkit.data.files import locate_file
    from benchkit.plugin.spec import PROJECT
    from benchkit.suite.names import BUILT_IN, read_title, shipped

    if kind == "suites" or registered is None:
        for name, path in shipped().items():
            if everything or not name.startswith("bench-"):
                yield {"name": name, "summary": read_title(path)}
        return
    if kind == "plugins":
        for name, where in sorted(registered.plugins.items()):
            yield {"name": name, "found in": where}
        return
    for name in BUILT_IN.get(_DECLARED[kind], ()):
        yield {"name": name, "summary": "", "plugin": PROJECT}
    catalogue = registered.catalogue(_DECLARED[kind])
    for name, entry in catalogue.items():
        row = {"name": name, "summary": entry.summary}
        if kind != "datasets":
            yield row | {"plugin": entry.declared_by}
            continue
        here = all(locate_file(file.name) for file in entry.files)
        yield row | {"shape": entry.shape, "files": ("here" if here else "absent") if entry.files else ""}


# Where a declaration has its code.
_CODE = ("compute", "render", "make", "load", "run", "open")
# Fields that say nothing to the reader, or are printed elsewhere.
_NOT_FACTS = (
    *("name", "files", "load", "make", "compute", "render", "join", "expand", "paths", "warm_up", "example"),
    *("options", "send", "serve", "run", "open"),
)


def show(
    name: Annotated[str, argument("NAME", "Anything that `benchkit list` names.")],
    as_json: JsonOption = False,
    plugin: PluginOption = None,
) -> None:
    """Print parameters, grid, reference and formula of anything that list names."""
    from benchkit.plugin.manager import KINDS, UnknownNameError
    from benchkit.plugin.spec import PROJECT
    from benchkit.suite.names import BUILT_IN, shipped

    registered, suites = registry_with(plugin), shipped()
    catalogues = {kind: registered.catalogue(kind) for kind in KINDS}
    rows = [_declaration(catalogue, catalogue[name]) for catalogue in catalogues.values() if name in catalogue]
    explained = "Part of the suite format, which docs/suites.md explains."
    kinds = [catalogues[kind].kind for kind, names in BUILT_IN.items() if name in names]
    rows += [_row(kind, name, plugin=PROJECT, text=explained) for kind in kinds]
    if name in suites:
        rows.append(_row("suite", name, text=suites[name].read_text(encoding="utf-8")))
    if name in registered.plugins:
        facts = {"found in": registered.plugins[name]}
        for kind, catalogue in catalogues.items():
            if names := [entry for entry, declared in catalogue.items() if declared.declared_by == name]:
                facts[kind.replace("_", " ")] = ", ".join(names)
        rows.append(_row("plugin", name, facts=facts))
    if not rows:
        names = [entry for named in (*catalogues.values(), *BUILT_IN.values(), registered.plugins) for entry in named]
        raise UnknownNameError("name", name, [*suites, *names])
    if as_json:
        print(json_answer("show", rows))
        return
    for row in rows:
        _print(row)


def _print(row: dict[str, Any]) -> None:
    if row["kind"] == "suite":
        print(row["text"], end="")
        return
    owner = f" of plugin {row['plugin']}" if row["plugin"] else ""
    print(f"{row['name']} ({row['kind']}{owner})")
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


def _row(kind: str, name: str, **filled: Any) -> dict[str, Any]:
    empty: dict[str, Any] = {"plugin": None, "facts": {}, "files": {}, "options": {}, "parameters": {}, "text": ""}
    return {"kind": kind, "name": name, **empty, **filled}


def _declaration(catalogue: Any, declaration: Any) -> dict[str, Any]:
    from dataclasses import fields

    from benchkit.data.files import locate_file
    from benchkit.errors import EndedError
    from benchkit.plugin.declarations import Deferred
    from benchkit.plugin.estimators import signature_of

    facts = {}
    for field in (declared.name for declared in fields(declaration)):
        value = getattr(declaration, field)
        if field not in _NOT_FACTS and value not in ("", None, False, {}, ()):
            text = f"depends on the data ({value.target})" if isinstance(value, Deferred) else str(value)
            facts[field.replace("_", " ")] = text
    files = {file.name: locate_file(file.name) for file in getattr(declaration, "files", ())}
    options = {}
    for option in getattr(declaration, "options", ()):
        default = "" if option.default is None else f", default {option.default}"
        options[option.name] = f"({option.expected}{default})" + (f": {option.summary}" if option.summary else "")
    target = next(getattr(declaration, field) for field in _CODE if hasattr(declaration, field))
    try:
        signature = signature_of(target)
        text, parameters = signature["text"], _shown(signature["parameters"], target.defaults)
    except (ImportError, EndedError) as error:
        text, parameters = f"It cannot be imported here: {one_line(error)}", {}
        if target.elsewhere:
            text = "Its packages are in its environment alone."
    return _row(
        catalogue.kind,
        declaration.name,
        plugin=declaration.declared_by,
        facts=facts,
        files={name: str(path) if path else None for name, path in files.items()},
        options=options,
        parameters=parameters if hasattr(declaration, "make") or hasattr(declaration, "load") else {},
        text=text,
    )


def _shown(parameters: dict[str, list[Any]], defaults: Any) -> dict[str, str | None]:
    """The parameters that a suite may give, with their defaults."""
    shown: dict[str, str | None] = {}
    for name, default in parameters.items():  # of a default that is no plain value, its text comes second
        value = [defaults[name]] if name in defaults else default
        shown[name] = None if not value else value[1] if value[1:] else repr(value[0])
    return shown

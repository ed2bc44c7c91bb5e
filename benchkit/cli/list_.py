"""``benchkit list``."""

from __future__ import annotations

import shutil
import textwrap
from collections.abc import Iterator
from typing import Annotated, Any

import typer

from benchkit.cli.interface import complete
from benchkit.cli.interface.json_answer import JsonOption, print_json
from benchkit.cli.interface.options import PluginOption
from benchkit.document.text import printable

KINDS = complete.LISTED
_LONG = {
    "sections": "report_sections",
    "formats": "report_formats",
    "steps": "preprocessing_steps",
    "values": "feature_values",
    "sources": "row_sources",
}


def list_(
    kind: Annotated[
        str | None,
        typer.Argument(
            metavar="|".join(KINDS), help="What to list; all where absent.", autocompletion=complete.kinds_to_list
        ),
    ] = None,
    everything: Annotated[
        bool, typer.Option("--all", help="Of suites also those that measure benchkit itself (bench-*).")
    ] = False,
    as_json: JsonOption = False,
    plugin: PluginOption = None,
) -> None:
    """List what plugins declare (algorithms, datasets, executors and more), suites or plugins."""
    from benchkit.cli.interface.console import print_error
    from benchkit.cli.interface.plugin_files import registry_with
    from benchkit.plugin.manager import UnknownNameError

    if kind is not None and kind not in KINDS:
        raise UnknownNameError("kind of thing", kind, KINDS)
    warnings = []
    if kind == "suites" and not plugin:  # no plugin declares a suite
        rows = {kind: _suites(everything)}
    else:
        known = registry_with(plugin)
        warnings = [f"warning: {problem}" for problem in known.problems]
        for warning in warnings:
            print_error(warning)
        rows = {name: _rows(name, known, everything) for name in ([kind] if kind else KINDS)}
    if as_json:
        print_json(
            "list", [_json_row(name, entry) for name, entries in rows.items() for entry in entries], {}, warnings
        )
        return
    width = shutil.get_terminal_size((100, 24)).columns
    for name, entries in rows.items():
        print(f"{name}\n" + "\n".join(_lines(entries, width)) + "\n")


def _lines(entries: list[dict[str, str]], width: int) -> Iterator[str]:
    """Entries in columns, what is long in the last one; plain text, since drawing tables takes longer than the rest."""
    columns = list(entries[0]) if entries else []
    columns.sort(key=lambda column: column in ("summary", "title", "found in"))
    widths = {column: max(len(entry[column]) for entry in entries) for column in columns[:-1]}
    for entry in entries:
        begin = "  " + "".join(f"{entry[column]:<{wide}}  " for column, wide in widths.items())
        room = max(width, len(begin) + 30)
        indent = " " * len(begin)
        text = textwrap.fill(entry[columns[-1]], room, initial_indent=begin, subsequent_indent=indent)
        yield printable(text or begin)


def _json_row(kind: str, entry: dict[str, str]) -> dict[str, Any]:
    row: dict[str, Any] = {
        "kind": kind,
        "name": entry["name"],
        "summary": entry.get("summary", entry.get("title", "")),
        "plugin": entry.get("plugin"),
    }
    if kind == "datasets":
        row |= {"shape": entry["shape"], "files": entry["files"]}  # one of three words
    if kind == "plugins":
        row["found_in"] = entry["found in"]
    return row


def _rows(kind: str, known: object, everything: bool) -> list[dict[str, str]]:
    from benchkit.plugin.manager import Registry
    from benchkit.plugin.spec import PROJECT
    from benchkit.suite.names import SPLITS, STEPS, VALUES

    assert isinstance(known, Registry)
    if kind == "suites":
        return _suites(everything)
    if kind == "plugins":
        return [{"name": name, "found in": where} for name, where in sorted(known.plugins.items())]
    catalogue = known.catalogue(_LONG.get(kind, kind))
    if kind == "datasets":
        return [
            {"name": name, "shape": entry.shape, "files": _files(entry), "summary": entry.summary}
            for name, entry in catalogue.items()
        ]
    own = {"splits": SPLITS, "steps": STEPS, "values": VALUES}.get(kind, ())
    return [{"name": name, "summary": "", "plugin": PROJECT} for name in own] + [
        {"name": name, "summary": entry.summary, "plugin": catalogue.origin[name]} for name, entry in catalogue.items()
    ]


def _files(entry: Any) -> str:
    """Whether a dataset's files are on this machine."""
    from benchkit.data.files import locate_file

    if not entry.files:
        return ""
    absent = [file.name for file in entry.files if locate_file(file.name) is None]
    return "absent" if absent else "here"


def _suites(everything: bool) -> list[dict[str, str]]:
    from benchkit.suite.names import read_title, shipped

    shown = {name: path for name, path in shipped().items() if everything or not name.startswith("bench-")}
    return [{"name": name, "title": read_title(path)} for name, path in shown.items()]

"""``benchkit list``."""

from __future__ import annotations

import shutil
import textwrap
from collections.abc import Iterator
from typing import TYPE_CHECKING, Annotated, Any

import typer

from benchkit.cli.interface import complete
from benchkit.cli.interface.console import print_error, print_json
from benchkit.cli.interface.options import JsonOption, PluginOption, registry_with
from benchkit.document.text import printable

if TYPE_CHECKING:
    from benchkit.plugin.manager import Registry

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
    from benchkit.plugin.manager import UnknownNameError

    if kind is not None and kind not in KINDS:
        raise UnknownNameError("kind of thing", kind, KINDS)
    known = None if kind == "suites" and not plugin else registry_with(plugin)  # no plugin declares a suite
    warnings = [] if known is None else [f"warning: {problem}" for problem in known.problems]
    for warning in warnings:
        print_error(warning)
    rows = {name: list(_rows(name, known, everything)) for name in ([kind] if kind else KINDS)}
    if as_json:
        plain = [
            {"kind": name, "name": row["name"], "summary": row.get("summary", ""), "plugin": row.get("plugin")}
            | {key.replace(" ", "_"): row[key] for key in ("shape", "files", "found in") if key in row}
            for name, entries in rows.items()
            for row in entries
        ]
        print_json("list", plain, {}, warnings)
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


def _rows(kind: str, known: Registry | None, everything: bool) -> Iterator[dict[str, str]]:
    from benchkit.plugin.spec import PROJECT
    from benchkit.suite.names import SPLITS, STEPS, VALUES, read_title, shipped

    if kind == "suites" or known is None:
        for name, path in shipped().items():
            if everything or not name.startswith("bench-"):
                yield {"name": name, "summary": read_title(path)}
        return
    if kind == "plugins":
        for name, where in sorted(known.plugins.items()):
            yield {"name": name, "found in": where}
        return
    for name in {"splits": SPLITS, "steps": STEPS, "values": VALUES}.get(kind, ()):
        yield {"name": name, "summary": "", "plugin": PROJECT}
    catalogue = known.catalogue(_LONG.get(kind, kind))
    for name, entry in catalogue.items():
        row = {"name": name, "summary": entry.summary}
        about = {"shape": entry.shape, "files": _files(entry)} if kind == "datasets" else {}
        yield row | (about or {"plugin": catalogue.origin[name]})


def _files(entry: Any) -> str:
    """Whether a dataset's files are on this machine."""
    from benchkit.data.files import locate_file

    if not entry.files:
        return ""
    return "absent" if any(locate_file(file.name) is None for file in entry.files) else "here"

"""What a plugin reads, it declares."""

from __future__ import annotations

import json
import subprocess
import sys
import tempfile
from functools import cache
from pathlib import Path

from benchkit.testing.plugin_rules import Plugin
from benchkit.testing.reading.watch import Kind
from benchkit.testing.rule import BrokenRuleError, require, rule


@rule
def files_read_are_declared(plugin: Plugin) -> None:
    """Files that its code opens are named by the declarations that depend on them: an edit makes trials run again."""
    _require_none(plugin, "file", "reads {name}", "declare it, inputs=[path], or a dataset's in 'files'")


@rule
def variables_read_are_declared(plugin: Plugin) -> None:
    """Environment variables that its code reads are named by the declarations that depend on them."""
    _require_none(plugin, "variable", "reads the environment variable {name}", "declare it, inputs=['${name}']")


@rule
def modules_imported_are_followed(plugin: Plugin) -> None:
    """Modules that its code imports by a computed name are known to the identity of trials."""
    remedy = "import it by a statement, which identity follows, or declare its file, inputs=[path]"
    _require_none(plugin, "module", "imports {name} by a computed name", remedy)


def _require_none(plugin: Plugin, kind: Kind, what: str, remedy: str) -> None:
    stamps = tuple(path.stat().st_mtime_ns for path in plugin.sources())
    entries = [entry for entry in _undeclared(plugin, stamps) if entry["kind"] == kind]
    told = [
        f"{entry['where']} {what.format(name=entry['name'])} (for {', '.join(entry['declarations'])}): "
        f"{remedy.format(name=entry['name'])}"
        for entry in entries
    ]
    require(not told, "; ".join(told))


@cache
def _undeclared(plugin: Plugin, stamps: tuple[int, ...]) -> list[dict[str, str]]:
    """What a process of its own finds, which imports everything anew; once for all rules, until a source is edited."""
    reference = str(plugin.file or plugin.name)
    with tempfile.TemporaryDirectory() as folder:
        answer = Path(folder) / "answer.json"
        command = [sys.executable, "-m", "benchkit.testing.reading.trial", reference, str(answer)]
        done = subprocess.run(command, capture_output=True, text=True, check=False)
        if not answer.is_file():
            raise BrokenRuleError(f"cannot be tried in a process of its own: {done.stderr.strip().splitlines()[-1:]}")
        entries: list[dict[str, str]] = json.loads(answer.read_text(encoding="utf-8"))
    return entries


RULES = (files_read_are_declared, variables_read_are_declared, modules_imported_are_followed)

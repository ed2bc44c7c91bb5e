"""What every plugin keeps to as a whole, and what reports, runs and the command line call of it."""

from __future__ import annotations

import ast
import importlib.util
import json
import subprocess
import sys
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

import pluggy
import typer

from benchkit.document import Document
from benchkit.plugin import spec
from benchkit.plugin.declarations import Command, Deferred, ReportFormat, ReportSection, ReportTable, RowSource, Tracker
from benchkit.plugin.manager import KINDS
from benchkit.report.analysis import Analysis
from benchkit.testing.rule import NotAskedError, require, rule
from benchkit.testing.tiny import tiny_results

HEAVY = ("numpy", "scipy", "sklearn", "pandas", "matplotlib", "mlflow", "torch", "tensorflow", "jax", "numba")

_SECONDS = 5.0  # of processor time that an import may take

_IMPORT = """
import importlib, json, runpy, sys, time
start = time.process_time()
path, module = sys.argv[1:]
if path:
    runpy.run_path(path)
else:
    found = importlib.import_module(module)
    for name in {hooks!r}:
        list(getattr(found, name, list)())
print(json.dumps([time.process_time() - start, [name for name in {heavy!r} if name in sys.modules]]))
"""


@dataclass(frozen=True)
class Plugin:
    """A plugin as its rules see it."""

    name: str
    module: str  # of the hooks; empty for a file
    file: Path | None
    problems: tuple[str, ...]  # what could not be used of it
    api: int | None  # the version of the contract that it says it was written for
    inputs: frozenset[str] = frozenset()  # what its declarations depend on: paths, and variables as $NAME

    def nodes(self) -> Iterator[tuple[str, ast.AST]]:
        """What stands in its file, or in the Python files of its package, each with its place."""
        if self.module.partition(".")[0] == "benchkit":
            raise NotAskedError("is benchkit's own")
        top = None if self.file else importlib.util.find_spec(self.module.partition(".")[0])
        folders = (top.submodule_search_locations or ()) if top else ()
        paths = [path for folder in folders for path in sorted(Path(folder).rglob("*.py"))]
        for path in paths or [self.file or Path((top and top.origin) or "")]:
            for node in ast.walk(ast.parse(path.read_bytes())):
                yield f"{path.name}:{getattr(node, 'lineno', 0)}", node


@rule("plugins")
def loads_without_problems(plugin: Plugin) -> None:
    """It can be imported, its hooks are hooks of benchkit, and all that it declares can be used."""
    require(not plugin.problems, "; ".join(plugin.problems))


@rule("plugins")
def says_which_api(plugin: Plugin) -> None:
    """A package says for which version of the contract it was written: `benchkit_api = 1` beside its hooks."""
    if plugin.file is not None and plugin.api is None:
        raise NotAskedError("is a file")
    require(plugin.api is not None, f"add 'benchkit_api = {spec.API}' to {plugin.module}")


@rule("plugins")
def imports_the_public_api_alone(plugin: Plugin) -> None:
    """Of benchkit it imports public names: `from benchkit import ...`, and `benchkit.testing` in tests."""
    import benchkit

    for place, node in plugin.nodes():
        names = [alias.name for alias in node.names] if isinstance(node, ast.Import | ast.ImportFrom) else []
        if isinstance(node, ast.ImportFrom):
            of_benchkit = node.module == "benchkit" and not node.level
            names = [f"benchkit.{name}" for name in names] if of_benchkit else [node.module or ""] * (not node.level)
        for name in names:
            public = name.startswith("benchkit.testing") or name.removeprefix("benchkit.") in dir(benchkit)
            inner = name.startswith("benchkit.") and not public
            require(not inner, f"{place} imports {name}: use the names in benchkit.__all__")


@rule("plugins")
def declares_what_it_reads(plugin: Plugin) -> None:
    """Its source names no file or variable that a trial reads and no declaration lists: an edit of it makes trials run
    again.
    """
    names = {Path(given).name for given in plugin.inputs} | set(plugin.inputs)
    wrong = []
    for place, node in plugin.nodes():
        kind, name = _read(node) or ("", "")
        if kind == "variable" and f"${name}" not in names:
            wrong.append(f"{place} reads the environment variable {name}: declare it, inputs=['${name}']")
        elif kind == "file" and Path(name).name not in names:
            wrong.append(f"{place} reads {name}: declare it, inputs=[path], or a dataset's in 'files'")
    require(not wrong, "; ".join(wrong))


def _read(node: ast.AST) -> tuple[str, str] | None:
    """What a node reads by a constant name: a ``variable`` of the environment, or a ``file``, opened or beside it."""
    if isinstance(node, ast.Subscript) and isinstance(node.ctx, ast.Load):
        what, called = node.slice, ast.unparse(node.value)
        kind = "variable" if called.endswith("environ") else ""
    elif isinstance(node, ast.Call) and node.args:
        what, called = node.args[0], ast.unparse(node.func)
        mode = ast.unparse(node.args[1]) if len(node.args) > 1 else "r"
        beside = called.endswith(".with_name") and "__file__" in called
        kind = "file" if beside or (called == "open" and "r" in mode) else ""
        kind = "variable" if called.endswith(("getenv", "environ.get")) else kind
    else:
        return None
    return (kind, what.value) if kind and isinstance(what, ast.Constant) and isinstance(what.value, str) else None


@rule("plugins")
def imports_quickly(plugin: Plugin) -> None:
    """Importing it and asking for its declarations takes little time; a package's loads no numerical library."""
    code = _IMPORT.format(hooks=[f"benchkit_{kind}" for kind in KINDS], heavy=HEAVY)
    arguments = [str(plugin.file or ""), plugin.module]
    done = subprocess.run([sys.executable, "-c", code, *arguments], capture_output=True, text=True, check=False)
    require(done.returncode == 0, f"cannot be imported by itself: {done.stderr.strip().splitlines()[-1:]}")
    seconds, heavy = json.loads(done.stdout.splitlines()[-1])
    require(seconds < _SECONDS, f"takes {seconds:.1f} s of processor time to import, which every command pays")
    require(
        not heavy or plugin.file is not None,
        f"imports {', '.join(heavy)} when its declarations are listed: name code by 'package.module:Class' strings",
    )


_LISTENING = ("benchkit_run_started", "benchkit_trial_finished", "benchkit_run_finished", "benchkit_run_stopped")


@rule("report_sections")
def speaks_or_is_silent(section: ReportSection) -> None:
    """Of a small run it makes a ReportTable of plain values, a Document, or None; also of one without a result."""
    section.compute(tiny_results(2, status="failed"))
    section.compute(tiny_results(0))
    content = section.compute(tiny_results(2))
    require(
        content is None or isinstance(content, ReportTable | Document),
        f"returned a {type(content).__name__}, expected a benchkit.ReportTable, a benchkit.document.Document or None",
    )
    for entry in [entry for row in (content.rows if isinstance(content, ReportTable) else ()) for entry in row]:
        plain = entry is None or isinstance(entry, str | int | float)
        require(plain, f"an entry is {entry!r}, expected text, a number or None")


@rule("report_formats")
def renders_a_small_run(form: ReportFormat) -> None:
    """Of a small run it makes text, or bytes where it says that it is no text; also of one without results."""
    form.render(Analysis(tiny_results(2, status="failed")))
    made, expected = form.render(Analysis(tiny_results(2))), str if form.text else bytes
    reason = f"returned a {type(made).__name__}, expected {expected.__name__}: text={form.text} is declared"
    require(isinstance(made, expected), reason)
    require(made, "returned nothing")


@rule("report_formats")
def joins_suites(form: ReportFormat) -> None:
    """Where it joins the reports of several suites, what it makes is a report, too."""
    if form.join is None:
        raise NotAskedError("joins nothing")
    whole = tiny_results(2, members=2)
    made = form.join(whole, [Analysis(suite) for suite in whole.suites])
    require(isinstance(made, str if form.text else bytes), f"join returned a {type(made).__name__}")


@rule("trackers")
def listens_to_a_run(tracker: Tracker) -> None:
    """What it makes has methods that are hooks, and these take what the hooks give."""
    manager = pluggy.PluginManager(spec.PROJECT)
    manager.add_hookspecs(spec)
    manager.register(tracker.make(warn=lambda line: None), name=tracker.name)
    manager.check_pending()
    heard = any(getattr(manager.hook, hook).get_hookimpls() for hook in _LISTENING)
    require(heard, f"none of its methods is marked by hookimpl and named {', '.join(_LISTENING)}")


@rule("trackers")
def takes_what_it_is_called_with(tracker: Tracker) -> None:
    """`send`, `serve` and `end_killed` take, by name, all that they are called with."""
    _require_taken("send", tracker.send, ("run", "records", "analyse", "warn"))
    _require_taken("serve", tracker.serve, ("out", "suite", "host", "port", "ready", "warn"))
    _require_taken("end_killed", tracker.end_killed, ("out", "was_killed", "connects", "warn"))


def _require_taken(name: str, target: Deferred | None, given: Sequence[str]) -> None:
    parameters = {} if target is None else target.parameters()
    if target is not None and not any(parameter.kind is parameter.VAR_KEYWORD for parameter in parameters.values()):
        missing = [argument for argument in given if argument not in parameters]
        require(not missing, f"{name} does not take {', '.join(missing)}")


@rule("row_sources")
def opens_a_place(source: RowSource) -> None:
    """`open` takes ``place`` by name."""
    _require_taken("open", source.open, ["place"])


@rule("commands")
def can_be_read(command: Command) -> None:
    """Its parameters are what typer makes arguments and options of, and a docstring says what it does."""
    alone = typer.Typer(add_completion=False)
    alone.command(command.name)(command.run.resolve())
    made = typer.main.get_command(alone)
    require(bool(made.help), "its function has no docstring: 'benchkit NAME --help' says nothing")

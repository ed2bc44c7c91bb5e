"""What every plugin keeps to as a whole."""

from __future__ import annotations

import ast
import importlib.util
import json
import subprocess
import sys
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

from benchkit.plugin.manager import KINDS
from benchkit.testing.rule import NotAskedError, require, rule

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

"""What every plugin keeps to as a whole."""

import json
import subprocess
import sys
from dataclasses import dataclass
from pathlib import Path

from benchkit.plugin.manager import KINDS
from benchkit.testing.rule import require, rule

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


@rule("plugins")
def loads_without_problems(plugin: Plugin) -> None:
    """It can be imported, its hooks are hooks of benchkit, and all that it declares can be used."""
    require(not plugin.problems, "; ".join(plugin.problems))


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

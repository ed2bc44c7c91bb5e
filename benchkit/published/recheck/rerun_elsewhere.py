"""Running published rows again with the arithmetic that they were made with, in a process that is told to use it.

OpenBLAS takes the kernels of the processor that it finds, and numba compiles for it, or for what variables name before
they are loaded.
"""

from __future__ import annotations

import json
import os
import subprocess
import sys
import tempfile
from collections.abc import Sequence
from dataclasses import asdict
from pathlib import Path

from benchkit.published.recheck.arithmetic import Arithmetic, arithmetic_here
from benchkit.published.recheck.rerun import Rechecked, rerun
from benchkit.published.rows import PublishedRow
from benchkit.published.stored import open_folder

_START = "from benchkit.published.recheck.rerun_elsewhere import main; main()"


def rerun_elsewhere(
    folder: Path,
    rows: Sequence[PublishedRow],
    wanted: Arithmetic,
    here: Arithmetic,
    plugins: Sequence[str | Path],
    tolerance: float,
    trust: bool = False,
) -> Rechecked:
    """Run rows again in a process of its own, with another arithmetic than this one's.

    Parameters
    ----------
    folder : Path
        Published results.
    rows : sequence of record
        Of that folder.
    wanted, here : Arithmetic
        That they were made with, and that of this process.
    plugins : sequence of path
    tolerance : float
    trust : bool, default=False

    Returns
    -------
    Rechecked
        All rows as not run where this processor does not do it so.
    """
    request = {
        "folder": str(folder.resolve()),
        # Which rows these are: others may publish meanwhile, and move them.
        "rows": [[row["contribution"], row["trial"]] for row in rows],
        "wanted": asdict(wanted),
        "plugins": [str(Path(plugin).resolve()) for plugin in plugins],
        "tolerance": tolerance,
        "trust": trust,
    }
    code = str(Path(__file__).parents[3])
    paths = os.pathsep.join([code, *filter(None, [os.environ.get("PYTHONPATH")])])
    surroundings = {**os.environ, **wanted.variables(here), "PYTHONPATH": paths}
    with tempfile.TemporaryDirectory(prefix="benchkit-recheck-") as scratch:
        answer = Path(scratch) / "answer.json"
        done = subprocess.run(
            [sys.executable, "-P", "-c", _START, str(answer)],
            input=json.dumps(request),
            text=True,
            env=surroundings,
            check=False,
        )
        if answer.is_file():
            return Rechecked(**json.loads(answer.read_text(encoding="utf-8")))
    why = f"made with {wanted}, and a process that was told so ended with exit code {done.returncode} here"
    return _none_of(rows, why)


def main() -> None:
    """Answer the request of standard input, in the file that is named."""
    request = json.load(sys.stdin)
    here, wanted = arithmetic_here(), Arithmetic(**request["wanted"])
    if here == wanted:
        stored = open_folder(Path(request["folder"]))
        asked = {tuple(key) for key in request["rows"]}
        rows = [row for row in stored.all_rows() if (row["contribution"], row["trial"]) in asked]
        told = rerun(stored, rows, request["plugins"], request["tolerance"], request["trust"])
        if len(rows) < len(asked):
            told.add(_none_of(range(len(asked) - len(rows)), "taken out of the folder while others ran"))
    else:
        told = _none_of(request["rows"], f"made with {wanted}, where this process has {here}")
    Path(sys.argv[1]).write_text(json.dumps(asdict(told)), encoding="utf-8")


def _none_of(rows: Sequence[object], why: str) -> Rechecked:
    return Rechecked(not_run=len(rows), reasons=[f"{len(rows)} rows: {why}"])

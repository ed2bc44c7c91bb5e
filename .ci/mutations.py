"""Change one place of the code at random, run the tests that should notice, and count how many changes were noticed.

    pip install pytest-cov
    python .ci/mutations.py --number 200 --seed 1 --out mutations

What is changed is a copy of the clone, never the clone itself. First all tests run once and it is written down which of
them execute which line; then each change is shown to the tests that execute it, the nearest and quickest first. Where
none does (compiled kernels, what a worker process executes), these are the tests that name the module, then its room's.
Another run with the same ``--out`` goes on where the last one stopped.
"""

from __future__ import annotations

import argparse
import ast
import csv
import itertools
import os
import random
import shutil
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator
from pathlib import Path
from xml.etree import ElementTree

from coverage import CoverageData

ROOT = Path(__file__).resolve().parent.parent
# What is changed, and the tests of its room.
ROOMS = {
    "benchkit/trial": "tests/trial",
    "benchkit/identity": "tests/trial",
    "benchkit/journal": "tests/journal",
    "benchkit/statistics": "tests/statistics",
    "plugins/benchkit_deletion": "tests/plugins/benchkit_deletion",
    "plugins/benchkit_feature_noise/solvers": "tests/plugins/benchkit_feature_noise",
    "plugins/benchkit_incomplete_data/solvers": "tests/plugins/benchkit_incomplete_data",
    "plugins/benchkit_robust_regression": "tests/plugins/benchkit_robust_regression",
}
COMPARISONS = {
    **{ast.Lt: "<=", ast.LtE: "<", ast.Gt: ">=", ast.GtE: ">", ast.Eq: "!=", ast.NotEq: "=="},
    **{ast.In: "not in", ast.NotIn: "in", ast.Is: "is not", ast.IsNot: "is"},
}
ARITHMETIC = {
    ast.Add: "-",
    ast.Sub: "+",
    ast.Mult: "/",
    ast.Div: "*",
    ast.FloorDiv: "/",
    ast.Pow: "*",
    ast.MatMult: "*",
}
MINUTES = 10
SECONDS = 240  # of tests' own time, at most, that one change is shown to


def changes(source: str) -> Iterator[tuple[int, int, int, int, str]]:
    """Every change of one place: where it begins and ends (line and column), and what stands there instead."""
    for node in _executed(ast.parse(source)):
        text = ast.get_source_segment(source, node) or ""
        instead = _instead(node, text, source)
        if instead is not None and instead != text:
            yield node.lineno, node.col_offset, node.end_lineno or 0, node.end_col_offset or 0, instead


def _executed(node: ast.AST) -> Iterator[ast.expr | ast.stmt]:
    """Statements and expressions but annotations, docstrings, messages and what only a type checker reads."""
    for name, value in ast.iter_fields(node):
        if name in ("annotation", "returns", "decorator_list"):
            continue
        for child in value if isinstance(value, list) else [value]:
            if not isinstance(child, ast.AST) or isinstance(
                child, ast.Raise | ast.JoinedStr | ast.Import | ast.ImportFrom
            ):
                continue
            if isinstance(child, ast.If) and ast.unparse(child.test) == "TYPE_CHECKING":
                continue
            if isinstance(child, ast.keyword) and child.arg == "strict":  # of zip: it guards, and changes nothing
                continue
            if isinstance(child, ast.expr | ast.stmt):
                yield child
            yield from _executed(child)


def _instead(node: ast.AST, text: str, source: str) -> str | None:
    part = lambda inner: f"({ast.get_source_segment(source, inner)})"  # noqa: E731
    match node:
        case ast.Compare(left=left, ops=[op], comparators=[right]):
            return f"{part(left)} {COMPARISONS[type(op)]} {part(right)}"
        case ast.BinOp(left=left, op=op, right=right) if type(op) in ARITHMETIC and not isinstance(left, ast.Constant):
            return f"({part(left)} {ARITHMETIC[type(op)]} {part(right)})"
        case ast.BoolOp(op=op, values=[first, second]):
            return f"({part(first)} {'or' if isinstance(op, ast.And) else 'and'} {part(second)})"
        case ast.UnaryOp(op=ast.Not() | ast.USub(), operand=operand):
            return part(operand)
        case ast.Constant(value=bool(value)):
            return str(not value)
        case ast.Constant(value=int() | float() as value):
            return repr(value + 1)
        case ast.Return(value=ast.expr() as value) if not isinstance(value, ast.Constant):
            return "return None"
        case ast.AugAssign() | ast.Expr(value=ast.Call()):
            return "pass"
        case ast.IfExp(body=body, orelse=orelse):
            return f"({part(orelse)} if {ast.get_source_segment(source, node.test)} else {part(body)})"
    return None


def changed(source: str, change: tuple[int, int, int, int, str]) -> str:
    """The source with the change; columns count bytes."""
    first, start, last, end, instead = change
    lines = source.encode().splitlines(keepends=True)
    head, tail = lines[first - 1][:start], lines[last - 1][end:]
    return b"".join([*lines[: first - 1], head, instead.encode(), tail, *lines[last:]]).decode()


def drawn(number: int, seed: int) -> list[tuple[str, tuple[int, int, int, int, str]]]:
    """So many changes of all that there are, the same for a seed: each with its file."""
    every = [
        (str(path.relative_to(ROOT)), change)
        for room in ROOMS
        for path in sorted((ROOT / room).rglob("*.py"))
        for change in changes(path.read_text(encoding="utf-8"))
    ]
    return random.Random(seed).sample(every, number)


class Coverage:
    """Which tests execute a line, and how long they take; measured once and kept in a folder."""

    def __init__(self, folder: Path, copy: Path) -> None:
        kept, times = folder / "coverage", folder / "tests.xml"
        if not times.exists():
            rooms = [f"--cov={room}" for room in ROOMS]
            options = ["--cov-context=test", "--cov-report=", f"--junitxml={times.resolve()}", "-q", "-n", "2"]
            run_tests(copy, [*rooms, *options], {"COVERAGE_FILE": str(kept.resolve())}, minutes=90)
        self._data = CoverageData(str(kept))
        self._data.read()
        self._copy = {Path(file).as_posix().partition("/clone/")[2]: file for file in self._data.measured_files()}
        self.seconds: dict[str, float] = {}
        for case in ElementTree.parse(times).iter("testcase"):
            test = f"{case.attrib['classname'].replace('.', '/')}.py::{case.attrib['name'].partition('[')[0]}"
            self.seconds[test] = self.seconds.get(test, 0.0) + float(case.attrib["time"])

    def tests_of(self, file: str, lines: range) -> list[str]:
        """The tests that execute one of the lines: the room's first, the quickest first, for so many seconds."""
        contexts = self._data.contexts_by_lineno(self._copy[file]) if file in self._copy else {}
        names = {name for line in lines for name in contexts.get(line, []) if name}
        # What a test only prepares is looked at by others of its file.
        files = {name.partition("::")[0] for name in names if name.endswith("|setup")}
        executing = {name.partition("[")[0].partition("|")[0] for name in names}
        tests = [test for test in self.seconds if test in executing or test.partition("::")[0] in files]
        tests.sort(key=lambda test: (not test.startswith(f"{room_of(file)}/"), self.seconds[test]))
        total = itertools.accumulate(self.seconds[test] for test in tests)
        return [test for test, seconds in zip(tests, total, strict=True) if seconds < SECONDS or test == tests[0]]


def room_of(file: str) -> str:
    """The folder of tests of the room that the file is in."""
    return next(tests for room, tests in ROOMS.items() if file.startswith(f"{room}/"))


def run_tests(copy: Path, arguments: list[str], variables: dict[str, str], minutes: int) -> subprocess.CompletedProcess:
    """Pytest in the copy, on the copy's code."""
    path = os.pathsep.join([str(copy), str(copy / "plugins")])
    command = [sys.executable, "-m", "pytest", "-p", "no:cacheprovider", "--tb=no", "-rfE", *arguments]
    environment = {**os.environ, "PYTHONPATH": path, **variables}
    return subprocess.run(
        command, cwd=copy, env=environment, capture_output=True, text=True, timeout=60 * minutes, check=False
    )


def noticed_by(copy: Path, file: str, lines: range, coverage: Coverage) -> str:
    """The test that failed, or that none ended in time; an empty text where all passed."""
    tests = coverage.tests_of(file, lines)
    attempts = [tests] if tests else []
    # Compiled code is kept by the file that it is called from, which does not change.
    compiled = "numba" in (copy / file).read_text(encoding="utf-8")
    variables = {"NUMBA_CACHE_DIR": tempfile.mkdtemp(dir=copy.parent)} if compiled else {}
    if not tests:
        module = file.removeprefix("plugins/").removesuffix(".py").replace("/", ".")
        everywhere = (copy / "tests").rglob("test_*.py")
        naming = [str(path.relative_to(copy)) for path in everywhere if module in path.read_text(encoding="utf-8")]
        attempts = [tests for tests in (naming, [room_of(file)]) if tests]
    for tests in attempts:
        try:
            done = run_tests(copy, ["-q", "-x", "-n", "0", "--no-header", *tests], variables, MINUTES)
        except subprocess.TimeoutExpired:
            return f"not ended after {MINUTES} minutes"
        if done.returncode not in (0, 5):  # 5: nothing to run
            failed = [line for line in done.stdout.splitlines() if line.startswith(("FAILED ", "ERROR "))]
            return failed[0] if failed else f"pytest ended with {done.returncode}"
    return ""


def main() -> None:
    """Draw changes, try each that is not in the file yet, and say how many were noticed."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--number", type=int, default=200)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--out", type=Path, default=Path("mutations"))
    given = parser.parse_args()
    given.out.mkdir(exist_ok=True)
    table = given.out / "changes.csv"
    done = list(csv.reader(table.open(encoding="utf-8"))) if table.exists() else []
    with tempfile.TemporaryDirectory() as folder, table.open("a", encoding="utf-8", newline="") as out:
        copy = Path(folder) / "clone"
        left_out = shutil.ignore_patterns(".git", ".*_cache", "__pycache__", "runs", "build")
        shutil.copytree(ROOT, copy, ignore=left_out)
        coverage = Coverage(given.out, copy)
        for file, change in drawn(given.number, given.seed)[len(done) :]:
            source = (ROOT / file).read_text(encoding="utf-8")
            (copy / file).write_text(changed(source, change), encoding="utf-8")
            began = time.monotonic()
            noticed = noticed_by(copy, file, range(change[0], change[2] + 1), coverage)
            row = [file, change[0], change[4], noticed, round(time.monotonic() - began)]
            (copy / file).write_text(source, encoding="utf-8")
            csv.writer(out).writerow(row)
            out.flush()
            done.append([str(cell) for cell in row])
            print(*row, flush=True)
    survived = [row for row in done if not row[3]]
    for row in survived:
        print("not noticed:", *row[:3])
    print(f"{len(done) - len(survived)} of {len(done)} changes were noticed")


if __name__ == "__main__":
    main()

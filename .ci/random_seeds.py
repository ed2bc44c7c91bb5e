"""Every hypothesis test with one random seed after the other; then what failed, and the command that repeats it.

    python .ci/random_seeds.py --minutes 60
    python .ci/random_seeds.py --seeds 50 tests/plugins tests/journal/test_store.py

One process runs all seeds: starting, collecting and compiling take longer than the tests themselves. A test that has
failed is left out from then on. The exit code is 1 where a test failed.
"""

from __future__ import annotations

import argparse
import os
import re
import secrets
import sys
import time
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parent.parent
BLOB = re.compile(r"@reproduce_failure\(.*\)")


class SeedAfterSeed:
    """A plugin of pytest: the tests that were collected are run once per seed, until enough are or the time is up."""

    def __init__(self, seeds: int | None, minutes: float | None) -> None:
        self._seeds, self._minutes = seeds, minutes
        self._done = 0
        self._seed = 0
        self._failed: dict[str, tuple[int, str]] = {}  # the seed and the blob, by test

    def pytest_runtestloop(self, session: pytest.Session) -> bool:
        """Run all tests with a seed, then with the next one."""
        import hypothesis  # not above: pytest wants to import it itself, for its assertions

        terminal = session.config.pluginmanager.getplugin("terminalreporter")
        start = time.monotonic()
        items = session.items
        while items and (self._seeds is None or self._done < self._seeds):
            self._seed = secrets.randbelow(2**32)
            began = time.monotonic()
            for item, following in zip(items, [*items[1:], None], strict=True):
                if self._minutes is not None and time.monotonic() - start > 60 * self._minutes:
                    return True
                hypothesis.seed(self._seed)(item.obj)
                item.config.hook.pytest_runtest_protocol(item=item, nextitem=following)
            items = [item for item in items if item.nodeid not in self._failed]
            self._done += 1
            terminal.write_line(f" seed {self._seed}: {len(items)} tests, {time.monotonic() - began:.0f} s")
        return True

    def pytest_runtest_logreport(self, report: pytest.TestReport) -> None:
        """Keep the seed of a failure, and what pins its example."""
        if report.failed and report.nodeid not in self._failed:
            blob = BLOB.search(report.longreprtext)
            self._failed[report.nodeid] = (self._seed, blob.group() if blob else "")

    def pytest_terminal_summary(self, terminalreporter: pytest.TerminalReporter) -> None:
        """Say how to repeat what failed; the examples themselves are above, with the tracebacks."""
        write = terminalreporter.write_line
        write(f"{self._done} seeds, {len(self._failed)} tests failed")
        for test, (seed, blob) in self._failed.items():
            write(f"\n{test}")
            write(f"  repeat: pytest -n 0 --hypothesis-profile=random --hypothesis-seed={seed} '{test}'")
            if blob:
                write(f"  pin:    {blob}  above the test's other decorators; then an @example that says why")


def main() -> int:
    """Parse the command line, and run."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    limit = parser.add_mutually_exclusive_group(required=True)
    limit.add_argument("--minutes", type=float, help="stop after so many minutes")
    limit.add_argument("--seeds", type=int, help="stop after so many seeds")
    parser.add_argument(
        "paths", nargs="*", help="files and folders of tests; all that use hypothesis where none is named"
    )
    chosen = parser.parse_args()
    os.chdir(ROOT)
    paths = chosen.paths or [str(path) for path in sorted(Path("tests").rglob("test_*.py")) if _uses_hypothesis(path)]
    options = ["-n", "0", "-q", "-m", "hypothesis", "--hypothesis-profile=random", "-o", "console_output_style=classic"]
    return int(pytest.main([*options, *paths], plugins=[SeedAfterSeed(chosen.seeds, chosen.minutes)]))


def _uses_hypothesis(path: Path) -> bool:
    return "from hypothesis import" in path.read_text()


if __name__ == "__main__":
    sys.exit(main())

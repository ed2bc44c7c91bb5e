"""The tracker, in a run."""

import json
from collections.abc import Callable

from benchkit import Results


def test_a_run_has_its_line(benchkit_tiny_run: Callable[..., Results]) -> None:
    results = benchkit_tiny_run({}, tracking="my-method")
    (line,) = (results.folder.parent.parent / "my-method.jsonl").read_text(encoding="utf-8").splitlines()
    written = json.loads(line)
    assert written["run"] == results.folder.name
    assert len(written["means"]) == len(results.points()) / len(results.metrics)

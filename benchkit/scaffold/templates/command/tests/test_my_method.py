"""The command, of a run."""

from collections.abc import Callable

import pytest
from benchkit_my_method.my_method import my_method

from benchkit import Results


def test_it_has_a_line_for_every_method(
    benchkit_tiny_run: Callable[..., Results], capsys: pytest.CaptureFixture[str]
) -> None:
    my_method(benchkit_tiny_run({}).folder)
    method, ended, _ = capsys.readouterr().out.strip().split("\t")
    assert (method, ended) == ("constant", "2 of 2 ok")

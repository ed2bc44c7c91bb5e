"""The rules of ``benchkit check``, one test each."""

from collections.abc import Callable

from benchkit.testing import parametrize_with_rules


@parametrize_with_rules("my-method")
def test_conforms(check: Callable[[], None]) -> None:
    check()

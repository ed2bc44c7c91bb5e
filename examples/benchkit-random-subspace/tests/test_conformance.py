"""The rules of ``benchkit check``, one test each."""

from benchkit.testing import parametrize_with_rules


@parametrize_with_rules("random-subspace")
def test_conforms(check):
    check()

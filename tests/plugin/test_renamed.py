"""Names of the release before, which stay importable for one release."""

import pytest

import benchkit


@pytest.mark.parametrize(
    ("old", "new"), [("Attack", "AttackContext"), ("Corruption", "AttackResult"), ("Evaluation", "MetricContext")]
)
def test_old_names_are_the_new_ones_with_a_warning(old, new):
    with pytest.warns(DeprecationWarning, match=f"benchkit.{old} is now benchkit.{new}"):
        assert getattr(benchkit, old) is getattr(benchkit, new)
    assert old not in benchkit.__all__

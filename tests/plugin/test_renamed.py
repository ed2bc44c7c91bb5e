"""Names of the release before, which stay importable for one release."""

import pytest

import benchkit
from benchkit.plugin.declarations import DeclarationError


@pytest.mark.parametrize(
    ("old", "new"),
    [
        ("Attack", "AttackContext"),
        ("Check", "ModelCheck"),
        ("Corruption", "AttackResult"),
        ("Evaluation", "MetricContext"),
    ],
)
def test_old_names_are_the_new_ones_with_a_warning(old, new):
    with pytest.warns(DeprecationWarning, match=f"benchkit.{old} is now benchkit.{new}"):
        assert getattr(benchkit, old) is getattr(benchkit, new)
    assert old not in benchkit.__all__


def test_a_section_that_makes_computes_with_a_warning():
    with pytest.warns(DeprecationWarning, match=r"ReportSection\(make=...\) is now ReportSection\(compute=...\)"):
        section = benchkit.ReportSection(name="old", make=lambda results: None)
    assert section.compute("results") is None
    with pytest.raises(DeclarationError, match="computes nothing"):
        benchkit.ReportSection(name="none")

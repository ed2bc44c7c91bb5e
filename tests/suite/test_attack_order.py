"""Only attacks that leave the same in place of what they delete can be told apart by their strength."""

import pytest

from benchkit.plugin.manager import registry
from benchkit.suite.whole_suite import Suite, attack_order


@pytest.mark.parametrize(
    ("strong", "weak", "compared"),
    [
        ({}, {}, True),
        ({"fill": "nan"}, {"fill": "nan"}, True),
        ({}, {"fill": "zero"}, True),
        ({}, {"fill": "nan"}, False),
    ],
)
def test_attacks_with_the_same_fill_are_compared(strong, weak, compared):
    suite = Suite.model_validate(
        {
            "name": "own",
            "datasets": ["breast"],
            "algorithms": ["svm"],
            "adversaries": [{"name": "exact-delete", "params": strong}, {"name": "greedy-delete", "params": weak}],
        }
    )
    assert bool(attack_order(suite, registry())["pairs"]) == compared

"""``--only`` takes several values of a field."""

import pytest

from benchkit.cli.interface.options import parse_only
from benchkit.suite.source import SuiteError


@pytest.mark.parametrize(
    ("texts", "only"),
    [
        (["algorithm=a,b"], {"algorithm": ["a", "b"]}),
        (["algorithm=a, b,dataset=x,y"], {"algorithm": ["a", "b"], "dataset": ["x", "y"]}),
        (["algorithm=a", "algorithm=b"], {"algorithm": ["a", "b"]}),
        (["algorithm=a,algorithm=b"], {"algorithm": ["a", "b"]}),
    ],
)
def test_values(texts, only):
    assert parse_only(texts) == only


def test_a_value_without_a_field():
    with pytest.raises(SuiteError, match="--only a: expected KEY=VALUE"):
        parse_only(["a,algorithm=b"])

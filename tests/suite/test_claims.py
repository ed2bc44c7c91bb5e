"""Which form an entry of ``expect`` has, and what it comes to."""

import re

import pytest

from benchkit.suite.claims import Claim
from benchkit.suite.whole_suite import Suite

ABOUT = {"claim": "c", "source": "s"}
ORDER, ALIKE = {"order": ["lp", "svm", "o2b"], "by": 0.1}, {"alike": ["lp", "svm", "o2b"], "tolerance": 0.01}
BREAKDOWN = {"order": ["lp", "svm"], "by": 2.0, "breakdown": 0.25, "tolerance": 1.0}
VALUE, MONOTONE = {"algorithm": "lp", "value": 0.22}, {"algorithm": "lp", "monotone": "constant"}
CLOSE, EXPONENT = {"tolerance": 0.01}, {"algorithm": "lp", "exponent": [0.8, 1.2]}
ONE, PAIRS = [("lp",)], [("lp", "svm"), ("svm", "o2b")]


@pytest.mark.parametrize(
    ("form", "said", "numbers", "comparisons"),
    [
        ("order", ORDER, ["0.1"], PAIRS),
        ("breakdown", BREAKDOWN, ["0.25", "2", "1"], PAIRS[:1]),
        ("alike", ALIKE, ["0.01"], [PAIRS[0], ("lp", "o2b"), PAIRS[1]]),
        ("between", {"algorithm": "lp", "between": [0.2, 0.25]} | CLOSE, ["0.19", "0.26"], ONE),
        ("value", VALUE | CLOSE, ["0.22", "0.01"], ONE),
        ("value", VALUE | {"stderr": 0.002}, ["0.22", "0.002"], ONE),
        ("value", VALUE | {"minus": "svm", "tolerance": 0.1}, ["0.22", "0.1"], PAIRS[:1]),
        ("monotone", MONOTONE | CLOSE, ["0.01"], ONE),
        ("exponent", EXPONENT, ["0.8", "1.2"], ONE),
    ],
)
def test_the_form_is_told_by_its_key_and_a_suite_writes_it_as_it_was_read(form, said, numbers, comparisons):
    claim = Claim.model_validate(ABOUT | said)
    assert (claim.form, list(claim.comparisons)) == (form, comparisons)
    words = claim.expected("error")
    assert set(claim.algorithms) <= set(re.findall(r"\w+", words))
    assert [text.removesuffix(".0") for text in re.findall(r"\d+(?:\.\d+)?", re.sub(r"o2b", "", words))] == numbers
    suite = Suite.model_validate({"name": "s", "datasets": ["breast"], "algorithms": ["svm"], "expect": [ABOUT | said]})
    (written,) = suite.model_dump(mode="json", exclude_defaults=True)["expect"]
    assert written == ABOUT | said
    assert Claim.model_validate(written) == claim

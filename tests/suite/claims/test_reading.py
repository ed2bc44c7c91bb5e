"""Which form an entry of ``expect`` has, what it comes to, and what it may not say."""

import pytest
from pydantic import ValidationError

from benchkit.suite.claims import FORMS, read_claim
from benchkit.suite.whole_suite import Suite

TOLD = {"claim": "c", "source": "s"}
OF_EACH_FORM = {
    "order": {"order": ["lp", "svm", "o2b"], "by": 0.1},
    "breakdown": {"order": ["lp", "svm"], "by": 2.0, "breakdown": 0.25, "tolerance": 1.0},
    "alike": {"alike": ["lp", "svm", "o2b"], "tolerance": 0.01},
    "between": {"algorithm": "lp", "between": [0.2, 0.25], "tolerance": 0.01},
    "value": {"algorithm": "lp", "value": 0.22, "tolerance": 0.01},
    "monotone": {"algorithm": "lp", "monotone": "constant", "tolerance": 0.01},
    "exponent": {"algorithm": "lp", "exponent": [0.8, 1.2]},
}


def test_an_example_of_every_form():
    assert list(OF_EACH_FORM) == [form.form for form in FORMS]


@pytest.mark.parametrize("form", OF_EACH_FORM)
def test_the_form_is_told_by_its_key(form):
    claim = read_claim(TOLD | OF_EACH_FORM[form])
    assert claim.form == form
    assert {name for names in claim.comparisons for name in names} == set(claim.algorithms)


@pytest.mark.parametrize(
    ("form", "expected"),
    [
        ("order", "error better by 0.1 from left to right: lp, svm, o2b"),
        ("breakdown", "error passes 0.25 later from right to left by 2 at least: lp, svm within 1"),
        ("alike", "error alike: lp, svm, o2b within 0.01"),
        ("between", "lp in [0.19, 0.26]"),
        ("value", "lp = 0.22 ± 0.01"),
        ("monotone", "error of lp constant along the axis within 0.01"),
        ("exponent", "error of lp grows with a power of the axis in [0.8, 1.2]"),
    ],
)
def test_what_it_comes_to(form, expected):
    assert read_claim(TOLD | OF_EACH_FORM[form]).expected("error") == expected


@pytest.mark.parametrize(
    ("said", "expected"),
    [
        (
            OF_EACH_FORM["order"] | {"on_average": "all"},
            "error better by 0.1 on average from left to right: lp, svm, o2b",
        ),
        (
            OF_EACH_FORM["alike"] | {"on_average": "curve"},
            "error alike on average along each curve: lp, svm, o2b within 0.01",
        ),
        ({"algorithm": "lp", "value": 0.22, "stderr": 0.002}, "lp = 0.22 ± 0.002"),
        ({"algorithm": "lp", "minus": "svm", "value": -0.2, "tolerance": 0.1}, "lp - svm = -0.2 ± 0.1"),
    ],
)
def test_what_its_variants_come_to(said, expected):
    claim = read_claim(TOLD | said)
    assert claim.expected("error") == expected
    assert {name for names in claim.comparisons for name in names} == set(claim.algorithms)


@pytest.mark.parametrize(
    ("said", "reason"),
    [
        (OF_EACH_FORM["breakdown"] | {"on_average": "all"}, "'on_average' and 'breakdown' exclude each other"),
        (OF_EACH_FORM["value"] | {"stderr": 0.01}, "'stderr' and 'tolerance' exclude each other"),
        (OF_EACH_FORM["monotone"] | {"on_average": "all"}, "'on_average' and 'monotone' exclude each other"),
    ],
)
def test_what_variants_may_not_say(said, reason):
    with pytest.raises(ValidationError, match=reason):
        read_claim(TOLD | said)


def test_what_is_compared():
    comparisons = {form: read_claim(TOLD | said).comparisons for form, said in OF_EACH_FORM.items()}
    assert comparisons["order"] == (("lp", "svm"), ("svm", "o2b"))
    assert comparisons["alike"] == (("lp", "svm"), ("lp", "o2b"), ("svm", "o2b"))
    assert comparisons["value"] == (("lp",),)


@pytest.mark.parametrize("form", OF_EACH_FORM)
def test_a_suite_writes_it_as_it_was_read(form):
    said = TOLD | OF_EACH_FORM[form]
    suite = Suite.model_validate({"name": "s", "datasets": ["breast"], "algorithms": ["svm"], "expect": [said]})
    written = suite.model_dump(mode="json", exclude_defaults=True)["expect"]
    assert written == [said]
    assert list(written[0]) == list(said)
    assert read_claim(written[0]) == suite.expect[0]


def test_defaults_of_other_forms_that_an_earlier_version_wrote():
    others = dict.fromkeys(("order", "alike", "between", "monotone", "exponent", "breakdown")) | {"by": 0.0}
    assert read_claim(TOLD | others | OF_EACH_FORM["value"]) == read_claim(TOLD | OF_EACH_FORM["value"])


@pytest.mark.parametrize(
    ("said", "reason"),
    [
        ({"breakdown": 0.2}, "(?s)order.*Field required"),
        ({"alike": ["a", "b"], "by": 0.1}, "'by' and 'alike' exclude each other"),
        ({"alike": ["a", "b"], "breakdown": 0.1}, "both 'breakdown' and 'alike' are given"),
        ({"algorithm": "a", "exponent": [2, 1]}, "the lower end comes first"),
        ({"algorithm": "a", "value": 1, "valu": 1}, "unknown key 'valu'; did you mean 'value'"),
    ],
)
def test_what_a_claim_may_not_say(said, reason):
    with pytest.raises(ValidationError, match=reason):
        read_claim(TOLD | said)


def test_an_editor_is_offered_every_form():
    document = Suite.model_json_schema()
    offered = [each["$ref"].removeprefix("#/$defs/") for each in document["properties"]["expect"]["items"]["anyOf"]]
    assert offered == [form.__name__ for form in FORMS]

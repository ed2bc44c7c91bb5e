"""What a model raises is told in one line."""

import pytest

from benchkit.fitted.model import in_one_line


@pytest.mark.parametrize(
    ("message", "told"),
    [
        ("no gap\n  here", "ValueError: no gap here"),
        ("It contains NaN. " + "See " * 60, "ValueError: It contains NaN."),
        ("x" * 400, f"ValueError: {'x' * 157}..."),
        ("", "ValueError: "),
    ],
)
def test_sentences_that_fit(message, told):
    assert in_one_line(ValueError(message)) == told

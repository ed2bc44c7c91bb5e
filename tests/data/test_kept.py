"""What is kept by content is found again, and never in the way."""

from pathlib import Path

import pytest

from benchkit.data.files import cache_folder, keep, kept


def test_what_was_kept_is_found_under_its_key_alone():
    keep("things", "a", {"n": [1, 2.5, None]})
    assert kept("things", "a") == {"n": [1, 2.5, None]}
    assert kept("things", "b") is None
    assert kept("others", "a") is None


def test_what_is_torn_is_found_anew():
    keep("things", "a", 1)
    (cache_folder() / "things" / "a.json").write_text("{")
    assert kept("things", "a") is None


def test_a_folder_that_cannot_be_written_costs_time_alone():
    cache_folder().mkdir(parents=True, exist_ok=True)
    (cache_folder() / "things").write_text("a file")
    keep("things", "a", 1)
    assert kept("things", "a") is None


@pytest.mark.parametrize("kind", ["things"])
def test_nothing_is_left_half_written(kind):
    keep(kind, "a", 1)
    assert [path.name for path in Path(cache_folder() / kind).iterdir()] == ["a.json"]

"""Under the README's command hypothesis draws the same examples each time, whatever was imported before."""

import importlib.util
import sys

from hypothesis import given, settings
from hypothesis import strategies as st


def drawn():
    """What a test of two arguments is given; of the same name and source each time, from which its seed is made."""
    seen = []

    @settings(max_examples=300, derandomize=True)
    @given(st.integers(), st.floats())
    def collect(number, real):
        seen.append((number, repr(real)))

    collect()
    return seen


def test_examples_are_the_same_after_other_tests(tmp_path):
    """Hypothesis draws constants of modules that it takes for the tested ones, such as plugin files of other tests."""
    first = drawn()
    path = tmp_path / "more_constants.py"
    path.write_text(f"NUMBERS = {[*range(70_001, 70_501), 0.123456789]}\n")
    spec = importlib.util.spec_from_file_location(path.stem, path)
    sys.modules[path.stem] = module = importlib.util.module_from_spec(spec)
    try:
        spec.loader.exec_module(module)
        assert drawn() == first
    finally:
        del sys.modules[path.stem]


def test_nothing_is_decided_by_a_clock_or_kept_for_the_next_time():
    assert settings.get_current_profile_name() in ("fixed", "random")
    for name in ("fixed", "random"):
        profile = settings.get_profile(name)
        assert (profile.deadline, profile.database, profile.derandomize) == (None, None, name == "fixed")

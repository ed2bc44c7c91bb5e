"""Trials without all that a run does around them."""

import pytest

from benchkit.execute.work import Workplace, work
from benchkit.plugin.manager import registry
from benchkit.suite.expand import expand
from benchkit.suite.load import load


@pytest.fixture
def run_trials(write_suite, tmp_path):
    """Run the trials of a suite in this process; their records."""

    def run(suite, plugins=()):
        paths = tuple(map(str, plugins))
        trials = expand(load(write_suite(suite)), registry(paths), paths)
        return [work(trial, str(number), Workplace(tmp_path / "fits"))[0] for number, trial in enumerate(trials)]

    return run

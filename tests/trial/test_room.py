"""A process does not hold the data of one repetition after another, however large they are."""

import pytest

from benchkit.session.run import run
from benchkit.trial import prepared
from benchkit.trial.prepared import copied_megabytes

PLUGIN = """
from pathlib import Path
import numpy as np
from benchkit import Data, Dataset, hookimpl

def load_noise(n=2000, random_state=None):
    with Path(__file__).with_name("drawn").open("a") as file:
        file.write(f"{random_state}\\n")
    rng = np.random.default_rng(random_state)
    return Data(X=rng.standard_normal((n, 50)), y=np.where(rng.random(n) < 0.5, -1, 1))

@hookimpl
def benchkit_datasets():
    return [Dataset(name="noise", load=load_noise, generated=True)]
"""


@pytest.fixture
def held(tmp_path, write_plugin, monkeypatch):
    """Runs two methods on four draws of 0.8 MB in this process; tells how many it held at each trial, and the draws."""
    plugin = write_plugin(PLUGIN)
    assert plugin.parent == tmp_path
    suite = {
        "name": "large",
        "plugins": [str(plugin)],
        "datasets": ["noise"],
        "split": {"repetitions": 4, "train": 0.5, "test": 0.5},
        "algorithms": ["constant", {"name": "constant", "label": "other"}],
    }

    def run_with(most):
        prepared.forget()
        monkeypatch.setattr(prepared, "_MOST", most)
        monkeypatch.setattr(prepared._Memory, "dropped_at", copied_megabytes())
        monkeypatch.setattr(prepared._Memory, "dropped_for", "")
        seen = []
        make = prepared._prepare_shared

        def watched(key):
            found = make(key)
            seen.append(make.cache_info().currsize)
            return found

        watched.cache_clear = make.cache_clear
        monkeypatch.setattr(prepared, "_prepare_shared", watched)
        results = run(suite, out=tmp_path / str(most), executor="inline", tracking=False)
        assert results.statuses == {"ok": 8}
        monkeypatch.setattr(prepared, "_prepare_shared", make)
        drawn = (tmp_path / "drawn").read_text().split()
        (tmp_path / "drawn").unlink()
        return seen, drawn

    return run_with


def test_small_data_stays(held):
    seen, drawn = held(most=1024.0)
    assert max(seen) == 4
    assert len(drawn) == len(set(drawn)) == 4


def test_large_data_is_dropped_when_other_data_comes(held):
    seen, drawn = held(most=1.0)
    assert max(seen) == 1
    assert len(set(drawn)) == 4
    assert len(drawn) <= 5  # it is known to be the same from the second time on

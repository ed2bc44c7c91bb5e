"""What listens to a run, and what happens to a listener that fails."""

from types import SimpleNamespace

import pluggy
import pytest

from benchkit.plugin import spec
from benchkit.session.listeners import Listeners


class Listening:
    """A listener that notes what it hears, and raises where it is told to."""

    def __init__(self, error=None):
        self.heard, self.error = [], error

    @spec.hookimpl
    def benchkit_trial_finished(self, record):
        self.heard.append(record)
        if self.error is not None:
            raise self.error


@pytest.fixture
def manager():
    manager = pluggy.PluginManager(spec.PROJECT)
    manager.add_hookspecs(spec)
    return manager


@pytest.fixture
def warnings():
    return []


@pytest.fixture
def listeners(manager, warnings):
    """The plugins that are registered when a run begins, which is when this is called."""
    return lambda **trackers: Listeners(
        SimpleNamespace(manager=manager), SimpleNamespace(warn=warnings.append), trackers
    )


def test_a_listener_gets_the_arguments_that_it_asks_for(manager, listeners, warnings):
    listening = Listening()
    manager.register(listening, name="one")
    listeners().call("benchkit_trial_finished", run=object(), record={"trial": "a"})
    assert listening.heard == [{"trial": "a"}]
    assert warnings == []


@pytest.mark.parametrize("error", [ValueError("no\nspace"), SystemExit(3)])
def test_one_that_fails_is_named_and_not_called_again(manager, listeners, warnings, error):
    failing, other = Listening(error), Listening()
    manager.register(failing, name="failing")
    manager.register(other, name="other")
    called = listeners()
    for trial in "ab":
        called.call("benchkit_trial_finished", run=object(), record={"trial": trial})
    assert [record["trial"] for record in failing.heard] == ["a"]
    assert [record["trial"] for record in other.heard] == ["a", "b"]
    (warning,) = warnings
    assert "plugin 'failing': benchkit_trial_finished failed" in warning
    assert "\n" not in warning


def test_ctrl_c_in_a_listener_stops_the_run(manager, listeners):
    manager.register(Listening(KeyboardInterrupt()), name="one")
    with pytest.raises(KeyboardInterrupt):
        listeners().call("benchkit_trial_finished", run=object(), record={})


def test_what_tracks_a_run_listens_in_that_run_alone(manager, listeners):
    one, two = Listening(), Listening()
    first, second = listeners(mlflow=one), listeners(mlflow=two)  # of one registry, at the same time
    first.call("benchkit_trial_finished", run=object(), record={"trial": "a"})
    second.call("benchkit_trial_finished", run=object(), record={"trial": "b"})
    assert [record["trial"] for record in one.heard] == ["a"]
    assert [record["trial"] for record in two.heard] == ["b"]
    assert not manager.has_plugin("mlflow-tracking")

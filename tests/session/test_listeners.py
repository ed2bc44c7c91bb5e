"""What listens to a run: called as pluggy calls it, and one that fails harms no other."""

import pytest

from benchkit.plugin import spec
from benchkit.plugin.declarations import Tracker
from benchkit.plugin.manager import discover
from benchkit.session.listeners import Listeners

PLUGIN = """
from benchkit import hookimpl

@hookimpl{options}
def benchkit_trial_finished(record):
    {body}
"""


@pytest.fixture
def call(write_plugin):
    """What plugin files note in a list that they are handed as the record, and what is warned of."""

    def call_it(times=1, **plugins):
        files = [write_plugin(PLUGIN.format(options=o, body=b), f"{name}.py") for name, (o, b) in plugins.items()]
        warnings, heard = [], []
        listeners = Listeners(discover(files), warnings.append)
        for _ in range(times):
            listeners.call("benchkit_trial_finished", run=None, record=heard)
        return heard, warnings

    return call_it


def test_the_order_is_pluggys(call):
    heard, warnings = call(
        last=("(trylast=True)", "record.append('last')"),
        first=("(tryfirst=True)", "record.append('first')"),
        plain=("", "record.append('plain')"),
    )
    assert (heard, warnings) == (["first", "plain", "last"], [])


@pytest.mark.parametrize(
    ("options", "body", "message"),
    [
        ("", "raise ValueError('no\\nspace')", "ValueError: no space"),
        ("", "raise SystemExit(3)", "SystemExit: 3"),
        ("(wrapper=True)", "yield", "has no result to wrap"),
    ],
)
def test_one_that_fails_is_named_once_and_heard_no_more(call, options, body, message):
    heard, (warning,) = call(2, bad=(options, body), good=("", "record.append('good')"))
    assert heard == ["good", "good"]
    assert warning.startswith("plugin 'bad': benchkit_trial_finished failed: ")
    assert message in warning


def test_ctrl_c_in_a_listener_stops_the_run(call):
    with pytest.raises(KeyboardInterrupt):
        call(one=("", "raise KeyboardInterrupt"))


def test_what_tracks_a_run_listens_in_that_run_alone():
    class Listening:
        def __init__(self, warn):
            self.heard = heard = []
            every.append(heard)

        @spec.hookimpl
        def benchkit_trial_finished(self, record):
            self.heard.append(record)

    every, registry = [], discover()
    first, second = (Listeners(registry, pytest.fail, [Tracker(name="ear", make=Listening)]) for _ in range(2))
    first.call("benchkit_trial_finished", run=object(), record="a")
    second.call("benchkit_trial_finished", run=object(), record="b")
    assert every == [["a"], ["b"]]

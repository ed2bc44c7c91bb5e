"""What listens to a run: called as pluggy calls it, and one that fails harms no other."""

import pytest

from benchkit.plugin import spec
from benchkit.plugin.manager import discover
from benchkit.session.listeners import Listeners
from benchkit.session.progress import Silent

PLUGIN = """
from benchkit import hookimpl

@hookimpl{options}
def benchkit_trial_finished(record):
    {body}
"""


class Watch(Silent):
    def __init__(self):
        self.warnings = []

    def warn(self, message):
        self.warnings.append(message)


class Listening:
    def __init__(self):
        self.heard = []

    @spec.hookimpl
    def benchkit_trial_finished(self, record):
        self.heard.append(record)


@pytest.fixture
def call(write_plugin):
    """What plugin files note in a list that they are handed as the record, and what is warned of."""

    def call_it(times=1, **plugins):
        files = [write_plugin(PLUGIN.format(options=o, body=b), f"{name}.py") for name, (o, b) in plugins.items()]
        watch, heard = Watch(), []
        listeners = Listeners(discover(files), watch)
        for _ in range(times):
            listeners.call("benchkit_trial_finished", run=None, record=heard)
        return heard, watch.warnings

    return call_it


def test_the_order_is_pluggys(call):
    heard, warnings = call(
        first=("(tryfirst=True)", "record.append('first')"),
        last=("(trylast=True)", "record.append('last')"),
        plain=("", "record.append('plain')"),
        around=("(wrapper=True)", "record.append('before'); yield; record.append('after')"),
        old=("(hookwrapper=True)", "record.append('old before'); yield; record.append('old after')"),
    )
    assert [each for each in heard if "before" not in each and "after" not in each] == ["first", "plain", "last"]
    assert heard.index("before") < heard.index("first") < heard.index("last") < heard.index("after")
    assert heard.index("old before") < heard.index("first") < heard.index("last") < heard.index("old after")
    assert warnings == []


@pytest.mark.parametrize(
    ("options", "body", "message"),
    [
        ("", "raise ValueError('no\\nspace')", "ValueError: no space"),
        ("", "raise SystemExit(3)", "SystemExit: 3"),
        ("(wrapper=True)", "1 / 0; yield", "ZeroDivisionError: division by zero"),
        ("(wrapper=True)", "yield; raise SystemExit(3)", "SystemExit: 3"),
        ("(wrapper=True)", "yield; yield", "RuntimeError: a wrapper yields once"),
    ],
)
def test_one_that_fails_is_named_once_and_heard_no_more(call, options, body, message):
    heard, warnings = call(2, bad=(options, body), good=("", "record.append('good')"))
    assert heard == ["good", "good"]
    assert warnings == [f"plugin 'bad': benchkit_trial_finished failed: {message}"]


def test_ctrl_c_in_a_listener_stops_the_run(call):
    with pytest.raises(KeyboardInterrupt):
        call(one=("", "raise KeyboardInterrupt"))


def test_what_tracks_a_run_listens_in_that_run_alone():
    registry, one, two = discover(), Listening(), Listening()
    first, second = (Listeners(registry, Watch(), {"tracking": each}) for each in (one, two))  # at the same time
    first.call("benchkit_trial_finished", run=object(), record={"trial": "a"})
    second.call("benchkit_trial_finished", run=object(), record={"trial": "b"})
    assert [record["trial"] for record in one.heard] == ["a"]
    assert [record["trial"] for record in two.heard] == ["b"]
    assert not registry.manager.has_plugin("tracking")

"""Listeners are called as pluggy calls them, and a failing one harms no other."""

import pytest

from benchkit.plugin.manager import discover
from benchkit.session.listeners import Listeners

PLUGIN = """
from benchkit import hookimpl
heard = []

@hookimpl{options}
def benchkit_trial_finished(record):
    {body}
"""


class Watch:
    def __init__(self):
        self.warnings = []

    def warn(self, message):
        self.warnings.append(message)


@pytest.fixture
def call(write_plugin):
    def call_it(times=1, **plugins):
        files = [write_plugin(PLUGIN.format(options=o, body=b), f"{name}.py") for name, (o, b) in plugins.items()]
        registry, watch, heard = discover(files), Watch(), []
        listeners = Listeners(registry, watch)
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
        ("", "1 / 0", "ZeroDivisionError: division by zero"),
        ("(wrapper=True)", "1 / 0; yield", "ZeroDivisionError: division by zero"),
        ("(wrapper=True)", "yield; raise SystemExit(3)", "SystemExit: 3"),
        ("(wrapper=True)", "yield; yield", "RuntimeError: a wrapper yields once"),
    ],
)
def test_one_that_fails_is_named_once_and_heard_no_more(call, options, body, message):
    heard, warnings = call(2, bad=(options, body), good=("", "record.append('good')"))
    assert heard == ["good", "good"]
    assert warnings == [f"plugin 'bad': benchkit_trial_finished failed: {message}"]

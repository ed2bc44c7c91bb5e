"""What `benchkit.run` and `benchkit.plan` are told arrives under its own name."""

import inspect
from dataclasses import fields

import pytest

import benchkit
from benchkit.session import run as session_run
from benchkit.session.options import ExecutionOptions, Request

CHECKED = {"shard": "2/5", "only": {"dataset": "breast"}, "within": 7.0, "most": 9}


class SeenError(Exception):
    """Ends a call when what it was told has been seen."""


def arriving(function, module, name, monkeypatch):
    """What a function is told under each name, every value being another, and what it hands on under it."""
    told = {name: CHECKED.get(name, object()) for name in inspect.signature(function).parameters}
    seen = {}

    def see(*handed):
        for each in handed:
            seen.update({field.name: getattr(each, field.name) for field in fields(each)})
        raise SeenError

    monkeypatch.setattr(module, name, see)
    with pytest.raises(SeenError):
        function(**told)
    return told, seen


def test_each_parameter_of_run_says_what_is_asked_or_how_it_is_carried_out(monkeypatch):
    told, seen = arriving(benchkit.run, session_run, "run_until_decided", monkeypatch)
    assert {name: seen[name] for name in told} == told
    assert not {field.name for field in fields(Request)} & {field.name for field in fields(ExecutionOptions)}


def test_a_plan_is_asked_for_as_a_run_is(monkeypatch):
    told, seen = arriving(benchkit.plan, session_run, "plan_suites", monkeypatch)
    assert {name: seen[name] for name in told} == told

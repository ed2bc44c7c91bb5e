"""What standard output cannot take ends in one line, or is written with fewer characters."""

import errno
import io
import resource
import sys

import pytest

from benchkit.cli import main as command_line
from benchkit.cli.interface.console import mistake


def ended(monkeypatch, call):
    monkeypatch.setattr(command_line, "app", lambda **_: call())
    with pytest.raises(SystemExit) as end:
        command_line.main()
    return end.value.code


def test_a_full_disk_behind_standard_output(monkeypatch, capfd):
    with open("/dev/full", "w") as full:  # a device that is always full
        monkeypatch.setattr(sys, "stdout", full)
        code = ended(monkeypatch, lambda: print("a" * 100_000, flush=True))
        monkeypatch.undo()
    assert code == 1
    said = capfd.readouterr().err
    assert said.startswith("benchkit: standard output: cannot write: ")
    assert said.count("\n") == 1


def test_characters_that_a_terminal_does_not_have(monkeypatch):
    bytes_ = io.BytesIO()
    monkeypatch.setattr(sys, "stdout", io.TextIOWrapper(bytes_, encoding="ascii"))
    assert not ended(monkeypatch, lambda: print("0.1 \xb1 0.2"))
    assert bytes_.getvalue() == b"0.1 ? 0.2\n"


def test_want_of_addresses(monkeypatch):
    errors = [
        MemoryError(),
        ImportError("x.so: failed to map segment"),
        OSError(errno.ENOMEM, "Cannot allocate memory"),
    ]
    assert [mistake(error) for error in errors] == [None] * 3
    monkeypatch.setattr(resource, "getrlimit", lambda which: (900 << 20, 900 << 20))
    for error in errors:
        assert mistake(error)[0].startswith("no room: this process may have 900 MB of addresses ('ulimit -v')")
    assert mistake(OSError(errno.EACCES, "no")) is None
    assert mistake(ValueError("no")) is None

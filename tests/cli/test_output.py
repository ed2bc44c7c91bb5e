"""What is printed where: on a pipe, in a log, without colour, after Ctrl-C; the help."""

import io
import sys
from types import SimpleNamespace

import pytest
import typer

from benchkit.cli import main as command_line
from benchkit.cli.interface import progress


def commands():
    """The words of every command, groups and what is in them included."""
    whole = typer.main.get_command(command_line.app)
    context = typer.Context(whole)
    yield []
    for name in whole.list_commands(context):
        yield [name]
        _, command, _ = whole.resolve_command(context, [name])
        yield from ([name, inner] for inner in getattr(command, "commands", ()))


@pytest.mark.parametrize("words", [*commands()], ids=lambda words: " ".join(words) or "benchkit")
def test_help_tells_exit_codes(here, words):
    found = here(*words, "--help", COLUMNS="80")
    assert found.returncode == 0
    text = " ".join(found.stdout.split())
    assert "Exit codes: 0 done; 1 some trials or checks failed; 2 wrong input" in text
    if words and words[0] in command_line.OWN_COMMANDS and len(words) == 1:
        _, _, summary = command_line.OWN_COMMANDS[words[0]]
        assert summary.split(":")[0].split(";")[0].rstrip(".") in text, "the list of commands says something else"


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
    line = capfd.readouterr().err
    assert line.startswith("benchkit: standard output: cannot write: ")
    assert line.count("\n") == 1


def test_characters_that_a_terminal_does_not_have(monkeypatch):
    bytes_ = io.BytesIO()
    monkeypatch.setattr(sys, "stdout", io.TextIOWrapper(bytes_, encoding="ascii"))
    assert not ended(monkeypatch, lambda: print("0.1 \xb1 0.2"))
    assert bytes_.getvalue() == b"0.1 ? 0.2\n"


SHORT = [f"breast | lp | #{place}" for place in range(4)]
LONG = ["penguins path=penguins.csv target=species | logistic-regression | random-delete budget=1.0 | #1"] * 2


@pytest.mark.parametrize(
    ("running", "ends"),
    [
        ([], "0 failed"),
        (SHORT[:1], "running: breast | lp | #0"),
        (SHORT, "running: breast | lp | #0; breast | lp | #1 and 2 more"),
        (LONG, "; 2 running"),
    ],
)
def test_a_line_of_a_log_fits_eighty_columns(running, ends, monkeypatch, capsys):
    monkeypatch.setattr(progress, "_PLAIN_INTERVAL", 0.0)
    watch = progress.PlainProgress()
    watch.started(SimpleNamespace(suite="s", planned={}, reused=()), 4)
    watch.done = 1
    watch.tick(running)
    _, line = capsys.readouterr().err.splitlines()
    assert line.endswith(ends)
    assert len(line) <= 80

"""Shell completion offers the commands, in bash, zsh and fish; a process imports nothing heavy for it."""

import pytest


def line(shell, words):
    """The environment in which a shell asks what fits on a line."""
    return {"_BENCHKIT_COMPLETE": f"complete_{shell}"} | {
        "bash": {"COMP_WORDS": words, "COMP_CWORD": str(len(words.split(" ")) - 1)},
        "zsh": {"_TYPER_COMPLETE_ARGS": words},
        "fish": {"_TYPER_COMPLETE_ARGS": words, "_TYPER_COMPLETE_FISH_ACTION": "get-args"},
    }[shell]


@pytest.mark.parametrize("shell", ["bash", "zsh", "fish"])
def test_every_shell(shell, process, light):
    done = process(command=light, **line(shell, "benchkit re"))
    assert "report" in done.stdout
    assert done.stderr == "[]\n"

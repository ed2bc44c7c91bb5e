"""Shell completion offers what there is, in bash, zsh and fish; a process imports nothing heavy for it."""

import pytest


def line(shell, words):
    """The environment in which a shell asks what fits on a line."""
    return {"_BENCHKIT_COMPLETE": f"complete_{shell}"} | {
        "bash": {"COMP_WORDS": words, "COMP_CWORD": str(len(words.split(" ")) - 1)},
        "zsh": {"_TYPER_COMPLETE_ARGS": words},
        "fish": {"_TYPER_COMPLETE_ARGS": words, "_TYPER_COMPLETE_FISH_ACTION": "get-args"},
    }[shell]


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    made = tmp_path_factory.mktemp("completion")
    for name in ("20260101-000000-abcd", "20260102-000000-abcd"):
        (made / "runs" / "quickstart" / name).mkdir(parents=True)
        (made / "runs" / "quickstart" / name / "manifest.json").write_text("{}")
    (made / "mine.yaml").write_text("name: mine\nprofiles: {quick: {seed: 1}, quiet: {seed: 2}}\n")
    (made / "my_method.py").touch()
    return made


@pytest.mark.parametrize("shell", ["bash", "zsh", "fish"])
def test_every_shell(shell, process, light):
    done = process(command=light, **line(shell, "benchkit run qu"))
    assert "quickstart" in done.stdout
    assert done.stderr == "[]\n"


@pytest.mark.parametrize(
    ("words", "offered", "withheld"),
    [
        ("benchkit re", {"report"}, {"run"}),
        ("benchkit nothing ", {"run"}, set()),
        ("benchkit run qu", {"quickstart"}, {"spambase-deletion"}),
        ("benchkit run m", {"mine.yaml"}, {"my_method.py"}),
        ("benchkit run mine.yaml --profile qui", {"quick", "quiet"}, set()),
        ("benchkit run quickstart --plugin m", {"my_method.py"}, {"mine.yaml"}),
        ("benchkit run quickstart --add sec", {"sec-svm"}, {"svm"}),
        ("benchkit run quickstart --executor l", {"local"}, {"inline"}),
        ("benchkit report ", {"runs/quickstart", "runs/quickstart/20260101-000000-abcd"}, {"mine.yaml"}),
        ("benchkit report runs/quickstart/20260102", {"runs/quickstart/20260102-000000-abcd"}, {"runs/quickstart"}),
        ("benchkit show greedy", {"greedy-delete", "greedy-error"}, {"lp"}),
        ("benchkit show quick", {"quickstart"}, set()),
        ("benchkit show b", {"baselines", "breast"}, {"k-fold"}),
        ("benchkit show k", {"k-fold"}, {"baselines"}),
        ("benchkit check b", {"baselines"}, {"datasets"}),
        ("benchkit check my", {"my_method.py"}, {"mine.yaml"}),
        ("benchkit data get spam", {"spambase"}, {"mnist"}),
        ("benchkit list a", {"algorithms", "adversaries"}, set()),
        ("benchkit new plugin x --kind m", {"metric"}, set()),
    ],
)
def test_arguments_and_options(words, offered, withheld, folder, call_benchkit):
    found = set(call_benchkit(folder, **line("bash", words)).stdout.split())
    assert offered <= found
    assert not withheld & found

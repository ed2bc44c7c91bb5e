"""Shell completion offers what there is, in bash, zsh and fish, and imports nothing heavy."""

import json
import os
import subprocess
import sys

import pytest

CODE = """
import atexit, json, sys
sys.argv = ["benchkit"]
atexit.register(lambda: print(json.dumps([name for name in {heavy!r} if name in sys.modules]), file=sys.stderr))
from benchkit.cli.main import main
main()
"""
HEAVY = ("mlflow", "sklearn", "pandas", "matplotlib", "numpy")


def complete(shell, words, folder):
    environment = {
        "bash": {"COMP_WORDS": words, "COMP_CWORD": str(len(words.split(" ")) - 1)},
        "zsh": {"_TYPER_COMPLETE_ARGS": words},
        "fish": {"_TYPER_COMPLETE_ARGS": words, "_TYPER_COMPLETE_FISH_ACTION": "get-args"},
    }[shell]
    done = subprocess.run(
        [sys.executable, "-c", CODE.format(heavy=HEAVY)],
        env={**os.environ, **environment, "_BENCHKIT_COMPLETE": f"complete_{shell}"},
        capture_output=True,
        text=True,
        cwd=folder,
        check=False,
    )
    assert json.loads(done.stderr.splitlines()[-1]) == []
    return done.stdout


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    made = tmp_path_factory.mktemp("completion")
    for name in ("20260101-000000-abcd", "20260102-000000-abcd"):
        (made / "runs" / "quickstart" / name).mkdir(parents=True)
        (made / "runs" / "quickstart" / name / "manifest.json").write_text("{}")
    (made / "mine.yaml").write_text("name: mine\nprofiles: {quick: {seed: 1}, quiet: {seed: 2}}\n")
    (made / "my_method.py").touch()
    return made


@pytest.mark.parametrize("shell", ["zsh", "fish"])
def test_other_shells(shell, folder):
    assert "quickstart" in complete(shell, "benchkit run qu", folder)


@pytest.mark.parametrize(
    ("words", "offered", "withheld"),
    [
        ("benchkit re", {"report"}, {"run"}),
        ("benchkit run qu", {"quickstart"}, {"spambase-deletion"}),
        ("benchkit run m", {"mine.yaml"}, {"my_method.py"}),
        ("benchkit run mine.yaml --profile qui", {"quick", "quiet"}, set()),
        ("benchkit run quickstart --plugin m", {"my_method.py"}, {"mine.yaml"}),
        ("benchkit run quickstart --add sec", {"sec-svm"}, {"svm"}),
        ("benchkit run quickstart --executor l", {"local"}, {"inline"}),
        ("benchkit run quickstart --executor dask --executor-option sch", {"scheduler="}, {"jobs="}),
        ("benchkit report ", {"runs/quickstart", "runs/quickstart/20260101-000000-abcd"}, {"mine.yaml"}),
        ("benchkit report runs/quickstart/20260102", {"runs/quickstart/20260102-000000-abcd"}, {"runs/quickstart"}),
        ("benchkit show greedy", {"greedy-delete", "greedy-error"}, {"lp"}),
        ("benchkit show quick", {"quickstart"}, set()),
        ("benchkit check b", {"baselines"}, {"datasets"}),
        ("benchkit check my", {"my_method.py"}, {"mine.yaml"}),
        ("benchkit data get spam", {"spambase"}, {"mnist"}),
        ("benchkit list a", {"algorithms", "adversaries"}, set()),
        ("benchkit new plugin x --kind m", {"metric"}, set()),
    ],
)
def test_arguments_and_options(words, offered, withheld, folder):
    found = set(complete("bash", words, folder).split())
    assert offered <= found
    assert not withheld & found

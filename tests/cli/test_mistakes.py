"""Whatever is written on the command line, a mistake ends in one line and exit code 2."""

import sys

import pytest

from benchkit.cli.main import main

SUITE = "name: t\ndatasets: [breast]\nsplit: {train: 20, test: 20}\nalgorithms: [constant]\n"
LONG = "o" * 5000


@pytest.fixture
def call(tmp_path, monkeypatch, capsys):
    """Call benchkit in a folder with a suite; return its exit code and what it printed on standard error."""
    monkeypatch.chdir(tmp_path)
    (tmp_path / "s.yaml").write_text(SUITE)

    def run(*arguments):
        monkeypatch.setattr(sys, "argv", ["benchkit", *arguments])
        with pytest.raises(SystemExit) as ended:
            main()
        return ended.value.code, capsys.readouterr().err

    return run


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["plan", "s.yaml", "--shard", "\u0661/\u0662"], "expected I/N"),
        (["plan", "s.yaml", "--shard", "1/" + "9" * 5000], "expected I/N"),
        (["plan", "s.yaml", "--out", LONG], "too long for the system"),
        (["clean", "--out", LONG], "too long for the system"),
        (["debug", "x", "--out", LONG], "too long for the system"),
        (["report", LONG], "too long for the system"),
        (["compare", LONG, "runs"], "too long for the system"),
        (["merge", LONG], "too long for the system"),
        (["check", LONG + ".py"], "too long for the system"),
        (["plan", LONG + ".yaml"], "too long"),
        (["plan", "s.yaml", "--set", "seed=1" + "0" * 5000], "not valid YAML"),
        (
            ["plan", "s.yaml", "--set", "datasets=[{name: digits, pair: [4]}]"],
            "pair is [4], expected two different classes such as [4, 7]",
        ),
        (
            ["run", "s.yaml", "--set", "datasets=[{name: digits, pair: [4]}]"],
            "pair is [4], expected two different classes such as [4, 7]",
        ),
        (["list", "--plugin", "nope.py"], "no such plugin file: nope.py"),
        (["list", "--plugin", LONG], "too long for the system"),
        (["list", "--plugin", "s.yaml"], "s.yaml"),
        (["show", "svm", "--plugin", "nope.py"], "no such plugin file: nope.py"),
    ],
    ids=lambda value: " ".join(value)[:40] if isinstance(value, list) else None,
)
def test_one_line_and_exit_code_2(call, arguments, message):
    code, told = call(*arguments)
    assert (code, told.count("\n")) == (2, 1)
    assert message in told
    assert len(told) < 600


@pytest.mark.parametrize("place", [".", "..", "/", "runs"])
def test_a_bundle_is_a_file(call, tmp_path, place):
    home = tmp_path / "runs" / "t" / "1"
    home.mkdir(parents=True)
    (home / "manifest.json").write_text(
        '{"run": "1", "suite": "t", "title": "", "trials": [], "suite_as_run": {}, "greater_is_better": {}}'
    )
    code, told = call("report", "runs/t", "--format", "bundle", "-o", place)
    assert (code, told.count("\n")) == (2, 1)
    assert "a folder, expected a file such as t.tar.gz" in told

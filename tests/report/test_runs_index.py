"""The list of all runs of a folder, which each run writes anew."""

import re

import pytest

from benchkit import run
from benchkit.cli.main import main


@pytest.fixture
def out(tiny, tmp_path):
    for name in ("first", "second"):
        run({**tiny, "name": name, "title": f"The {name} <suite>"}, out=tmp_path / "runs", executor="inline")
    return tmp_path / "runs"


def test_every_run_is_listed_with_its_state_answer_and_report(out):
    (out / "first" / "broken").mkdir()
    (out / "first" / "broken" / "manifest.json").write_text("{")
    run(
        {"name": "third", "datasets": ["breast"], "algorithms": ["constant"], "split": {"train": 20, "test": 20}},
        out=out,
    )
    page = (out / "index.html").read_text()
    links = re.findall(r'href="([^"#]+report\.html)"', page)
    assert {link.split("/")[0] for link in links} == {"first", "second", "third"}
    assert all((out / link).is_file() for link in links)
    assert "<suite>" not in page
    assert "unreadable" in page
    assert not list(out.glob(".index*"))


def test_it_is_opened_by_the_command(out, monkeypatch, capsys):
    opened = []
    monkeypatch.setattr("webbrowser.open", opened.append)
    for folder, code in ((out, 0), (out / "none", 2)):
        monkeypatch.setattr("sys.argv", ["benchkit", "ui", "--index", "--out", str(folder)])
        with pytest.raises(SystemExit) as ended:
            main()
        assert (ended.value.code or 0) == code
    assert opened == [(out / "index.html").as_uri()]
    assert capsys.readouterr().out == f"runs: {opened[0]}\n"

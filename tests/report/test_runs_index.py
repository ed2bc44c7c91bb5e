"""The list of all runs of a folder, which each run writes anew."""

import re

from benchkit import run


def test_every_run_is_listed_with_its_state_and_report_and_opened_by_the_command(
    tiny, tmp_path, monkeypatch, call_benchkit
):
    out = tmp_path / "runs"
    for name in ("first", "second"):
        run({**tiny, "name": name, "title": f"The {name} <suite>"}, out=out, executor="inline")
        (out / "first" / "broken").mkdir(exist_ok=True)
        (out / "first" / "broken" / "manifest.json").write_text("{")
    page = (out / "index.html").read_text()
    links = re.findall(r'href="([^"#]+report\.html)"', page)
    assert {link.split("/")[0] for link in links} == {"first", "second"}
    assert all((out / link).is_file() for link in links)
    assert "<suite>" not in page
    assert "unreadable" in page
    opened = []
    monkeypatch.setattr("webbrowser.open", opened.append)
    assert call_benchkit(tmp_path, "ui", "--index").returncode == 0
    assert call_benchkit(tmp_path, "ui", "--index", "--out", "none").returncode == 2
    assert opened == [(out / "index.html").as_uri()]

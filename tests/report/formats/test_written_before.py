"""A run with nothing to do copies what does not name it, and draws anew where anything else would be seen."""

from pathlib import Path

import pytest

from benchkit import run
from benchkit.report.formats import files, written_before
from benchkit.report.plots import all_plots


@pytest.fixture
def drawn(monkeypatch):
    """How often figures were drawn and tables of records written."""
    calls = []
    for module, name in ((all_plots, "write_plots"), (files, "write_parquet")):
        real = getattr(module, name)
        monkeypatch.setattr(module, name, lambda *given, real=real, name=name: (calls.append(name), real(*given))[1])
    return calls


def _again(suite, tmp_path, **options):
    return run(suite, out=tmp_path / "runs", tracking=False, plots=True, jobs=1, executor="inline", **options).folder


def _contents(folder: Path, names):
    return {
        str(path.relative_to(folder)): path.read_bytes()
        for name in names
        for path in sorted((folder / name).rglob("*") if (folder / name).is_dir() else [folder / name])
    }


NAMES = ("plots", "points.csv", "records.parquet")


def test_nothing_new_is_copied(tiny, tmp_path, drawn):
    first = _again(tiny, tmp_path)
    assert sorted(drawn) == ["write_parquet", "write_plots"]
    second = _again(tiny, tmp_path)
    assert len(drawn) == 2
    assert first != second
    assert _contents(second, NAMES) == _contents(first, NAMES)
    assert len(_contents(second, NAMES)) > 3
    assert (second / "report.html").exists()
    assert second.name in (second / "report.html").read_text()


@pytest.mark.parametrize(
    "change",
    ["rows", *(pytest.param(each, marks=pytest.mark.whole) for each in ("title", "damaged manifest", "files gone"))],
)
def test_what_would_look_otherwise_is_drawn(tiny, tmp_path, drawn, change):
    first = _again(tiny, tmp_path)
    if change == "rows":
        tiny["split"]["repetitions"] = 3
    elif change == "title":
        tiny["title"] = "Another"
    elif change == "damaged manifest":
        (first / "manifest.json").write_text("{")
    else:
        for path in (*(first / "plots").iterdir(), first / "records.parquet"):
            path.unlink()
        (first / "plots").rmdir()
    second = _again(tiny, tmp_path)
    assert len(drawn) == 4
    assert list((second / "plots").iterdir())


def test_code_of_the_report_is_part_of_the_key(tiny, tmp_path, drawn, monkeypatch):
    _again(tiny, tmp_path)
    real = Path.read_bytes
    monkeypatch.setattr(Path, "read_bytes", lambda path: real(path) + b"#" * (path.name == "style.py"))
    _again(tiny, tmp_path)
    assert len(drawn) == 4


@pytest.mark.parametrize("inside", [False, True])
def test_links_of_an_earlier_run_are_not_copied(tmp_path, monkeypatch, inside):
    """Copying one to a device would not end."""
    before, now = tmp_path / "1", tmp_path / "2"
    for folder in (before, now):
        folder.mkdir()
    (tmp_path / "other").write_text("of somebody else")
    place = before / "plots" / "curve.svg" if inside else before / "points.csv"
    place.parent.mkdir(exist_ok=True)
    place.symlink_to(tmp_path / "other")
    (before / "records.parquet").write_bytes(b"rows")
    monkeypatch.setattr(written_before, "read_manifest", lambda folder: {"written": "k"})
    names = ("plots",) if inside else ("points.csv",)
    assert written_before.take_over(now, "k", (*names, "records.parquet")) == {"records.parquet"}
    assert not (now / names[0]).exists()

"""A report is written into files of its own: never through what whoever made the run put in their places."""

import os

import pytest

from benchkit.journal import JournalError
from benchkit.report.files import write_files


@pytest.mark.parametrize("kind", ["device", "pipe", "link", "other"])
@pytest.mark.parametrize("name", ["plots", "summary.md", "report.html", "plots/curve.svg"])
def test_a_report_is_written_through_no_link(tmp_path, name, kind):
    elsewhere = tmp_path / "elsewhere"
    elsewhere.write_text("mine")
    path = tmp_path / "run" / name
    path.parent.mkdir(parents=True)
    if kind == "pipe":
        os.mkfifo(path)
    elif kind == "other":
        path.write_text("") if name == "plots" else path.mkdir()
    else:
        path.symlink_to("/dev/full" if kind == "device" else elsewhere)
    with pytest.raises(JournalError, match=f"{name} is no f.* of a report but"):
        write_files(None, tmp_path / "run", plots=True)
    assert elsewhere.read_text() == "mine"

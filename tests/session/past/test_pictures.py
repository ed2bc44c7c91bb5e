"""Pictures show what the adversary of the run's own trial did."""

import pytest
from typer.testing import CliRunner

import benchkit
from benchkit.cli.main import app
from benchkit.journal import JournalError
from benchkit.session.past import pictures as picturing
from benchkit.suite.source import SuiteError


@pytest.fixture
def digits(tiny, write_suite, tmp_path):
    """A run on two pairs of digits of 8 x 8 pixels."""
    tiny["datasets"] = [{"name": "digits", "pair": [3, 5]}, {"name": "digits", "pair": [1, 7]}]
    tiny["preprocess"] = []
    tiny["adversaries"] = [{"name": "greedy-delete", "budgets": [0, 4]}]
    return benchkit.run(write_suite(tiny), out=tmp_path / "runs", executor="inline", tracking=False, plots=False)


def test_one_figure_per_dataset_algorithm_and_adversary(digits, monkeypatch):
    drawn = []

    def draw(images, deleted, titles, columns, title):
        drawn.append((images, deleted, titles, title))
        return original(images, deleted, titles, columns, title)

    original = picturing.deleted_pixels
    monkeypatch.setattr(picturing, "deleted_pixels", draw)
    paths = picturing.picture(digits.folder, {"algorithm": "svm"}, count=3)
    assert [path.name for path in paths if path.suffix == ".png"] == [
        "pixels-digits-pair-3-5-svm-greedy-delete-4.0.png",
        "pixels-digits-pair-1-7-svm-greedy-delete-4.0.png",
    ]
    assert all(path.stat().st_size > 1000 for path in paths)
    for images, deleted, titles, title in drawn:
        assert images.shape == deleted.shape == (6, 8, 8)
        assert deleted.any(axis=(1, 2)).all()
        assert deleted.sum(axis=(1, 2)).max() <= 4
        assert (images[deleted] > 0).all()  # a pixel that is 0 is not changed
        assert len(titles) == 6
        assert "budget=4" in title


def test_rows_that_are_no_images(digits, tiny, write_suite, tmp_path):
    with pytest.raises(JournalError, match=r"64 features, which are no image of 3 x 3"):
        picturing.picture(digits.folder, shape=(3, 3))
    with pytest.raises(SuiteError, match="selects no trial"):
        picturing.picture(digits.folder, {"algorithm": "lp"})
    tiny |= {"name": "bare", "adversaries": [], "datasets": ["breast"]}
    bare = benchkit.run(write_suite(tiny), out=tmp_path / "runs", executor="inline", tracking=False, plots=False)
    with pytest.raises(JournalError, match="no trial of its first repetition has an adversary"):
        picturing.picture(bare.folder)


def test_the_command(digits):
    found = CliRunner().invoke(app, ["pictures", str(digits.folder), "--only", "algorithm=svm", "--shape", "4x16"])
    assert found.exit_code == 0, found.output
    assert found.stdout.count(".png") == 2
    wrong = CliRunner().invoke(app, ["pictures", str(digits.folder), "--shape", "wide"])
    assert "expected HEIGHTxWIDTH" in str(wrong.exception)

"""No secret of the tracking address is ever printed."""

import logging

import pytest

from benchkit import TrackingError
from benchkit.plugin.spec import Run
from benchkit_mlflow.connection import explained, hide_secrets, masked, quiet_mlflow, sqlite_file


@pytest.mark.parametrize(
    ("uri", "printed"),
    [
        ("postgresql://ann:s3cret@db/mlflow", "postgresql://***@db/mlflow"),
        ("postgresql+psycopg2://ann:s3%40cret@db:5432/mlflow", "postgresql+psycopg2://***@db:5432/mlflow"),
        ("http://ann:s3/c@ret@host:5000", "http://***@host:5000"),  # not quoted as it should be
        ("https://s3cret@host/path", "https://***@host/path"),  # a token
        (
            "mysql://db/mlflow?user=ann&password=s3cret&charset=utf8",
            "mysql://db/mlflow?user=ann&password=***&charset=utf8",
        ),
        ("http://host:5000", "http://host:5000"),
        ("sqlite:////tmp/runs/mlflow.db", "sqlite:////tmp/runs/mlflow.db"),
    ],
)
def test_an_address_is_printed_without_secrets(uri, printed):
    assert masked(uri) == printed


def test_a_message_is_printed_without_the_password_as_written_and_as_decoded(monkeypatch):
    uri = "postgresql://ann:s3%40cret@db/mlflow"
    message = "no connection as ann with s3@cret to postgresql://ann:s3%40cret@db/mlflow"
    assert hide_secrets(message, uri) == "no connection as ann with *** to postgresql://***@db/mlflow"
    monkeypatch.setenv("MLFLOW_TRACKING_TOKEN", "t0ken")
    assert hide_secrets("refused: t0ken", "http://host") == "refused: ***"


def test_only_files_of_sqlite_are_files():
    assert str(sqlite_file("sqlite:////tmp/a b/mlflow.db?timeout=3")) == "/tmp/a b/mlflow.db"
    assert sqlite_file("sqlite:///:memory:") is None
    assert sqlite_file("postgresql://db/mlflow") is None


@pytest.fixture
def a_run(tmp_path):
    folder = tmp_path / "runs" / "tiny" / "1"
    names = {"suite": "tiny", "title": "", "profile": "", "id": "1", "command": ""}
    return Run(**names, folder=folder, out=tmp_path / "runs", planned={}, metrics=("error",), reused=(), results=list)


def test_an_error_and_its_traceback_hide_the_password(a_run, monkeypatch):
    monkeypatch.setenv("MLFLOW_TRACKING_URI", "http://ann:s3cret@127.0.0.1:9")
    with pytest.raises(TrackingError) as raised, explained(a_run):
        raise ConnectionError("API request to http://ann:s3cret@127.0.0.1:9/api failed")
    assert str(raised.value).endswith(
        "MLflow at http://***@127.0.0.1:9: ConnectionError: API request to http://***@127.0.0.1:9/api failed"
    )
    assert raised.value.__suppress_context__


def test_log_lines_of_mlflow_hide_it_too(monkeypatch, capsys):
    monkeypatch.setenv("MLFLOW_TRACKING_URI", "http://ann:s3cret@127.0.0.1:9")
    quiet_mlflow()
    logger = logging.getLogger("mlflow.tracking")
    try:
        raise ConnectionError("s3cret")
    except ConnectionError:
        logger.exception("asked %s", "http://ann:s3cret@127.0.0.1:9")
    printed = capsys.readouterr().err
    assert "asked http://***@127.0.0.1:9" in printed
    assert "s3cret" not in printed

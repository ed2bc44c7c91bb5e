"""A dashboard as MLflow creates it, once for all tests, and runs that go there; a port for a server of a test."""

import random
import socket

import pytest
from filelock import FileLock

import benchkit
from benchkit_mlflow.connection import check_reachable, quiet_mlflow


@pytest.fixture(scope="session")
def created_database(tmp_path_factory, request):
    """The bytes of a database as MLflow creates it, which takes seconds: all workers share it."""
    base = tmp_path_factory.getbasetemp()
    path = (base.parent if hasattr(request.config, "workerinput") else base) / "created" / "mlflow.db"
    path.parent.mkdir(exist_ok=True)
    with FileLock(f"{path.parent}.lock"):
        if not path.exists():
            check_reachable(f"sqlite:///{path}")
    return path.read_bytes()


@pytest.fixture
def dashboard(created_database, tmp_path):
    path = tmp_path / "runs" / "mlflow.db"
    path.parent.mkdir(exist_ok=True)
    path.write_bytes(created_database)
    return path


@pytest.fixture
def client(dashboard):
    return quiet_mlflow().MlflowClient(f"sqlite:///{dashboard}")


@pytest.fixture
def run(dashboard, tiny, write_suite, tmp_path):
    """Run the tiny suite, some of its keys being others, in this process and with tracking."""

    def run(out="runs", suite=(), **options):
        given = {"out": tmp_path / out, "executor": "inline", "tracking": True, **options}
        return benchkit.run(write_suite({**tiny, **dict(suite)}), **given)

    return run


@pytest.fixture
def logged():
    """What MLflow has of a suite: the runs that have its files, one for each invocation, and those of methods."""

    def logged(client, suite="tiny"):
        found = client.search_runs([client.get_experiment_by_name(suite).experiment_id])
        methods = [each for each in found if "algorithm" in each.data.params]
        return [each for each in found if each not in methods], methods

    return logged


@pytest.fixture
def free_port():
    """One below those that bind(0) and every connection take, of which one that was free a moment ago may be taken."""
    draw = random.SystemRandom()  # processes that test at the same time draw others
    for _ in range(1000):
        port = draw.randrange(20_000, 32_000)
        with socket.socket() as trial:
            try:
                trial.bind(("127.0.0.1", port))
            except OSError:
                continue
            return port
    pytest.fail("no port is free from 20000 to 31999")

"""Plugin of `bench-scale`: each fit does a piece of work of a size in a fresh process, noting CPU seconds and memory.

Run as a program it does one: `python scale_works.py WORK SIZE SEED`.
"""

import importlib.util
import json
import os
import resource
import subprocess
import sys
import tempfile
import time
from pathlib import Path

import numpy as np
from sklearn.base import BaseEstimator, ClassifierMixin

from benchkit import Algorithm, Metric, hookimpl

_ONE_THREAD = {name: "1" for name in ("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS", "NUMBA_NUM_THREADS")}
_STREAM = Path(__file__).parents[1] / "examples" / "stream_parquet.py"


def _labelled(X, rng, noise):
    """Labels 0 and 1 by a random direction, with noise of so many times its scores' spread."""
    scores = X @ rng.normal(size=X.shape[1])
    return (scores + noise * scores.std() * rng.normal(size=len(scores)) > 0).astype(int)


def _thin(m, n, each, rng):
    """Rows of ``each`` entries among n columns."""
    from scipy import sparse

    columns = np.concatenate([rng.choice(n, each, replace=False) for _ in range(m)])
    return sparse.csr_matrix((rng.random(m * each), columns, np.arange(0, m * each + 1, each)), (m, n))


def lp_wide(m, rng, box):
    """Lp on m x 2.5 m, 50 entries a row, 2 features deleted, gap 1e-3; the box is ``box`` / P."""
    from benchkit_feature_noise.estimators.lp import RobustLinearProgram

    n = 5 * m // 2
    X = _thin(m, n, 50, rng)
    y = _labelled(X, rng, 0.0)
    model = RobustLinearProgram(C=box / (n - 2), noise_budget=2.0, tol=1e-3)
    RobustLinearProgram(C=model.C, noise_budget=2.0, tol=1.0).fit(X[: m // 2], y[: m // 2])  # compiles
    return lambda: model.fit(X, y)


def lp_tall(m, rng):
    """Lp on m x 784, dense, 39 features deleted, gap 1e-4."""
    from benchkit_feature_noise.estimators.lp import RobustLinearProgram

    X = rng.normal(size=(m, 784))
    y = _labelled(X, rng, 0.5)
    model = RobustLinearProgram(C=0.05, noise_budget=39.0, tol=1e-4)
    RobustLinearProgram(C=0.05, noise_budget=39.0, tol=0.1).fit(X[:200], y[:200])
    return lambda: model.fit(X, y)


def o2b(m, rng):
    """O2b on m x 50, dense."""
    from benchkit_feature_noise.estimators.o2b import OnlineToBatchPerceptron

    X = rng.standard_normal((m, 50))
    y = _labelled(X, rng, 0.3)
    model = OnlineToBatchPerceptron(C=0.1, noise_budget=5.0, random_state=0)
    model.fit(X[:100], y[:100])
    return lambda: model.fit(X, y)


def o2b_parquet(m, rng):
    """O2b on m x 20 in a Parquet file of row groups of 100,000, by the example that reads one at a time."""
    import pyarrow as pa
    import pyarrow.parquet as pq

    specification = importlib.util.spec_from_file_location("stream_parquet", _STREAM)
    example = importlib.util.module_from_spec(specification)
    specification.loader.exec_module(example)
    direction = rng.normal(size=20)
    names = [f"x{j}" for j in range(20)]
    schema = pa.schema([*((name, pa.float64()) for name in names), ("y", pa.int8())])
    with pq.ParquetWriter("rows.parquet", schema, compression="none", use_dictionary=False) as file:
        for _ in range(0, m, 100_000):
            X = rng.standard_normal((100_000, 20))
            y = (X @ direction + rng.standard_normal(len(X)) > 0).astype(np.int8)
            file.write_table(pa.table([*X.T, y], schema=schema), row_group_size=len(X))
    return lambda: example.learn("rows.parquet", "y", C=0.1, noise_budget=2.0)


def torrent(n, rng):
    """TORRENT, told 20 % corruption, on n x 2 n, a fifth of the features kept, all at once."""
    from benchkit_robust_regression.estimators.torrent import Torrent

    p = 2 * n
    X, weights = rng.standard_normal((n, p)), np.zeros(p)
    true = rng.choice(p, p // 5, replace=False)
    weights[true] = rng.standard_normal(len(true))
    y = X @ weights / np.linalg.norm(weights) + 0.1 * rng.standard_normal(n)
    y[rng.choice(n, n // 5, replace=False)] += rng.uniform(-5, 5, n // 5)
    model = Torrent(corruption=0.2, n_selected=p // 5)
    return lambda: model.fit(X, y)


WORKS = {
    "lp-wide": lambda size, rng: lp_wide(size, rng, 50.0),
    "lp-wide-large-box": lambda size, rng: lp_wide(size, rng, 1000.0),
    "lp-tall": lp_tall,
    "o2b": o2b,
    "o2b-parquet": o2b_parquet,
    "torrent": torrent,
}


class ScaleWork(ClassifierMixin, BaseEstimator):
    """Learns nothing; a fresh process does a piece of work meanwhile, on data that differ with the seed.

    Parameters
    ----------
    work : str
        One of `WORKS`.
    size : int
        Rows.
    random_state : int

    Attributes
    ----------
    reached_ : float
        CPU seconds of the work, its data and what is compiled apart.
    megabytes_ : float
        Peak memory of its process, data and libraries included.
    """

    def __init__(self, work="o2b", size=1000, random_state=0):
        self.work, self.size, self.random_state = work, size, random_state

    def fit(self, X, y):
        self.classes_ = np.unique(y)
        command = [sys.executable, str(Path(__file__).resolve()), self.work, str(self.size), str(self.random_state)]
        with tempfile.TemporaryDirectory() as folder:
            done = subprocess.run(
                command, cwd=folder, env=os.environ | _ONE_THREAD, capture_output=True, text=True, check=False
            )
        if done.returncode:
            raise RuntimeError(f"{self.work} ended with {done.returncode}: {done.stderr[-500:]}")
        self.reached_, self.megabytes_ = json.loads(done.stdout.splitlines()[-1])
        return self

    def predict(self, X):
        return np.full(len(X), self.classes_[0])


@hookimpl
def benchkit_algorithms():
    return [Algorithm(name="scale", make=ScaleWork, summary="Does a piece of work of a size in a fresh process.")]


@hookimpl
def benchkit_metrics():
    return [
        Metric(name="work-seconds", compute=lambda evaluation: evaluation.model.reached_, summary="CPU s of the work."),
        Metric(name="work-megabytes", compute=lambda evaluation: evaluation.model.megabytes_, summary="Its peak MB."),
    ]


if __name__ == "__main__":
    work = WORKS[sys.argv[1]](int(sys.argv[2]), np.random.default_rng(int(sys.argv[3])))
    before = time.process_time()
    work()
    spent = time.process_time() - before
    print(json.dumps([spent, resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024]))

"""What the structured method is said to need, against what it takes."""

import tracemalloc

import numpy as np
import pytest
from scipy.sparse import csr_matrix

from benchkit import memory_limit
from benchkit_feature_noise.estimators.fdrop import FeatureDroppingSVM
from benchkit_feature_noise.estimators.lp import RobustLinearProgram
from benchkit_feature_noise.solvers import interior_point, newton_systems, structured
from benchkit_feature_noise.solvers.programs import lp_program, reduce
from benchkit_feature_noise.solvers.structured import needed_megabytes


@pytest.mark.parametrize(
    ("m", "n", "each", "threads", "budget", "by_rows"),
    [
        (3000, 80, 80, 1, 5.0, False),
        (3000, 80, 80, 1, 5.0, True),
        (3000, 80, 10, 1, 2.0, True),
        (120, 900, 10, 1, 2.0, False),
        (120, 900, 10, 1, 0.0, False),
    ],
)
def test_it_needs_no_more_than_it_says(monkeypatch, m, n, each, threads, budget, by_rows):
    rng = np.random.default_rng(0)
    monkeypatch.setattr(newton_systems, "_WIDE", 1 if by_rows else 10**9)
    monkeypatch.setattr(newton_systems, "_FILLED", np.inf)
    columns = np.concatenate([rng.choice(n, each, replace=False) for _ in range(m)])
    X = csr_matrix((rng.random(m * each) + 0.1, columns, np.arange(0, m * each + 1, each)), (m, n))
    y = np.where(X @ rng.normal(size=n) > 0, 1.0, -1.0)
    program = lp_program(reduce(X, np.ones(n)), y, 0.5, budget, 1.0, True)
    structured.solve(program, budget, 1e-2, 3, threads)  # compiles
    tracemalloc.start()
    structured.solve(program, budget, 1e-2, 3, threads)
    taken = tracemalloc.get_traced_memory()[1] / 2**20
    tracemalloc.stop()
    needed = needed_megabytes(program, threads)
    assert taken <= 1.02 * needed
    if budget:
        assert needed <= 1.6 * taken


@pytest.mark.parametrize(
    ("model", "said"),
    [
        (
            RobustLinearProgram(noise_budget=1.0),
            r"lp on 60 rows and 5 columns \(300 entries that are not zero\) needs about 0 MB of memory, 0 MB are free: "
            r"take fewer rows, or o2b, which needs no more than its data; or chunks=10, which divides the rows",
        ),
        (FeatureDroppingSVM(n_deleted=1.0), "fdrop on 60 rows .* take fewer rows, or tgrs, which needs no more"),
    ],
)
def test_what_there_is_no_room_for_is_refused_at_once(monkeypatch, model, said):
    monkeypatch.setattr(memory_limit, "_room", lambda: 0.01)
    rng = np.random.default_rng(0)
    with pytest.raises(MemoryError, match=said):
        model.fit(rng.normal(size=(60, 5)), rng.choice([-1, 1], 60))


def test_a_fit_that_may_take_hours_says_so_at_once_and_goes_on_talking(monkeypatch, caplog):
    rng = np.random.default_rng(0)
    X = csr_matrix(rng.random((80, 30)) * (rng.random((80, 30)) < 0.2))
    y = rng.choice([-1, 1], 80)
    monkeypatch.setattr(newton_systems, "_WIDE", 1)
    monkeypatch.setattr(newton_systems, "_FILLED", np.inf)
    monkeypatch.setattr(structured, "_MANY", 100)
    monkeypatch.setattr(interior_point, "_SILENT", 0.0)
    with pytest.warns(RuntimeWarning, match=r"tol=1e-06 on 80 rows and 30 sparse columns .* tol=1e-2 .* o2b") as warned:
        RobustLinearProgram(noise_budget=1.0).fit(X, y)
    assert [warning.filename for warning in warned] == [__file__]
    assert "80 rows and 30 columns: iteration" in caplog.text
    RobustLinearProgram(noise_budget=1.0, tol=1e-3).fit(X, y)

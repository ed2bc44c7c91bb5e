"""Shared fixtures: an isolated cache, small suites that run in a second, and a folder to install into."""

import copy
import ctypes
import gc
import importlib.util
import io
import math
import os
import shutil
import subprocess
import sys
import time
import warnings
from contextlib import contextmanager, nullcontext, suppress
from functools import partial
from pathlib import Path

import pytest
import yaml
from filelock import FileLock
from hypothesis import HealthCheck, settings
from hypothesis.internal.conjecture import providers

from benchkit.environment.place import call_uv
from benchkit.execute import apart

# `pytest` draws the same examples each time: it never fails by luck. `pytest --hypothesis-profile=random` draws others,
# which --hypothesis-seed repeats; .ci/random_seeds.py does so seed by seed. No profile lets the clock decide a test.
_NEVER_BY_TIME = {"deadline": None, "database": None, "suppress_health_check": [HealthCheck.too_slow]}
# The same thirty examples say each time what a hundred do, where a test asks for no more; the nightly ones are new.
settings.register_profile("fixed", derandomize=True, max_examples=30, **_NEVER_BY_TIME)
settings.register_profile("random", derandomize=False, print_blob=True, **_NEVER_BY_TIME)
settings.load_profile("fixed")
# Hypothesis also draws constants out of the local modules that are imported when it draws, which are others after other
# tests, among them plugin files that tests write: a seed would mean other examples in each process.
providers.is_local_module_file = lambda path: False

os.environ["MLFLOW_DISABLE_TELEMETRY"] = "true"
# Containers often ask Python to keep no bytecode: each of the two hundred processes of tests would compile benchkit.
os.environ.pop("PYTHONDONTWRITEBYTECODE", None)
sys.dont_write_bytecode = False
# Tests run on all cores already: threads that wait for each other's core spin.
os.environ.setdefault("OMP_NUM_THREADS", "1")

PATIENCE = 1200
"""Seconds that only an endless wait takes: no test may depend on how fast the machine is."""


def until(true):
    """Wait until something holds."""
    deadline = time.monotonic() + PATIENCE
    while not true() and time.monotonic() < deadline:
        time.sleep(0.01)
    assert true()


def at_most(share, pools):
    """A share of pools that is seen in one of a thousand such tests where the true one is as given."""
    return share + 3.1 * math.sqrt(share * (1 - share) / pools)


def load_script(path):
    """The module that a file is which no package has, such as those under suites/ and docs/."""
    spec = importlib.util.spec_from_file_location(path.stem, path)
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


# What benchkit keeps by content, which is right for whoever finds it: the syntax of sources, what is installed, what
# can be imported and what of it fits, and what data is like; each but the first two would be asked of a worker process.
_BY_CONTENT = ("syntax", "installed", "parameters", "estimators", "facts")

TINY = {
    "name": "tiny",
    "datasets": ["breast"],
    "split": {"repetitions": 2, "train": 60, "validation": 60, "test": 60},
    "preprocess": ["standardize", {"clip": 5}],
    "algorithms": [{"name": "svm", "tune": {"grid": {"C": [0.1, 1]}}}, "constant"],
    "adversaries": [{"name": "greedy-delete", "budgets": [0, 2]}],
    "seed": 7,
}


# The slowest files, which begin first so that the workers end together; before them the one with the largest data set,
# while no worker holds much yet. Those with large processes of their own come after what is compiled beside the tests
# and before the workers have grown; others stand between them, since only one of them runs at a time.
_SLOWEST = """
    plugins/benchkit_datasets/test_datasets_published
    plugins/benchkit_audit/test_metrics plugins/benchkit_audit/test_planted docs/test_computed_pages
    session/test_run cli/test_commands scaffold/test_write plugins/benchkit_mlflow/test_mlflow net/test_net
    session/test_until_decided plugins/benchkit_audit/test_command plugins/benchkit_dask/test_cluster
    session/test_history plugins/benchkit_audit/test_hardened session/test_faulty_plugins
    plugins/benchkit_feature_noise/test_conformance plugins/benchkit_audit/test_attacks
    plugins/benchkit_mlflow/test_server plugins/benchkit_feature_noise/estimators/test_paths examples/test_plugins
    execute/test_pool testing/test_rules plugins/benchkit_mlflow/test_stopped environment/test_run
    plugins/benchkit_hardening/test_hardened execute/test_local plugins/benchkit_incomplete_data/test_priors
    plugins/benchkit_incomplete_data/estimators/test_wii plugins/benchkit_feature_noise/solvers/test_newton_systems
    docs/test_tutorial test_types report/test_page document/test_document
""".split()

# Those whose processes take half a GB.
_LARGE = """
    plugins/benchkit_dask/test_cluster plugins/benchkit_mlflow/test_server plugins/benchkit_mlflow/test_stopped
    environment/test_run execute/test_pool execute/test_local examples/test_plugins report/test_page
""".split()


def pytest_xdist_auto_num_workers():
    """One more than there are processors: tests wait for processes a fifth of their time."""
    return 1 + (len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1)


@pytest.hookimpl(wrapper=True)
def pytest_collection(session):
    """Look for no garbage among what is imported and collected, which stays: else it is a third of the time."""
    gc.disable()
    try:
        return (yield)
    finally:
        gc.freeze()
        gc.enable()


# What is compiled beside the tests, in two halves: the first, whose kernels come early, frees its 400 MB before the
# second begins. Fewest tests wait for the search.
_COMPILE = """
import os
from benchkit_feature_noise.estimators.warm_up import compile_frank_wolfe, compile_kernels, compile_perceptron
from benchkit_deletion.threat import exact_deletion
from benchkit_deletion.worst_deletion import compile_search
from benchkit_incomplete_data.solvers.losses import compile_hinge_dual
import numpy as np
if os.fork() == 0:
    for compile in (compile_kernels, compile_perceptron, compile_frank_wolfe, compile_hinge_dual):
        compile()
else:
    os.wait()
    exact_deletion(np.ones((1, 3)), np.arange(1.0, 4.0), 2.5)
    compile_search()
"""


def pytest_sessionstart(session):
    """Compile what a fresh checkout has not compiled, beside the first tests, which need none of it.

    Else the workers and their processes would all do so at the same moment, each for a quarter of a minute.
    """
    is_whole = session.config.args_source is pytest.Config.ArgsSource.TESTPATHS
    if is_whole and not hasattr(session.config, "workerinput"):
        session.config.add_cleanup(subprocess.Popen([sys.executable, "-c", _COMPILE]).wait)


def pytest_collection_modifyitems(items):
    """Let slow files begin first; a file stays in one process, and its tests in order."""
    ranks = {name: rank for rank, name in enumerate(_SLOWEST)}
    folder = Path(__file__).parent
    items.sort(key=lambda item: ranks.get(str(item.path.relative_to(folder).with_suffix("")), len(ranks)))


@pytest.hookimpl(wrapper=True)
def pytest_runtest_protocol(item, nextitem):
    """What a file's tests have freed goes back to the system, which the allocator of C does not see to.

    Not as the end of a fixture: the last test's arguments hold what other fixtures made until that test has ended.
    """
    ended = yield
    if nextitem is None or nextitem.path != item.path:
        with suppress(AttributeError):  # another library of C
            ctypes.CDLL(None).malloc_trim(0)
    return ended


@pytest.fixture(scope="session")
def _of_all_workers(tmp_path_factory, request):
    """A folder that the workers of a session share."""
    base = tmp_path_factory.getbasetemp()
    return base.parent if hasattr(request.config, "workerinput") else base


@pytest.fixture(scope="session")
def _parsed(_of_all_workers, request):
    """A folder with what the first plan of a process takes a second and a half for."""
    folder = _of_all_workers / "parsed"
    with FileLock(f"{folder}.lock"):
        if not folder.is_dir():
            partial = Path(f"{folder}.partial")
            earlier = getattr(request.config, "cache", None)  # absent under -p no:cacheprovider
            if earlier is not None:
                shutil.copytree(earlier.mkdir("parsed"), partial)
            with pytest.MonkeyPatch.context() as patch:
                patch.setenv("BENCHKIT_CACHE", str(partial))
                _plan_everything()
            if earlier is not None:  # by content: what a file says is right in the next session, too
                shutil.copytree(partial, earlier.mkdir("parsed"), dirs_exist_ok=True)
            partial.rename(folder)
    return folder


def _plan_everything():
    """Import all that is declared, and look at the data of the tiny suite."""
    import benchkit
    from benchkit.check.names import Checks
    from benchkit.identity.fingerprints import Fingerprints
    from benchkit.plugin.manager import KINDS, Registry
    from benchkit.suite.load import load

    registry = Registry()
    declared = [each for kind in KINDS for each in registry.catalogue(kind).values()]
    Checks(load(TINY), Fingerprints(registry), ()).import_code(declared)
    for repetitions in (1, 2):
        benchkit.plan(TINY, settings={"split.repetitions": repetitions}, out="nowhere")


@pytest.fixture(scope="session")
def _new_cache(_parsed, tmp_path_factory):
    """Make a cache; what is kept by content all have in common."""

    def make(empty=False):
        cache = tmp_path_factory.mktemp("cache")
        for kind in () if empty else _BY_CONTENT:
            (cache / kind).symlink_to(_parsed / kind)
        return cache

    return make


@pytest.fixture(scope="session", autouse=True)
def _isolated_fixtures(_new_cache):
    """What is set up for several tests finds a cache of its own, too, and not the user's."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("BENCHKIT_CACHE", str(_new_cache()))
        patch.delenv("MLFLOW_TRACKING_URI", raising=False)
        # A command that ends freezes all objects, and so does reading a run: here that would keep their garbage, too.
        patch.setattr(gc, "freeze", lambda: None)
        yield


@pytest.fixture(scope="session")
def _cache(_new_cache):
    """The cache of one test after another."""
    return _new_cache()


@pytest.fixture(autouse=True)
def _isolated(monkeypatch, request, _new_cache, _cache):
    """A cache without what other tests kept, but by content; an empty one for a test that is marked so."""
    empty = request.node.get_closest_marker("empty_cache") is not None
    monkeypatch.setenv("BENCHKIT_CACHE", str(_new_cache(empty=True) if empty else _cache))
    monkeypatch.delenv("MLFLOW_TRACKING_URI", raising=False)
    yield
    for path in _cache.iterdir():
        if path.name not in _BY_CONTENT:
            shutil.rmtree(path) if path.is_dir() else path.unlink()


@pytest.fixture
def tiny():
    """A suite as a mapping: 2 algorithms x 2 repetitions x 2 budgets on breast."""
    return copy.deepcopy(TINY)


@pytest.fixture
def write_suite(tmp_path):
    """Write a suite mapping (or YAML text) to a file; return its path as text."""

    def write(content, name="suite.yaml") -> str:
        path = Path(tmp_path) / name
        path.write_text(content if isinstance(content, str) else yaml.safe_dump(content, sort_keys=False))
        return str(path)

    return write


@pytest.fixture
def write_plugin(tmp_path):
    """Write a plugin file; return its path."""

    def write(text, name="my_plugin.py") -> Path:
        path = Path(tmp_path) / name
        path.write_text(text)
        return path

    return write


@pytest.fixture
def browsed(tmp_path):
    """What a page is in a browser, once its scripts have run."""
    browser = next(filter(None, map(shutil.which, ("chromium", "chromium-browser", "google-chrome"))), None)
    if browser is None:
        pytest.skip("no chromium")
    command = [browser, "--headless", "--no-sandbox", "--disable-gpu", f"--user-data-dir={tmp_path / 'profile'}"]
    command += ["--virtual-time-budget=3000", "--dump-dom", (tmp_path / "page.html").as_uri()]

    def browse(page):
        (tmp_path / "page.html").write_text(page)
        return subprocess.run(command, capture_output=True, text=True, timeout=PATIENCE, check=True).stdout

    return browse


@pytest.fixture(scope="session")
def call_benchkit():
    """Run benchkit in a folder and in this process, which has imported already what takes a new one a second.

    What comes back is what a process gives: an exit code and what was printed, warnings included.
    """
    from benchkit.cli.main import main

    def run(folder, *arguments, **environment):
        with pytest.MonkeyPatch.context() as patch, _streams(patch) as (out, err), _warnings_as_at_the_start():
            patch.chdir(folder)
            for name, value in {"COLUMNS": "100", **environment}.items():
                patch.setenv(name, value)
            patch.setattr(sys, "argv", ["benchkit", *arguments])
            with pytest.raises(SystemExit) as ended:
                main()
        return subprocess.CompletedProcess(arguments, ended.value.code or 0, _written(out), _written(err))

    return run


@contextmanager
def _streams(patch):
    """Standard output and error as pipes are to a process: bytes, of which nobody is a terminal."""
    both = [io.TextIOWrapper(io.BytesIO(), encoding="utf-8", write_through=True) for _ in range(2)]
    patch.setattr(sys, "stdout", both[0])
    patch.setattr(sys, "stderr", both[1])
    yield both


def _written(stream):
    return stream.buffer.getvalue().decode()


@contextmanager
def _warnings_as_at_the_start():
    """Python's own filters, and lines on standard error, instead of pytest's."""
    with warnings.catch_warnings():
        warnings.resetwarnings()
        for category in (DeprecationWarning, PendingDeprecationWarning, ImportWarning, ResourceWarning):
            warnings.simplefilter("ignore", category)
        warnings.showwarning = lambda *told, **more: sys.stderr.write(warnings.formatwarning(*told[:4]))
        yield


@pytest.fixture
def here(call_benchkit, tmp_path):
    """Run benchkit in an empty folder and in this process."""
    return partial(call_benchkit, tmp_path)


def install(folder, *packages):
    """Install packages from folders into another one, their dependencies being there; uv builds several at once."""
    call_uv("pip", "install", "--quiet", "--no-deps", "--python", sys.executable, "--target", folder, *packages)


@pytest.fixture(scope="session")
def site_packages(tmp_path_factory):
    """A folder to install into."""
    return tmp_path_factory.mktemp("site-packages")


@pytest.fixture
def with_installed(site_packages, monkeypatch):
    """This process, and those that it starts, find what is installed there."""
    monkeypatch.syspath_prepend(site_packages)
    monkeypatch.setenv("PYTHONPATH", str(site_packages), prepend=os.pathsep)
    monkeypatch.setattr("benchkit.plugin.manager._registries", {})


def _result(function, arguments):
    try:
        return function(*arguments)
    except Exception as error:
        return error


# What a run asks of code and data before it begins these ask in this process; that it asks workers others notice.
_ASK_HERE = """
    check/test_data check/test_names cli/test_output docs/test_pages net/test_net
    plugins/benchkit_results/test_join plugins/benchkit_results/test_verify session/test_collections
    session/test_explain session/test_history session/test_run session/test_splits_by_columns
    session/test_until_decided suite/test_expand
""".split()


@pytest.fixture(scope="module", autouse=True)
def ask_apart(request):
    """What asks workers, also for a test whose file asks here."""
    with pytest.MonkeyPatch.context() as patch:
        in_workers, asked = apart.call_all, lambda function, calls, _: [_result(function, each) for each in calls]
        if any(request.path.match(f"tests/{name}.py") for name in _ASK_HERE):
            patch.setattr(apart, "call_all", asked)
        yield in_workers


@pytest.fixture(scope="module", autouse=True)
def _one_large_file_at_a_time(request, _of_all_workers):
    """Tests whose processes take half a GB wait for each other, in whichever worker they are."""
    is_large = any(request.path.match(f"tests/{name}.py") for name in _LARGE)
    with FileLock(_of_all_workers / "large.lock") if is_large else nullcontext():
        yield


@pytest.fixture
def unseen(monkeypatch):
    """Leave out the look at the data before a run, which would refuse a budget that is to fail in its trials."""
    from benchkit.session import plan

    monkeypatch.setattr(plan, "look_at_data", lambda *seen: ([], [], {}, set()))

"""Fits are shared, also between processes, and a dead process leaves nothing behind."""

import multiprocessing
import os
import time

import numpy as np
from scipy.sparse import csr_matrix

from benchkit.trial.memo import Memo
from benchkit.trial.prepared import Part


def test_a_fit_is_made_once_and_keeps_its_seconds(tmp_path):
    made = []

    def make():
        made.append(1)
        time.sleep(0.05)
        return {"w": 1}

    first = Memo(tmp_path).fit("key", make)
    again = Memo(tmp_path).fit("key", make)  # another process would start with an empty memory
    assert made == [1]
    assert first == again
    assert first[1] >= 0.05
    assert not list(tmp_path.glob("*.partial"))


def test_a_fit_that_fails_is_made_again(tmp_path):
    memo = Memo(tmp_path)
    for _ in range(2):
        try:
            memo.fit("key", lambda: 1 / 0)
        except ZeroDivisionError:
            continue
    assert memo.fit("key", lambda: 3)[0] == 3


def test_memory_is_bounded():
    memo = Memo(None, capacity=2)
    for number in range(5):
        memo.fit(str(number), lambda number=number: number)
    assert len(memo._recent) == 2


def test_keys_are_by_content():
    key = Memo.key("code", {"C": 1.0, "v": np.ones(2)}, "data")
    assert key == Memo.key("code", {"v": np.ones(2), "C": 1.0}, "data")
    others = [
        Memo.key("other", {"C": 1.0, "v": np.ones(2)}, "data"),
        Memo.key("code", {"C": 2.0, "v": np.ones(2)}, "data"),
        Memo.key("code", {"C": 1.0, "v": np.zeros(2)}, "data"),
        Memo.key("code", {"C": 1.0, "v": np.ones(2)}, "other data"),
    ]
    assert len({key, *others}) == 5


def test_data_are_known_by_content():
    X, y = np.arange(6.0).reshape(3, 2), np.array([0, 1, 1])
    content = Part(X, y, X).content
    assert content == Part(X.copy(), y.copy(), None).content
    assert len({content, Part(X + 1, y, X).content, Part(X, 1 - y, X).content}) == 3
    assert Part(csr_matrix(X), y, X).content != content


def _fit_in_process(folder, log):
    def make():
        with open(log, "a") as file:
            file.write("made\n")
        time.sleep(0.3)
        return 1

    Memo(folder).fit("key", make)


def _die_in_process(folder):
    Memo(folder).fit("key", lambda: os._exit(1))


def test_two_processes_fit_once(tmp_path):
    context = multiprocessing.get_context("fork")
    log = tmp_path / "log"
    workers = [context.Process(target=_fit_in_process, args=(tmp_path / "memo", log)) for _ in range(2)]
    for worker in workers:
        worker.start()
    for worker in workers:
        worker.join(30)
        assert worker.exitcode == 0
    assert log.read_text() == "made\n"


def test_a_process_that_dies_while_fitting_frees_the_lock(tmp_path):
    worker = multiprocessing.get_context("fork").Process(target=_die_in_process, args=(tmp_path,))
    worker.start()
    worker.join(30)
    assert worker.exitcode == 1
    assert Memo(tmp_path).fit("key", lambda: 2)[0] == 2


def test_a_damaged_file_is_a_fit_not_done(tmp_path):
    Memo(tmp_path).fit("key", lambda: list(range(100)))
    path = tmp_path / "key.joblib"
    path.write_bytes(path.read_bytes()[:20])
    assert Memo(tmp_path).fit("key", lambda: 5)[0] == 5
    assert Memo(tmp_path).fit("key", lambda: 6)[0] == 5

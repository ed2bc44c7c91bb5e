"""Journals and manifests get the permissions that the user's umask gives."""

import os
import stat

import pytest

from benchkit.execute.work import prepare_worker
from benchkit.journal import Store, write_manifest


@pytest.mark.parametrize(("mask", "mode"), [(0o077, 0o600), (0o027, 0o640), (0o022, 0o644)])
def test_modes_follow_the_umask(tmp_path, mask, mode):
    before = os.umask(mask)
    try:
        store = Store(tmp_path / "runs", "s")
        store.open()
        store.append({"trial": "t"})
        store.rewrite([{"trial": "t"}])
        store.close()
        write_manifest(store.folder, {})
    finally:
        os.umask(before)
    for path in (store.journal, store.folder / "manifest.json"):
        assert stat.S_IMODE(path.stat().st_mode) == mode
    assert stat.S_IMODE(store.folder.stat().st_mode) == 0o777 & ~mask


def test_what_workers_print_is_no_program(tmp_path):
    log, before = tmp_path / "workers.log", os.umask(0o022)
    child = os.fork()
    if child == 0:
        try:
            prepare_worker(log)
        finally:
            os._exit(0)
    os.waitpid(child, 0)
    os.umask(before)
    assert stat.S_IMODE(log.stat().st_mode) == 0o644

"""Work that memory has no room for is refused before any of it is taken."""

import resource

import pytest

from benchkit import check_memory, memory_limit


def test_more_than_there_is_is_refused_in_one_line(monkeypatch):
    monkeypatch.setattr(memory_limit, "_room", lambda: 2048.0)
    check_memory(2000, "lp", "take fewer rows")
    with pytest.raises(MemoryError) as refused:
        check_memory(19_000, "lp on 5 rows", "take fewer rows")
    assert str(refused.value) == "lp on 5 rows needs about 18.6 GB of memory, 2.0 GB are free: take fewer rows"


def test_room_is_what_the_process_may_still_reserve():
    before = memory_limit._room()
    with memory_limit.memory_limit(memory_limit.status_field("VmRSS") + 300):
        assert 0 < memory_limit._room() <= 300
        with pytest.raises(MemoryError, match="needs about 400 MB of memory"):
            check_memory(400, "this", "take less")
    assert memory_limit._room() > 300 or before <= 300


def test_an_address_space_that_is_bounded_counts(monkeypatch):
    fields = {"VmSize": 900.0, "VmData": 500.0}
    monkeypatch.setattr(memory_limit, "status_field", fields.get)
    limits = {resource.RLIMIT_AS: 1000 * 2**20, resource.RLIMIT_DATA: resource.RLIM_INFINITY}
    monkeypatch.setattr(resource, "getrlimit", lambda which: (limits[which], resource.RLIM_INFINITY))
    assert memory_limit._room() == 100.0

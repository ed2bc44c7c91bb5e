"""Replies are read as far as they have come, without waiting for more."""

import os

import pytest

from benchkit.execute.serve import Kind, Reply, ReplyReader, send_reply


def test_a_reply_that_is_cut_anywhere_is_complete_when_its_rest_comes():
    reader, writer = os.pipe()
    send_reply(writer, Kind.ANSWER, b"first")
    send_reply(writer, Kind.READY)
    whole = os.read(reader, 1000)
    for cut in range(1, len(whole)):
        replies = ReplyReader(reader)
        os.write(writer, whole[:cut])
        early = list(replies.read())
        os.write(writer, whole[cut:])
        assert [*early, *replies.read()] == [Reply(Kind.ANSWER, b"first"), Reply(Kind.READY, b"")]
    os.close(writer)
    with pytest.raises(EOFError):
        replies.read()
    os.close(reader)

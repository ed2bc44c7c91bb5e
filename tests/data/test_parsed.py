"""A slow file is parsed once for everybody, and again when it changed."""

import numpy as np

from benchkit import Data, parse_once

parsed = []


def parse_numbers(path):
    parsed.append(path.name)
    return Data(X=np.loadtxt(path, ndmin=2), y=np.zeros(2))


def test_the_content_decides_what_is_parsed_again(tmp_path):
    parsed.clear()
    one, other = tmp_path / "one.txt", tmp_path / "other.txt"
    one.write_text("1 2\n3 4\n")
    assert [parse_once(one, parse_numbers).X.tolist() for _ in range(2)] == [[[1, 2], [3, 4]]] * 2
    other.write_text("1 2\n3 4\n")
    assert parse_once(other, parse_numbers).X.tolist() == [[1, 2], [3, 4]]
    assert parsed == ["one.txt"]
    one.write_text("5 6\n7 8\n")
    assert parse_once(one, parse_numbers).X.tolist() == [[5, 6], [7, 8]]
    assert parsed == ["one.txt", "one.txt"]

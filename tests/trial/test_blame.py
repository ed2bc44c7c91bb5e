"""A record says whose code raised."""

import pickle

import pytest

from benchkit import NotApplicableError
from benchkit.plugin.guard import blamed_on, with_blame


@pytest.mark.parametrize(
    ("raised", "said"),
    [
        (ZeroDivisionError("division by zero"), "metric f2: division by zero"),
        (KeyError(), "metric f2: KeyError"),
        (NotApplicableError("no classes"), "no classes"),
        (MemoryError("too much"), "too much"),
    ],
)
def test_the_name_stands_before_what_is_said(raised, said):
    with pytest.raises(type(raised)) as found, blamed_on("metric f2"):
        raise raised
    assert with_blame(found.value) == said
    assert with_blame(pickle.loads(pickle.dumps(found.value))) == said  # as workers send it


def test_who_writes_to_shared_data_is_told_what_to_do():
    import numpy as np

    shared = np.zeros(2)
    shared.flags.writeable = False
    with (
        pytest.raises(ValueError, match=r"^adversary a writes to the data it is given .*: let it work on a copy$") as e,
        blamed_on("adversary a"),
    ):
        shared[:] = 1
    assert with_blame(e.value).count("adversary a") == 1

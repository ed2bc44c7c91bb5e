"""What is planned costs no more memory than it needs."""

import gc
import weakref

from benchkit.suite.schema import Split
from benchkit.suite.trial import PlannedDataset


def test_a_data_set_that_was_asked_for_its_whole_goes_with_its_trial():
    dataset = PlannedDataset("breast", "breast", {}, None, Split(), (), "uniform")
    assert dataset.whole is dataset
    alive = weakref.ref(dataset)
    gc.disable()
    try:
        del dataset
        assert alive() is None
    finally:
        gc.enable()


def test_the_file_of_a_test_part_is_the_last_of_those_that_are_loaded():
    dataset = PlannedDataset("csv", "mine", {"path": "a.csv"}, None, Split(test="b.csv", repetitions=1), (), "uniform")
    assert dataset.whole.params == {"path": ["a.csv", "b.csv"]}
    assert dataset.params == {"path": "a.csv"}

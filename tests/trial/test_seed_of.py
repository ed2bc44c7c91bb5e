"""Seeds that are kept are those of their streams, asked for in any order."""

from types import SimpleNamespace

from benchkit.trial import seeds
from benchkit.trial.seeds import seed_of


def trial(name="breast", repetition=0, algorithm="svm", seed=0, **params):
    """What is asked of a trial."""
    dataset = SimpleNamespace(identity={"name": name, "params": params})
    return SimpleNamespace(seed=seed, dataset=dataset, repetition=repetition, algorithm=SimpleNamespace(name=algorithm))


def test_a_seed_that_was_asked_for_before_is_that_of_its_stream():
    trials = [trial(), trial("usps"), trial(pair=[1, 2]), trial(pair=[1.0, 2]), trial(repetition=1), trial(seed=1)]
    trials.append(trial(algorithm="lp"))
    asked = [(each, names) for _ in range(2) for each in trials for names in (("global",), ("global", "test"))]
    for each, (stream, *more) in asked:
        known = each.seed, stream, each.dataset.identity, each.repetition, each.algorithm.name, *more
        assert seed_of(each, stream, *more) == seeds.integer(*known)
    assert len({seed_of(each, *names) for each, names in asked}) == 2 * len(trials)

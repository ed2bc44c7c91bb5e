"""Generators: what they draw has the stated law, and their truth is true."""

import numpy as np
import pytest


def test_label_copies(declared):
    data = declared["label-copies"].load(n=4000, random_state=0)
    assert data.X.shape == (4000, 22)
    assert np.array_equal(data.X[:, 20], data.y)
    assert np.array_equal(data.X[:, 21], data.y)
    clean, direction = data.truth["clean_labels"], data.truth["direction"]
    distance = data.X[:, :20] @ direction
    assert np.array_equal(np.sign(distance), clean)
    assert np.abs(distance).min() >= 0.1
    assert (clean != data.y).mean() == pytest.approx(0.2, abs=0.02)
    assert data.feature_values.tolist() == [1.0] * 20 + [10.0, 10.0]


RISING = 0.15 * np.arange(1, 41)
NOISE = {"variance": RISING**0.5, "sd": RISING, "constant": np.full(40, 0.15**0.5)}


@pytest.mark.parametrize(("noise", "expected"), NOISE.items())
def test_redundant_features(noise, expected, declared):
    data = declared["redundant-features"].load(n=5000, noise=noise, random_state=3)
    mixing, latent, direction = data.truth["mixing"], data.truth["latent"], data.truth["direction"]
    assert mixing.shape == (40, 3)
    assert np.abs(latent @ direction).min() >= 1.0
    assert np.array_equal(np.sign(latent @ direction), data.y)
    residual = data.X - latent @ mixing.T
    np.testing.assert_allclose(data.truth["noise_sd"], expected)
    np.testing.assert_allclose(residual.std(axis=0), expected, rtol=0.05)
    assert np.abs(residual.mean(axis=0)).max() < 5 * expected.max() / np.sqrt(5000)
    assert abs((data.y == 1).mean() - 0.5) < 0.05


@pytest.mark.parametrize("memory", [0.0, 0.8])
def test_machines_remember_their_wear_and_fail_by_it(memory, declared):
    data = declared["machines"].load(n_machines=400, n_days=30, memory=memory, random_state=1)
    assert data.X.shape == (12_000, 5)
    heat, load = data.X[:, 0].reshape(30, 400), data.X[:, 2].reshape(30, 400)
    # Heat is 60 + 8 wear + noise of deviation 2: of its variance of 68, 64 is wear's.
    assert np.corrcoef(heat[:-1].ravel(), heat[1:].ravel())[0, 1] == pytest.approx(memory * 64 / 68, abs=0.03)
    assert abs(np.corrcoef(load[:-1].ravel(), load[1:].ravel())[0, 1]) < 0.03
    assert heat.std() == pytest.approx(68**0.5, rel=0.05)
    assert data.columns["machine"].values[:3].tolist() == ["machine 0", "machine 1", "machine 2"]
    assert data.columns["day"].tolist() == np.repeat(np.arange(30), 400).tolist()
    assert (data.y[heat.ravel() > 68] == 1).mean() > 0.8 > (data.y == 1).mean()
    with pytest.raises(ValueError, match="memory is 1"):
        declared["machines"].load(memory=1)


@pytest.mark.parametrize(("values", "levels", "bias"), [("signs", [-1.0, 1.0], -1.65), ("bits", [0.0, 1.0], 14.85)])
def test_logistic_toy(values, levels, bias, declared):
    data = declared["logistic-toy"].load(n=20000, values=values, random_state=5)
    assert np.unique(data.X).tolist() == levels
    assert np.abs(data.X.mean(axis=0) - np.mean(levels)).max() < 0.03
    assert data.truth["coef"].tolist() == [5.0] + [-2.0] * 19
    assert data.truth["intercept"] == pytest.approx(bias)  # the mean weight
    probability = 1 / (1 + np.exp(-(data.X @ data.truth["coef"] + data.truth["intercept"])))
    np.testing.assert_allclose(data.truth["probability"], probability)
    assert (data.y == 1).mean() == pytest.approx(probability.mean(), abs=0.01)
    assert 0.3 < (data.y == 1).mean() < 0.5
    # Among rows that the rule is unsure about, as many are +1 as it says.
    unsure = (probability > 0.2) & (probability < 0.8)
    assert (data.y[unsure] == 1).mean() == pytest.approx(probability[unsure].mean(), abs=0.05)


def test_generated_waveforms_have_the_stated_law_and_that_of_the_file(declared, load):
    data = declared["waveform-generated"].load(n=30000, classes="all", random_state=1)
    assert np.bincount(data.y).min() > 9700
    assert (data.X - data.truth["clean_X"]).std() == pytest.approx(1.0, abs=0.01)
    waves = data.truth["waves"]
    assert waves.max(axis=1).tolist() == [6.0, 6.0, 6.0]
    assert (waves.argmax(axis=1) + 1).tolist() == [7, 15, 11]
    for label, (first, second) in enumerate([(0, 1), (0, 2), (1, 2)]):
        expected = (waves[first] + waves[second]) / 2
        np.testing.assert_allclose(data.X[data.y == label].mean(axis=0), expected, atol=0.06)
    stored = load("waveform", classes="all")
    for label in range(3):
        ours, theirs = data.X[data.y == label], stored.X[stored.y == label]
        np.testing.assert_allclose(ours.mean(axis=0), theirs.mean(axis=0), atol=0.15)
        np.testing.assert_allclose(np.cov(ours.T), np.cov(theirs.T), atol=0.35)


def test_generated_waveform_problems(declared):
    generate = declared["waveform-generated"].load
    everything = generate(n=500, classes="all", random_state=1)
    binary, pair = generate(n=500, random_state=1), generate(n=500, pair=[2, 0], random_state=1)
    assert np.array_equal(binary.y, np.where(everything.y == 1, 1, -1))
    assert np.array_equal(pair.X, everything.X[everything.y != 1])
    assert np.array_equal(pair.y, np.where(everything.y[everything.y != 1] == 0, 1, -1))
    assert len(pair.truth["clean_X"]) == len(pair.truth["wave_classes"]) == len(pair.y)
    assert len(declared["waveform-generated"].expand(pairs="all")) == 3


@pytest.mark.parametrize("sparsity", [30, 0.1])
def test_roofs_synthetic(sparsity, declared):
    data = declared["roofs-synthetic"].load(n=2000, p=300, sparsity=sparsity, random_state=7)
    coef, support = data.truth["coef"], data.truth["support"]
    assert support.sum() == 30
    assert np.array_equal(support, coef != 0)
    assert (coef >= 0).all()
    assert np.linalg.norm(coef) == pytest.approx(1.0)
    np.testing.assert_allclose(data.y, data.X @ coef, atol=1e-12)
    assert data.X.mean() == pytest.approx(0.0, abs=0.01)
    assert data.X.std() == pytest.approx(1.0, abs=0.01)
    assert data.y.std() == pytest.approx(1.0, abs=0.1)


def test_roofs_synthetic_orders(declared):
    def support(order):
        return declared["roofs-synthetic"].load(n=10, p=100, sparsity=10, order=order, random_state=1).truth["support"]

    assert np.flatnonzero(support("true-first")).tolist() == list(range(10))
    assert np.flatnonzero(support("true-last")).tolist() == list(range(90, 100))
    assert np.flatnonzero(support("shuffled")).tolist() not in (list(range(10)), list(range(90, 100)))


WRONG = {
    "breast": {"columns": ["worst"]},
    "usps": {"part": ["valid"], "scale": ["0-1"]},
    "mnist": {"part": [1], "scale": ["raw"]},
    "breast-cancer": {"missing": ["impute"], "encoding": ["label"]},
    "german": {"encoding": ["onehot"]},
    "diabetes": {"zeros_missing": ["yes"]},
    "landmine": {"fields": [[30], "some"]},
    "physics": {"missing_codes": [1]},
    "imdb": {"part": ["unsup"], "n_terms": [0, 90000]},
    "housing": {"without_b": [1]},
    "sms-spam": {"n_terms": [2.5]},
    "cpu-act": {"n": [0, -1, 2.5, True, 20000]},
}


@pytest.mark.parametrize(
    ("name", "params", "message"),
    [
        ("roofs-synthetic", {"sparsity": 0}, "sparsity is 0"),
        ("roofs-synthetic", {"p": 10, "sparsity": 11}, "a whole number from 1 to 10"),
        ("roofs-synthetic", {"order": "first"}, "expected one of 'shuffled', 'true-first', 'true-last'"),
        ("redundant-features", {"noise": "std"}, "expected one of 'variance', 'sd', 'constant'"),
        ("redundant-features", {"margin": 10}, "margin is 10, expected a number from 0 to 3"),
        ("label-copies", {"n": 0}, "n is 0, expected a whole number of at least 1"),
        ("label-copies", {"label_noise": 2}, "label_noise is 2, expected a probability"),
        ("logistic-toy", {"values": "real"}, "expected one of 'signs', 'bits'"),
        ("waveform-generated", {"n": -5}, "n is -5"),
        ("waveform-generated", {"classes": 3}, "expected one of 'binary', 'all'"),
        ("digits", {"pair": [4, 4]}, "two different classes"),
        ("digits", {"pair": [4, 11]}, "pair names class 11; the classes are"),
        ("digits", {"one_against_rest": 10}, "one_against_rest names class 10"),
        ("digits", {"task": "parity"}, "task is 'parity', expected 'odd-even'"),
        ("digits", {"task": "odd-even", "pair": [4, 7]}, "only one of"),
        *(
            (name, {option: value}, option)
            for name, options in WRONG.items()
            for option, values in options.items()
            for value in values
        ),
    ],
)
def test_impossible_parameters_are_refused(name, params, message, declared, request):
    if name == "cpu-act":
        request.getfixturevalue("load")(name)  # how many rows there are is looked at first: it must be here
    with pytest.raises(ValueError, match=message):
        declared[name].load(**params)

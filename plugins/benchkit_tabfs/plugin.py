"""The plugin of feature shifts: the tables of TabFSBench, who takes whole columns from all rows, and metrics."""

from typing import Literal

from benchkit import Adversary, DataFile, Dataset, Metric, SplitMethod, hookimpl

benchkit_api = 1

_REPOSITORY = "https://raw.githubusercontent.com/LAMDASZ-ML/TabFSBench/main/dataset"
_PAPER = "used by Cheng et al. 2025, TabFSBench: Tabular benchmark for feature shifts in open environments"
_ROOM = "benchkit_tabfs.metrics"


def _table(
    name: str,
    task: Literal["classification", "regression"],
    what: str,
    shape: str,
    classes: str,
    sha256: str,
    digest: str,
) -> Dataset:
    return Dataset(
        name=f"tabfs-{name}",
        task=task,
        load=f"benchkit_tabfs.tables:load_{name}",
        files=[DataFile(name=f"tabfsbench/{name}.csv", urls=(f"{_REPOSITORY}/{name}/{name}.csv",), sha256=sha256)],
        digest=digest,
        summary=f"TabFSBench's {what}",
        shape=shape,
        categories="one-hot" in shape,
        classes=classes,
        licence="terms of the table's first publisher; TabFSBench states none for it: research use",
        source="repository LAMDASZ-ML/TabFSBench at 2aeb5fb, who have it of Kaggle or OpenML",
        reference=_PAPER,
    )


DATASETS = [
    _table(
        "abalone",
        "regression",
        "age of abalones from sex and seven measures",
        "4177 x 10, one-hot (encoding: codes gives 8)",
        "",
        "4763640a62bbe54bbcb442799c779680a5f28932b63aa496e7fab436db3822f4",
        "361dc87a4638cb073413732c0002e936d615352e7e7a2380d7ac64f5ead3117c",
    ),
    _table(
        "bike",
        "regression",
        "bikes lent in an hour, from time and weather",
        "10886 x 18, one-hot (encoding: codes gives 9)",
        "",
        "3c1ab7712993c3ed27f6d51ee76c17e4dc0ee39820fe9ccc4910aed5a10db69f",
        "fe27cff827bb33cf8a43cd780adf546722965d7d8209f075c87ed9c50876f7fc",
    ),
    _table(
        "concrete",
        "regression",
        "strength of concrete from its mixture and age",
        "1030 x 8",
        "",
        "4866aa64263fac4ec89e962bbe1e7b947e81bcb0b10e67eb62eccfd2b0aff96a",
        "38229b58883e8e4371f22b06b8e07cb93c895fd98f82cad0f57317527bbb01f4",
    ),
    _table(
        "credit",
        "classification",
        "credit risk of applicants, 13 categories and 7 numbers",
        "1000 x 61, one-hot (encoding: codes gives 20)",
        "-1 good (700), +1 bad (300)",
        "4f7b60ed877abce331719ea93d119eaa7ff9c72af0a9058f767dda4126012233",
        "ab5089e8414ddc9fa960c01c60e5e5d9749809e42d7f75fbbdd98e9d4bea9fb7",
    ),
    _table(
        "electricity",
        "classification",
        "whether the price of electricity rises",
        "45312 x 8",
        "-1 DOWN (26075), +1 UP (19237)",
        "cb367f609277470acc423b2c27ab634034051f259849fe62c9b89903b2385770",
        "78c2eeeda55f303f1fc5111bd1666c4644b750ad12e6ffd400e9d529e8193ae2",
    ),
    _table(
        "eyemovements",
        "classification",
        "relevance of words by how they were read",
        "10936 x 27",
        "0 (3804), 1 (4262), 2 (2870)",
        "434261c5bc617c51dc35a63834f9c87d234bd9dbc03cafaef30fa4ba958e1a7c",
        "062fbd05115397cf7c17deda58fb5e5be9f5a34cd29c84dec8fc91c730a2cf93",
    ),
    _table(
        "heart",
        "classification",
        "heart disease of patients, 5 categories and 6 numbers",
        "918 x 20, one-hot (encoding: codes gives 11)",
        "-1 absent (410), +1 present (508)",
        "452b297cbe6a2a562a23af3c677f4741a4947ea2284c3751aad5d6e050ccfab3",
        "a02e800e3a85a9651ab84f5873aee5e5711d8735a9088a94fd3035631ec38289",
    ),
    _table(
        "iris",
        "classification",
        "species of iris by four measures",
        "150 x 4",
        "0 setosa, 1 versicolor, 2 virginica (50 each)",
        "b5bb2427eb7ff7ca54f3d1ad6fe52610caf38b1af3a6bfaf965dec5d63af2d6d",
        "46cd12e92ec86a89419cc8ba441165f31a1274b74cc38bd1ed1293b241b0b14e",
    ),
    _table(
        "laptop",
        "regression",
        "price of laptops from their equipment, 14 categories and 8 numbers",
        "1275 x 888, one-hot (encoding: codes gives 22)",
        "",
        "8aec1956507cddcaeaf30d1036101868ba5762e827fd2defa041057e7d2e4961",
        "7ca29428413424960dd3fc54f4abcc6d610c5e0b899f1c0c2694a4f077a230d2",
    ),
]

ADVERSARIES = [
    Adversary(
        name="column-shift",
        situation="If columns fail for all rows alike",
        make="benchkit_tabfs.adversaries:ColumnShift",
        example={"scenario": "least"},
        budget_unit="features",
        budget_title="columns shifted",
        summary="Takes columns from all rows: one alone, the least or most correlated first, or at random",
        reference="Cheng et al. 2025, TabFSBench: Tabular benchmark for feature shifts in open environments, "
        "scenarios single, least, most and random",
        formula="column j becomes the training part's mean (number) or mode (category), in the order of |rho(x_j, y)|",
    )
]

METRICS = [
    Metric(
        name="absent-correlation",
        compute=f"{_ROOM}:absent_correlation",
        tasks=("classification", "regression"),
        greater_is_better=True,
        summary="Sum of the absent columns' |Pearson's correlation| with the target, a mean over rows",
        formula="sum_j s_j |rho(x_j, y)|, s_j the share of rows without column j",
    ),
    Metric(
        name="follows-correlations",
        range=(-1, 1),
        compute=f"{_ROOM}:follows_correlations",
        tasks=("classification", "regression"),
        greater_is_better=True,
        summary="Rank correlation of how much columns correlate with the target and how many rows lack them",
        formula="mean over pairs with s_j > s_k of sign(|rho(x_j, y)| - |rho(x_k, y)|), Somers' D",
    ),
]

SPLITS = [
    SplitMethod(
        name="given-seed",
        make="benchkit_tabfs.splits:GivenSeed",
        summary="scikit-learn's train_test_split with a seed that the suite gives, classes not kept in proportion",
        reference="Cheng et al. 2025, TabFSBench: one split, 80 to 20, seed 42",
    )
]

benchkit_datasets = hookimpl(lambda: DATASETS)
benchkit_adversaries = hookimpl(lambda: ADVERSARIES)
benchkit_metrics = hookimpl(lambda: METRICS)
benchkit_splits = hookimpl(lambda: SPLITS)

"""The faults plugin: what happens to the data that a model is asked about, and to the data that it learns from."""

from functools import partial

from benchkit import Adversary, hookimpl

benchkit_api = 1

_JENGA = "Schelter, Rukat & Biessmann 2021, JENGA: a framework to study the impact of data errors"

_of_columns = partial(Adversary, budget_unit="features", features_param="features")
_of_training = partial(Adversary, phase="train", budget_unit="fraction")

ADVERSARIES = [
    _of_columns(
        name="gaussian-noise",
        situation="If noise is added to the numbers",
        budget_title="noise in standard deviations",
        make="benchkit_faults.columns:GaussianNoise",
        summary="Adds normal noise to all numbers; the budget is its standard deviation, in those of the training part",
        budget_unit="sd",
        reference=_JENGA,
        formula="x_j + s sd_j z, z ~ N(0, 1) with mean square 1 in each column",
    ),
    _of_columns(
        name="scale",
        situation="If columns come in another unit",
        budget_title="columns in another unit",
        make="benchkit_faults.columns:Scale",
        probe="benchkit_faults.probes:scaled",
        summary="Units change: multiplies columns by a factor, before preprocessing",
        reference=_JENGA,
        formula="c x_j for the j that are struck, c = 1000 or another",
    ),
    _of_columns(
        name="swap-columns",
        situation="If columns change places",
        budget_title="columns swapped",
        make="benchkit_faults.columns:SwapColumns",
        summary="Columns change places in pairs, before preprocessing",
        reference=_JENGA,
    ),
    _of_columns(
        name="stuck",
        situation="If columns stick at one value",
        budget_title="columns stuck",
        make="benchkit_faults.columns:Stuck",
        probe="benchkit_faults.probes:stuck",
        summary="Sensors stick: all rows get the value that one row has",
    ),
    _of_columns(
        name="sample",
        situation="If columns hold other rows' values",
        budget_title="columns shuffled",
        make="benchkit_faults.columns:Sample",
        probe="benchkit_faults.probes:sampled",
        summary="Each row gets another row's value",
        reference="Breiman 2001, Random forests, section 10, for what permuting a column tells",
    ),
    _of_columns(
        name="sentinel",
        situation="If a code for missing values is read as a number",
        budget_title="columns of codes",
        make="benchkit_faults.columns:Sentinel",
        probe="benchkit_faults.probes:sentinel",
        summary="A code for missing values, such as -999, is read as a number, before preprocessing",
    ),
    _of_columns(
        name="unseen-category",
        situation="If categories come that training did not have",
        budget_title="categories unseen",
        make="benchkit_faults.columns:UnseenCategory",
        probe="benchkit_faults.probes:unseen",
        summary="Categories that the training part did not have: no column is set, or there is a gap",
    ),
    _of_columns(
        name="stale",
        situation="If columns are out of date",
        budget_title="columns stale",
        make="benchkit_faults.entries:Stale",
        summary="Caches and late feeds: rows get the value that the same entity had before",
        example={"entity": "entity", "time": "time"},
    ),
    _of_columns(
        name="typo",
        situation="If values are mistyped",
        budget_title="columns mistyped",
        make="benchkit_faults.entries:Typo",
        summary="Typing errors: a digit too many or too few, the key beside, two exchanged; unknown categories",
        reference="Damerau 1964, A technique for computer detection and correction of spelling errors; "
        "Scholtus 2009, Automatic correction of simple typing errors in numerical data with balance edits",
    ),
    _of_training(
        name="label-noise",
        situation="If training labels are wrong",
        budget_title="fraction of labels wrong",
        make="benchkit_faults.training:LabelNoise",
        summary="Gives a fraction of the training rows another class: any, of one class alone, or near the boundary",
        tasks=("classification",),
        reference="Frenay & Verleysen 2014, Classification in the presence of label noise: a survey, section II",
    ),
    _of_training(
        name="outliers",
        situation="If training rows are moved far away",
        budget_title="fraction of rows moved",
        make="benchkit_faults.training:Outliers",
        summary="Moves a fraction of the training rows far away and leaves their labels and targets",
        reference="Rousseeuw & Leroy 1987, Robust regression and outlier detection, chapter 1, for leverage points",
        formula="x_j + c sd_j s_j, s_j = -1 or +1, c = 10 or another",
    ),
]

benchkit_adversaries = hookimpl(lambda: ADVERSARIES)

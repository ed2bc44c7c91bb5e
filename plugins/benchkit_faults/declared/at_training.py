"""Declarations of faults of the rows that a model learns from."""

from benchkit import Adversary

_ROOM = "benchkit_faults.adversaries"

ADVERSARIES = [
    Adversary(
        name="label-noise",
        situation="If training labels are wrong",
        budget_title="fraction of labels wrong",
        make=f"{_ROOM}.label_noise:LabelNoise",
        summary="Gives a fraction of the training rows another class: any, of one class alone, or near the boundary",
        phase="train",
        budget_unit="fraction",
        tasks=("classification",),
        reference="Frenay & Verleysen 2014, Classification in the presence of label noise: a survey, section II",
    ),
    Adversary(
        name="outliers",
        situation="If training rows are moved far away",
        budget_title="fraction of rows moved",
        make=f"{_ROOM}.outliers:Outliers",
        summary="Moves a fraction of the training rows far away and leaves their labels and targets",
        phase="train",
        budget_unit="fraction",
        reference="Rousseeuw & Leroy 1987, Robust regression and outlier detection, chapter 1, for leverage points",
        formula="x_j + c sd_j s_j, s_j = -1 or +1, c = 10 or another",
    ),
]

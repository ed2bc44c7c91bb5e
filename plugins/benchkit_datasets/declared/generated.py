"""Data that is drawn anew for every repetition, and whose truth is known."""

from benchkit import Dataset

DATASETS = [
    Dataset(
        name="label-copies",
        load="benchkit_datasets.generated.label_copies:load_label_copies",
        generated=True,
        summary="Separable data with noisy labels and two valuable features that copy the noisy label",
        shape="1000 x 22",
        classes="-1, +1",
        source="generated",
        reference="Dekel, Shamir & Xiao 2010, 4.1, first experiment",
    ),
    Dataset(
        name="redundant-features",
        load="benchkit_datasets.generated.redundant_features:load_redundant_features",
        generated=True,
        summary="Separable points of three dimensions seen through 40 ever noisier features",
        shape="200 x 40",
        classes="-1, +1",
        source="generated",
        reference="Dekel, Shamir & Xiao 2010, 4.1, second experiment",
    ),
    Dataset(
        name="logistic-toy",
        load="benchkit_datasets.generated.logistic_toy:load_logistic_toy",
        generated=True,
        summary="Uniform signs, labels by a logistic rule in which one feature outweighs the others",
        shape="1000 x 20",
        classes="-1, +1",
        source="generated",
        reference="Globerson & Roweis 2006, 4.1",
    ),
    Dataset(
        name="waveform-generated",
        load="benchkit_datasets.generated.waveform_generated:load_waveform_generated",
        expand="benchkit_datasets.problems.pairs:expand_wave_pairs",
        generated=True,
        summary="Breiman's waveforms for any number of rows",
        shape="5000 x 21",
        classes="-1 classes 0 and 2, +1 class 1; classes: all gives 0, 1, 2",
        source="generated",
        reference="Breiman, Friedman, Olshen & Stone 1984; used by Dick, Haider & Scheffer 2008",
    ),
    Dataset(
        name="roofs-synthetic",
        load="benchkit_datasets.generated.roofs_synthetic:load_roofs_synthetic",
        task="regression",
        generated=True,
        summary="Sparse linear data without noise; order says where in the stream the true features are",
        shape="1000 x 1000",
        classes="X beta, |beta| = 1",
        source="generated",
        reference="Zhang et al. (RoOFS)",
    ),
]

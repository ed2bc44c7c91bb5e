"""Declarations of the datasets plugin."""

from benchkit import Dataset, hookimpl


@hookimpl
def benchkit_datasets() -> list[Dataset]:
    """Declare the datasets."""
    return [
        Dataset(
            name="breast",
            load="benchkit_datasets.bundled:load_breast",
            summary="Breast Cancer Wisconsin (Diagnostic), the ten mean columns of 569 cell-nucleus images",
            shape="569 x 10 (columns: all gives 30)",
            classes="-1 benign (357), +1 malignant (212)",
            licence="CC BY 4.0",
            source="bundled with scikit-learn; UCI Machine Learning Repository",
            reference="Street, Wolberg & Mangasarian 1993; used by Dekel, Shamir & Xiao 2010, 4.2",
        ),
        Dataset(
            name="digits",
            load="benchkit_datasets.bundled:load_digits",
            expand="benchkit_datasets.pairs:expand_digit_pairs",
            summary="8 x 8 handwritten digits, grey values scaled to [0, 1]",
            shape="1797 x 64; a pair has about 360 rows",
            classes="ten digits; pair: [a, b] gives -1 for a, +1 for b",
            licence="CC BY 4.0",
            source="bundled with scikit-learn; UCI Machine Learning Repository",
            reference="Alpaydin & Kaynak 1998",
        ),
        Dataset(
            name="spambase",
            load="benchkit_datasets.spambase:load_spambase",
            files="benchkit_datasets.spambase:files",
            summary="4601 e-mails by word, character and capital-run frequencies",
            shape="4601 x 57",
            classes="-1 ham (2788), +1 spam (1813)",
            licence="CC BY 4.0",
            source="UCI Machine Learning Repository: spambase.data",
            reference="Hopkins, Reeber, Forman & Suermondt 1999; used by Globerson & Roweis 2006, Dekel & Shamir 2008",
        ),
        Dataset(
            name="label-copies",
            load="benchkit_datasets.label_copies:load_label_copies",
            generated=True,
            summary="Separable data with noisy labels and two valuable features that copy the noisy label",
            shape="1000 x 22",
            classes="-1, +1",
            source="generated",
            reference="Dekel, Shamir & Xiao 2010, 4.1",
        ),
    ]

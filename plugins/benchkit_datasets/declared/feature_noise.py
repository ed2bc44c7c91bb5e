"""Data of the papers on feature noise at test time."""

from benchkit import DataFile, Dataset

ESL = "https://hastie.su.domains/ElemStatLearn/datasets"
MNIST = ("https://storage.googleapis.com/cvdf-datasets/mnist", "https://ossci-datasets.s3.amazonaws.com/mnist")
MNIST_FILES = (
    "train-images-idx3-ubyte.gz",
    "train-labels-idx1-ubyte.gz",
    "t10k-images-idx3-ubyte.gz",
    "t10k-labels-idx1-ubyte.gz",
)

DATASETS = [
    Dataset(
        name="breast",
        load="benchkit_datasets.published.bundled:load_breast",
        summary="Breast Cancer Wisconsin (Diagnostic), the ten mean columns of 569 cell-nucleus images",
        shape="569 x 10 (columns: all gives 30)",
        classes="-1 benign (357), +1 malignant (212)",
        licence="CC BY 4.0",
        source="bundled with scikit-learn; UCI Machine Learning Repository",
        reference="Street, Wolberg & Mangasarian 1993; used by Dekel, Shamir & Xiao 2010, 4.2",
    ),
    Dataset(
        name="spambase",
        load="benchkit_datasets.published.spambase:load_spambase",
        files=[
            DataFile(
                name="spambase/spambase.data",
                urls=("https://archive.ics.uci.edu/static/public/94/spambase.zip",),
                member="spambase.data",
            )
        ],
        digest="8a943971c791802ded08aefa4f1a299483c20eff1d6c101bc23249306930dee4",
        summary="4601 e-mails by word, character and capital-run frequencies",
        shape="4601 x 57",
        classes="-1 ham (2788), +1 spam (1813)",
        licence="CC BY 4.0",
        source="UCI Machine Learning Repository: spambase.data",
        reference="Hopkins, Reeber, Forman & Suermondt 1999; used by Globerson & Roweis 2006, Dekel & Shamir 2008",
    ),
    Dataset(
        name="usps",
        load="benchkit_datasets.published.usps:load_usps",
        expand="benchkit_datasets.problems.pairs:expand_digit_pairs",
        files=[DataFile(name=f"usps/{file}", urls=(f"{ESL}/{file}",)) for file in ("zip.train.gz", "zip.test.gz")],
        digest="6b0da1840f09b81baad2813a7451b608dabcfcdc7225a2a9b632d04278c843bf",
        summary="16 x 16 handwritten postcode digits, grey values in [-1, 1] or (scale: unit) [0, 1]",
        shape="9298 x 256 (part: train 7291, test 2007); a pair has 1424 to 2822 rows",
        classes="ten digits; pair: [a, b], pairs: all, one_against_rest: a, or task: odd-even give -1, +1",
        licence="none stated; offered for research by AT&T",
        source="web site of The Elements of Statistical Learning: zip.train.gz, zip.test.gz",
        reference="Hull 1994; used by Dekel, Shamir & Xiao 2010, 4.2, Dick, Haider & Scheffer 2008, 6.1",
    ),
    Dataset(
        name="mnist",
        load="benchkit_datasets.published.mnist:load_mnist",
        expand="benchkit_datasets.problems.pairs:expand_digit_pairs",
        files=[DataFile(name=f"mnist/{file}", urls=[f"{site}/{file}" for site in MNIST]) for file in MNIST_FILES],
        digest="6a16a3921faa5326def5c1f0bcc18b73a3778e2051143bfc8e64ecde652a8fe8",
        summary="28 x 28 handwritten digits, grey values divided by 255",
        shape="70000 x 784 (part: train 60000, test 10000); a pair has about 14000 rows",
        classes="ten digits; pair: [a, b], pairs: all, one_against_rest: a, or task: odd-even give -1, +1",
        licence="CC BY-SA 3.0 as commonly stated; check before redistribution",
        source="LeCun, Cortes & Burges: the MNIST database",
        reference="LeCun, Bottou, Bengio & Haffner 1998; used by Globerson & Roweis 2006, Dekel, Shamir & Xiao 2010",
    ),
    Dataset(
        name="digits",
        load="benchkit_datasets.published.bundled:load_digits",
        expand="benchkit_datasets.problems.pairs:expand_digit_pairs",
        summary="8 x 8 handwritten digits, grey values scaled to [0, 1]",
        shape="1797 x 64; a pair has about 360 rows",
        classes="ten digits; pair: [a, b], pairs: all, one_against_rest: a, or task: odd-even give -1, +1",
        licence="CC BY 4.0",
        source="bundled with scikit-learn; UCI Machine Learning Repository",
        reference="Alpaydin & Kaynak 1998",
    ),
]

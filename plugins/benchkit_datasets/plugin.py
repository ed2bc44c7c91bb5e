"""The datasets plugin: public data, generated data, and readers of a user's own. Nothing here imports a loader."""

from functools import partial
from typing import Any

from benchkit import TABLE_ENDINGS, DataFile, Dataset, hookimpl

benchkit_api = 1

ESL = "https://hastie.su.domains/ElemStatLearn/datasets"
MNIST = ("https://storage.googleapis.com/cvdf-datasets/mnist", "https://ossci-datasets.s3.amazonaws.com/mnist")
MNIST_FILES = (
    "train-images-idx3-ubyte.gz",
    "train-labels-idx1-ubyte.gz",
    "t10k-images-idx3-ubyte.gz",
    "t10k-labels-idx1-ubyte.gz",
)
UCI = "https://archive.ics.uci.edu/static/public"
USED = "used by Dick, Haider & Scheffer 2008"
OPENML_ARFF = (
    "Download the ARFF file of https://www.openml.org/d/{number} (L. Torgo's {what}, {rows} rows, the target last), "
    "compress it with gzip and name it {name}.arff.gz."
)
ACL_IMDB = "http://ai.stanford.edu/~amaas/data/sentiment/aclImdb_v1.tar.gz"
OWN_PATHS = "benchkit_datasets.own.table_file:named_path"
TEXT_TABLES = tuple(ending + packed for ending in TABLE_ENDINGS["text"] for packed in ("", ".gz"))
OTHER_TABLES = tuple(
    ending for kind, endings in TABLE_ENDINGS.items() if kind not in ("text", "parquet") for ending in endings
)
OWN_TABLES = {
    "csv": ("CSV file", TEXT_TABLES),
    "parquet": ("Parquet file", TABLE_ENDINGS["parquet"]),
    "table": ("JSON file or spreadsheet", OTHER_TABLES),
}
DIGITS = "ten digits; pair: [a, b], pairs: all, one_against_rest: a, or task: odd-even give -1, +1"
TWO_OR_MORE = "-1, +1, or the file's own where there are more than two; pair and one_against_rest choose"


def _loaded(room: str, name: str) -> dict[str, Any]:
    """The name of a data set, and the function of a room that has it."""
    return {"name": name, "load": f"benchkit_datasets.{room}:load_{name.replace('-', '_')}"}


def _file(name: str, **more: Any) -> list[DataFile]:
    """The one file that a data set is read from."""
    return [DataFile(name=name, **more)]


def _uci(name: str, archive: str, compress: bool = False) -> list[DataFile]:
    """A file of one of UCI's archives."""
    member = name.rpartition("/")[2].removesuffix(".gz")
    return _file(name, urls=(f"{UCI}/{archive}.zip",), member=member, compress=compress)


_cc_by = partial(Dataset, licence="CC BY 4.0")
_digits = partial(Dataset, expand="benchkit_datasets.problems:expand_digit_pairs", classes=DIGITS)
_generated = partial(Dataset, generated=True, source="generated")
_own = partial(Dataset, paths=OWN_PATHS, source="path", shape="the file's")
_openml = partial(
    Dataset,
    example=None,
    shape="the table's, categories one-hot",
    licence="as OpenML states",
    source="https://www.openml.org",
    reference="Vanschoren, van Rijn, Bischl & Torgo 2014",
)
DATASETS = [
    _cc_by(
        **_loaded("published.uci", "breast"),
        summary="Breast Cancer Wisconsin (Diagnostic), the ten mean columns of 569 cell-nucleus images",
        shape="569 x 10 (columns: all gives 30)",
        classes="-1 benign (357), +1 malignant (212)",
        source="bundled with scikit-learn; UCI Machine Learning Repository",
        reference="Street, Wolberg & Mangasarian 1993; used by Dekel, Shamir & Xiao 2010, 4.2",
    ),
    _cc_by(
        **_loaded("published.uci", "spambase"),
        files=_uci("spambase/spambase.data", "94/spambase"),
        digest="8a943971c791802ded08aefa4f1a299483c20eff1d6c101bc23249306930dee4",
        summary="4601 e-mails by word, character and capital-run frequencies",
        shape="4601 x 57",
        classes="-1 ham (2788), +1 spam (1813)",
        source="UCI Machine Learning Repository: spambase.data",
        reference="Hopkins, Reeber, Forman & Suermondt 1999; used by Globerson & Roweis 2006, Dekel & Shamir 2008",
    ),
    _digits(
        **_loaded("published.digits", "usps"),
        files=[DataFile(name=f"usps/{file}", urls=(f"{ESL}/{file}",)) for file in ("zip.train.gz", "zip.test.gz")],
        digest="6b0da1840f09b81baad2813a7451b608dabcfcdc7225a2a9b632d04278c843bf",
        summary="16 x 16 handwritten postcode digits, grey values in [-1, 1] or (scale: unit) [0, 1]",
        shape="9298 x 256 (part: train 7291, test 2007); a pair has 1424 to 2822 rows",
        licence="none stated; offered for research by AT&T",
        source="web site of The Elements of Statistical Learning: zip.train.gz, zip.test.gz",
        reference="Hull 1994; used by Dekel, Shamir & Xiao 2010, 4.2, Dick, Haider & Scheffer 2008, 6.1",
    ),
    _digits(
        **_loaded("published.digits", "mnist"),
        files=[DataFile(name=f"mnist/{file}", urls=[f"{site}/{file}" for site in MNIST]) for file in MNIST_FILES],
        digest="6a16a3921faa5326def5c1f0bcc18b73a3778e2051143bfc8e64ecde652a8fe8",
        summary="28 x 28 handwritten digits, grey values divided by 255",
        shape="70000 x 784 (part: train 60000, test 10000); a pair has about 14000 rows",
        licence="CC BY-SA 3.0 as commonly stated; check before redistribution",
        source="LeCun, Cortes & Burges: the MNIST database",
        reference="LeCun, Bottou, Bengio & Haffner 1998; used by Globerson & Roweis 2006, Dekel, Shamir & Xiao 2010",
    ),
    _digits(
        **_loaded("published.digits", "digits"),
        summary="8 x 8 handwritten digits, grey values scaled to [0, 1]",
        shape="1797 x 64; a pair has about 360 rows",
        licence="CC BY 4.0",
        source="bundled with scikit-learn; UCI Machine Learning Repository",
        reference="Alpaydin & Kaynak 1998",
    ),
    Dataset(
        name="breast-cancer",
        categories=True,
        load="benchkit_datasets.published.uci:load_breast_cancer",
        files=_uci("uci/breast-cancer.data", "14/breast+cancer"),
        digest="d9cb23b144528e510886b41a7a2caae03d7f96a9ad8b68d9006fc8ff54498ed2",
        summary="Breast cancer, Ljubljana: recurrence from nine attributes of patients, all categories",
        shape="277 x 9 (missing: keep gives 286 rows; encoding: one-hot gives 41 columns)",
        classes="-1 no recurrence (196), +1 recurrence (81)",
        licence="CC BY 4.0; cite M. Zwitter & M. Soklic, University Medical Centre Ljubljana",
        source="UCI Machine Learning Repository: breast-cancer.data",
        reference=f"Zwitter & Soklic 1988; {USED}",
    ),
    Dataset(
        **_loaded("published.uci", "diabetes"),
        files=_file(
            "uci/pima-indians-diabetes.data",
            # UCI withdrew it; this copy has the same rows and no header.
            urls=("https://raw.githubusercontent.com/jbrownlee/Datasets/master/pima-indians-diabetes.data.csv",),
            obtain="Any copy of the 768 rows of nine comma-separated numbers without a header will do.",
        ),
        digest="216a83e05e8967bf9fc8b049d02a69bd7d4f06a631320ec3e635e224003c7122",
        summary="Pima Indians diabetes: diabetes within five years from eight measurements",
        shape="768 x 8",
        classes="-1 no (500), +1 diabetes (268)",
        licence="none stated; donated to UCI by V. Sigillito, widely redistributed",
        source="formerly UCI Machine Learning Repository: pima-indians-diabetes.data",
        reference=f"Smith, Everhart, Dickson, Knowler & Johannes 1988; {USED}",
    ),
    _cc_by(
        name="german",
        categories=True,
        load="benchkit_datasets.published.uci:load_german",
        files=_uci("uci/german.data", "144/statlog+german+credit+data"),
        digest="4d524a88b1bfa83b1a9aefb4c560605ba2a3d7d2fbb241deae96fb78c342975e",
        summary="German credit (Statlog): bad credit risks from 13 categories and 7 numbers",
        shape="1000 x 20 (encoding: one-hot gives 61 columns)",
        classes="-1 good (700), +1 bad (300)",
        source="UCI Machine Learning Repository: german.data",
        reference=f"Hofmann 1994; {USED}",
    ),
    _cc_by(
        **_loaded("published.uci", "waveform"),
        expand="benchkit_datasets.problems:expand_wave_pairs",
        files=_file(
            "uci/waveform.data",
            obtain="Take waveform.data.Z from https://archive.ics.uci.edu/dataset/107 (waveform database "
            "generator, version 1) and unpack it with 'gzip -d waveform.data.Z'.",
        ),
        digest="58e0a88418d9c9d9f0c4076e73aaea203aa4336824e6fbb3ac2a6d53b7a59fdf",
        summary="Breiman's waveforms: the 5000 rows that UCI keeps",
        shape="5000 x 21",
        classes="-1 classes 0 and 2 (3353), +1 class 1 (1647); classes: all gives 0, 1, 2",
        source="UCI Machine Learning Repository: waveform.data (version 1)",
        reference=f"Breiman, Friedman, Olshen & Stone 1984; {USED}",
    ),
    Dataset(
        **_loaded("published.uci", "physics"),
        files=_file(
            "physics/phy_train.dat",
            obtain="Take the archive of the KDD Cup 2004 from https://www.kdd.org/kdd-cup/view/kdd-cup-2004/Data "
            "and unpack phy_train.dat (50,000 rows of 80 columns).",
        ),
        summary="Quantum physics of the KDD Cup 2004: two kinds of particles",
        shape="50000 x 78 (n: 6179 for the paper's 1000 + 5179)",
        classes="-1, +1 for the file's 0, 1 (about half each)",
        licence="none stated; offered for the KDD Cup 2004",
        source="KDD Cup 2004: phy_train.dat",
        reference=f"Caruana, Joachims & Backstrom 2004; {USED}",
    ),
    Dataset(
        **_loaded("published.landmine", "landmine"),
        files=_file(
            "landmine/LandmineData.mat",
            urls=(
                "https://raw.githubusercontent.com/daizhongxiang/Federated_Bayesian_Optimization/"
                "9f46a1dfbbcfd5823e026ad9418a4cb881676ae9/LandmineData.mat",
            ),
            obtain="LandmineData.mat of Duke University (L. Carin's group), 29 fields.",
        ),
        digest="d22b1fa3727b975051c763491d2784827a2c6397744ebec9d7bbc6bb8c6b63f0",
        summary="Land mines: radar features of 29 fields; not the four-view set of the paper, which is not public",
        shape="14820 x 9 (fields: [1, 2] gives those of two fields)",
        classes="-1 clutter (13916), +1 mine (904)",
        licence="none stated; offered by Duke University for research",
        source="Duke University, L. Carin's group: LandmineData.mat",
        reference="Xue, Liao, Carin & Krishnapuram 2007",
    ),
    Dataset(
        **_loaded("published.uci", "housing"),
        task="regression",
        files=_file(
            "uci/housing.data", urls=("https://archive.ics.uci.edu/ml/machine-learning-databases/housing/housing.data",)
        ),
        digest="cf15269a0ec60d764547c44bf2f5de905657b76e8d3a88c0328ecba0f4f45b23",
        summary="Boston housing, to repeat published numbers only: its column B encodes an assumption about race",
        shape="506 x 13 (without_b: true gives 12)",
        classes="median home value, 5 to 50 thousand USD",
        licence="none stated (StatLib: free use)",
        source="StatLib; UCI Machine Learning Repository: housing.data",
        reference=f"Harrison & Rubinfeld 1978; {USED}",
    ),
    Dataset(
        **_loaded("published.uci", "ailerons"),
        task="regression",
        files=_file(
            "torgo/ailerons.arff.gz",
            obtain=OPENML_ARFF.format(number=296, what="ailerons", rows=13750, name="ailerons"),
        ),
        digest="1fea6c479ac9421985a2b142b34a26d1be35b29519299ba7fb93227f4d03c884",
        summary="Control action on the ailerons of an F16",
        shape="13750 x 40 (n: 2000 for the paper's size)",
        classes="control action, -0.0036 to 0",
        licence="none stated; public collection of L. Torgo",
        source="L. Torgo's regression data sets (R. Camacho)",
        reference=f"Camacho 1998; {USED}",
    ),
    Dataset(
        **_loaded("published.uci", "cpu-act"),
        task="regression",
        files=_file(
            "torgo/cpu_act.arff.gz", obtain=OPENML_ARFF.format(number=197, what="cpu_act", rows=8192, name="cpu_act")
        ),
        digest="93ac1cba955fb466ff2194fe8e9e890adee4f575c4817dc9e3d565f2d2add34e",
        summary="Computer activity: share of time that processors run in user mode",
        shape="8192 x 21 (n: 1500 for the paper's size)",
        classes="per cent of time, 0 to 99",
        licence="none stated; public collection of L. Torgo",
        source="DELVE; L. Torgo's regression data sets",
        reference=f"Rasmussen et al. 1996 (DELVE); {USED}",
    ),
    Dataset(
        **_loaded("published.texts", "imdb"),
        task="regression",
        files=[
            *(
                DataFile(
                    name=f"imdb/{part}/labeledBow.feat.gz",
                    urls=(ACL_IMDB,),
                    member=f"aclImdb/{part}/labeledBow.feat",
                    compress=True,
                )
                for part in ("train", "test")
            ),
            DataFile(name="imdb/imdb.vocab", urls=(ACL_IMDB,), member="aclImdb/imdb.vocab"),
        ],
        digest="a9498328a04d1898ac061dd49b03c0a3391c4e1dabd5149f4dff5797b951af46",
        summary="Film reviews as bags of words, to predict the rating; sparse",
        shape="50000 x 10000 (n_terms: null gives 89527; n: 10000 for the paper's size)",
        classes="rating, 1 to 4 and 7 to 10 stars",
        licence="none stated; research use, cite Maas et al. 2011",
        source="Large Movie Review Dataset v1.0",
        reference="Maas, Daly, Pham, Huang, Ng & Potts 2011; used by Zhang et al. (RoOFS)",
    ),
    _generated(
        **_loaded("generated.separable", "label-copies"),
        summary="Separable data with noisy labels and two valuable features that copy the noisy label",
        shape="1000 x 22",
        classes="-1, +1",
        reference="Dekel, Shamir & Xiao 2010, 4.1, first experiment",
    ),
    _generated(
        **_loaded("generated.separable", "redundant-features"),
        summary="Separable points of three dimensions seen through 40 ever noisier features",
        shape="200 x 40",
        classes="-1, +1",
        reference="Dekel, Shamir & Xiao 2010, 4.1, second experiment",
    ),
    _generated(
        **_loaded("generated.linear", "logistic-toy"),
        summary="Uniform signs, labels by a logistic rule in which one feature outweighs the others",
        shape="1000 x 20",
        classes="-1, +1",
        reference="Globerson & Roweis 2006, 4.1",
    ),
    _generated(
        **_loaded("generated.series", "waveform-generated"),
        expand="benchkit_datasets.problems:expand_wave_pairs",
        summary="Breiman's waveforms for any number of rows",
        shape="5000 x 21",
        classes="-1 classes 0 and 2, +1 class 1; classes: all gives 0, 1, 2",
        reference="Breiman, Friedman, Olshen & Stone 1984; used by Dick, Haider & Scheffer 2008",
    ),
    _generated(
        **_loaded("generated.series", "machines"),
        summary="Readings of machines day by day; what they were yesterday tells something of today",
        shape="1000 x 5",
        classes="+1 fails the day after",
    ),
    _generated(
        **_loaded("generated.linear", "roofs-synthetic"),
        task="regression",
        summary="Sparse linear data without noise; order says where in the stream the true features are",
        shape="1000 x 1000",
        classes="X beta, |beta| = 1",
        reference="Zhang et al. (RoOFS)",
    ),
    _cc_by(
        **_loaded("published.uci", "ionosphere"),
        files=_uci("uci/ionosphere.data", "52/ionosphere"),
        digest="faceeed03487a37b30e87de3f9473c935f75e14ac6e4c6c7cecc980b51cb5be3",
        summary="Radar returns from the ionosphere",
        shape="351 x 34",
        classes="-1 bad (126), +1 good (225)",
        source="UCI Machine Learning Repository: ionosphere.data",
        reference="Sigillito, Wing, Hutton & Baker 1989",
    ),
    _cc_by(
        **_loaded("published.uci", "sonar"),
        files=_uci("uci/sonar.all-data", "151/connectionist+bench+sonar+mines+vs+rocks"),
        digest="1437769829185130ac7079783d077a07b65826618dcd594a53e5f108c9b4fa6e",
        summary="Sonar returns from mines and rocks",
        shape="208 x 60",
        classes="-1 rock (97), +1 mine (111)",
        source="UCI Machine Learning Repository: sonar.all-data",
        reference="Gorman & Sejnowski 1988",
    ),
    _cc_by(
        **_loaded("published.uci", "magic"),
        files=_uci("uci/magic04.data.gz", "159/magic+gamma+telescope", compress=True),
        digest="ca60219125353174e1c3f46a74d6dea0abc6b933a600890288045c9195d26f3c",
        summary="MAGIC gamma telescope: simulated air showers",
        shape="19020 x 10",
        classes="-1 hadron (6688), +1 gamma ray (12332)",
        source="UCI Machine Learning Repository: magic04.data",
        reference="Bock et al. 2004",
    ),
    _cc_by(
        **_loaded("published.texts", "sms-spam"),
        files=_uci("sms/SMSSpamCollection", "228/sms+spam+collection"),
        digest="7399caa5c834ea8f3474a45249a6ae2ae4207b1af37b3a3b808d66e009165323",
        summary="Text messages as bags of words; stands in for the private mailbox of Globerson & Roweis 2006",
        shape="5574 x 185, sparse (n_terms: null gives all terms)",
        classes="-1 ham (4827), +1 spam (747)",
        source="UCI Machine Learning Repository: SMSSpamCollection",
        reference="Almeida, Gomez Hidalgo & Yamakami 2011",
    ),
    _own(
        **_loaded("own.arrays", "multi-view"),
        summary="Your own .npz of X, y and view, the view of each column; views become feature groups",
        classes="-1, +1, or the file's own where there are more than two",
    ),
    _openml(
        **_loaded("own.openml", "openml"),
        summary="Any table of OpenML, by data_id; needs the network",
        classes=TWO_OR_MORE,
    ),
    _own(
        **_loaded("own.arrays", "libsvm"),
        summary="Your own LIBSVM file, by path; sparse",
        classes=TWO_OR_MORE,
    ),
    _openml(
        **_loaded("own.openml", "openml-regression"),
        task="regression",
        summary="Any table of OpenML with a numeric target, by data_id; needs the network",
        classes="numbers",
    ),
    _own(
        **_loaded("own.arrays", "libsvm-regression"),
        task="regression",
        summary="Your own LIBSVM file with a numeric target, by path; sparse",
        classes="numbers",
    ),
    *(
        _own(
            name=f"{name}{ending}",
            load=f"benchkit_datasets.own.table_file:load_table{ending.replace('-', '_')}",
            task="regression" if ending else "classification",
            several_files=True,
            suffixes=suffixes,
            summary=f"Your own {what}{' with a numeric target' if ending else ''}, by path and target",
            shape="the file's, categories one-hot",
            classes="numbers" if ending else TWO_OR_MORE,
        )
        for ending in ("", "-regression")
        for name, (what, suffixes) in OWN_TABLES.items()
    ),
]


@hookimpl
def benchkit_datasets() -> list[Dataset]:
    """Declare the datasets."""
    return list(DATASETS)

"""Data of the paper on learning from incomplete data."""

from benchkit import DataFile, Dataset

UCI = "https://archive.ics.uci.edu/static/public"
USED = "used by Dick, Haider & Scheffer 2008"
OPENML_ARFF = (
    "Download the ARFF file of https://www.openml.org/d/{number} (L. Torgo's {what}, {rows} rows, the target last), "
    "compress it with gzip and name it {name}.arff.gz."
)

DATASETS = [
    Dataset(
        name="breast-cancer",
        categories=True,
        load="benchkit_datasets.published.breast_cancer:load_breast_cancer",
        files=[
            DataFile(name="uci/breast-cancer.data", urls=(f"{UCI}/14/breast+cancer.zip",), member="breast-cancer.data")
        ],
        digest="d9cb23b144528e510886b41a7a2caae03d7f96a9ad8b68d9006fc8ff54498ed2",
        summary="Breast cancer, Ljubljana: recurrence from nine attributes of patients, all categories",
        shape="277 x 9 (missing: keep gives 286 rows; encoding: one-hot gives 41 columns)",
        classes="-1 no recurrence (196), +1 recurrence (81)",
        licence="CC BY 4.0; cite M. Zwitter & M. Soklic, University Medical Centre Ljubljana",
        source="UCI Machine Learning Repository: breast-cancer.data",
        reference=f"Zwitter & Soklic 1988; {USED}",
    ),
    Dataset(
        name="diabetes",
        load="benchkit_datasets.published.diabetes:load_diabetes",
        files=[
            DataFile(
                name="uci/pima-indians-diabetes.data",
                # UCI withdrew it; this copy has the same rows and no header.
                urls=("https://raw.githubusercontent.com/jbrownlee/Datasets/master/pima-indians-diabetes.data.csv",),
                obtain="Any copy of the 768 rows of nine comma-separated numbers without a header will do.",
            )
        ],
        digest="216a83e05e8967bf9fc8b049d02a69bd7d4f06a631320ec3e635e224003c7122",
        summary="Pima Indians diabetes: diabetes within five years from eight measurements",
        shape="768 x 8",
        classes="-1 no (500), +1 diabetes (268)",
        licence="none stated; donated to UCI by V. Sigillito, widely redistributed",
        source="formerly UCI Machine Learning Repository: pima-indians-diabetes.data",
        reference=f"Smith, Everhart, Dickson, Knowler & Johannes 1988; {USED}",
    ),
    Dataset(
        name="german",
        categories=True,
        load="benchkit_datasets.published.german:load_german",
        files=[
            DataFile(name="uci/german.data", urls=(f"{UCI}/144/statlog+german+credit+data.zip",), member="german.data")
        ],
        digest="4d524a88b1bfa83b1a9aefb4c560605ba2a3d7d2fbb241deae96fb78c342975e",
        summary="German credit (Statlog): bad credit risks from 13 categories and 7 numbers",
        shape="1000 x 20 (encoding: one-hot gives 61 columns)",
        classes="-1 good (700), +1 bad (300)",
        licence="CC BY 4.0",
        source="UCI Machine Learning Repository: german.data",
        reference=f"Hofmann 1994; {USED}",
    ),
    Dataset(
        name="waveform",
        load="benchkit_datasets.published.waveform:load_waveform",
        expand="benchkit_datasets.problems.pairs:expand_wave_pairs",
        files=[
            DataFile(
                name="uci/waveform.data",
                obtain="Take waveform.data.Z from https://archive.ics.uci.edu/dataset/107 (waveform database "
                "generator, version 1) and unpack it with 'gzip -d waveform.data.Z'.",
            )
        ],
        digest="58e0a88418d9c9d9f0c4076e73aaea203aa4336824e6fbb3ac2a6d53b7a59fdf",
        summary="Breiman's waveforms: the 5000 rows that UCI keeps",
        shape="5000 x 21",
        classes="-1 classes 0 and 2 (3353), +1 class 1 (1647); classes: all gives 0, 1, 2",
        licence="CC BY 4.0",
        source="UCI Machine Learning Repository: waveform.data (version 1)",
        reference=f"Breiman, Friedman, Olshen & Stone 1984; {USED}",
    ),
    Dataset(
        name="physics",
        load="benchkit_datasets.published.physics:load_physics",
        files=[
            DataFile(
                name="physics/phy_train.dat",
                obtain="Take the archive of the KDD Cup 2004 from https://www.kdd.org/kdd-cup/view/kdd-cup-2004/Data "
                "and unpack phy_train.dat (50,000 rows of 80 columns).",
            )
        ],
        summary="Quantum physics of the KDD Cup 2004: two kinds of particles",
        shape="50000 x 78 (n: 6179 for the paper's 1000 + 5179)",
        classes="-1, +1 for the file's 0, 1 (about half each)",
        licence="none stated; offered for the KDD Cup 2004",
        source="KDD Cup 2004: phy_train.dat",
        reference=f"Caruana, Joachims & Backstrom 2004; {USED}",
    ),
    Dataset(
        name="landmine",
        load="benchkit_datasets.published.landmine:load_landmine",
        files=[
            DataFile(
                name="landmine/LandmineData.mat",
                urls=(
                    "https://raw.githubusercontent.com/daizhongxiang/Federated_Bayesian_Optimization/"
                    "9f46a1dfbbcfd5823e026ad9418a4cb881676ae9/LandmineData.mat",
                ),
                obtain="LandmineData.mat of Duke University (L. Carin's group), 29 fields.",
            )
        ],
        digest="d22b1fa3727b975051c763491d2784827a2c6397744ebec9d7bbc6bb8c6b63f0",
        summary="Land mines: radar features of 29 fields; not the four-view set of the paper, which is not public",
        shape="14820 x 9 (fields: [1, 2] gives those of two fields)",
        classes="-1 clutter (13916), +1 mine (904)",
        licence="none stated; offered by Duke University for research",
        source="Duke University, L. Carin's group: LandmineData.mat",
        reference="Xue, Liao, Carin & Krishnapuram 2007",
    ),
    Dataset(
        name="housing",
        load="benchkit_datasets.published.housing:load_housing",
        task="regression",
        files=[
            DataFile(
                name="uci/housing.data",
                urls=("https://archive.ics.uci.edu/ml/machine-learning-databases/housing/housing.data",),
            )
        ],
        digest="cf15269a0ec60d764547c44bf2f5de905657b76e8d3a88c0328ecba0f4f45b23",
        summary="Boston housing, to repeat published numbers only: its column B encodes an assumption about race",
        shape="506 x 13 (without_b: true gives 12)",
        classes="median home value, 5 to 50 thousand USD",
        licence="none stated (StatLib: free use)",
        source="StatLib; UCI Machine Learning Repository: housing.data",
        reference=f"Harrison & Rubinfeld 1978; {USED}",
    ),
    Dataset(
        name="ailerons",
        load="benchkit_datasets.published.torgo:load_ailerons",
        task="regression",
        files=[
            DataFile(
                name="torgo/ailerons.arff.gz",
                obtain=OPENML_ARFF.format(number=296, what="ailerons", rows=13750, name="ailerons"),
            )
        ],
        digest="1fea6c479ac9421985a2b142b34a26d1be35b29519299ba7fb93227f4d03c884",
        summary="Control action on the ailerons of an F16",
        shape="13750 x 40 (n: 2000 for the paper's size)",
        classes="control action, -0.0036 to 0",
        licence="none stated; public collection of L. Torgo",
        source="L. Torgo's regression data sets (R. Camacho)",
        reference=f"Camacho 1998; {USED}",
    ),
    Dataset(
        name="cpu-act",
        load="benchkit_datasets.published.torgo:load_cpu_act",
        task="regression",
        files=[
            DataFile(
                name="torgo/cpu_act.arff.gz",
                obtain=OPENML_ARFF.format(number=197, what="cpu_act", rows=8192, name="cpu_act"),
            )
        ],
        digest="93ac1cba955fb466ff2194fe8e9e890adee4f575c4817dc9e3d565f2d2add34e",
        summary="Computer activity: share of time that processors run in user mode",
        shape="8192 x 21 (n: 1500 for the paper's size)",
        classes="per cent of time, 0 to 99",
        licence="none stated; public collection of L. Torgo",
        source="DELVE; L. Torgo's regression data sets",
        reference=f"Rasmussen et al. 1996 (DELVE); {USED}",
    ),
]

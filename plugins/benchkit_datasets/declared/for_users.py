"""Further public data, and readers of a user's own."""

from benchkit import DataFile, Dataset

UCI = "https://archive.ics.uci.edu/static/public"
OWN_PATHS = "benchkit_datasets.own.own_files:named_path"
TWO_OR_MORE = "-1, +1, or the file's own where there are more than two; pair and one_against_rest choose"

PUBLIC = [
    Dataset(
        name="ionosphere",
        load="benchkit_datasets.published.ionosphere:load_ionosphere",
        files=[DataFile(name="uci/ionosphere.data", urls=(f"{UCI}/52/ionosphere.zip",), member="ionosphere.data")],
        digest="faceeed03487a37b30e87de3f9473c935f75e14ac6e4c6c7cecc980b51cb5be3",
        summary="Radar returns from the ionosphere",
        shape="351 x 34",
        classes="-1 bad (126), +1 good (225)",
        licence="CC BY 4.0",
        source="UCI Machine Learning Repository: ionosphere.data",
        reference="Sigillito, Wing, Hutton & Baker 1989",
    ),
    Dataset(
        name="sonar",
        load="benchkit_datasets.published.sonar:load_sonar",
        files=[
            DataFile(
                name="uci/sonar.all-data",
                urls=(f"{UCI}/151/connectionist+bench+sonar+mines+vs+rocks.zip",),
                member="sonar.all-data",
            )
        ],
        digest="1437769829185130ac7079783d077a07b65826618dcd594a53e5f108c9b4fa6e",
        summary="Sonar returns from mines and rocks",
        shape="208 x 60",
        classes="-1 rock (97), +1 mine (111)",
        licence="CC BY 4.0",
        source="UCI Machine Learning Repository: sonar.all-data",
        reference="Gorman & Sejnowski 1988",
    ),
    Dataset(
        name="magic",
        load="benchkit_datasets.published.magic:load_magic",
        files=[
            DataFile(
                name="uci/magic04.data.gz",
                urls=(f"{UCI}/159/magic+gamma+telescope.zip",),
                member="magic04.data",
                compress=True,
            )
        ],
        digest="ca60219125353174e1c3f46a74d6dea0abc6b933a600890288045c9195d26f3c",
        summary="MAGIC gamma telescope: simulated air showers",
        shape="19020 x 10",
        classes="-1 hadron (6688), +1 gamma ray (12332)",
        licence="CC BY 4.0",
        source="UCI Machine Learning Repository: magic04.data",
        reference="Bock et al. 2004",
    ),
    Dataset(
        name="sms-spam",
        load="benchkit_datasets.published.sms_spam:load_sms_spam",
        files=[
            DataFile(
                name="sms/SMSSpamCollection", urls=(f"{UCI}/228/sms+spam+collection.zip",), member="SMSSpamCollection"
            )
        ],
        digest="7399caa5c834ea8f3474a45249a6ae2ae4207b1af37b3a3b808d66e009165323",
        summary="Text messages as bags of words; stands in for the private mailbox of Globerson & Roweis 2006",
        shape="5574 x 185, sparse (n_terms: null gives all terms)",
        classes="-1 ham (4827), +1 spam (747)",
        licence="CC BY 4.0",
        source="UCI Machine Learning Repository: SMSSpamCollection",
        reference="Almeida, Gomez Hidalgo & Yamakami 2011",
    ),
]

OWN = [
    Dataset(
        name="multi-view",
        load="benchkit_datasets.own.multi_view:load_multi_view",
        paths=OWN_PATHS,
        summary="Your own .npz of X, y and view, the view of each column; views become feature groups",
        shape="the file's",
        classes="-1, +1, or the file's own where there are more than two",
        source="path",
    ),
    Dataset(
        name="openml",
        load="benchkit_datasets.own.openml:load_openml",
        example=None,
        summary="Any table of OpenML, by data_id; needs the network",
        shape="the table's, categories one-hot",
        classes=TWO_OR_MORE,
        licence="as OpenML states",
        source="https://www.openml.org",
        reference="Vanschoren, van Rijn, Bischl & Torgo 2014",
    ),
    Dataset(
        name="csv",
        load="benchkit_datasets.own.csv_file:load_csv",
        paths=OWN_PATHS,
        several_files=True,
        summary="Your own CSV file, by path and target",
        shape="the file's, categories one-hot",
        classes=TWO_OR_MORE,
        source="path",
    ),
    Dataset(
        name="parquet",
        load="benchkit_datasets.own.parquet_file:load_parquet",
        paths=OWN_PATHS,
        several_files=True,
        summary="Your own Parquet file, by path and target",
        shape="the file's, categories one-hot",
        classes=TWO_OR_MORE,
        source="path",
    ),
    Dataset(
        name="libsvm",
        load="benchkit_datasets.own.libsvm_file:load_libsvm",
        paths=OWN_PATHS,
        summary="Your own LIBSVM file, by path; sparse",
        shape="the file's",
        classes=TWO_OR_MORE,
        source="path",
    ),
    Dataset(
        name="openml-regression",
        load="benchkit_datasets.own.openml:load_openml_regression",
        example=None,
        task="regression",
        summary="Any table of OpenML with a numeric target, by data_id; needs the network",
        shape="the table's, categories one-hot",
        classes="numbers",
        licence="as OpenML states",
        source="https://www.openml.org",
        reference="Vanschoren, van Rijn, Bischl & Torgo 2014",
    ),
    Dataset(
        name="csv-regression",
        load="benchkit_datasets.own.csv_file:load_csv_regression",
        task="regression",
        paths=OWN_PATHS,
        several_files=True,
        summary="Your own CSV file with a numeric target, by path and target",
        shape="the file's, categories one-hot",
        classes="numbers",
        source="path",
    ),
    Dataset(
        name="parquet-regression",
        load="benchkit_datasets.own.parquet_file:load_parquet_regression",
        task="regression",
        paths=OWN_PATHS,
        several_files=True,
        summary="Your own Parquet file with a numeric target, by path and target",
        shape="the file's, categories one-hot",
        classes="numbers",
        source="path",
    ),
    Dataset(
        name="libsvm-regression",
        load="benchkit_datasets.own.libsvm_file:load_libsvm_regression",
        task="regression",
        paths=OWN_PATHS,
        summary="Your own LIBSVM file with a numeric target, by path; sparse",
        shape="the file's",
        classes="numbers",
        source="path",
    ),
]

DATASETS = [*PUBLIC, *OWN]

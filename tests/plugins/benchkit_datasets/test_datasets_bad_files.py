"""Damaged files, and what OpenML answers: one line that says what is wrong, never wrong numbers; without a network."""

import gzip
from functools import partial
from io import BytesIO
from urllib.error import URLError

import numpy as np
import pandas as pd
import pytest
from scipy import sparse
from scipy.io import savemat
from sklearn import datasets
from sklearn.utils import Bunch

from benchkit import DataUnavailableError, require_file
from benchkit_datasets.plugin import benchkit_datasets

PAGE = b"<!DOCTYPE html>\n<html><head><title>404 Not Found</title></head><body>Not Found</body></html>\n"
# One file of each kind, and the data set that reads it.
KINDS = {
    "spambase/spambase.data": "spambase",
    "usps/zip.test.gz": "usps",
    "mnist/t10k-labels-idx1-ubyte.gz": "mnist",
    "landmine/LandmineData.mat": "landmine",
    "imdb/imdb.vocab": "imdb",
    "torgo/cpu_act.arff.gz": "cpu-act",
    "sms/SMSSpamCollection": "sms-spam",
}


@pytest.fixture
def damage(declared, tmp_path, monkeypatch):
    """Put a dataset's files into an own data folder, one of them changed; returns the loader."""

    def damage(name, file, change):
        data = tmp_path / "data"
        for each in declared[name].files:
            try:
                source = require_file(each.name)
            except DataUnavailableError as error:
                pytest.skip(f"{name}: {error}")
            target = data / each.name
            target.parent.mkdir(parents=True, exist_ok=True)
            if each.name == file:
                target.write_bytes(change(source.read_bytes()))
            else:
                target.symlink_to(source)
        monkeypatch.setenv("BENCHKIT_DATA", str(data))
        # The other part need not be read to find what is wrong with this one.
        return partial(declared[name].load, **({"part": "test"} if "test" in file or "t10k" in file else {}))

    return damage


def unpacked(change):
    """A change of what a gzip file holds."""

    def on_packed(content):
        if content[:2] != b"\x1f\x8b":
            return change(content)
        return gzip.compress(change(gzip.decompress(content)), compresslevel=1)

    return on_packed


def lines(change):
    return unpacked(lambda content: b"\n".join(change(content.replace(b"\r\n", b"\n").split(b"\n"))))


def fails(load, file, message):
    with pytest.raises(ValueError, match=message) as caught:
        load()
    text = str(caught.value)
    assert "\n" not in text
    assert file.rpartition("/")[2] in text


def a_column_less(rows):
    return [*rows[:-20], rows[-20].rstrip().rpartition(b"," if b"," in rows[-20] else b" ")[0], *rows[-19:]]


TABLES = ("spambase/spambase.data", "usps/zip.test.gz", "torgo/cpu_act.arff.gz")
TEXTS = (*TABLES, "imdb/imdb.vocab", "sms/SMSSpamCollection")
PACKED = [file for file in KINDS if file.endswith(".gz")]
DAMAGE = {
    "empty": (lambda content: b"", KINDS),
    "a page": (lambda content: PAGE, KINDS),
    "cut": (lambda content: content[: len(content) // 2], KINDS),
    "zeros": (lambda content: content[: (half := len(content) // 2)] + bytes(64) + content[half + 64 :], PACKED),
    "no gzip": (lambda content: b"plain text, not gzip\n", PACKED),
    "a line less": (lines(lambda rows: [*rows[:-10], *rows[-9:]]), TEXTS),
    "a column less": (lines(a_column_less), TABLES),
    "Latin-1": (
        unpacked(lambda content: content[:2000] + b"\xe9" + content[2001:]),
        [file for file in TEXTS if not file.endswith(".arff.gz")],
    ),
}


@pytest.mark.parametrize(("kind", "file"), [(kind, file) for kind, (_, files) in DAMAGE.items() for file in files])
def test_a_damaged_file_is_one_line(kind, file, damage):
    fails(damage(KINDS[file], file, DAMAGE[kind][0]), file, None)


@pytest.mark.parametrize("dataset", [each for each in benchkit_datasets() if each.files], ids=lambda each: each.name)
def test_an_absent_file_makes_the_dataset_unavailable(dataset, folder):
    with pytest.raises(DataUnavailableError, match="is not in"):
        dataset.load()


@pytest.mark.parametrize(
    ("name", "file", "old", "new", "message"),
    [
        ("spambase", "spambase/spambase.data", b"0.64", b"nan", "'nan' in row 1, column 2 is not a finite number"),
        ("spambase", "spambase/spambase.data", b"0.64", b"6_4", "'6_4' in row 1, column 2 is not a finite number"),
        ("usps", "usps/zip.test.gz", b"9 -1", b"11 -1", "label 11.0 in row 1"),
        ("usps", "usps/zip.test.gz", b" -0.948", b" -9.48", "grey value 9.48"),
        ("breast-cancer", "uci/breast-cancer.data", b"\nno-rec", b"\nno_rec", "label 'no_recurrence-events' in row 2"),
        ("breast-cancer", "uci/breast-cancer.data", b",yes\n", b",1es\n", "irradiat is '1es' in row"),
        ("german", "uci/german.data", b"A34", b"A35", "credit-history is 'A35' in row 1"),
        ("german", "uci/german.data", b"1169", b"many", "'many' in row 1, column 5 is not a finite number"),
        ("ionosphere", "uci/ionosphere.data", b",g\n", b",G\n", "label 'G' in row 1, expected one of 'b', 'g'"),
        ("ailerons", "torgo/ailerons.arff.gz", b"Sgz real", b"Sgz string", "40 numbers are declared, expected 41"),
        ("ailerons", "torgo/ailerons.arff.gz", b"\n2, -56", b"\n2", r"40 columns in row \d+, expected 41"),
        ("ailerons", "torgo/ailerons.arff.gz", b"\n2, -56", b"\n2, inf", r"'inf' in row \d+, column 2 is not a finite"),
        ("sms-spam", "sms/SMSSpamCollection", b"\nspam\t", b"\nscam\t", "label 'scam' in row 3"),
        ("sms-spam", "sms/SMSSpamCollection", b"\nspam\t", b"\nspam ", "no tab in row 3"),
        ("mnist", "mnist/t10k-labels-idx1-ubyte.gz", 8, b"\x0b", "label 11 in row 1"),
        ("mnist", "mnist/t10k-labels-idx1-ubyte.gz", 0, b"\x01", "does not begin as an idx file of 1 axes"),
        ("mnist", "mnist/t10k-images-idx3-ubyte.gz", 4, b"\0\0\0\x0a", r"shape \(10, 28, 28\)"),
    ],
)
def test_values_that_cannot_be(name, file, old, new, message, damage):
    def change(content):
        content = content.replace(b"\r\n", b"\n")
        if isinstance(old, bytes):
            assert old in content
            return content.replace(old, new, 1)
        return content[:old] + new + content[old + len(new) :]

    fails(damage(name, file, unpacked(change)), file, message)


def test_a_matlab_file_of_something_else(damage):
    savemat(written := BytesIO(), {"feature": np.zeros(3)})
    file = "landmine/LandmineData.mat"
    fails(damage("landmine", file, lambda content: written.getvalue()), file, "'feature' and 'label'")


@pytest.fixture
def serve(monkeypatch):
    def serve(answer):
        def fetch(**asked):
            fetch.asked = asked
            if isinstance(answer, Exception):
                raise answer
            return answer

        monkeypatch.setattr(datasets, "fetch_openml", fetch)
        return fetch

    return serve


def table(target):
    features = pd.DataFrame({"age": [30.0, np.nan, 50.0], "sex": pd.Categorical(["m", "f", "m"])})
    return Bunch(data=features, target=target, feature_names=["age", "sex"])


def test_a_table_of_openml_with_categories_many_classes_or_sparse(serve, declared):
    fetch = serve(table(pd.Series(["no", "yes", "no"], name="class", dtype="category")))
    data = declared["openml"].load(data_id=31)
    assert fetch.asked["data_id"] == 31
    assert fetch.asked["target_column"] == "default-target"
    np.testing.assert_array_equal(data.X, [[30, 0, 1], [np.nan, 1, 0], [50, 0, 1]])
    assert data.feature_names == ["age", "sex=f", "sex=m"]
    assert data.groups == [[0], [1, 2]]
    assert data.y.tolist() == [-1, 1, -1]
    fetch = serve(table(pd.Series(["1", "2", "3"], name="age", dtype="category")))
    assert declared["openml"].load(data_id=31, target="kind").y.tolist() == [1, 2, 3]
    assert fetch.asked["target_column"] == "kind"
    assert declared["openml"].load(data_id=31, one_against_rest=2).y.tolist() == [-1, 1, -1]
    assert declared["openml"].load(data_id=31, pair=[3, 1]).y.tolist() == [1, -1]
    features = sparse.csr_matrix([[0, 1], [2, 0], [0, 3]])
    serve(Bunch(data=features, target=np.array(["a", "b", "c"], dtype=object), feature_names=["x", "y"]))
    data = declared["openml"].load(data_id=31, pair=["a", "c"])
    assert sparse.issparse(data.X)
    assert data.X.toarray().tolist() == [[0, 1], [0, 3]]
    assert data.y.tolist() == [-1, 1]


def test_regression_and_what_is_missing_or_no_number(serve, declared):
    serve(table(pd.Series([1.5, 2.5, 3.5], name="target")))
    assert declared["openml-regression"].load(data_id=31).y.tolist() == [1.5, 2.5, 3.5]
    serve(table(pd.Series(["a", "b", "c"], name="target")))
    with pytest.raises(ValueError, match="OpenML 31: target 'a' in record 1 is not a finite number"):
        declared["openml-regression"].load(data_id=31)
    serve(URLError("Name or service not known"))
    with pytest.raises(DataUnavailableError, match=r"OpenML 31 cannot be fetched .* Name or service not known"):
        declared["openml"].load(data_id=31)
    for data_id in (0, "iris", 1.5):
        with pytest.raises(ValueError, match="data_id is"):
            declared["openml"].load(data_id=data_id)
    with pytest.raises(ValueError, match="'data_id' is missing"):
        declared["openml"].load()
    serve(KeyError("Could not find target_column='kind'"))
    with pytest.raises(ValueError, match="OpenML 31: no column 'kind'"):
        declared["openml"].load(data_id=31, target="kind")
    serve(Bunch(data=pd.DataFrame({"a": [1]}), target=None, feature_names=["a"]))
    with pytest.raises(ValueError, match="has no single default target"):
        declared["openml"].load(data_id=31)

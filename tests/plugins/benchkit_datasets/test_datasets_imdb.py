"""Film reviews, whose text takes seconds to parse, are parsed once for everybody."""

import gzip

import benchkit
from benchkit_datasets.published import texts


def test_reviews_are_parsed_once_without_a_trial(folder, monkeypatch):
    monkeypatch.setattr(texts, "IMDB_ROWS", 3)
    (folder / "imdb" / "train").mkdir(parents=True)
    (folder / "imdb" / "imdb.vocab").write_text("\n".join(f"term{k}" for k in range(texts.TERMS)) + "\n")
    (folder / texts.IMDB_PARTS["train"]).write_bytes(gzip.compress(b"9 0:9 2:1\n1 1:2\n10 0:1\n"))
    counted, parse = [], texts.load_svmlight_file
    monkeypatch.setattr(texts, "load_svmlight_file", lambda *args, **kw: counted.append(1) or parse(*args, **kw))
    declared = benchkit.registry().datasets["imdb"]
    first, again = (declared.load(part="train", n_terms=2) for _ in range(2))
    assert len(counted) == 1
    assert first.X.toarray().tolist() == again.X.toarray().tolist() == [[9, 0], [0, 2], [1, 0]]
    assert again.y.tolist() == [9, 1, 10]

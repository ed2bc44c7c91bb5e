"""Data of the paper on robust regression with online feature selection."""

from benchkit import DataFile, Dataset

ACL_IMDB = "http://ai.stanford.edu/~amaas/data/sentiment/aclImdb_v1.tar.gz"

DATASETS = [
    Dataset(
        name="imdb",
        load="benchkit_datasets.published.imdb:load_imdb",
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
]

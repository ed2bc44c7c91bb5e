"""Which rows of exported test tables models get right: scores.csv, for benchkit judge."""

from pathlib import Path

import pandas as pd
from sklearn.ensemble import HistGradientBoostingClassifier, RandomForestClassifier
from sklearn.linear_model import LogisticRegression
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import OrdinalEncoder, StandardScaler

MODELS = {
    "boosting": HistGradientBoostingClassifier(random_state=0),
    "forest": RandomForestClassifier(random_state=0),
    "logistic": make_pipeline(StandardScaler(), LogisticRegression()),
}

train = pd.read_csv("train.csv")
*columns, target = train.columns
text = [column for column in columns if not pd.api.types.is_numeric_dtype(train[column])]
# One code a category, the same in every test table.
coder = OrdinalEncoder(handle_unknown="use_encoded_value", unknown_value=-1).fit(train[text])


def coded(table: pd.DataFrame) -> pd.DataFrame:
    """Columns as numbers."""
    found = table[columns].copy()
    found[text] = coder.transform(table[text])
    return found.astype(float)


rows = []
for name, model in MODELS.items():
    model.fit(coded(train), train[target])
    for degree in range(len(list(Path().glob("test_*.csv")))):
        test = pd.read_csv(f"test_{degree}.csv")
        right = model.predict(coded(test)) == test[target]
        rows += [(name, degree, item, int(each)) for item, each in enumerate(right)]
pd.DataFrame(rows, columns=["model", "degree", "item", "accuracy"]).to_csv("scores.csv", index=False)

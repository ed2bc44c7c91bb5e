"""A robust classifier from a Parquet file that does not fit into memory, one row group after another.

    python examples/stream_parquet.py FILE TARGET [--noise-budget N] [--C C]

All row groups but the last are learned from, in their order; the last one is the test. The file's columns are numbers,
its rows stand in no order that has to do with the target: a file sorted by it, write again in random order.
"""

import argparse
import resource
import time

import numpy as np
import pyarrow.parquet as pq

from benchkit_feature_noise.estimators.o2b import OnlineToBatchPerceptron


def read(file, group, target):
    """Rows of one row group, shape (n_rows, n_features), and their classes."""
    table = file.read_row_group(group)
    features = [name for name in table.column_names if name != target]
    # Column by column into one array: never the group twice.
    X = np.empty((table.num_rows, len(features)))
    for position, name in enumerate(features):
        X[:, position] = table[name].to_numpy()
    return X, table[target].to_numpy()


def learn(path, target, **params):
    """The model of all row groups but the last."""
    with pq.ParquetFile(path) as file:
        *train, _ = range(file.num_row_groups)
        rows = sum(file.metadata.row_group(group).num_rows for group in train)
        model = OnlineToBatchPerceptron(horizon=rows, **params)
        for group in train:
            X, y = read(file, group, target)
            model.partial_fit(X, y, classes=[0, 1])
    return model


def main():
    """Learn, and say what it took."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("path")
    parser.add_argument("target")
    parser.add_argument("--noise-budget", type=float, default=0.0)
    parser.add_argument("--C", type=float, default=1.0)
    arguments = parser.parse_args()
    start = time.process_time()
    model = learn(arguments.path, arguments.target, noise_budget=arguments.noise_budget, C=arguments.C)
    with pq.ParquetFile(arguments.path) as file:
        X, y = read(file, file.num_row_groups - 1, arguments.target)
    megabytes = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024
    print(f"{model.n_seen_:,} rows in {time.process_time() - start:.1f} CPU s, {megabytes:.0f} MB at most")
    print(f"error on {len(y):,} rows kept apart: {np.mean(model.predict(X) != y):.3f}")


if __name__ == "__main__":
    main()

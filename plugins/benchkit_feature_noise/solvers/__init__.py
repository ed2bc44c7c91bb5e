"""Solvers of the programs behind the classifiers; they know no estimator."""

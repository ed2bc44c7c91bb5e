"""What the regressors are built from: least squares, paths, selections; they know no estimator."""

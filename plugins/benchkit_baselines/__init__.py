"""What every benchmark compares with: the constant predictor, scikit-learn's classics, and the usual metrics."""

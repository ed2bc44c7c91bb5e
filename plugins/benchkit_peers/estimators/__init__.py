"""What other packages lack of scikit-learn's conventions. Each imports its package when it is fitted."""

"""Problems made of a dataset: pairs of classes, subsets of rows."""

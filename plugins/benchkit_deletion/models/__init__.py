"""Fitted models of many libraries, read as sums of trees or of terms."""

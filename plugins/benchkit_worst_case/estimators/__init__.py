"""Classifiers that are trained for columns to go missing."""

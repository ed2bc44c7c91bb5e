"""Models that are trained for columns to go missing."""

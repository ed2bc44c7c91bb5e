"""Running a part of published results again, with the arithmetic that they were made with."""

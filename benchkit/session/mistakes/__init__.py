"""What is wrong with a suite, found before anything runs; `find` tells all of it, in the order in which it is found.

1. Text that is no suite (keys, types, forms of values) is refused where it is read, in `benchkit.suite`: of what could
   not be read nothing more can be asked.
2. `of_imports`: what plugins declare, and the suite names, cannot be imported.
3. `names/`, where all can be: names, parameters, labels and budgets that cannot be, whatever the data.
4. Planning, between the two: parameters that no data set can be made of, and more trials than a suite may have.
5. `data/`: what the data at hand does not have, or does not allow, such as columns, features and budgets; and methods
   and adversaries that do not take it. Why they do not is said in `benchkit.trial.refusals`, which trials ask too: data
   that is not at hand is judged there, and its trials are skipped.
"""

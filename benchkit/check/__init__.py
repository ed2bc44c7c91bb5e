"""What is wrong with a suite, found before anything runs; `suite.find` tells all of it, in the order of this list.

1. Text that is no suite (keys, types, forms of values) is refused where it is read, in `benchkit.suite`: of what could
   not be read nothing more can be asked.
2. `suite`: what plugins declare, and the suite names, cannot be imported.
3. `names`, where all can be: names, parameters, labels and budgets that cannot be, whatever the data.
4. Planning, between the two: parameters that no data set can be made of, and more trials than a suite may have.
5. `data`: what the data at hand does not have, or does not allow, such as columns, features and budgets; and methods
   and adversaries that do not take it. It is read by `reading`, in a worker process under limits. Why methods do not
   take it is said in `benchkit.trial.refusals`, which trials ask too: data that is not at hand is judged there.
"""

"""benchkit: plugin-based benchmarks for robust machine learning.

The public API. A plugin needs `hookimpl` and the declarations; a notebook needs `plan`, `run` and `load`.
"""

import lazy_loader

__version__ = "0.2.0"

# Every name is imported when it is first used, from where the stub beside this says.
__getattr__, __dir__, __all__ = lazy_loader.attach_stub(__name__, __file__)

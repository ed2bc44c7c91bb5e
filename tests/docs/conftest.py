"""Scripts under docs/site can be imported, after all that is installed."""

import sys
from pathlib import Path

sys.path.append(str(Path(__file__).parents[2] / "docs" / "site"))

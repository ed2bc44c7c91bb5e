"""Convert published runs in place, as results/ was: ``python docs/site/convert_results.py [FOLDER]``.

Manifests that an earlier version wrote with indentation are written as `benchkit publish` writes them now, and the list
of all files with their SHA-256, which nothing reads any more, goes. Rows stay as they are.
"""

from __future__ import annotations

import sys
from pathlib import Path

from benchkit_results.publish import write_published_manifest
from benchkit_results.stored import open_stored

RESULTS = Path(__file__).parents[2] / "results"


def main(folder: Path) -> None:
    """Convert all, and print how many bytes the manifests had before, and have now."""
    runs = open_stored(folder).runs.values()
    sizes = []
    for run in runs:
        path = run.folder / "manifest.json"
        before = path.stat().st_size
        write_published_manifest(run.folder, run.manifest)
        sizes.append((before, path.stat().st_size))
    (folder / "SHA256SUMS").unlink(missing_ok=True)
    print(f"{len(sizes)} manifests: {sum(old for old, _ in sizes):,} bytes, now {sum(new for _, new in sizes):,}")


if __name__ == "__main__":
    main(Path(sys.argv[1]) if len(sys.argv) > 1 else RESULTS)

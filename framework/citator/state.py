"""How things stand: what `citator status` and `citator doctor` tell, and the daemon when it is asked."""

import fcntl
import shutil
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

from citator.pipeline import Pipeline


def pipeline_state(pipeline: Pipeline) -> dict[str, Any]:
    """A pipeline's files, model and store, and what is in the store of each of its sources."""
    return {
        "project": str(pipeline.project),
        "files": [str(file) for file in pipeline.config.files],
        "notices": pipeline.notices,
        "model": pipeline.embedding.model_dump(mode="json"),
        "fingerprint": pipeline.fingerprint,
        "store": pipeline.store.place,
        "calibrated": pipeline.calibrations.current() is not None,
        "sources": [
            {"type": source.type, "root": str(source.root), "records": len(pipeline.store.hashes(key))}
            for key, source in pipeline.sources.items()
        ],
    }


def holders(folder: Path) -> Iterator[tuple[Path, int]]:
    """The collections in a store's folder that a process works in now, with its process id."""
    for lock in sorted(folder.glob("*.lock")):
        with lock.open("r+b") as file:
            try:
                fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
            except BlockingIOError:
                number = file.read()
                yield lock.with_suffix(""), int(number) if number.isdigit() else 0


def disk(folder: Path) -> Mapping[str, int]:
    """Bytes: `used` by everything in a folder, `free` on its disk."""
    place = next(path for path in (folder, *folder.parents) if path.exists())
    used = sum(file.lstat().st_blocks * 512 for file in folder.rglob("*")) if folder.exists() else 0
    return {"used": used, "free": shutil.disk_usage(place).free}

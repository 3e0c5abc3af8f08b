"""A sync that is killed at any point leaves a store that the next sync makes equal to a clean build."""

import multiprocessing
import random
import shutil
import signal
import time
from pathlib import Path

import pytest

import crash_child

Content = dict[str, tuple[str, str, int, tuple[float, ...]]]


def content(folder: Path) -> Content:
    return {
        node.node_id: (
            node.metadata["record"],
            node.get_content(),
            node.metadata["pieces"],
            tuple(round(x, 5) for x in node.get_embedding()),
        )
        for node in crash_child.open_at(str(folder)).get_nodes()
    }


@pytest.mark.slow
def test_thirty_kills_at_random_points_are_all_mended_by_the_next_sync(tmp_path: Path) -> None:
    processes = multiprocessing.get_context("forkserver")
    processes.set_forkserver_preload(["crash_child"])

    def sync(folder: Path, edition: int) -> multiprocessing.context.ForkServerProcess:
        process = processes.Process(target=crash_child.run, args=(str(folder), edition))
        process.start()
        return process

    before, clean = tmp_path / "before", tmp_path / "clean"
    for folder, edition in ((before, 0), (clean, 1)):
        start = time.monotonic()
        sync(folder, edition).join()
        whole = time.monotonic() - start
    expected = content(clean)
    assert len({record for record, *_ in expected.values()}) == 135

    chance = random.Random()
    seed = chance.randrange(10**6)
    chance.seed(seed)
    killed = 0
    for attempt in range(30):
        folder = tmp_path / f"killed-{attempt}"
        shutil.copytree(before, folder)
        process = sync(folder, 1)
        time.sleep(chance.uniform(0, whole))
        process.kill()
        process.join()
        killed += process.exitcode == -signal.SIGKILL
        mend = sync(folder, 1)
        mend.join()
        assert mend.exitcode == 0, f"round {attempt} of seed {seed}"
        assert content(folder) == expected, f"round {attempt} of seed {seed}"
        shutil.rmtree(folder)
    assert killed >= 15

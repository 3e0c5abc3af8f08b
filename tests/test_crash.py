"""A sync that is killed at any point leaves a store that the next sync makes equal to a clean build."""

import multiprocessing
import random
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
def test_thirty_kills_at_random_points_are_all_mended_by_the_next_sync(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("PYTHONPATH", str(Path(__file__).parent))  # or the server cannot preload
    processes = multiprocessing.get_context("forkserver")
    processes.set_forkserver_preload(["crash_child"])

    def sync(folder: Path, edition: int) -> multiprocessing.context.ForkServerProcess:
        process = processes.Process(target=crash_child.run, args=(str(folder), edition))
        process.start()
        return process

    store = tmp_path / "store"
    expected = {}
    for edition in (0, 1):
        clean = tmp_path / f"clean-{edition}"
        sync(clean, edition).join()
        expected[edition] = content(clean)
    assert [len({record for record, *_ in expected[edition].values()}) for edition in (0, 1)] == [60, 54]

    sync(store, 0).join()
    start = time.monotonic()
    sync(store, 1).join()
    whole = time.monotonic() - start

    chance = random.Random()
    seed = chance.randrange(10**6)
    chance.seed(seed)
    killed = 0
    for attempt in range(30):
        edition = attempt % 2
        process = sync(store, edition)
        time.sleep(chance.uniform(0, whole))
        process.kill()
        process.join()
        killed += process.exitcode == -signal.SIGKILL
        mend = sync(store, edition)
        mend.join()
        assert mend.exitcode == 0, f"round {attempt} of seed {seed}"
        assert content(store) == expected[edition], f"round {attempt} of seed {seed}"
    assert killed >= 15

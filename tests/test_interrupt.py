"""A real `citator sync` that is interrupted from the keyboard, on real notes with the packaged model."""

import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest

CITATOR = [sys.executable, "-c", "from citator.cli import main; raise SystemExit(main())"]


@pytest.mark.slow
def test_ctrl_c_ends_a_sync_in_a_line_and_the_next_goes_on_where_it_was(home: Path) -> None:
    notes = home / "notes"
    notes.mkdir()
    for number in range(200):
        (notes / f"{number:03}.md").write_text(
            f"# Note {number}\n\n" + f"The worker of shop {number} takes its job from a table. " * 40
        )
    file = home / "pipeline.yaml"
    file.write_text(f"sources: [{{type: markdown, path: {notes}}}]\nstore: {{type: edge, path: {home / 'store'}}}\n")
    command = [*CITATOR, "sync", "--config", str(file), "--project", str(home)]

    process = subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
    deadline = time.monotonic() + 120
    while not list((home / ".local/share/citator/calibrations").glob("*.json")) and time.monotonic() < deadline:
        time.sleep(0.05)  # the first batch is written, and measured
    process.send_signal(signal.SIGINT)
    out, err = process.communicate(timeout=60)
    assert (process.returncode, out, err) == (130, "", "citator: interrupted; what is done stays\n")

    found = subprocess.run(
        [*CITATOR, "recall", "the worker of shop 7", "-k", "1", "--config", str(file), "--project", str(home)],
        capture_output=True,
        text=True,
        check=False,
    )
    assert (found.returncode, found.stderr) == (0, "")
    assert "note" in found.stdout

    again = subprocess.run(command, capture_output=True, text=True, check=True).stdout
    unchanged, embedded = (int(part.split()[0]) for part in again.split(", ")[:2])
    assert unchanged >= 32
    assert unchanged + embedded == 200

"""Shares and rows of Markdown tables."""

from collections.abc import Sequence

import numpy as np


def share(reached: Sequence[float], threshold: float) -> str:
    return f"{np.mean(np.array(reached) >= threshold):.3f}" if len(reached) else ""


def mean(truths: Sequence[bool]) -> str:
    return f"{np.mean(truths):.3f}" if len(truths) else ""


def row(*cells: object) -> None:
    print("| " + " | ".join(str(cell) for cell in cells) + " |", flush=True)


def head(*cells: str) -> None:
    print()
    row(*cells)
    row(*["---"] * len(cells))

"""Hands over only what stands out from the background."""

from collections.abc import Mapping
from typing import TYPE_CHECKING, Annotated

from pydantic import Field

from citator.api import Postprocessor, View, hookimpl

if TYPE_CHECKING:
    from citator import postprocessors

Rate = Annotated[float, Field(gt=0, lt=0.5)]


class Gate(Postprocessor):
    """Compares the records found with what everyday messages, which have nothing to do with them, reach."""

    false_injection: Rate = 0.04
    """The share of messages with nothing to recall that may bring something all the same."""

    full: Rate = 0.004
    """Below this share for the best record the list is full (five, with descriptions), else short (two titles)."""

    def build(self, view: View) -> "postprocessors.Gate":
        """The gate over the calibration of this pipeline."""
        from citator import postprocessors

        return postprocessors.Gate(view.calibration, self.false_injection, self.full)


@hookimpl
def register_postprocessors() -> Mapping[str, type[Postprocessor]]:
    """Offers `gate`."""
    return {"gate": Gate}

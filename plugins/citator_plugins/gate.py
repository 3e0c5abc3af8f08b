"""The gate: hands over only what stands out from the background, or what others do instead."""

from collections.abc import Mapping
from typing import TYPE_CHECKING, Annotated, Literal

from pydantic import BeforeValidator, Field

from citator.api import Postprocessor, View, hookimpl

if TYPE_CHECKING:
    from citator import postprocessors

Rate = Annotated[float, Field(gt=0, lt=0.5)]
Method = Annotated[
    Literal["calibrated", "margin", "off"],
    BeforeValidator(lambda value: "off" if value is False else value),  # which is how YAML reads the word
]


class Gate(Postprocessor):
    """Compares the records found with what everyday messages, which have nothing to do with them, reach."""

    false_injection: Rate = 0.04
    """The share of messages with nothing to recall that may bring something all the same."""

    full: Rate = 0.004
    """Below this share for the best record the list is full (five, with descriptions), else short (two titles)."""

    method: Method = "calibrated"
    """`margin`, as is common: whether the nearest stands out from the next nine; `off`: always the nearest five."""

    margin: float = Field(default=0.1, gt=0, lt=1)
    """For the method `margin`: by how much the similarity of the nearest must be above the mean of the next nine."""

    background: Literal["everyday", "own"] = "everyday"
    """`own`: your past messages count among the everyday ones, which makes it stricter; nothing is kept of them but numbers."""

    most: dict[str, Annotated[int, Field(ge=0)]] = Field(default={"conversation": 2})
    """The most records of a kind in a list; five where a kind is not named."""

    @property
    def own_messages(self) -> bool:
        """Where the background is the user's own."""
        return self.background == "own"

    def build(self, view: View) -> "postprocessors.Gate | postprocessors.MarginGate":
        """The gate of this method over the calibration of this pipeline."""
        from citator import postprocessors

        if self.method == "calibrated":
            return postprocessors.Gate(view.calibration, self.false_injection, self.full, self.most)
        return postprocessors.MarginGate(margin=self.margin if self.method == "margin" else None)


@hookimpl
def register_postprocessors() -> Mapping[str, type[Postprocessor]]:
    """Offers `gate`."""
    return {"gate": Gate}

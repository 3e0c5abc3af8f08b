"""Puts each decision's standing in front of it."""

from collections.abc import Mapping
from typing import TYPE_CHECKING

from citator.api import Postprocessor, View, hookimpl

if TYPE_CHECKING:
    from citator.postprocessors import StatusMarks


class Marks(Postprocessor):
    """Stamps the records of sources that have a status resolver; the number and order of records stay."""

    def build(self, view: View) -> "StatusMarks":
        """A StatusMarks that reads the verdicts of this pipeline."""
        from citator.postprocessors import StatusMarks

        return StatusMarks(view.verdicts)


@hookimpl
def register_postprocessors() -> Mapping[str, type[Postprocessor]]:
    """Offers `marks`."""
    return {"marks": Marks}

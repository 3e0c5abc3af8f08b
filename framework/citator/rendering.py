"""The base class of the plugins that write the block."""

from abc import ABC, abstractmethod
from collections.abc import Sequence

from citator.options import Options
from citator.records import Hit


class Renderer(Options, ABC):
    """Turns hits into the text that an agent gets."""

    @abstractmethod
    def render(self, hits: Sequence[Hit]) -> str:
        """The block for these hits, best first; empty text where there is nothing to hand over."""

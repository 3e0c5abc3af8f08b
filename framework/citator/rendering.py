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

    def written(self, hits: Sequence[Hit]) -> list[Hit]:
        """Those of the hits that the block for them has: without one that was cut off it reads the same.

        A renderer that knows what it writes says so more quickly.
        """
        block = self.render(hits)
        return [hit for at, hit in enumerate(hits) if self.render([*hits[:at], *hits[at + 1 :]]) != block]

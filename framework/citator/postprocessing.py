"""The base class of the plugins that work on what was retrieved, before it is rendered."""

from abc import ABC, abstractmethod
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING

from citator.options import Options
from citator.records import Verdict
from citator.sources import Source

if TYPE_CHECKING:
    from llama_index.core.postprocessor.types import BaseNodePostprocessor

    from citator.gating import Calibration


@dataclass(frozen=True, slots=True)
class View:
    """What a postprocessor may look at.

    `sources` are the pipeline's by key; `verdicts` gives those of a source by record id, or None for one without standing;
    `calibration` is the gate's, None before the first sync. Both are read afresh on every call.
    """

    sources: Mapping[str, Source]
    verdicts: Callable[[str], Mapping[str, Verdict] | None]
    calibration: Callable[[], "Calibration | None"]


class Postprocessor(Options, ABC):
    """Builds a LlamaIndex node postprocessor; the YAML's order is the order of work."""

    @property
    def own_messages(self) -> bool:
        """Whether the calibration shall count the user's past messages among the everyday ones."""
        return False

    @abstractmethod
    def build(self, view: View) -> "BaseNodePostprocessor":
        """The postprocessor for one pipeline.

        A node that it drops may be given the reason first, as `node.metadata["why"]`: `citator why` shows it.
        """

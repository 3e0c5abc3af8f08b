"""The base class of the plugins that work on what was retrieved, before it is rendered."""

from abc import ABC, abstractmethod
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, ClassVar

from citator.options import Options
from citator.records import Verdict
from citator.sources import Source
from citator.standings import Standings

if TYPE_CHECKING:
    from llama_index.core.postprocessor.types import BaseNodePostprocessor
    from llama_index.core.schema import NodeWithScore, QueryBundle

    from citator.gating import Calibration


@dataclass(frozen=True, slots=True)
class View:
    """What a postprocessor may look at.

    `sources` are the pipeline's by key; `verdicts` gives those of a source by record id, `standings` all that its files declare,
    None for one without standing; `calibration` is the gate's, None before the first sync. All are read afresh on every call.
    `records` gives the nodes of some records of some sources; `approaches` the rejected ones nearest to a message, which have a
    calibration of their own.
    """

    sources: Mapping[str, Source]
    verdicts: Callable[[str], Mapping[str, Verdict] | None]
    calibration: Callable[[], "Calibration | None"]
    standings: Callable[[str], Standings | None]
    records: Callable[["QueryBundle", Sequence[str], Sequence[str]], "list[NodeWithScore]"]
    approaches: Callable[["QueryBundle"], "list[NodeWithScore]"]
    approaches_calibration: Callable[[], "Calibration | None"]


class Postprocessor(Options, ABC):
    """Builds a LlamaIndex node postprocessor; the YAML's order is the order of work."""

    wants_approaches: ClassVar[bool] = False
    """True where it works on rejected approaches, which are embedded only where some step does."""

    @property
    def own_messages(self) -> bool:
        """Whether the calibration shall count the user's past messages among the everyday ones."""
        return False

    @abstractmethod
    def build(self, view: View) -> "BaseNodePostprocessor":
        """The postprocessor for one pipeline.

        A node that it drops may be given the reason first, as `node.metadata["why"]`: `citator why` shows it.
        """

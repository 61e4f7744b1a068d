"""`Try`: one asker of an escalation: the caller first, then a supervisor, all still able to answer."""

from typing import Literal

from voice_hitl.asker import Asker, AskerSession, Asking, GaveUp, NeedsOfProvider, whom
from voice_hitl.provider import ProviderCapabilities
from voice_hitl.requests.pending import PendingInput


class Try:
    """Asks when those before it have had their turn; the next one is asked after `patience`, or once this gave up.

    `askers=[Try(SpokenAsker(), patience=20), Try(ConsoleAsker("supervisors"), patience=60)]`. Who was asked before may
    still answer. Askers that are no `Try` are asked at once.

    Args:
        asker: Who asks.
        patience: Seconds until the next one is asked too.

    Raises:
        ValueError: The patience is zero or less.
    """

    def __init__(self, asker: Asker, *, patience: float) -> None:
        if not patience > 0:
            raise ValueError(f"the patience of a try is more than zero seconds, not {patience:g}")
        self._asker = asker
        self._patience = patience

    @property
    def name(self) -> str:
        """The asker's name."""
        return self._asker.name

    @property
    def patience(self) -> float:
        """Seconds until the next one is asked too."""
        return self._patience

    @property
    def whom(self) -> Literal["caller", "others", "nobody"]:
        """Whom the asker asks."""
        return whom(self._asker)

    def why_not(self, capabilities: ProviderCapabilities) -> str | None:
        """Why the asker could never ask in a session of such a provider; None: it could."""
        return self._asker.why_not(capabilities) if isinstance(self._asker, NeedsOfProvider) else None

    def reaches(self, request: PendingInput | None, session: AskerSession | None) -> bool:
        """Whether the asker could reach somebody."""
        return self._asker.reaches(request, session)

    async def ask(self, asking: Asking, session: AskerSession | None) -> GaveUp | None:
        """Ask until cancelled, or until the asker gives up."""
        return await self._asker.ask(asking, session)

"""When the model is to be asked to go on, so that it does once, and never while it cannot. Pure.

The service refuses a second response beside an active one. A response that began after everything it is to read was in
the history pays the debt, whoever asked for it; one that began before, or that we cut, does not, and the model is
asked once more when it has ended and the caller is silent.
"""

from voice_hitl_openai.history import Mark
from voice_hitl_openai.messages import ResponseStatus
from voice_hitl_openai.responses import Request, Response, Responses


class GoingOn:
    """What the model still owes."""

    def __init__(self, responses: Responses) -> None:
        self._responses = responses
        self._owed: Mark | None = None
        self._kept_back = False
        self.caller_speaks = False

    def ask(self, known: Mark) -> bool:
        """The model is to go on, having read all that is known. Whether to ask it now; else the debt is kept."""
        asked, active = self._responses.going_on, self._responses.conversing
        if asked is None and active is None:
            return True
        if asked is not None and not asked.cancelled and asked.has_read.reaches(known):
            return False
        if active is None or not _pays(active, known):
            self._owed = known.join(self._owed)
            self._kept_back = False
        return False

    def refused(self, request: Request) -> None:
        """Our request met an active response: it pays the debt where it has read as much."""
        active = self._responses.conversing
        if active is None or not _pays(active, request.has_read):
            self._owed = request.has_read.join(self._owed)

    def ended(self, response: Response, status: ResponseStatus) -> None:
        """A response is over: the debt is paid where it had read enough."""
        if self._owed is not None and status != "failed" and _pays(response, self._owed):
            self._owed = None

    def due(self) -> bool:
        """Whether the debt can be paid now; it is then taken as paid."""
        if self._owed is None or self._kept_back or self.caller_speaks:
            return False
        if self._responses.conversing is not None or self._responses.going_on is not None:
            return False
        self._owed = None
        return True

    def keep_back(self) -> None:
        """Somebody takes the floor: what is owed now waits until it is given back."""
        self._kept_back = self._owed is not None

    def release(self) -> None:
        """The floor was given back."""
        self._kept_back = False


def _pays(response: Response, owed: Mark) -> bool:
    return response.in_conversation and not response.cancelled and response.has_read.reaches(owed)

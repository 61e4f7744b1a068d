"""The responses of one session: which are under way, which are ours, and what each of them has read. Pure."""

from collections import OrderedDict, deque
from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import Final

from voice_hitl_openai.history import Mark

MOST_ENDED: Final = 64
"""How many ended responses are remembered, to drop what still comes of them and to undo what was not heard."""

MOST_LIVE: Final = 64
"""How many may be under way; the service allows far fewer, and what never ends is not remembered for ever."""

MOST_ITEMS: Final = 64
"""How many items of one response are remembered."""


@dataclass(slots=True)
class Request:
    """A `response.create` of ours that the service has not answered yet."""

    tag: str
    has_read: Mark
    """How far in the history the response will have read at least."""
    says: str | None = None
    """The words to be said, where it is out of band."""
    cancelled: bool = False
    """Whether it is to be cancelled as soon as it has a name."""


@dataclass(slots=True)
class Response:
    """A response that the service has begun."""

    response_id: str
    ours: bool
    has_read: Mark
    says: str | None = None
    cancelled: bool = False
    intruder: bool = False
    """Whether nobody of ours asked for it while the model was held: nothing of it is heard."""
    items: list[str] = field(default_factory=list[str])

    @property
    def in_conversation(self) -> bool:
        """Whether its items become history."""
        return self.says is None

    def add_item(self, item_id: str) -> None:
        """Remember an item of it."""
        if len(self.items) < MOST_ITEMS:
            self.items.append(item_id)


class Responses:
    """Which responses are asked for, under way, and over."""

    def __init__(self) -> None:
        self._asked: deque[Request] = deque()
        self._live: dict[str, Response] = {}
        self._ended: OrderedDict[str, Response] = OrderedDict()

    @property
    def asked(self) -> tuple[Request, ...]:
        """Our requests that are not answered yet, oldest first."""
        return tuple(self._asked)

    @property
    def live(self) -> tuple[Response, ...]:
        """The responses under way."""
        return tuple(self._live.values())

    @property
    def conversing(self) -> Response | None:
        """The response under way that writes to the conversation; the service allows one."""
        return next((response for response in self._live.values() if response.in_conversation), None)

    @property
    def going_on(self) -> Request | None:
        """The newest request of ours to go on (not to say words) that is not answered yet."""
        return next((request for request in reversed(self._asked) if request.says is None), None)

    def find(self, response_id: str) -> Response | None:
        """A response under way, or of the last that were."""
        return self._live.get(response_id) or self._ended.get(response_id)

    def is_over(self, response_id: str) -> bool:
        """Whether it has ended."""
        return response_id in self._ended

    def ask(self, request: Request) -> None:
        """We have sent a `response.create`."""
        self._asked.append(request)

    def start(self, response_id: str, request: Request | None, *, has_read: Mark) -> Response | None:
        """A response has begun, ours when it answers `request`; None when it is not news."""
        if response_id in self._live or response_id in self._ended:
            return None
        if request is not None:
            self._asked.remove(request)
        says = request.says if request else None
        response = Response(response_id, request is not None, has_read, says)
        self._live[response_id] = response
        if len(self._live) > MOST_LIVE:
            self.end(next(iter(self._live)))
        return response

    def end(self, response_id: str) -> Response | None:
        """A response is over; None when it was not under way."""
        response = self._live.pop(response_id, None)
        # Remembered even where it never began here: what comes of it afterwards is late.
        self._ended[response_id] = response or Response(response_id, ours=False, has_read=Mark())
        while len(self._ended) > MOST_ENDED:
            self._ended.popitem(last=False)
        return response

    def request_of(self, tag: str, *, tags: bool) -> Request | None:
        """Which request of ours a new response answers. A service that hands no tags back answers in order."""
        if not tags:
            return self._asked[0] if self._asked else None
        return next((request for request in self._asked if tag and request.tag == tag), None)

    def refuse(self, tag: str, *, unnamed: bool) -> Request | None:
        """Our request was refused; return it. `unnamed`: the refusal may be of the oldest, without naming it."""
        going_on = (request for request in self._asked if request.says is None)
        request = self.request_of(tag, tags=True) or (next(going_on, None) if unnamed and not tag else None)
        if request is not None:
            self._asked.remove(request)
        return request

    def __iter__(self) -> Iterator[Response]:
        return iter(self.live)
